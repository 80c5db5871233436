/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/precision_study.h"

#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"
#include "validate/stats/quantiles.h"

/* Adds the part of one mean square to the variance of both limits. */
static enum stat_status limits_add(double term, double df, double *below, double *above)
{
	double lower, upper;
	enum stat_status s = chi2_quantile(0.025, df, &lower);
	s = s ? s : chi2_quantile(0.975, df, &upper);
	if (s)
		return s;
	*below += pow((1 - df / upper) * term, 2);
	*above += pow((df / lower - 1) * term, 2);
	return STAT_OK;
}

static enum stat_status reproducibility_limits(const struct anova *a, struct precision_study *p)
{
	const double between = a->ms_between / a->n0, within = (1 - 1 / a->n0) * a->ms_within;
	double below = 0, above = 0;
	enum stat_status s = limits_add(between, a->df_between, &below, &above);
	s = s ? s : limits_add(within, a->df_within, &below, &above);
	if (s)
		return s;
	p->s_R_lo95 = sqrt(fmax(0, between + within - sqrt(below)));
	/* s_R is not reduced by a negative part between the groups */
	p->s_R_hi95 = fmax(p->s_R, sqrt(between + within + sqrt(above)));
	return STAT_OK;
}

enum stat_status precision_study(const struct values *groups, size_t n_groups,
				 struct precision_study *p)
{
	struct anova a;
	enum stat_status s = anova_one_way(groups, n_groups, &a);
	if (s)
		return s;
	p->s_r = sqrt(a.ms_within);
	p->s_L2_raw = (a.ms_between - a.ms_within) / a.n0;
	p->s_L2 = fmax(0, p->s_L2_raw);
	p->s_R = sqrt(a.ms_within + p->s_L2);
	return reproducibility_limits(&a, p);
}

/* Returns the sum of squares of sorted[from..to) about its mean, relative to that of all n
 * values. */
static double share_of_squares(const double *sorted, size_t from, size_t to, double all)
{
	struct sample_moments m;
	if (sample_moments(sorted + from, to - from, &m) || m.spread)
		return 0;
	return m.sum_sq / all;
}

/* Writes standard deviations to o->k and means to mean[n_groups]. */
static enum stat_status spreads_fill(const struct values *groups, size_t n_groups,
				     struct group_outliers *o, double *mean)
{
	struct sample_moments m;
	double sum = 0, most = 0;
	for (size_t i = 0; i < n_groups; i++) {
		enum stat_status s = sample_moments(groups[i].x, groups[i].n, &m);
		if (!s)
			s = m.spread;
		if (s)
			return s;
		mean[i] = m.mean;
		o->k[i] = m.sd;
		sum += m.variance;
		most = fmax(most, m.variance);
	}
	o->spread_status = sum > 0 ? STAT_OK : STAT_ZERO_VARIANCE;
	o->cochran = sum > 0 ? most / sum : 0;
	for (size_t i = 0; i < n_groups; i++)
		o->k[i] = sum > 0 ? o->k[i] / sqrt(sum / (double)n_groups) : 0;
	return STAT_OK;
}

static void means_fill(const double *mean, size_t n_groups, struct group_outliers *o)
{
	struct sample_moments m;
	o->means_status = n_groups < 3 ? STAT_TOO_FEW : sample_moments_spread(mean, n_groups, &m);
	if (o->means_status)
		return;
	for (size_t i = 0; i < n_groups; i++)
		o->h[i] = (mean[i] - m.mean) / m.sd;
	o->grubbs_max = (m.max - m.mean) / m.sd;
	o->grubbs_min = (m.mean - m.min) / m.sd;
	SCOPED_FREE double *sorted = sample_sorted(mean, n_groups);
	o->grubbs_double_high = share_of_squares(sorted, 0, n_groups - 2, m.sum_sq);
	o->grubbs_double_low = share_of_squares(sorted, 2, n_groups, m.sum_sq);
}

enum stat_status group_outliers(const struct values *groups, size_t n_groups,
				struct group_outliers *o)
{
	if (n_groups < 2)
		return STAT_TOO_FEW;
	SCOPED_FREE double *mean = xcalloc(n_groups, sizeof *mean);
	*o = (struct group_outliers){.h = xcalloc(n_groups, sizeof *o->h),
				     .k = xcalloc(n_groups, sizeof *o->k)};
	enum stat_status s = spreads_fill(groups, n_groups, o, mean);
	if (s)
		group_outliers_release(o);
	else
		means_fill(mean, n_groups, o);
	return s;
}

void group_outliers_release(struct group_outliers *o)
{
	FREE_EACH(o->h, o->k);
	o->h = o->k = NULL;
}

enum stat_status cochran_critical(double alpha, double p, double n, double *c)
{
	double f;
	if (!(p >= 2) || !(n >= 2))
		return STAT_OUT_OF_RANGE;
	enum stat_status s = f_quantile(1 - alpha / p, n - 1, (p - 1) * (n - 1), &f);
	if (!s)
		*c = 1 / (1 + (p - 1) / f);
	return s;
}

enum stat_status grubbs_critical(double alpha, double p, double *g)
{
	double t;
	if (!(p >= 3))
		return STAT_OUT_OF_RANGE;
	enum stat_status s = t_quantile(1 - alpha / (2 * p), p - 2, &t);
	if (!s)
		*g = (p - 1) / sqrt(p) * sqrt(t * t / (p - 2 + t * t));
	return s;
}

enum stat_status mandel_h_critical(double alpha, double p, double *h)
{
	double t;
	if (!(p >= 3))
		return STAT_OUT_OF_RANGE;
	enum stat_status s = t_quantile(1 - alpha / 2, p - 2, &t);
	if (!s)
		*h = (p - 1) * t / sqrt(p * (t * t + p - 2));
	return s;
}

enum stat_status mandel_k_critical(double alpha, double p, double n, double *k)
{
	double f;
	if (!(p >= 2) || !(n >= 2))
		return STAT_OUT_OF_RANGE;
	enum stat_status s = f_quantile(1 - alpha, n - 1, (p - 1) * (n - 1), &f);
	if (!s)
		*k = sqrt(p * f / (f + p - 1));
	return s;
}

enum stat_status algorithm_a(const double *x, size_t n, double *location, double *scale)
{
	struct sample_moments m;
	double at, width, *clipped;
	enum stat_status s = n < 2 ? STAT_TOO_FEW : sample_median(x, n, &at);
	s = s ? s : sample_mad(x, n, &width);
	if (s)
		return s;
	width *= 1.483;
	if (!(width > 0))
		return STAT_ZERO_VARIANCE;
	clipped = xmalloc(n * sizeof *clipped);
	s = STAT_NOT_CONVERGED;
	for (int round = 0; round < 10000; round++) {
		double low = at - 1.5 * width, high = at + 1.5 * width, was_at = at,
		       was_width = width;
		for (size_t i = 0; i < n; i++)
			clipped[i] = x[i] < low ? low : x[i] > high ? high : x[i];
		if (sample_moments_spread(clipped, n, &m))
			break;
		at = m.mean;
		width = 1.134 * m.sd;
		if (fabs(at - was_at) <= 1e-14 * fabs(at) + 1e-14 * width &&
		    fabs(width - was_width) <= 1e-14 * width) {
			s = STAT_OK;
			break;
		}
	}
	free(clipped);
	*location = at;
	*scale = width;
	return s;
}
