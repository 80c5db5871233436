/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/pitman_morgan.h"

#include <float.h>

#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"

enum stat_status pitman_morgan(const double *ref, size_t m, const double *rep, size_t n,
			       struct pitman_morgan *pm)
{
	if (n != m)
		return STAT_NOT_PAIRED;
	if (n < 3)
		return STAT_TOO_FEW;
	struct sample_moments r, x;
	enum stat_status s = sample_moments_spread(ref, n, &r);
	s = s ? s : sample_moments_spread(rep, n, &x);
	s = s ? s : sample_correlation(ref, rep, n, &pm->correlation);
	if (s)
		return s;
	pm->n = n;
	pm->ratio = x.sd / r.sd;
	/* below this, 1 - c^2 is rounding error */
	if (1 - pm->correlation * pm->correlation <= 64 * (double)n * DBL_EPSILON)
		return STAT_ZERO_VARIANCE;
	return isfinite(pm->ratio) && pm->ratio > 0 ? STAT_OK : STAT_NOT_FINITE;
}

enum stat_status pitman_morgan_limits_of(const struct pitman_morgan *pm, double dof, double alpha,
					 double *lower, double *upper)
{
	double t, c = pm->correlation;
	enum stat_status s = t_quantile(1 - alpha, dof, &t);
	if (s)
		return s;
	/* sqrt(K - sqrt(K^2-1)), computed by its reciprocal to avoid cancellation */
	double excess = 2 * (1 - c * c) * t * t / dof;
	double widening = sqrt(1 + excess + sqrt(excess * (2 + excess)));
	*lower = pm->ratio / widening;
	*upper = pm->ratio * widening;
	return STAT_OK;
}

enum stat_status pitman_morgan_limits(const struct pitman_morgan *pm, double alpha, double *lower,
				      double *upper)
{
	return pitman_morgan_limits_of(pm, (double)(pm->n - 2), alpha, lower, upper);
}

enum stat_status pitman_morgan_p_of(const struct pitman_morgan *pm, double dof, double limit,
				    double *p_above, double *p_below)
{
	if (!(limit > 0) || !isfinite(limit))
		return STAT_OUT_OF_RANGE;
	double c = pm->correlation, a = pm->ratio / limit;
	double t = (a - 1 / a) / 2 * sqrt(dof / (1 - c * c));
	*p_above = t_above(t, dof);
	*p_below = t_below(t, dof);
	return STAT_OK;
}

enum stat_status pitman_morgan_p(const struct pitman_morgan *pm, double limit, double *p_above,
				 double *p_below)
{
	return pitman_morgan_p_of(pm, (double)(pm->n - 2), limit, p_above, p_below);
}

/* Replaces b[n] by its residuals about a straight line over a[n]. */
static enum stat_status residuals_take(const double *a, double *b, size_t n)
{
	struct sample_moments m, k;
	double correlation;
	enum stat_status s = sample_moments_spread(a, n, &m);
	s = s ? s : sample_moments_spread(b, n, &k);
	s = s ? s : sample_correlation(a, b, n, &correlation);
	for (size_t i = 0; i < n && !s; i++)
		b[i] -= correlation * k.sd / m.sd * (a[i] - m.mean);
	return s;
}

enum stat_status pitman_morgan_serial(const double *ref, const double *rep, size_t n, double limit,
				      struct serial factor[2])
{
	SCOPED_FREE double *a = xcalloc(n ? n : 1, sizeof *a), *b = xcalloc(n ? n : 1, sizeof *b);
	for (size_t i = 0; i < n; i++) {
		a[i] = rep[i] / limit + ref[i];
		b[i] = rep[i] / limit - ref[i];
	}
	enum stat_status s = limit > 0 && isfinite(limit) ? STAT_OK : STAT_OUT_OF_RANGE;
	s = s ? s : residuals_take(a, b, n);
	s = s ? s : serial_dependence(a, n, &factor[0]);
	return s ? s : serial_dependence(b, n, &factor[1]);
}
