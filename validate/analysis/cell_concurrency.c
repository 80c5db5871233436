/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Concurrency of a cell: distributions of the number of requests in flight, averaged over runs, and
 * their distance.
 *
 * By time: share of the span with at most c active requests. By request: share of requests that
 * find at most c active requests at their start, themselves included. Distance: the largest |F_x(c)
 * - F_r(c)|, of the mean distributions and within each pair. Levels are discrete and a
 * time-weighted sample has no natural size, so the interval is computed from the replicates. */
#include "validate/analysis/analysis_private.h"
#include "validate/analysis/run_values.h"
#include "validate/stats/distributions.h"

static double by_time(const struct run_summary *s, uint64_t level)
{
	return (double)s->ns_at_level[level];
}

static double by_request(const struct run_summary *s, uint64_t level)
{
	return (double)s->requests_at_level[level];
}

typedef double weight_at(const struct run_summary *s, uint64_t level);

/* Sets p[c] = P(level <= c), c < n; false if the run has no weight. */
static bool cdf_of_run(const struct run_summary *s, weight_at *weight, size_t n, double *p)
{
	double total = 0, sum = 0;
	for (uint64_t level = 0; level < s->n_levels; level++)
		total += weight(s, level);
	for (size_t level = 0; level < n; level++) {
		if (level < s->n_levels)
			sum += weight(s, level);
		p[level] = sum / total;
	}
	return total > 0;
}

static size_t most_levels(const struct pairs *p)
{
	uint64_t n = 0;
	for (size_t i = 0; i < p->n; i++) {
		n = p->x[i]->summary.n_levels > n ? p->x[i]->summary.n_levels : n;
		n = p->r[i]->summary.n_levels > n ? p->r[i]->summary.n_levels : n;
	}
	return (size_t)n;
}

static double distance_supremum(const double *a, const double *b, size_t n)
{
	double most = 0;
	for (size_t i = 0; i < n; i++)
		most = fmax(most, fabs(a[i] - b[i]));
	return most;
}

/* CDFs of both sides of every pair: p[pair * n + level]. */
struct curves {
	size_t n, n_pairs;
	double *x, *r;
};

static enum stat_status curves_make(struct curves *c, const struct pairs *p, weight_at *weight)
{
	size_t n = most_levels(p);
	*c = (struct curves){.n = n, .n_pairs = p->n};
	if (!p->n || !n)
		return STAT_TOO_FEW;
	c->x = xcalloc(n * p->n, sizeof *c->x);
	c->r = xcalloc(n * p->n, sizeof *c->r);
	for (size_t i = 0; i < p->n; i++)
		if (!cdf_of_run(&p->x[i]->summary, weight, n, c->x + i * n) ||
		    !cdf_of_run(&p->r[i]->summary, weight, n, c->r + i * n))
			return STAT_NOT_FINITE;
	return STAT_OK;
}

static void curves_release(struct curves *c)
{
	FREE_EACH(c->x, c->r);
}

static void mean_curve(struct cdf *out, const struct curves *c, const double *p)
{
	*out = (struct cdf){c->n, xcalloc(c->n, sizeof *out->p)};
	for (size_t i = 0; i < c->n_pairs; i++)
		for (size_t level = 0; level < c->n; level++)
			out->p[level] += p[i * c->n + level] / (double)c->n_pairs;
}

/* Returns the mean, over pairs, of the distance within the pair. */
static struct estimate within_pairs(const struct curves *c)
{
	SCOPED_FREE double *distance = xcalloc(c->n_pairs, sizeof *distance);
	for (size_t i = 0; i < c->n_pairs; i++)
		distance[i] = distance_supremum(c->x + i * c->n, c->r + i * c->n, c->n);
	struct estimate e = estimate_of_mean(distance, c->n_pairs);
	/* keep the limits in 0..1; if there are no limits, fmax() would create some */
	if (!isnan(e.df)) {
		e.lo90 = fmax(0, e.lo90);
		e.lo95 = fmax(0, e.lo95);
		e.hi90 = fmin(1, e.hi90);
		e.hi95 = fmin(1, e.hi95);
	}
	return e;
}

/* Adds the levels at which any pair differs. The last level is left out, because both CDFs are 1
 * there. */
static enum stat_status add_levels(struct distance_evidence *e, const struct curves *c)
{
	SCOPED_FREE double *d = xcalloc(c->n_pairs, sizeof *d);
	enum stat_status s = STAT_OK;
	e->t = xreallocarray(e->t, e->n_levels + c->n, sizeof *e->t);
	e->wide = xreallocarray(e->wide, e->n_levels + c->n, sizeof *e->wide);
	e->serial = xreallocarray(e->serial, e->n_levels + c->n, sizeof *e->serial);
	e->level = xreallocarray(e->level, e->n_levels + c->n, sizeof *e->level);
	for (size_t level = 0; level < c->n && !s; level++) {
		bool differs = false;
		for (size_t i = 0; i < c->n_pairs; i++) {
			d[i] = c->x[i * c->n + level] - c->r[i * c->n + level];
			/* a different order of summation rounds differently: this is not a
			 * difference */
			differs |= fabs(d[i]) > 1e-12;
		}
		if (!differs)
			continue;
		s = dependent_mean(d, c->n_pairs, &e->t[e->n_levels], &e->wide[e->n_levels],
				   &e->serial[e->n_levels]);
		s = s == STAT_ZERO_VARIANCE ? STAT_OK : s;
		e->level[e->n_levels++] = level;
	}
	return c->n_pairs < 2 ? STAT_TOO_FEW : s;
}

/* Returns sup |mean difference| over the levels from..to. Its upper limit is the largest of the
 * levels' upper limits at the same confidence. Its lower limit is the largest lower limit, with
 * Bonferroni's correction for the number of levels. */
static struct estimate supremum_of(const struct distance_evidence *e, size_t from, size_t to)
{
	struct estimate out = estimate_none(e->status);
	if (out.status)
		return out;
	out.value = out.lo90 = out.lo95 = out.hi90 = out.hi95 = 0;
	out.df = (double)(e->n - 1);
	for (size_t i = from; i < to; i++) {
		const struct t_estimate *t = &e->t[i];
		double size = fabs(t->value), q90 = 0, q95 = 0, b90 = 0, b95 = 0,
		       m = (double)(to - from);
		if (t->se > 0 && (t_quantile(0.95, t->df, &q90) || t_quantile(0.975, t->df, &q95) ||
				  t_quantile(1 - 0.05 / m, t->df, &b90) ||
				  t_quantile(1 - 0.025 / m, t->df, &b95)))
			return estimate_none(STAT_OUT_OF_RANGE);
		out.value = fmax(out.value, size);
		out.hi90 = fmax(out.hi90, fmin(1, size + q90 * t->se));
		out.hi95 = fmax(out.hi95, fmin(1, size + q95 * t->se));
		out.lo90 = fmax(out.lo90, size - b90 * t->se);
		out.lo95 = fmax(out.lo95, size - b95 * t->se);
	}
	return out;
}

static void cdfs_compare(struct cell *c, struct evidence *e, const struct pairs *p)
{
	struct curves time, request;
	struct cell_concurrency *k = &c->concurrency;
	struct distance_evidence *d = &e->distance;
	enum stat_status s = curves_make(&time, p, by_time),
			 s_request = curves_make(&request, p, by_request);
	s = s ? s : s_request;
	*d = (struct distance_evidence){.n = p->n};
	k->distance_time = k->distance_request = estimate_none(s);
	if (!s) {
		k->distance_time = within_pairs(&time);
		k->distance_request = within_pairs(&request);
		mean_curve(&k->cdf_time_x, &time, time.x);
		mean_curve(&k->cdf_time_r, &time, time.r);
		mean_curve(&k->cdf_request_x, &request, request.x);
		mean_curve(&k->cdf_request_r, &request, request.r);
		s = add_levels(d, &time);
		d->n_by_time = d->n_levels;
	}
	s = s ? s : add_levels(d, &request);
	d->status = s;
	k->time = supremum_of(d, 0, d->n_by_time);
	k->request = supremum_of(d, d->n_by_time, d->n_levels);
	curves_release(&time);
	curves_release(&request);
}

double run_concurrency_distance(const struct run_summary *x, const struct run_summary *r)
{
	size_t n = (size_t)(x->n_levels > r->n_levels ? x->n_levels : r->n_levels);
	SCOPED_FREE double *p = xcalloc(2 * n + 1, sizeof *p);
	bool known = cdf_of_run(x, by_time, n, p) && cdf_of_run(r, by_time, n, p + n);
	return known ? distance_supremum(p, p + n, n) : NAN;
}

static struct estimate in_flight(struct ratio_evidence *e, const struct pairs *p,
	double (*value)(const struct run_summary *s), double *mean_x, double *mean_r)
{
	struct sample x, r;
	sample_init(&x, values_of(p->x, p->n, value), p->n);
	sample_init(&r, values_of(p->r, p->n, value), p->n);
	paired_ratio(e, x.x, r.x, p);
	*mean_x = plain_mean(x.x, x.n);
	*mean_r = plain_mean(r.x, r.n);
	sample_release(&x);
	sample_release(&r);
	struct estimate out = estimate_of_ratio(e, expm1);
	/* the numbers are integers, which are often equal in all runs */
	if (e->status == STAT_ZERO_VARIANCE) {
		out.status = STAT_OK;
		out.value = expm1(e->t.value);
	}
	return out;
}

void measure_concurrency(struct cell *c, struct evidence *e, const struct pairs *p)
{
	struct cell_concurrency *k = &c->concurrency;
	cdfs_compare(c, e, p);
	k->in_flight = in_flight(&e->in_flight, p, run_in_flight, &k->mean_x, &k->mean_r);
	k->in_flight_max = in_flight(&e->in_flight_max, p, run_in_flight_max, &k->max_x, &k->max_r);
}
