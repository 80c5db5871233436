/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/mean_difference.h"

#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"

static void estimate_finish(struct t_estimate *e)
{
	e->t = e->value / e->se;
	e->p = t_two_sided(e->t, e->df);
}

enum stat_status welch_test(const double *ref, size_t m, const double *rep, size_t n,
			    struct t_estimate *e)
{
	struct sample_moments r, x;
	enum stat_status s = sample_moments(ref, m, &r);
	s = s ? s : sample_moments(rep, n, &x);
	if (s)
		return s;
	if (r.spread || x.spread)
		return STAT_TOO_FEW;
	double a = x.variance / (double)n, b = r.variance / (double)m;
	if (a + b <= 0)
		return STAT_ZERO_VARIANCE;
	if (!isfinite(a + b) || !isfinite(moments_difference(&x, &r)))
		return STAT_NOT_FINITE;
	e->value = moments_difference(&x, &r);
	e->se = sqrt(a + b);
	/* shares are used so that squares of tiny variances do not underflow */
	double share_a = a / (a + b), share_b = b / (a + b);
	e->df = 1 / (share_a * share_a / (double)(n - 1) + share_b * share_b / (double)(m - 1));
	estimate_finish(e);
	return STAT_OK;
}

enum stat_status mean_test(const double *d, size_t n, struct t_estimate *e)
{
	struct sample_moments m;
	enum stat_status s = sample_moments_spread(d, n, &m);
	if (s)
		return s;
	e->value = m.mean;
	e->se = m.sem;
	e->df = (double)(n - 1);
	estimate_finish(e);
	return STAT_OK;
}

enum stat_status paired_test(const double *ref, size_t m, const double *rep, size_t n,
			     struct t_estimate *e)
{
	if (n != m)
		return STAT_NOT_PAIRED;
	SCOPED_FREE double *d = xmalloc((n ? n : 1) * sizeof *d);
	for (size_t i = 0; i < n; i++)
		d[i] = rep[i] - ref[i];
	return mean_test(d, n, e);
}

enum stat_status t_interval(const struct t_estimate *e, double conf, double *lo, double *hi)
{
	double t;
	enum stat_status s = t_quantile((1 + conf) / 2, e->df, &t);
	if (s)
		return s;
	*lo = e->value - t * e->se;
	*hi = e->value + t * e->se;
	return STAT_OK;
}

enum stat_status reference_check(const double *ref, size_t m)
{
	enum stat_status s = sample_check(ref, m);
	for (size_t i = 0; !s && i < m; i++)
		if (ref[i] < 0)
			s = STAT_NEGATIVE_REFERENCE;
	for (size_t i = 0; !s && i < m; i++)
		if (ref[i] == 0)
			s = STAT_ZERO_REFERENCE;
	return s;
}

enum stat_status log_ratios(const double *ref, const double *rep, size_t n, double *d)
{
	enum stat_status s = reference_check(ref, n);
	s = s ? s : sample_check(rep, n);
	if (s)
		return s;
	for (size_t i = 0; i < n; i++) {
		if (rep[i] <= 0)
			return STAT_OUT_OF_RANGE;
		d[i] = log(rep[i]) - log(ref[i]);
	}
	return STAT_OK;
}
