/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/analysis/distances.h"

#include <math.h>

#include "common/each.h"
#include "validate/analysis/pairs.h"

static int pool(struct histogram *h, const struct results *r, const struct run **runs, size_t n)
{
	int ret = 0;
	histogram_init(h);
	for (size_t i = 0; i < n && !ret; i++) {
		struct histogram one;
		ret = results_histogram(&one, r, runs[i], NULL);
		if (!ret)
			histogram_merge(h, &one);
		histogram_release(&one);
	}
	return ret;
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

static void cell_compute(void *analysis, size_t i)
{
	struct analysis *a = analysis;
	struct cell *c = &a->cell[i], again = {.scenario = c->scenario, .replayer = c->replayer}; /* c has been counted already */
	struct histogram x, r;
	struct pairs p;
	pairs_collect(&p, &again, a->results, a->n_replicates);
	int ret = pool(&x, a->results, p.x, p.n), ret_r = pool(&r, a->results, p.r, p.n);
	if (!ret && !ret_r && x.n && r.n)
		distances(c, &x, &r);
	histogram_release(&x);
	histogram_release(&r);
	pairs_release(&p);
}

void distances_compute(struct analysis *a)
{
	if (protocol_in_detail(&a->results->protocol))
		each_do(a->n_cells, cell_compute, a);
}
