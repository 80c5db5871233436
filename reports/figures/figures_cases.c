/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The four small figures of a case: distribution of the response times, pairs of runs, requests in
 * flight, and causes of the difference. */
#include "reports/figures/figures.h"
#include "reports/words.h"

#define MAX_CASES 16
#define WIDTH 340
#define HEIGHT 210
#define N_STEPS 160     /* points of a distribution function */
#define CUT 0.002       /* share of the requests that the axis omits at either end */
#define SMALL_PART 0.05 /* causes with a smaller share of the largest cause are drawn as one bar */
#define LABEL_WIDTH 24  /* characters */

static struct figure *add_figure(struct figures *fs, const struct analysis *a, size_t cell,
				 const char *section, const char *caption, const char *alt)
{
	struct figure *f = figure_add(fs, section, cell + 1, WIDTH, HEIGHT);
	figure_caption(f, "%s", caption);
	figure_alt(f, "%s, %s, %s", alt, a->results->protocol.scenario[a->cell[cell].scenario].name,
		   a->results->protocol.replayer[a->cell[cell].replayer].name);
	strbuf_addstr(&f->script, "set key above left Left reverse horizontal samplen 2\n"
				  "set grid lc rgb '" RGB_GRID "'\n");
	return f;
}

/* --- distribution of the response times ---------------------------------- */

/* Adds the share of the run's requests that took at most t[N_STEPS] (ascending), interpolated from
 * the counts at the edges of its shape. */
static void add_shares(double *share, const double *t, const struct run_summary *s)
{
	size_t k = 0;
	double from = s->response.min, below = 0;
	for (size_t i = 0; i < N_STEPS; i++) {
		double edge = INFINITY;
		for (; k < SUMMARY_N_SHAPE; k++) {
			edge = summary_shape_edge(k) * s->response_typical;
			if (edge >= t[i])
				break;
			if (edge > from) {
				from = edge;
				below = (double)s->shape[k];
			}
		}
		const bool last = k == SUMMARY_N_SHAPE;
		const double to = last ? s->response.max : fmin(edge, s->response.max),
			     n = last ? (double)s->response.n : (double)s->shape[k];
		double at = to > from ? (t[i] - from) / (to - from) : 1;
		at = fmax(0, fmin(1, at));
		share[i] += (below + at * (n - below)) / (double)s->response.n;
	}
}

static bool is_used(const struct analysis *a, const struct run *r, int32_t role)
{
	return r->role == role && r->block > 0 && r->state == RUN_OK && r->has_summary &&
	       r->summary.has_shape && r->summary.response.n &&
	       (!a->n_replicates || r->block <= a->n_replicates);
}

static void add_distribution(struct figures *fs, const struct analysis *a, size_t cell)
{
	const struct cell *c = &a->cell[cell];
	const int32_t roles[2] = {ROLE_PROGRAM, (int32_t)c->replayer};
	double t[N_STEPS], share[2][N_STEPS] = {0}, lo = INFINITY, hi = 0;
	size_t n[2] = {0};
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; pass && i < N_STEPS; i++)
			t[i] = lo * pow(hi / lo, (double)i / (N_STEPS - 1));
		for (const struct run *r = NULL; (r = run_of_scenario(a->results, c->scenario, r));)
			for (int k = 0; k < 2; k++) {
				if (!is_used(a, r, roles[k]))
					continue;
				lo = fmin(lo, fmax(r->summary.response.min, 1));
				hi = fmax(hi, r->summary.response.max);
				n[k] += !pass;
				if (pass)
					add_shares(share[k], t, &r->summary);
			}
		if (!n[0] || !n[1])
			return;
	}
	struct figure *f = add_figure(fs, a, cell, "distribution", "Response times of all requests",
				      "Distribution of the response times of program and replay");
	strbuf_addstr(&f->data, "# response time in ns, share of the requests that took at most "
		"this long: program, replay\n");
	for (size_t i = 0; i < N_STEPS; i++)
		plot_row(&f->data, t[i], 100 * share[0][i] / (double)n[0],
			 100 * share[1][i] / (double)n[1]);
	size_t from = 0, to = N_STEPS - 1;
	while (from < to &&
	       fmax(share[0][from + 1] / (double)n[0], share[1][from + 1] / (double)n[1]) < CUT)
		from++;
	while (to > from &&
	       fmin(share[0][to - 1] / (double)n[0], share[1][to - 1] / (double)n[1]) > 1 - CUT)
		to--;
	plot_time_axis(&f->script, 'x', t[from], t[to], WIDTH / 70);
	strbuf_addstr(&f->script,
		"set yrange [0:102]\nset format y '%g %%'\nset ylabel 'share of requests' "
		"textcolor rgb '" RGB_TEXT "'\nplot file using 1:2 with lines lw 4 lc rgb '"
		RGB_ORANGE "' title 'program', \\\n  file using 1:3 with lines lw 1.6 lc rgb '"
		RGB_BLUE "' title 'replay'\n");
}

/* --- pairs of runs ------------------------------------------------------- */

static void add_pairs(struct figures *fs, const struct analysis *a, size_t cell)
{
	const struct cell *c = &a->cell[cell];
	const size_t n = c->x.n < c->r.n ? c->x.n : c->r.n;
	double lo = INFINITY, hi = 0;
	for (size_t i = 0; i < n; i++) {
		lo = fmin(lo, fmin(c->x.x[i], c->r.x[i]));
		hi = fmax(hi, fmax(c->x.x[i], c->r.x[i]));
	}
	if (!(lo > 0) || !isfinite(hi) || !isfinite(c->r.mean) || !isfinite(c->x.mean))
		return;
	struct figure *f = add_figure(fs, a, cell, "runs", "Mean response time, pairs of runs",
		"Mean response times of program and replay: a line joins the two runs of a block");
	strbuf_addstr(&f->data, "# 0 program, 1 replay; mean response time in ns. A block for each "
				"pair; after two empty lines the means\n");
	for (size_t i = 0; i < n; i++)
		strbuf_addf(&f->data, "0 %.10g\n1 %.10g\n\n", c->r.x[i], c->x.x[i]);
	strbuf_addf(&f->data, "\n0 %.10g\n1 %.10g\n", c->r.mean, c->x.mean);
	plot_time_axis(&f->script, 'y', lo, hi, 6);
	strbuf_addstr(&f->script, "set xrange [-0.25:1.25]\nset xtics ('program' 0, 'replay' 1)\n"
		"unset key\nplot file index 0 using 1:2 with linespoints lw 1 pt 7 ps 0.35 lc rgb '"
		RGB_MUTED "', \\\n  file index 1 using 1:2 with linespoints lw 3 pt 7 ps 0.7 lc "
		"rgb '" RGB_BLUE "'\n");
}

/* --- requests in flight -------------------------------------------------- */

static void add_levels(struct figure *f, const struct cdf *d, size_t n)
{
	for (size_t i = 0; i <= n; i++) {
		strbuf_addf(&f->data, "%zu", i);
		plot_row(&f->data, i < d->n ? 100 * d->p[i] : 100);
	}
	strbuf_addstr(&f->data, "\n\n");
}

static void add_in_flight(struct figures *fs, const struct analysis *a, size_t cell)
{
	const struct cdf *x = &a->cell[cell].concurrency.cdf_time_x,
			 *r = &a->cell[cell].concurrency.cdf_time_r;
	const size_t n = x->n > r->n ? x->n : r->n;
	if (!x->n || !r->n)
		return;
	struct figure *f = add_figure(fs, a, cell, "concurrency", "Requests in flight",
				      "Share of the time with at most x requests in flight");
	strbuf_addstr(&f->data, "# requests in flight, share of the time with at most this many; "
				"program, then replay\n");
	add_levels(f, r, n);
	add_levels(f, x, n);
	strbuf_addf(&f->script, "set xrange [0:%zu.3]\nset xtics %zu\nset xlabel 'at most this "
		"many in flight' textcolor rgb '" RGB_TEXT "'\nset yrange [0:102]\nset format y "
		"'%%g %%%%'\nset ylabel 'share of the time' textcolor rgb '" RGB_TEXT "'\n"
		"plot file index 0 using 1:2 with steps lw 4 lc rgb '" RGB_ORANGE "' title "
		"'program', \\\n  file index 1 using 1:2 with steps lw 1.6 lc rgb '" RGB_BLUE "' "
		"title 'replay'\n", n - 1, n / 6 + 1);
}

/* --- causes -------------------------------------------------------------- */

/* Chooses the split with the larger significant difference, otherwise that of the response time. */
static enum split_quantity choose_split(const struct why *w)
{
	const struct split *s = w->split;
	return s[SPLIT_TIME].n_parts && s[SPLIT_TIME].significant &&
		       (!s[SPLIT_RESPONSE].significant ||
			fabs(s[SPLIT_TIME].whole.value) > fabs(s[SPLIT_RESPONSE].whole.value))
		   ? SPLIT_TIME
		   : SPLIT_RESPONSE;
}

static void add_label(struct figure *f, size_t row, double offset, const char *text)
{
	strbuf_addstr(&f->script, "set label ");
	plot_string(&f->script, text, LABEL_WIDTH);
	strbuf_addf(&f->script, " at screen 0.01, first %zu left offset 0,%g textcolor rgb '"
		RGB_TEXT "'\n", row, offset);
}

/* A long name has two lines. */
static void add_bar(struct figure *f, size_t row, double from, double to, int colour,
		    const char *cause)
{
	const double percent = 100 * (to - from);
	SCOPED_FREE char *name =
	    xasprintf("%s %+.*f %%", cause, fabs(percent) < 9.95 ? 1 : 0, percent);
	size_t cut = strlen(name) > LABEL_WIDTH ? LABEL_WIDTH : 0;
	strbuf_addf(&f->data, "%zu %.6g %.6g %d\n", row, 100 * from, 100 * to, colour);
	while (cut && (name[cut] != ' ' || name[cut + 1] == '%'))
		cut--;
	if (!cut) {
		add_label(f, row, 0, name);
		return;
	}
	SCOPED_FREE char *first = xasprintf("%.*s", (int)cut, name);
	add_label(f, row, 0.5, first);
	add_label(f, row, -0.5, name + cut + 1);
}

static bool is_drawn(const struct why_part *p)
{
	return !p->beside && !p->part.status && isfinite(p->part.value);
}

static void add_causes(struct figures *fs, const struct analysis *a, size_t cell)
{
	const enum split_quantity q = choose_split(&a->why[cell]);
	const struct split *s = &a->why[cell].split[q];
	double most = 0, at = 0, rest = 0, lo = fmin(0, s->whole.value),
	       hi = fmax(0, s->whole.value);
	size_t row = 0;
	for (size_t i = 0; i < s->n_parts; i++)
		if (is_drawn(&s->part[i]))
			most = fmax(most, fabs(s->part[i].part.value));
	if (!(most > 0) || s->whole.status || !isfinite(s->whole.value))
		return;
	struct figure *f =
	    add_figure(fs, a, cell, "causes",
		       q == SPLIT_TIME
			   ? "Causes of the difference, in % of the program's execution time"
			   : "Causes of the difference, in % of the program's mean response time",
		       "Parts of the difference between replay and program");
	strbuf_addstr(&f->data,
		      "# row, begin and end of the bar in percent of the program, colour\n");
	for (size_t i = 0; i < s->n_parts; i++) {
		const struct why_part *p = &s->part[i];
		if (!is_drawn(p) || fabs(p->part.value) < SMALL_PART * most) {
			rest += is_drawn(p) ? p->part.value : 0;
			continue;
		}
		add_bar(f, ++row, at, at + p->part.value, p->part.value > 0 ? 1 : 2,
			words_cause(p->name));
		at += p->part.value;
		lo = fmin(lo, at);
		hi = fmax(hi, at);
	}
	if (fabs(rest) >= SMALL_PART * most)
		add_bar(f, ++row, at, at + rest, rest > 0 ? 1 : 2, "others");
	add_bar(f, ++row, 0, s->whole.value, 0, "whole difference");
	const double margin = 5 * (hi - lo);
	strbuf_addf(&f->script, "set lmargin at screen 0.49\nset rmargin 3\nunset key\nset border "
		"1\nset yrange [%zu.6:0.4]\nunset ytics\nset grid noytics\nset format x '%%+g "
		"%%%%'\nset xrange [%.10g:%.10g]\nset xtics %.10g\nset xtics add ('0 %%%%' 0)\nset "
		"style "
		"fill solid 1.0 noborder\nset xzeroaxis\n"
		"set arrow from 0, graph 0 to 0, graph 1 nohead lc rgb '" RGB_MUTED "'\nplot", row,
		100 * lo - margin, 100 * hi + margin, plot_step(100 * lo, 100 * hi, 2));
	for (int k = 0; k < 3; k++)
		strbuf_addf(&f->script,
			    "%s file using ($4==%d?$2:NaN):1:2:3:($1-0.33):($1+0.33) with "
			    "boxxyerror lc rgb '%s'",
			    k ? ", \\\n " : "", k, palette_series((size_t)k));
	strbuf_addch(&f->script, '\n');
}

/* Makes the figures of cases. Cases that are not trusted come first, then inconclusive cases, in
 * the order of the analysis. */
void figures_cases(struct figures *fs, const struct analysis *a)
{
	static const enum verdict order[] = {VERDICT_NOT_TRUSTED, VERDICT_INCONCLUSIVE,
					     VERDICT_TRUSTED};
	size_t n = 0;
	for (size_t k = 0; k < sizeof order / sizeof *order; k++)
		for (size_t i = 0; i < a->n_cells; i++) {
			if (a->cell[i].verdict != order[k])
				continue;
			if (n++ >= MAX_CASES) {
				fs->n_left_out++;
				continue;
			}
			add_distribution(fs, a, i);
			add_pairs(fs, a, i);
			add_in_flight(fs, a, i);
			if (a->why)
				add_causes(fs, a, i);
		}
}
