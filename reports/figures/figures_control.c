/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chart of individuals: relative differences of the pairs in the order of the blocks, with centre
 * and limits; below them their moving ranges. */
#include "reports/figures/figures.h"
#include "reports/words.h"

#define MAX_CHARTS 6
#define WIDTH 480
#define HEIGHT 330

static bool has_chart(const struct cell *c)
{
	return c->control.status == STAT_OK && c->control.d.n > 1;
}

/* Whether a point lies outside the limits, or the case is not trusted. */
static bool needs_chart(const struct cell *c)
{
	return has_chart(c) &&
	       (c->control.n_out || c->control.n_mr_out || c->verdict != VERDICT_TRUSTED);
}

static void add_data(struct figure *f, const struct control_chart *k)
{
	strbuf_addstr(&f->data,
		      "# pair, relative difference in percent, moving range in percent\n");
	for (size_t i = 0; i < k->d.n; i++) {
		strbuf_addf(&f->data, "%zu", i + 1);
		plot_number(&f->data, 100 * k->d.x[i]);
		plot_number(&f->data,
			    i ? 100 * fabs(log1p(k->d.x[i]) - log1p(k->d.x[i - 1])) : NAN);
		strbuf_addch(&f->data, '\n');
	}
}

/* Returns the distance between tics: four or five tics at steps of 1, 2 or 5. */
static double tics(double range)
{
	double step = pow(10, floor(log10(range / 4))), times = range / 4 / step;
	return times <= 1 ? step : times <= 2 ? 2 * step : times <= 5 ? 5 * step : 10 * step;
}

static void add_line(struct strbuf *out, double at, size_t n, int colour, const char *dash)
{
	strbuf_addf(out, "set arrow from 0.5,%.10g to %zu.5,%.10g nohead lw 1 dt %s lc rgb '%s'\n",
		    100 * at, n, 100 * at, dash, palette[colour].hex);
}

static void add_script(struct figure *f, const struct control_chart *k)
{
	struct strbuf *s = &f->script;
	strbuf_addf(s, "set xrange [0.5:%zu.5]\nset grid ytics lc rgb '%s'\nunset key\nset "
		"multiplot layout 2,1\n", k->d.n, palette[PALETTE_GRID].hex);
	strbuf_addf(s, "set lmargin 9\nset ylabel 'difference, %%' textcolor rgb '%s'\n",
		    palette[PALETTE_TEXT].hex);
	add_line(s, k->center, k->d.n, PALETTE_MUTED, "1");
	add_line(s, k->lower, k->d.n, PALETTE_TEXT, "2");
	add_line(s, k->upper, k->d.n, PALETTE_TEXT, "2");
	double lo = 110 * fmin(k->lower, k->d.min) - 1, hi = 110 * fmax(k->upper, k->d.max) + 1;
	strbuf_addf(s, "set yrange [%.10g:%.10g]\nset ytics %.10g\n", lo, hi, tics(hi - lo));
	strbuf_addf(s, "plot file using 1:2 with linespoints lw 1.2 pt 7 ps 0.5 lc rgb '%s'\n",
		    palette_series(0));
	strbuf_addf(s, "unset arrow\nset yrange [0:*]\nset ytics %.10g\nset xlabel 'pair' "
		"textcolor rgb '%s'\n"
		"set ylabel 'moving range, %%' textcolor rgb '%s'\n", tics(130 * k->mr_upper),
		palette[PALETTE_TEXT].hex, palette[PALETTE_TEXT].hex);
	add_line(s, k->mr_upper, k->d.n, PALETTE_TEXT, "2");
	strbuf_addf(s, "plot file using 1:3 with linespoints lw 1.2 pt 6 ps 0.5 lc rgb '%s', %.10g "
		"with lines lw 0 lc rgb '%s'\n"
		"unset multiplot\n", palette_series(1), 100 * k->mr_upper,
		palette[PALETTE_TEXT].hex);
}

void figures_control(struct figures *fs, const struct analysis *a)
{
	size_t n = 0;
	for (size_t i = 0; i < a->n_cells && n < MAX_CHARTS; i++) {
		const struct cell *c = &a->cell[i];
		SCOPED_STRBUF name = STRBUF_INIT;
		char part[24];
		if (!needs_chart(c))
			continue;
		n++;
		snprintf(part, sizeof part, "%zu", i + 1);
		struct figure *f = figure_add(fs, "control", part, WIDTH, HEIGHT);
		add_data(f, &c->control);
		add_script(f, &c->control);
		words_add_cell(&name, a, c);
		figure_caption(f, "%s", name.s);
		figure_alt(f, "Relative difference of each pair with its control limits, and "
			"moving ranges, %s", name.s);
	}
}
