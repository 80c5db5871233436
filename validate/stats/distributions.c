/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/distributions.h"

#include <gsl/gsl_cdf.h>

static int is_probability(double p)
{
	return p > 0 && p < 1;
}

static int is_dof(double df)
{
	return df > 0 && isfinite(df);
}

double log_gamma(double x)
{
	int sign;
	return lgamma_r(x, &sign);
}

/* A tail of a distribution over 0 <= x: the lower tail if `upper` is 0. */
typedef double tail_of(double x, int upper, const double *parameter);

/* if both shapes exceed this, GSL's tails lose digits; at 1e18 they lose all */
#define SHAPES_OF_MANY 1e9

/* Returns a tail of the beta distribution where GSL's continued fraction fails: near the mean, with
 * both shapes above about 1e6. The cube roots are nearly normal there: a tail of 0.01 has a
 * relative error below 1e-6, a tail of 1e-9 an error of 1e-5. Source: Abramowitz and Stegun,
 * 26.5.22. */
static double beta_tail_of_many(double x, int upper, const double *shape)
{
	const double a = shape[0], b = shape[1], more = cbrt(b * x), less = cbrt(a * (1 - x));
	const double z = 3 * (more * (1 - 1 / (9 * b)) - less * (1 - 1 / (9 * a))) /
			 sqrt(more * more / b + less * less / a);
	return upper ? gsl_cdf_ugaussian_Q(z) : gsl_cdf_ugaussian_P(z);
}

static double beta_tail(double x, int upper, const double *shape)
{
	const double p =
	    upper ? gsl_cdf_beta_Q(x, shape[0], shape[1]) : gsl_cdf_beta_P(x, shape[0], shape[1]);
	return isnan(p) || fmin(shape[0], shape[1]) > SHAPES_OF_MANY
		   ? beta_tail_of_many(x, upper, shape)
		   : p;
}

static double f_tail(double x, int upper, const double *df)
{
	const double p =
	    upper ? gsl_cdf_fdist_Q(x, df[0], df[1]) : gsl_cdf_fdist_P(x, df[0], df[1]);
	return isnan(p) ? beta_tail_of_many(df[0] * x / (df[0] * x + df[1]), upper,
					    (double[]){df[0] / 2, df[1] / 2})
			: p;
}

static double chi2_tail(double x, int upper, const double *df)
{
	return upper ? gsl_cdf_chisq_Q(x, df[0]) : gsl_cdf_chisq_P(x, df[0]);
}

/* Finds the x whose tail is `wanted`, by bisection of 0..high until the ends are adjacent doubles.
 * GSL's inverses of beta and F fail for some arguments (beta: 54 of 797 limits). */
static enum stat_status tail_invert(tail_of *tail, int upper, const double *parameter,
				    double wanted, double high, double *q)
{
	double low = 0;
	while (isinf(high) || high - low > 0) {
		double middle = isinf(high) ? 2 * low + 1 : low + (high - low) / 2;
		if (middle <= low || middle >= high)
			break;
		double mass = tail(middle, upper, parameter);
		if (isnan(mass) || isinf(middle))
			return STAT_NOT_CONVERGED;
		if (upper ? mass <= wanted : mass >= wanted)
			high = middle;
		else
			low = middle;
	}
	*q = high;
	return STAT_OK;
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
	return isfinite(*q) ? STAT_OK
			    : tail_invert(f_tail, p > 0.5, (double[]){df1, df2}, fmin(p, 1 - p),
					  INFINITY, q);
}

enum stat_status chi2_quantile(double p, double df, double *q)
{
	if (!is_probability(p) || !is_dof(df))
		return STAT_OUT_OF_RANGE;
	*q = gsl_cdf_chisq_Pinv(p, df);
	return isfinite(*q) ? STAT_OK
			    : tail_invert(chi2_tail, p > 0.5, &df, fmin(p, 1 - p), INFINITY, q);
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
	return f_tail(f, 1, (double[]){df1, df2});
}

double f_below(double f, double df1, double df2)
{
	return f_tail(f, 0, (double[]){df1, df2});
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
	double tail = (1 - conf) / 2;
	enum stat_status s = STAT_OK;
	*lo = 0;
	*hi = 1;
	if (k == n) /* closed forms, exact for any n */
		*lo = exp(log(tail) / n);
	else if (k > 0)
		s = tail_invert(beta_tail, 0, (double[]){k, n - k + 1}, tail, 1, lo);
	if (!s && k == 0)
		*hi = -expm1(log(tail) / n);
	else if (!s && k < n)
		s = tail_invert(beta_tail, 1, (double[]){k + 1, n - k}, tail, 1, hi);
	return s;
}

double binomial_at_least(double k, double n, double p)
{
	if (k <= 0)
		return 1;
	return k > n ? 0 : beta_tail(p, 0, (double[]){k, n - k + 1});
}

double binomial_at_most(double k, double n, double p)
{
	if (k < 0)
		return 0;
	return k >= n ? 1 : beta_tail(p, 1, (double[]){k + 1, n - k});
}
