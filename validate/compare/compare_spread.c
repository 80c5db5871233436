/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scatter from run to run, new over old.
 *
 * P is the larger of two P-values, by normal theory and by exchanged labels (stats/spread_ratio.h),
 * in each direction. */
#include "validate/compare/compare_private.h"
#include "validate/stats/distributions.h"
#include "validate/stats/sign_flip.h"
#include "validate/stats/multiplicity.h"
#include "validate/stats/spread_ratio.h"

#define DRAWN_MAX 400000u
#define DRAWN_SAME 2000u /* number of draws against a limit, for a P that need not be small */
#define P_WITHOUT_DRAWS 0.05	 /* no draws are made if P by normal theory is above this */

static double p_pairs(const double *was, const double *is, size_t n, double limit, double sign)
{
	double above, below;
	if (pair_permutation_p(was, is, n, limit, &above, &below))
		return 1;
	return sign > 0 ? above : below;
}

struct spread_test_of {
	const double *was, *is;
	size_t m, n;
	bool paired;
	double ratio; /* of standard deviations */
	struct pitman_morgan pm;
};

/* The larger P of both tests. */
static double p_of(const struct spread_test_of *t, double limit, double sign, unsigned int most)
{
	double above = 1, below = 1, p;
	if (t->paired) {
		if (pitman_morgan_p(&t->pm, limit, &above, &below))
			return 1;
	} else {
		double f = t->ratio * t->ratio / (limit * limit), a = (double)(t->n - 1),
		       b = (double)(t->m - 1);
		above = f_above(f, a, b);
		below = f_above(1 / f, b, a);
	}
	p = sign > 0 ? above : below;
	if (p > P_WITHOUT_DRAWS)
		return p;
	return fmax(p, t->paired
			   ? p_pairs(t->was, t->is, t->n, limit, sign)
			   : group_spread_permuted(t->was, t->m, t->is, t->n, limit, sign, most));
}

static void limits_set(struct aspect_change *a, const struct spread_test_of *t)
{
	double q_lo, q_hi;
	if (t->paired) {
		if (pitman_morgan_limits(&t->pm, 0.025, &a->lo95, &a->hi95))
			a->lo95 = a->hi95 = NAN;
		return;
	}
	double df_new = (double)(t->n - 1), df_old = (double)(t->m - 1);
	if (f_quantile(0.975, df_new, df_old, &q_lo) || f_quantile(0.025, df_new, df_old, &q_hi))
		return;
	a->lo95 = t->ratio / sqrt(q_lo);
	a->hi95 = t->ratio / sqrt(q_hi);
}

/* Whether a replayer is compared with itself. */
static bool is_equal(const double *was, size_t n_was, const double *is, size_t n_is)
{
	bool equal = n_was == n_is && n_was > 1;
	for (size_t i = 0; i < n_was && equal; i++)
		equal = !(was[i] < is[i]) && !(was[i] > is[i]) && isfinite(was[i]);
	return equal;
}

void spread_compare(struct aspect_change *a, const double *was, size_t n_was, const double *is,
		    size_t n_is, bool paired, double span)
{
	struct sample_moments before, now;
	struct spread_test_of t = {.was = was, .is = is, .m = n_was, .n = n_is, .paired = paired};
	struct spread_test bf;
	const struct values groups[2] = {{was, n_was}, {is, n_is}};
	a->status = sample_moments_spread(was, n_was, &before);
	if (!a->status && paired && is_equal(was, n_was, is, n_is)) {
		a->old_value = a->new_value = before.sd;
		a->change = a->lo95 = a->hi95 = a->p = a->p_difference = 1;
		a->p_same = 0;
		return;
	}
	if (!a->status)
		a->status = sample_moments_spread(is, n_is, &now);
	if (!a->status && paired)
		a->status = pitman_morgan(was, n_was, is, n_is, &t.pm);
	if (!a->status && (n_was < 3 || n_is < 3))
		a->status = STAT_TOO_FEW;
	if (a->status)
		return;
	a->old_value = before.sd;
	a->new_value = now.sd;
	a->change = t.ratio = now.sd / before.sd;
	limits_set(a, &t);
	if (!spread_test(groups, 2, SPREAD_ABOUT_MEDIAN, &bf))
		a->p_brown_forsythe = bf.p;
	a->p_difference = fmin(
	    1, 2 * sequential_p(fmin(p_of(&t, 1, 1, DRAWN_MAX), p_of(&t, 1, -1, DRAWN_MAX)), span));
	if (isnan(a->limit))
		return;
	a->p = sequential_p(
	    fmin(p_of(&t, a->limit, 1, DRAWN_SAME), p_of(&t, 1 / a->limit, -1, DRAWN_SAME)), span);
	a->p_same = sequential_p(
	    fmax(p_of(&t, a->limit, -1, DRAWN_SAME), p_of(&t, 1 / a->limit, 1, DRAWN_SAME)), span);
}

void uncertainty_compare(struct aspect_change *a, double was, double df_was, double is,
			 double df_is, double span)
{
	double q_lo, q_hi;
	a->status = isfinite(was) && isfinite(is) ? STAT_OK : STAT_NOT_ASSESSED;
	if (!a->status && (!(was > 0) || !(is > 0) || !(df_was > 0) || !(df_is > 0)))
		a->status = STAT_ZERO_VARIANCE;
	if (!a->status &&
	    (f_quantile(0.975, df_is, df_was, &q_lo) || f_quantile(0.025, df_is, df_was, &q_hi)))
		a->status = STAT_NOT_CONVERGED;
	if (a->status)
		return;
	double ratio = is / was, square = ratio * ratio;
	a->old_value = was;
	a->new_value = is;
	a->change = ratio;
	a->lo95 = ratio / sqrt(q_lo);
	a->hi95 = ratio / sqrt(q_hi);
	a->p_difference = fmin(1, 2 * sequential_p(fmin(f_above(square, df_is, df_was),
		f_above(1 / square, df_was, df_is)), span));
	if (isnan(a->limit))
		return;
	double most = a->limit * a->limit;
	a->p = sequential_p(fmin(f_above(square / most, df_is, df_was),
		f_above(1 / (square * most), df_was, df_is)), span);
	a->p_same = sequential_p(fmax(f_above(most / square, df_was, df_is),
		f_above(square * most, df_is, df_was)), span);
}
