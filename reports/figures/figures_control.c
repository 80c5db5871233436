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
		plot_row(&f->data, 100 * k->d.x[i],
			 i ? 100 * fabs(log1p(k->d.x[i]) - log1p(k->d.x[i - 1])) : NAN);
	}
}

static void add_line(struct strbuf *out, double at, size_t n, const char *color, const char *dash)
{
	strbuf_addf(out, "set arrow from 0.5,%.10g to %zu.5,%.10g nohead lw 1 dt %s lc rgb '%s'\n",
		    100 * at, n, 100 * at, dash, color);
}

static void add_script(struct figure *f, const struct control_chart *k)
{
	struct strbuf *s = &f->script;
	strbuf_addf(s, "set xrange [0.5:%zu.5]\nset grid ytics lc rgb '" RGB_GRID "'\nunset key\n"
		"set multiplot layout 2,1\nset lmargin 9\n"
		"set ylabel 'difference, %%' textcolor rgb '" RGB_TEXT "'\n", k->d.n);
	add_line(s, k->center, k->d.n, RGB_MUTED, "1");
	add_line(s, k->lower, k->d.n, RGB_TEXT, "2");
	add_line(s, k->upper, k->d.n, RGB_TEXT, "2");
	double lo = 110 * fmin(k->lower, k->d.min) - 1, hi = 110 * fmax(k->upper, k->d.max) + 1;
	strbuf_addf(s, "set yrange [%.10g:%.10g]\nset ytics %.10g\n", lo, hi,
		    plot_step(lo, hi, 4));
	strbuf_addf(s, "plot file using 1:2 with linespoints lw 1.2 pt 7 ps 0.5 lc rgb '%s'\n",
		    palette_series(0));
	strbuf_addf(s, "unset arrow\nset yrange [0:*]\nset ytics %.10g\nset xlabel 'pair' "
		"textcolor rgb '" RGB_TEXT "'\n"
		"set ylabel 'moving range, %%' textcolor rgb '" RGB_TEXT "'\n",
		plot_step(0, 130 * k->mr_upper, 4));
	add_line(s, k->mr_upper, k->d.n, RGB_TEXT, "2");
	strbuf_addf(s, "plot file using 1:3 with linespoints lw 1.2 pt 6 ps 0.5 lc rgb '%s', %.10g "
		"with lines lw 0 lc rgb '" RGB_TEXT "'\nunset multiplot\n", palette_series(1),
		100 * k->mr_upper);
}

void figures_control(struct figures *fs, const struct analysis *a)
{
	size_t n = 0;
	for (size_t i = 0; i < a->n_cells && n < MAX_CHARTS; i++) {
		const struct cell *c = &a->cell[i];
		SCOPED_STRBUF name = STRBUF_INIT;
		if (!needs_chart(c))
			continue;
		n++;
		struct figure *f = figure_add(fs, "control", i + 1, WIDTH, HEIGHT);
		add_data(f, &c->control);
		add_script(f, &c->control);
		words_add_cell(&name, a, c);
		figure_caption(f, "%s", name.s);
		figure_alt(f, "Relative difference of each pair with its control limits, and "
			"moving ranges, %s", name.s);
	}
}
