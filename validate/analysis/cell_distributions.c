/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of the requests' response times: bias of the runs' quantiles, distances of all requests pooled. Shown beside
 * the bias of the means, which a few slow requests may make; nothing is decided by them. */
#include <math.h>

#include "validate/analysis/analysis_private.h"

const double analysis_quantiles[QUANTILES_N] = {0.5, 0.9, 0.99, 0.999};

static double p50(const struct run_summary *s)
{
	return s->response_median;
}

static double p90(const struct run_summary *s)
{
	return s->response_p90;
}

static double p99(const struct run_summary *s)
{
	return s->response_p99;
}

static double p999(const struct run_summary *s)
{
	return s->response_p999;
}

static double n_requests(const struct run_summary *s)
{
	return (double)s->response.n;
}

static double least(const struct run **runs, size_t n, double (*value)(const struct run_summary *s))
{
	double x = INFINITY;
	for (size_t i = 0; i < n; i++)
		x = fmin(x, value(&runs[i]->summary));
	return x;
}

static void quantiles(struct cell *c, const struct pairs *p)
{
	double (*const of[QUANTILES_N])(const struct run_summary *s) = {p50, p90, p99, p999};
	double fewest = fmin(least(p->x, p->n, n_requests), least(p->r, p->n, n_requests));
	for (int i = 0; i < QUANTILES_N; i++) {
		struct sample x, r;
		struct ratio_evidence e;
		sample_init(&x, values_of(p->x, p->n, of[i]), p->n);
		sample_init(&r, values_of(p->r, p->n, of[i]), p->n);
		paired_ratio(&e, &x, &r, p);
		c->quantile_bias[i] = estimate_of_t(e.status, &e.t, expm1);
		c->quantile_extrapolated[i] = (1 - analysis_quantiles[i]) * fewest < 1;
		sample_release(&x);
		sample_release(&r);
	}
}

static void pool(struct histogram *h, const struct run **runs, size_t n)
{
	histogram_init(h);
	for (size_t i = 0; i < n; i++)
		if (runs[i]->summary.response_histogram.n)
			histogram_merge(h, &runs[i]->summary.response_histogram);
}

static double count(const struct histogram *h, uint32_t bucket)
{
	return bucket < h->n_buckets ? (double)h->count[bucket] : 0;
}

/* D = max |F_x - F_r| and W = integral of |F_x - F_r| over the buckets, whose values are within 0.05 % of the times. */
static void distances(struct cell *c, const struct histogram *x, const struct histogram *r)
{
	uint32_t n = x->n_buckets > r->n_buckets ? x->n_buckets : r->n_buckets;
	double below_x = 0, below_r = 0, d = 0, w = 0, before = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (count(x, i) <= 0 && count(r, i) <= 0)
			continue;
		double gap = fabs(below_x / (double)x->n - below_r / (double)r->n), at = histogram_value(i);
		w += gap * (at - before);
		before = at;
		below_x += count(x, i);
		below_r += count(r, i);
		d = fmax(d, fabs(below_x / (double)x->n - below_r / (double)r->n));
	}
	c->ks_distance = d;
	c->wasserstein = c->r.mean > 0 ? w / c->r.mean : NAN;
}

void measure_distributions(struct cell *c, const struct pairs *p)
{
	struct histogram x, r;
	c->ks_distance = c->wasserstein = NAN;
	quantiles(c, p);
	pool(&x, p->x, p->n);
	pool(&r, p->r, p->n);
	if (x.n && r.n)
		distances(c, &x, &r);
	histogram_release(&x);
	histogram_release(&r);
}
