/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Difference of the distributions of response times, each run's over its own typical response, at
 * the quantiles that are judged. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/figures/figures.h"
#include "reports/figures/figure.h"

#define MAX_SCENARIOS 6
#define WIDTH 520
#define HEIGHT 230 /* and a line for every entry of the key */
#define KEY_LINE 18

static const struct component *shape_of(const struct cell *c)
{
	return &c->component[COMPONENT_SHAPE];
}

static bool has_shape(const struct cell *c)
{
	return shape_of(c)->n_parts > 0;
}

/* Replayers stand side by side at a quantile: `at` of `n`. */
static void add_replayer(struct figure *f, const struct component *c, size_t at, size_t n)
{
	for (size_t i = 0; i < c->n_parts; i++) {
		const struct estimate *e = &c->part[i].estimate;
		strbuf_addf(&f->data, "%.4g",
			    (double)i + 1 + 0.5 * ((double)at + 0.5) / (double)n - 0.25);
		plot_number(&f->data, e->status ? NAN : e->value);
		plot_number(&f->data, e->status ? NAN : e->lo90);
		plot_number(&f->data, e->status ? NAN : e->hi90);
		strbuf_addch(&f->data, '\n');
	}
	strbuf_addstr(&f->data, "\n\n");
}

/* The shares of requests that lie below the thresholds. */
static void add_ticks(struct strbuf *out, const struct component *c)
{
	strbuf_addstr(out, "set xtics (");
	for (size_t i = 0; i < c->n_parts; i++) {
		double percent = strtod(c->part[i].label, NULL);
		strbuf_addf(out, "%s'%.*f' %zu", i ? ", " : "", percent < 1 || percent > 99 ? 1 : 0,
			    percent, i + 1);
	}
	strbuf_addstr(out, ") scale 0\n");
}

static void add_scale(struct strbuf *out, const struct component *c, double limit,
		      unsigned int height, size_t key)
{
	strbuf_addf(out,
		    "set xrange [0.4:%.1f]\nset xlabel 'share of the requests of the program below "
		    "the threshold, %%' textcolor rgb '%s'\n"
		    "set ylabel 'replay - program' textcolor rgb '%s'\nset grid ytics lc rgb '%s'\n"
		    "set tmargin at screen %.4f\nset key at screen 0.02, screen 0.99 left top Left "
		    "reverse horizontal maxcols 2 samplen 2\n",
		    (double)c->n_parts + 0.6, palette[PALETTE_TEXT].hex, palette[PALETTE_TEXT].hex,
		    palette[PALETTE_GRID].hex, 1 - (double)key / height);
	add_ticks(out, c);
	if (!(limit > 0))
		return;
	strbuf_addf(out, "set yrange [*<%.4g:%.4g<*]\nset object rectangle from graph 0, first "
			 "%.4g to graph 1, first %.4g behind fc rgb '%s' fs solid noborder\n",
			 -1.2 * limit, 1.2 * limit, -limit, limit, palette[PALETTE_BAND].hex);
}

static void add_scenario(struct figures *fs, const struct analysis *a, size_t scenario)
{
	const struct component *first = NULL;
	struct strbuf plot = STRBUF_INIT;
	size_t n = 0, index = 0;
	char part[24];
	for (size_t i = 0; i < a->n_cells; i++)
		n += a->cell[i].scenario == scenario && has_shape(&a->cell[i]);
	n = n < PALETTE_N_SERIES ? n : PALETTE_N_SERIES;
	snprintf(part, sizeof part, "%zu", scenario + 1);
	struct figure *f = figure_add(fs, "shape", part, WIDTH, HEIGHT);
	strbuf_addstr(&f->data, "# quantile, difference of the shares below it, lo hi (90 %); a "
				"replayer a block\n");
	for (size_t i = 0; i < a->n_cells && index < n; i++) {
		const struct cell *c = &a->cell[i];
		if (c->scenario != scenario || !has_shape(c))
			continue;
		first = first ? first : shape_of(c);
		add_replayer(f, shape_of(c), index, n);
		strbuf_addf(&plot,
			    ", \\\n  file index %zu using 1:2:3:4 with yerrorbars pt 7 ps 0.5 lw "
			    "1.6 lc rgb '%s' title ",
			    index, palette_series(c->replayer));
		plot_string(&plot, a->results->protocol.replayer[c->replayer].name, 22);
		index++;
	}
	size_t key = KEY_LINE * ((index + 1) / 2) + 10; /* px; two columns */
	f->height += (unsigned int)key;
	add_scale(&f->script, first, first->limit, f->height, key);
	strbuf_addf(&f->script, "plot 0 lc rgb '%s' notitle%s\n", palette[PALETTE_TEXT].hex,
		    plot.s);
	figure_caption(f, "%s", a->results->protocol.scenario[scenario].name);
	figure_alt(f,
		   "Difference of the distributions of response times over their typical response, "
		   "replayers "
		   "against the program, %s",
		   a->results->protocol.scenario[scenario].name);
	strbuf_release(&plot);
}

void figures_shape(struct figures *fs, const struct analysis *a)
{
	size_t n, n_left_out;
	size_t *scenario = scenarios_choose(a, MAX_SCENARIOS, has_shape, &n, &n_left_out);
	for (size_t i = 0; i < n; i++)
		add_scenario(fs, a, scenario[i]);
	fs->n_left_out += n_left_out;
	free(scenario);
}
