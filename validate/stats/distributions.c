/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/distributions.h"

#include <math.h>

#include <gsl/gsl_cdf.h>

static int is_probability(double p)
{
	return p > 0 && p < 1;
}

static int is_dof(double df)
{
	return df > 0 && isfinite(df);
}

enum stat_status normal_quantile(double p, double *q)
{
	if (!is_probability(p))
		return STAT_OUT_OF_RANGE;
	*q = gsl_cdf_ugaussian_Pinv(p);
	return STAT_OK;
}

enum stat_status t_quantile(double p, double df, double *q)
{
	if (isinf(df) && df > 0)
		return normal_quantile(p, q);
	if (!is_probability(p) || !is_dof(df))
		return STAT_OUT_OF_RANGE;
	*q = gsl_cdf_tdist_Pinv(p, df);
	return isfinite(*q) ? STAT_OK : STAT_NOT_CONVERGED;
}

enum stat_status f_quantile(double p, double df1, double df2, double *q)
{
	if (!is_probability(p) || !is_dof(df1) || !is_dof(df2))
		return STAT_OUT_OF_RANGE;
	*q = gsl_cdf_fdist_Pinv(p, df1, df2);
	return isfinite(*q) ? STAT_OK : STAT_NOT_CONVERGED;
}

enum stat_status chi2_quantile(double p, double df, double *q)
{
	if (!is_probability(p) || !is_dof(df))
		return STAT_OUT_OF_RANGE;
	*q = gsl_cdf_chisq_Pinv(p, df);
	return isfinite(*q) ? STAT_OK : STAT_NOT_CONVERGED;
}

double normal_below(double z)
{
	return gsl_cdf_ugaussian_P(z);
}

double normal_above(double z)
{
	return gsl_cdf_ugaussian_Q(z);
}

double t_above(double t, double df)
{
	if (isinf(t))
		return t > 0 ? 0 : 1;
	return isinf(df) ? gsl_cdf_ugaussian_Q(t) : gsl_cdf_tdist_Q(t, df);
}

double t_below(double t, double df)
{
	return t_above(-t, df);
}

double t_two_sided(double t, double df)
{
	return 2 * t_above(fabs(t), df);
}

double f_above(double f, double df1, double df2)
{
	return gsl_cdf_fdist_Q(f, df1, df2);
}

double chi2_above(double q, double df)
{
	return gsl_cdf_chisq_Q(q, df);
}

double normal_coverage(double k)
{
	return 1 - 2 * normal_above(k);
}

double t_coverage(double k, double df)
{
	return 1 - 2 * t_above(k, df);
}

enum stat_status clopper_pearson(double k, double n, double conf, double *lo, double *hi)
{
	if (n == 0)
		return STAT_TOO_FEW;
	if (!(n > 0) || !(k >= 0) || !(k <= n) || !isfinite(n) || !is_probability(conf))
		return STAT_OUT_OF_RANGE;
	*lo = k > 0 ? gsl_cdf_beta_Pinv((1 - conf) / 2, k, n - k + 1) : 0;
	*hi = k < n ? gsl_cdf_beta_Pinv((1 + conf) / 2, k + 1, n - k) : 1;
	return isfinite(*lo) && isfinite(*hi) ? STAT_OK : STAT_NOT_CONVERGED;
}
