/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures over time: every run of a scenario, in the order of the blocks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/figures/figures.h"
#include "reports/number.h"
#include "reports/figures/figure.h"
#include "validate/results/run_index.h"

#define MAX_SCENARIOS 8
#define MAX_REPLAYERS PALETTE_N_SERIES
#define LOG_FROM 5 /* times the smallest: from there on the axis is logarithmic */
#define WIDTH 480
#define HEIGHT 250

static bool has_mean(const struct run *r, int32_t role)
{
	return r->role == role && r->block > 0 && r->state == RUN_OK && r->has_summary &&
	       isfinite(r->summary.response.mean);
}

struct extent {
	double lo, hi;
	uint32_t n_blocks;
};

static size_t add_series(struct figure *f, const struct results *r, size_t scenario, int32_t role,
			 double scale, struct extent *x)
{
	size_t n = 0;
	for (const struct run *u = NULL; (u = run_of_scenario(r, scenario, u));) {
		if (!has_mean(u, role))
			continue;
		double y = u->summary.response.mean * scale;
		strbuf_addf(&f->data, "%u", (unsigned int)u->block);
		plot_number(&f->data, y);
		strbuf_addch(&f->data, '\n');
		x->lo = fmin(x->lo, y);
		x->hi = fmax(x->hi, y);
		x->n_blocks = u->block > x->n_blocks ? u->block : x->n_blocks;
		n++;
	}
	if (n)
		strbuf_addstr(&f->data, "\n\n");
	return n;
}

static double first_mean(const struct results *r, size_t scenario)
{
	for (const struct run *u = NULL; (u = run_of_scenario(r, scenario, u));)
		if (has_mean(u, ROLE_PROGRAM))
			return u->summary.response.mean;
	return 0;
}

/* 1, 2, 5, 10, ... from lo to hi. */
static void add_log_tics(struct strbuf *out, double lo, double hi)
{
	static const int digit[] = {1, 2, 5};
	bool first = true;
	strbuf_addstr(out, "set logscale y 10\nset ytics (");
	for (double power = pow(10, floor(log10(lo))); power <= hi; power *= 10)
		for (size_t i = 0; i < 3; i++)
			if (digit[i] * power >= lo && digit[i] * power <= hi) {
				strbuf_addf(out, "%s%.10g", first ? "" : ", ", digit[i] * power);
				first = false;
			}
	strbuf_addstr(out, first ? "1)\n" : ")\n");
}

static void add_script(struct figure *f, const struct extent *x, struct number_unit unit)
{
	bool some = x->hi >= x->lo;
	/* else the smaller lines would lie on the axis */
	bool log = some && x->lo > 0 && x->hi > LOG_FROM * x->lo;
	double margin = some ? fmax((x->hi - x->lo) * 0.08, x->hi * 1e-3) : 1;
	double lo = some ? x->lo - margin : 0, hi = some ? x->hi + margin : 1;
	if (log) {
		lo = x->lo / 1.3;
		hi = x->hi * 1.3;
		add_log_tics(&f->script, lo, hi);
	}
	strbuf_addf(&f->script, "set xrange [0.5:%u.5]\nset yrange [%.10g:%.10g]\n",
		    x->n_blocks ? (unsigned int)x->n_blocks : 1u, lo, hi);
	strbuf_addf(&f->script,
		    "set xlabel 'block' textcolor rgb '%s'\nset ylabel 'mean response time, %s' "
		    "textcolor rgb '%s'\n"
		    "set grid ytics lc rgb '%s'\nset key above left Left reverse samplen 2\n",
		    palette[PALETTE_TEXT].hex, unit.name, palette[PALETTE_TEXT].hex,
		    palette[PALETTE_GRID].hex);
}

static size_t n_shown(const struct results *r)
{
	return r->protocol.n_replayers < MAX_REPLAYERS ? r->protocol.n_replayers + 1
						       : MAX_REPLAYERS + 1;
}

static void add_scenario(struct figures *fs, const struct analysis *a, size_t scenario)
{
	const struct results *r = a->results;
	struct number_unit unit = number_unit_time(first_mean(r, scenario));
	struct extent x = {INFINITY, -INFINITY, 0};
	struct strbuf plot = STRBUF_INIT;
	char part[24];
	size_t index = 0;
	snprintf(part, sizeof part, "%zu", scenario + 1);
	struct figure *f =
	    figure_add(fs, "runs", part, WIDTH, HEIGHT + 18 * (unsigned int)n_shown(r));
	strbuf_addf(&f->data,
		    "# block, mean response time in %s; the program first, then the replayers\n",
		    unit.name);
	for (size_t k = 0; k < n_shown(r); k++) {
		bool program = k == 0;
		int32_t role = program ? ROLE_PROGRAM : (int32_t)k - 1;
		if (!add_series(f, r, scenario, role, unit.scale, &x))
			continue;
		strbuf_addf(&plot,
			    "%sfile index %zu using 1:2 with linespoints lw %s pt %d ps %s lc rgb "
			    "'%s' title ",
			    index ? ", \\\n  " : "", index, program ? "2.5" : "1.2",
			    program ? 6 : palette_point(k - 1), program ? "0.6" : "0.5",
			    program ? palette[PALETTE_TEXT].hex : palette_series(k - 1));
		plot_string(&plot, program ? "program" : r->protocol.replayer[k - 1].name, 30);
		index++;
	}
	add_script(f, &x, unit);
	strbuf_addf(&f->script, "plot %s\n", index ? plot.s : "NaN notitle");
	figure_caption(f, "%s", r->protocol.scenario[scenario].name);
	figure_alt(f, "Mean response time of program and replayers in each block, %s",
		   r->protocol.scenario[scenario].name);
	strbuf_release(&plot);
}

void figures_runs(struct figures *fs, const struct analysis *a)
{
	size_t n, n_left_out;
	size_t *scenario = scenarios_choose(a, MAX_SCENARIOS, NULL, &n, &n_left_out);
	for (size_t i = 0; i < n; i++)
		add_scenario(fs, a, scenario[i]);
	fs->n_left_out += n_left_out;
	free(scenario);
}
