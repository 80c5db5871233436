/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals of measures, and of differences of measures. */
#include "validate/analysis/measures.h"

#include "validate/analysis/analysis_private.h"
#include "validate/analysis/measure_values.h"

#define PAIRS_MIN 3

/* --- runs ---------------------------------------------------------------- */

void measure_runs_collect(struct measure_runs *m, const struct results *r, size_t scenario,
			  size_t replayer, unsigned int n_blocks)
{
	/* a copy of the cell, because pairs_collect() adds to its counts */
	struct cell counted = {.scenario = scenario, .replayer = replayer};
	SCOPED(pairs_release) struct pairs p;
	pairs_collect(&p, &counted, r, n_blocks);
	*m = (struct measure_runs){p.x, p.r, xcalloc(p.n + 1, sizeof *m->recording), p.n};
	p.x = p.r = NULL;
	const size_t recorded = scenario_recording(&r->protocol, scenario);
	for (size_t i = 0; i < m->n; i++)
		for (const struct run *run = NULL;
		     !m->recording[i] && (run = run_of_scenario(r, recorded, run));)
			if (run->role == ROLE_RECORD && run->bank == m->x[i]->bank &&
			    run->has_summary)
				m->recording[i] = run;
}

void measure_runs_of_cell(struct measure_runs *m, const struct analysis *a, size_t cell)
{
	measure_runs_collect(m, a->results, a->cell[cell].scenario, a->cell[cell].replayer,
			     a->n_replicates);
}

void measure_runs_release(struct measure_runs *m)
{
	FREE_EACH(m->x, m->r, m->recording);
	*m = (struct measure_runs){0};
}

/* Finds the pairs of the blocks that both cases have, in order. Ownership: the caller frees the
 * arrays. */
static void common_blocks(const struct measure_runs *a, const struct measure_runs *b,
			  struct measure_runs *ca, struct measure_runs *cb)
{
	struct measure_runs *to[2] = {ca, cb};
	for (int k = 0; k < 2; k++)
		*to[k] = (struct measure_runs){xcalloc(a->n + 1, sizeof *ca->x),
					       xcalloc(a->n + 1, sizeof *ca->r),
					       xcalloc(a->n + 1, sizeof *ca->recording), 0};
	for (size_t i = 0; i < a->n; i++)
		for (size_t j = 0; j < b->n; j++) {
			if (a->x[i]->block != b->x[j]->block)
				continue;
			const struct measure_runs *from[2] = {a, b};
			for (int k = 0; k < 2; k++) {
				size_t at = k ? j : i;
				to[k]->x[to[k]->n] = from[k]->x[at];
				to[k]->r[to[k]->n] = from[k]->r[at];
				to[k]->recording[to[k]->n++] = from[k]->recording[at];
			}
		}
}

/* --- jackknife ----------------------------------------------------------- */

static double value_scaled(enum measure_scale scale, double value)
{
	return scale == SCALE_LINEAR ? value : scale == SCALE_LOG ? log(value) : log1p(value);
}

static double value_unscaled(enum measure_scale scale, double theta)
{
	return scale == SCALE_LINEAR ? theta : scale == SCALE_LOG ? exp(theta) : expm1(theta);
}

/* A statistic of two cases, a - b or a + b, or of one case (b NULL). */
struct statistic {
	enum measure measure;
	enum measure_scale scale;
	const char *operation;
	const struct measure_runs *a, *b;
	double sign, constant;
};

static double value_without(const struct statistic *s, const struct measure_runs *of,
			    size_t without)
{
	struct measure_runs left = {xcalloc(of->n + 1, sizeof *left.x),
				    xcalloc(of->n + 1, sizeof *left.r),
				    xcalloc(of->n + 1, sizeof *left.recording), 0};
	for (size_t i = 0; i < of->n; i++)
		if (i != without) {
			left.x[left.n] = of->x[i];
			left.r[left.n] = of->r[i];
			left.recording[left.n++] = of->recording[i];
		}
	double value = value_scaled(s->scale, measure_value(s->measure, s->operation, &left));
	measure_runs_release(&left);
	return value;
}

static double theta_without(const struct statistic *s, size_t without)
{
	double theta = value_without(s, s->a, without) + s->constant;
	return s->b ? theta + s->sign * value_without(s, s->b, without) : theta;
}

static enum stat_status statistic_jackknife(const struct statistic *s, struct t_estimate *t)
{
	size_t n = s->a->n;
	double sum = 0, squares = 0;
	if (n < PAIRS_MIN)
		return STAT_TOO_FEW;
	*t = (struct t_estimate){.value = theta_without(s, n), .df = (double)(n - 1)};
	if (!isfinite(t->value))
		return STAT_NOT_ASSESSED;
	SCOPED_FREE double *theta = xcalloc(n, sizeof *theta);
	for (size_t i = 0; i < n; i++) {
		theta[i] = theta_without(s, i);
		sum += theta[i] / (double)n;
	}
	for (size_t i = 0; i < n; i++)
		squares += (theta[i] - sum) * (theta[i] - sum);
	t->se = sqrt(squares * (double)(n - 1) / (double)n);
	if (!isfinite(t->se))
		return STAT_NOT_FINITE;
	return t->se > 1e-12 * fmax(1, fabs(t->value)) ? STAT_OK : STAT_ZERO_VARIANCE;
}

static enum stat_status limits_with(const struct t_estimate *t, double confidence,
				    enum measure_scale back, double *lo, double *hi)
{
	enum stat_status s = t_interval(t, confidence, lo, hi);
	*lo = value_unscaled(back, *lo);
	*hi = value_unscaled(back, *hi);
	return s;
}

/* Returns the value with its interval, converted back from the scale. If there is no scatter: the
 * value without limits. */
static struct estimate estimate_with(enum stat_status s, const struct t_estimate *t,
				     double confidence, enum measure_scale back)
{
	struct estimate e = estimate_none(s);
	if (s != STAT_OK && s != STAT_ZERO_VARIANCE)
		return e;
	e.value = value_unscaled(back, t->value);
	if (s == STAT_ZERO_VARIANCE)
		return e;
	e.status = limits_with(t, confidence, back, &e.lo95, &e.hi95);
	e.df = t->df;
	return e;
}

/* --- sizes --------------------------------------------------------------- */

/* Returns the signed measure whose size is `m`; otherwise m. */
static enum measure signed_measure(enum measure m)
{
	switch (m) {
	case MEASURE_BIAS_MAGNITUDE:
		return MEASURE_BIAS;
	case MEASURE_IOPS_MAGNITUDE:
		return MEASURE_IOPS;
	case MEASURE_PERCENT_ERROR_MAGNITUDE:
		return MEASURE_PERCENT_ERROR;
	default:
		return m;
	}
}

static bool is_size(enum measure m)
{
	return signed_measure(m) != m;
}

/* Computes |a| - |b| from d = a - b and s = a + b: it has the sign of d s, and the size of the
 * smaller. It is monotonic in d and in s, so its extremes over a box are at corners. */
static double size_difference(double d, double s)
{
	return d * s < 0 ? -fmin(fabs(d), fabs(s)) : fmin(fabs(d), fabs(s));
}

static struct estimate size_compared(const struct statistic *difference,
				     const struct statistic *sum, double confidence)
{
	struct t_estimate d, s;
	/* each interval at half the error, so that both hold together */
	double lo[2], hi[2], half = 1 - (1 - confidence) / 2;
	enum stat_status status = statistic_jackknife(difference, &d),
			 other = statistic_jackknife(sum, &s);
	struct estimate e = estimate_none(status ? status : other);
	if (!e.status)
		e.status = t_interval(&d, half, &lo[0], &hi[0]);
	if (!e.status)
		e.status = t_interval(&s, half, &lo[1], &hi[1]);
	if (e.status)
		return e;
	const double corner[4] = {size_difference(lo[0], lo[1]), size_difference(lo[0], hi[1]),
				  size_difference(hi[0], lo[1]), size_difference(hi[0], hi[1])};
	e.value = size_difference(d.value, s.value);
	e.df = d.df;
	e.lo95 = fmin(fmin(corner[0], corner[1]), fmin(corner[2], corner[3]));
	e.hi95 = fmax(fmax(corner[0], corner[1]), fmax(corner[2], corner[3]));
	return e;
}

static void estimate_fold(double *lo, double *hi)
{
	const double a = fabs(*lo), b = fabs(*hi);
	*lo = *lo < 0 && *hi > 0 ? 0 : fmin(a, b);
	*hi = fmax(a, b);
}

/* --- public -------------------------------------------------------------- */

struct estimate measure_size(const struct estimate *of)
{
	struct estimate e = *of;
	e.value = fabs(e.value);
	estimate_fold(&e.lo90, &e.hi90);
	estimate_fold(&e.lo95, &e.hi95);
	return e;
}

struct estimate measure_estimate(enum measure m, const char *operation,
				 const struct measure_runs *runs)
{
	struct t_estimate t = {0};
	const struct statistic s = {
	    signed_measure(m), measure_info[signed_measure(m)].scale, operation, runs, NULL, 0, 0};
	enum stat_status status = statistic_jackknife(&s, &t);
	struct estimate e = estimate_with(status, &t, 0.95, s.scale);
	if (!e.status)
		e.status = limits_with(&t, 0.90, s.scale, &e.lo90, &e.hi90);
	return is_size(m) ? measure_size(&e) : e;
}

/* Returns the scale of a difference: if the measure has a logarithmic scale, the difference is a
 * ratio minus 1. */
static enum measure_scale difference_scale(enum measure m)
{
	return measure_info[m].scale == SCALE_LINEAR ? SCALE_LINEAR : SCALE_LOG1P;
}

struct estimate measure_difference(enum measure m, const char *operation,
	const struct measure_runs *a, const struct measure_runs *b, double confidence)
{
	struct measure_runs ca, cb;
	struct t_estimate t = {0};
	struct estimate e;
	common_blocks(a, b, &ca, &cb);
	if (is_size(m)) {
		const struct statistic d = {
		    signed_measure(m), SCALE_LINEAR, operation, &ca, &cb, -1, 0};
		const struct statistic s = {
		    signed_measure(m), SCALE_LINEAR, operation, &ca, &cb, 1, 0};
		e = size_compared(&d, &s, confidence);
	} else {
		const struct statistic s = {m, measure_info[m].scale, operation, &ca, &cb, -1, 0};
		enum stat_status status = statistic_jackknife(&s, &t);
		e = estimate_with(status, &t, confidence, difference_scale(m));
	}
	measure_runs_release(&ca);
	measure_runs_release(&cb);
	return e;
}

struct estimate measure_excess(enum measure m, const char *operation, const struct measure_runs *a,
			       double limit, double confidence)
{
	struct t_estimate t = {0};
	if (is_size(m)) {
		const struct statistic d = {
		    signed_measure(m), SCALE_LINEAR, operation, a, NULL, 0, -limit};
		const struct statistic s = {
		    signed_measure(m), SCALE_LINEAR, operation, a, NULL, 0, limit};
		return size_compared(&d, &s, confidence);
	}
	const struct statistic s = {m, measure_info[m].scale, operation, a, NULL, 0,
				    -value_scaled(measure_info[m].scale, limit)};
	enum stat_status status = statistic_jackknife(&s, &t);
	return estimate_with(status, &t, confidence, difference_scale(m));
}

struct estimate measure_f_excess(const char *operation, const struct measure_runs *a,
				 double confidence, struct variance_ratio *v)
{
	double *x = xcalloc(a->n + 1, sizeof *x), *r = xcalloc(a->n + 1, sizeof *r), lo, hi;
	for (size_t i = 0; i < a->n; i++) {
		x[i] = summary_response(&a->x[i]->summary, operation);
		r[i] = summary_response(&a->r[i]->summary, operation);
	}
	struct estimate e =
	    estimate_none(a->n < PAIRS_MIN ? STAT_TOO_FEW : variance_ratio(r, a->n, x, a->n, v));
	if (!e.status)
		e.status = variance_ratio_interval(v, confidence, &lo, &hi);
	if (!e.status) {
		e.value = v->f - 1;
		e.lo95 = lo - 1;
		e.hi95 = hi - 1;
		e.df = v->df_x;
	}
	FREE_EACH(x, r);
	return e;
}
