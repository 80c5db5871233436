/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relative bias over the load level, with the deciding interval: a figure for each group of
 * scenarios that differ only in the level. */
#include "reports/figures/figures.h"
#include "reports/words.h"

#define MAX_GROUPS 12
#define WIDTH 420
#define HEIGHT 240

struct level_range {
	double lo, hi, x_lo, x_hi;
};

static void add_line(struct figure *f, const struct analysis *a, const struct linearity *l,
		     double shift, struct level_range *x)
{
	for (size_t i = 0; i < l->n_levels; i++) {
		const struct linearity_level *v = &l->level[i];
		const struct component *c =
			v->cell < a->n_cells ? &a->cell[v->cell].component[COMPONENT_BIAS] : NULL;
		const struct estimate *e = c ? &c->estimate : NULL;
		double lo, hi;
		if (!e || e->status || !isfinite(e->value))
			continue;
		words_deciding_interval(c, &lo, &hi);
		plot_row(&f->data, (double)v->level + shift, 100 * e->value, 100 * lo, 100 * hi);
		x->lo = fmin(x->lo, 100 * lo);
		x->hi = fmax(x->hi, 100 * hi);
		x->x_lo = fmin(x->x_lo, (double)v->level);
		x->x_hi = fmax(x->x_hi, (double)v->level);
	}
}

static void add_script(struct figure *f, const struct level_range *x, double limit)
{
	bool some = x->hi >= x->lo;
	double lo = some ? fmin(x->lo, -limit * 0.2) : -1, hi = some ? fmax(x->hi, limit * 0.2) : 1,
	       margin = (hi - lo) * 0.08;
	strbuf_addf(
	    &f->script,
	    "set xrange [%.10g:%.10g]\nset yrange [%.10g:%.10g]\nset xtics 1\nset format y '%%g "
	    "%%%%'\n"
	    "set xlabel 'load level' textcolor rgb '" RGB_TEXT "'\n"
	    "set ylabel 'bias' textcolor rgb '" RGB_TEXT "'\n"
	    "set grid ytics lc rgb '" RGB_GRID "'\nset key above left Left reverse samplen 2\n"
	    "set arrow from graph 0, first 0 to graph 1, first 0 nohead lc rgb '" RGB_TEXT "'\n",
	    some ? x->x_lo - 0.5 : 0, some ? x->x_hi + 0.5 : 1, lo - margin, hi + margin);
	for (int side = -1; side <= 1; side += 2)
		if (side * limit > lo && side * limit < hi)
			strbuf_addf(&f->script, "set arrow from graph 0, first %.10g to graph 1, "
				"first %.10g nohead dt 2 lc rgb '" RGB_MUTED "'\n", side * limit,
				side * limit);
	if (x->x_hi - x->x_lo > 12)
		strbuf_addstr(&f->script, "set xtics autofreq\n");
}

static void add_group(struct figures *fs, const struct analysis *a, size_t first)
{
	const struct linearity *of = &a->linearity[first];
	struct level_range x = {INFINITY, -INFINITY, INFINITY, -INFINITY};
	SCOPED_STRBUF plot = STRBUF_INIT;
	size_t index = 0;
	struct figure *f = figure_add(fs, "linearity", of->group + 1, WIDTH, HEIGHT);
	strbuf_addstr(&f->data, "# level (shifted a little), bias, lower and upper limit of the "
				"interval that decides, percent; a block per replayer\n");
	for (size_t i = first; i < a->n_linearity && index < PALETTE_N_SERIES; i++) {
		const struct linearity *l = &a->linearity[i];
		size_t before = f->data.len;
		if (l->group != of->group)
			continue;
		add_line(f, a, l, 0.05 * (double)index, &x);
		if (f->data.len == before)
			continue;
		strbuf_addstr(&f->data, "\n\n");
		strbuf_addf(&plot,
			    "%sfile index %zu using 1:2 with lines lc rgb '%s' notitle, \\\n"
			    "  file index %zu using 1:2:3:4 with yerrorbars pt %d ps 0.6 lw 1.2 lc "
			    "rgb '%s' title ",
			    index ? ", \\\n  " : "", index, palette_series(l->replayer), index,
			    palette_point(l->replayer), palette_series(l->replayer));
		plot_string(&plot, a->results->protocol.replayer[l->replayer].name, 26);
		index++;
	}
	f->height += 18 * (unsigned int)index;
	add_script(f, &x, 100 * a->results->protocol.accept.bias);
	strbuf_addf(&f->script, "plot %s\n", index ? plot.s : "NaN notitle");
	figure_caption(f, "%s, with the interval that decides", of->name);
	figure_alt(f, "Bias of each replayer at each load level, with the interval that decides, "
		"%s", of->name);
}

void figures_linearity(struct figures *fs, const struct analysis *a)
{
	size_t n = 0;
	SCOPED_FREE bool *done = xcalloc(a->n_linearity, sizeof *done);
	for (size_t i = 0; i < a->n_linearity; i++) {
		if (done[i] || a->linearity[i].n_levels < 2)
			continue;
		if (n < MAX_GROUPS)
			add_group(fs, a, i);
		n++;
		for (size_t k = i; k < a->n_linearity; k++)
			done[k] |= a->linearity[k].group == a->linearity[i].group;
	}
	fs->n_left_out += n > MAX_GROUPS ? n - MAX_GROUPS : 0;
}
