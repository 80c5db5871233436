/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distribution of the number of requests in flight: program against replay, by time and by request.
 */
#include <stdio.h>
#include <stdlib.h>

#include "reports/figures/figures.h"
#include "reports/figures/figure.h"

#define MAX_SCENARIOS 6
#define WIDTH 520
#define HEIGHT 230 /* and a line for every entry of the key */
#define KEY_LINE 18

static bool has_levels(const struct cell *c)
{
	return c->concurrency_time_r.n > 2 && c->concurrency_time_x.n > 0;
}

static void add_cdf(struct figure *f, const struct cdf *d)
{
	for (size_t i = 0; i < d->n; i++) {
		strbuf_addf(&f->data, "%zu", i);
		plot_number(&f->data, d->p[i]);
		strbuf_addch(&f->data, '\n');
	}
	if (d->n) /* as a step: the last level goes on to its end */
		strbuf_addf(&f->data, "%zu 1\n", d->n);
	else
		strbuf_addstr(&f->data, "0 NaN\n");
	strbuf_addstr(&f->data, "\n\n");
}

static void add_curve(struct strbuf *plot, size_t index, const char *style, const char *color,
		      const char *title)
{
	strbuf_addf(plot, "%sfile index %zu using 1:2 with steps %s lc rgb '%s' title ",
		    plot->len ? ", \\\n  " : "", index, style, color);
	plot_string(plot, title, 22);
}

/* Curves of one panel: the program's first, then each replayer's. */
static void add_panel(struct figure *f, const struct analysis *a, size_t scenario, bool by_time,
		      size_t *index, size_t *n_levels, struct strbuf *plot)
{
	bool first = true;
	for (size_t i = 0, n = 0; i < a->n_cells && n < PALETTE_N_SERIES; i++) {
		const struct cell *c = &a->cell[i];
		if (c->scenario != scenario || !has_levels(c))
			continue;
		const struct cdf *r = by_time ? &c->concurrency_time_r : &c->concurrency_request_r;
		const struct cdf *x = by_time ? &c->concurrency_time_x : &c->concurrency_request_x;
		if (first) {
			add_cdf(f, r);
			add_curve(plot, (*index)++, "lw 4", palette[PALETTE_GRID].hex, "program");
		}
		first = false;
		add_cdf(f, x);
		char style[32];
		snprintf(style, sizeof style, "lw 1.6 dt %zu", n % 5 + 1);
		add_curve(plot, (*index)++, style, palette_series(c->replayer),
			  a->results->protocol.replayer[c->replayer].name);
		*n_levels = r->n > *n_levels ? r->n : *n_levels;
		*n_levels = x->n > *n_levels ? x->n : *n_levels;
		n++;
	}
}

static void add_scenario(struct figures *fs, const struct analysis *a, size_t scenario)
{
	struct strbuf time = STRBUF_INIT, request = STRBUF_INIT;
	size_t index = 0, n_levels = 1;
	char part[24];
	snprintf(part, sizeof part, "%zu", scenario + 1);
	struct figure *f = figure_add(fs, "concurrency", part, WIDTH, HEIGHT);
	strbuf_addstr(
	    &f->data,
	    "# level, share of time (first half of the blocks) or of requests at or below it; "
	    "program, then replayers\n");
	add_panel(f, a, scenario, true, &index, &n_levels, &time);
	add_panel(f, a, scenario, false, &index, &n_levels, &request);
	size_t key = KEY_LINE * (index / 2) + 10; /* px; half of the curves are in each panel */
	f->height += (unsigned int)key;
	strbuf_addf(&f->script, "set xrange [0:%zu]\nset yrange [0:1.04]\nset xtics %zu\nset "
				"xlabel 'requests in flight' textcolor rgb '%s'\nset grid ytics "
				"lc rgb '%s'\nset tmargin at screen %.4f\nset key at screen 0.02, "
				"screen 0.99 left top Left reverse horizontal maxcols 2 samplen "
				"2\nset multiplot layout 1,2\nset ylabel 'share of the time' "
				"textcolor rgb '%s'\nplot %s\nunset key\nset ylabel 'share of the "
				"requests' textcolor rgb '%s'\nplot %s\nunset multiplot\n",
				n_levels, n_levels / 6 + 1, palette[PALETTE_TEXT].hex,
				palette[PALETTE_GRID].hex, 1 - (double)key / f->height,
				palette[PALETTE_TEXT].hex, time.len ? time.s : "NaN notitle",
				palette[PALETTE_TEXT].hex, request.len ? request.s : "NaN notitle");
	figure_caption(f, "%s", a->results->protocol.scenario[scenario].name);
	figure_alt(f, "Distribution of the number of requests in flight, program and replayers, %s",
		   a->results->protocol.scenario[scenario].name);
	strbuf_release(&time);
	strbuf_release(&request);
}

void figures_concurrency(struct figures *fs, const struct analysis *a)
{
	size_t n, n_left_out;
	size_t *scenario = scenarios_choose(a, MAX_SCENARIOS, has_levels, &n, &n_left_out);
	for (size_t i = 0; i < n; i++)
		add_scenario(fs, a, scenario[i]);
	fs->n_left_out += n_left_out;
	free(scenario);
}
