/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Concurrency of a cell: distributions of the number of requests in flight, averaged over runs, and their distance.
 *
 * By time: share of the span during which at most c requests are active. By request:
 * share of requests that found at most c
 * active at their start, themselves included. Distance: the largest |F_x(c) - F_r(c)| of a pair; levels are discrete
 * and a time-weighted sample has no natural size, so its interval comes from the replicates. */
#include <math.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "validate/analysis/analysis_private.h"

static double by_time(const struct run_summary *s, uint64_t level)
{
	return (double)s->ns_at_level[level];
}

static double by_request(const struct run_summary *s, uint64_t level)
{
	return (double)s->requests_at_level[level];
}

typedef double weight_at(const struct run_summary *s, uint64_t level);

/* P(level <= c) for c = 0..n-1; false when the run has no weight at all. */
static bool cumulate(const struct run_summary *s, weight_at *weight, size_t n, double *p)
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

static double supremum(const double *a, const double *b, size_t n)
{
	double most = 0;
	for (size_t i = 0; i < n; i++)
		most = fmax(most, fabs(a[i] - b[i]));
	return most;
}

static struct estimate compare(const struct pairs *p, weight_at *weight, struct cdf *x, struct cdf *r)
{
	size_t n = most_levels(p);
	struct estimate e = estimate_none(p->n && n ? STAT_OK : STAT_TOO_FEW);
	if (e.status)
		return e;
	double *px = xcalloc(n, sizeof *px), *pr = xcalloc(n, sizeof *pr), *distance = xcalloc(p->n, sizeof *distance);
	*x = (struct cdf){n, xcalloc(n, sizeof *x->p)};
	*r = (struct cdf){n, xcalloc(n, sizeof *r->p)};
	for (size_t i = 0; i < p->n && !e.status; i++) {
		if (!cumulate(&p->x[i]->summary, weight, n, px) || !cumulate(&p->r[i]->summary, weight, n, pr))
			e.status = STAT_NOT_FINITE;
		distance[i] = supremum(px, pr, n);
		for (size_t level = 0; level < n; level++) {
			x->p[level] += px[level] / (double)p->n;
			r->p[level] += pr[level] / (double)p->n;
		}
	}
	if (!e.status) {
		e = estimate_of_mean(distance, p->n);
		if (!isnan(e.df)) { /* a distance lies in 0..1; without limits fmax would make some */
			e.lo90 = fmax(0, e.lo90);
			e.lo95 = fmax(0, e.lo95);
			e.hi90 = fmin(1, e.hi90);
			e.hi95 = fmin(1, e.hi95);
		}
	} else {
		free(x->p);
		free(r->p);
		*x = *r = (struct cdf){0};
	}
	free(px);
	free(pr);
	free(distance);
	return e;
}

static double mean_level(const struct run **runs, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++) {
		const struct run_summary *s = &runs[i]->summary;
		double weighted = 0, total = 0;
		for (uint64_t level = 0; level < s->n_levels; level++) {
			weighted += (double)level * by_time(s, level);
			total += by_time(s, level);
		}
		sum += weighted / total;
	}
	return n ? sum / (double)n : NAN;
}

void measure_concurrency(struct cell *c, const struct pairs *p)
{
	c->concurrency_distance_time = compare(p, by_time, &c->concurrency_time_x, &c->concurrency_time_r);
	c->concurrency_distance_request = compare(p, by_request, &c->concurrency_request_x, &c->concurrency_request_r);
	c->concurrency_mean_x = mean_level(p->x, p->n);
	c->concurrency_mean_r = mean_level(p->r, p->n);
}
