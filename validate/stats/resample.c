/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/resample.h"

#include "validate/stats/bootstrap.h"
#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"
#include "validate/stats/quantiles.h"

enum { BATCH = 100, MIN_RESAMPLES = 100 };
#define MAX_RESAMPLES 100000000u

/* --- the resamples, in batches: each has its own stream of random numbers
 * -------------------------------------------- */

struct sources { /* all means, or all quantiles */
	const struct mean_source *mean_r, *mean_x;
	const struct quantile_source *quantile_r, *quantile_x;
	enum resample_quantity quantity;
};

static double quantity_of(enum resample_quantity quantity, double r, double x)
{
	return quantity == RESAMPLE_X            ? x
	       : quantity == RESAMPLE_DIFFERENCE ? x - r
						 : 100 * (x - r) / r;
}

static double quantity_draw(const struct sources *s, struct generator *g)
{
	double r = 0, x = s->mean_x ? mean_source_draw(s->mean_x, g)
				    : quantile_source_draw(s->quantile_x, g);
	if (s->quantity != RESAMPLE_X)
		r = s->mean_r ? mean_source_draw(s->mean_r, g)
			      : quantile_source_draw(s->quantile_r, g);
	return quantity_of(s->quantity, r, x);
}

/* Returns all resamples, ascending. The caller frees the array. */
static double *resamples_make(const struct sources *s, const struct resample_plan *plan)
{
	double *value = xreallocarray(NULL, plan->n_resamples, sizeof *value);
	struct generator g;
	for (size_t i = 0; i < plan->n_resamples; i++) {
		if (i % BATCH == 0)
			generator_seed(&g, plan->seed, i / BATCH);
		value[i] = quantity_draw(s, &g);
	}
	doubles_sort(value, plan->n_resamples);
	return value;
}

/* --- the jackknife: sums over deletions, first for their mean, then about it --- */

struct deletions {
	double centre, sum, squares, cubes, n;
};

static void deletion_add(struct deletions *d, double value, double times)
{
	double u = d->centre - value;
	d->n += times;
	d->sum += times * u;
	d->squares += times * u * u;
	d->cubes += times * u * u * u;
}

static void mean_deletions(struct deletions *d, const struct mean_source *m,
			   const struct sources *s, bool of_x)
{
	double r = s->mean_r ? s->mean_r->estimate : 0, x = s->mean_x->estimate, own = of_x ? x : r;
	for (size_t i = 0; i < m->n_units && m->n_items; i++) {
		double without = own - (m->unit[i] - own) / (double)(m->n_units - 1);
		deletion_add(d, of_x ? quantity_of(s->quantity, r, without)
				     : quantity_of(s->quantity, without, x), 1);
	}
}

/* If value i of n sorted values is omitted, the quantile (type 7) is one of three. */
static void quantile_deletions(struct deletions *d, const struct quantile_source *q,
			       const struct sources *s, bool of_x)
{
	double r = s->quantile_r ? s->quantile_r->estimate : 0, x = s->quantile_x->estimate;
	double h = (double)(q->n - 2) * q->p, part = h - floor(h), n = (double)q->n;
	size_t k = (size_t)h, last = q->n - 1;
	const double *at = q->sorted;
	double a = at[k], b = at[k + 1], c = at[k + 2 < last ? k + 2 : last];
	double without[3] = {b + part * (c - b), a + part * (c - a), a + part * (b - a)};
	double times[3] = {(double)k + 1, 1, n - (double)k - 2};
	for (int i = 0; i < 3; i++)
		deletion_add(d,
			     of_x ? quantity_of(s->quantity, r, without[i])
				  : quantity_of(s->quantity, without[i], x),
			     times[i]);
}

static void all_deletions(struct deletions *d, const struct sources *s)
{
	if (s->mean_x)
		mean_deletions(d, s->mean_x, s, true);
	if (s->mean_r)
		mean_deletions(d, s->mean_r, s, false);
	if (s->quantile_x)
		quantile_deletions(d, s->quantile_x, s, true);
	if (s->quantile_r)
		quantile_deletions(d, s->quantile_r, s, false);
}

static double acceleration_of(const struct sources *s, double estimate)
{
	struct deletions first = {.centre = estimate};
	all_deletions(&first, s);
	struct deletions d = {.centre = estimate - first.sum / first.n};
	all_deletions(&d, s);
	return d.squares > 0 ? d.cubes / (6 * pow(d.squares, 1.5)) : 0;
}

/* --- the interval -------------------------------------------------------- */

/* Finds the levels at which the sorted resamples are read. Returns false if BCa is undefined. */
static bool bca_levels(const double *value, size_t n, double conf, struct resample_interval *out,
		       double level[2])
{
	double less = 0, equal = 0, near = 1e-12 * (fabs(out->estimate) + out->se);
	for (size_t i = 0; i < n; i++) {
		less += value[i] < out->estimate - near;
		equal += fabs(value[i] - out->estimate) <= near;
	}
	if (normal_quantile((less + equal / 2) / (double)n, &out->z0))
		return false;
	return !bca_level(out->z0, out->acceleration, (1 - conf) / 2, &level[0]) &&
	       !bca_level(out->z0, out->acceleration, (1 + conf) / 2, &level[1]) &&
	       level[0] < level[1];
}

static enum stat_status interval_make(const struct sources *s, double estimate,
				      const struct resample_plan *plan,
				      struct resample_interval *out)
{
	struct sample_moments m;
	*out = (struct resample_interval){.estimate = estimate};
	SCOPED_FREE double *value = resamples_make(s, plan);
	enum stat_status status = sample_moments(value, plan->n_resamples, &m);
	if (!status && !(m.sum_sq > 0))
		status = STAT_ZERO_VARIANCE;
	if (!status) {
		double level[2] = {(1 - plan->conf) / 2, (1 + plan->conf) / 2};
		out->se = m.sd;
		out->acceleration = acceleration_of(s, estimate);
		out->percentile = !bca_levels(value, plan->n_resamples, plan->conf, out, level);
		if (out->percentile) {
			out->z0 = 0;
			level[0] = (1 - plan->conf) / 2;
			level[1] = (1 + plan->conf) / 2;
		}
		out->lo = sorted_quantile(value, plan->n_resamples, level[0], 7);
		out->hi = sorted_quantile(value, plan->n_resamples, level[1], 7);
	}
	return status;
}

static enum stat_status plan_check(const struct resample_plan *plan)
{
	bool good = plan->n_resamples >= MIN_RESAMPLES && plan->n_resamples <= MAX_RESAMPLES &&
		    plan->conf > 0 && plan->conf < 1;
	return good ? STAT_OK : STAT_OUT_OF_RANGE;
}

/* Makes the source of the reference. A constant reference is always drawn as its value. */
static enum stat_status reference_source(struct mean_source *m, const double *ref, size_t n,
					 size_t block)
{
	enum stat_status s = mean_source(m, ref, n, block, false);
	if (s != STAT_ZERO_VARIANCE)
		return s;
	*m = (struct mean_source){.estimate = ref[0], .centre = ref[0]};
	return STAT_OK;
}

enum stat_status resample_means(const double *ref, size_t m, const double *rep, size_t n,
				size_t block, enum resample_quantity quantity,
				const struct resample_plan *plan, struct resample_interval *out)
{
	struct mean_source r = {0}, x = {0};
	bool two = quantity != RESAMPLE_X;
	enum stat_status s = plan_check(plan);
	s = s ? s : mean_source(&x, rep, n, block, false);
	if (!s && two)
		s = reference_source(&r, ref, m, block);
	if (!s && quantity == RESAMPLE_RELATIVE_PCT && r.estimate == 0)
		s = STAT_ZERO_REFERENCE;
	if (!s) {
		struct sources sources = {.mean_r = two ? &r : NULL, .mean_x = &x,
		    .quantity = quantity};
		s = interval_make(&sources, quantity_of(quantity, r.estimate, x.estimate), plan,
				  out);
	}
	mean_source_release(&r);
	mean_source_release(&x);
	return s;
}

static enum stat_status quantile_check(const double *sorted, size_t n, double p,
				       struct quantile_source *q)
{
	if (n < 3 || quantile_is_extrapolated(n, p))
		return STAT_TOO_FEW;
	*q = (struct quantile_source){sorted, n, p, sorted_quantile(sorted, n, p, 7)};
	return sample_check(sorted, n);
}

enum stat_status resample_quantiles(const double *ref, size_t m, const double *rep, size_t n,
				    double p, enum resample_quantity quantity,
				    const struct resample_plan *plan, struct resample_interval *out)
{
	struct quantile_source r = {0}, x = {0};
	bool two = quantity != RESAMPLE_X;
	enum stat_status s = plan_check(plan);
	if (!s && !(p > 0 && p < 1))
		s = STAT_OUT_OF_RANGE;
	s = s ? s : quantile_check(rep, n, p, &x);
	if (!s && two)
		s = quantile_check(ref, m, p, &r);
	if (!s && quantity == RESAMPLE_RELATIVE_PCT && r.estimate == 0)
		s = STAT_ZERO_REFERENCE;
	if (s)
		return s;
	struct sources sources = {.quantile_r = two ? &r : NULL, .quantile_x = &x,
	    .quantity = quantity};
	return interval_make(&sources, quantity_of(quantity, r.estimate, x.estimate), plan, out);
}
