/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Acceptability of test results: critical range, critical differences, and the procedure for a
 * final result (ISO 5725-6). */
#include "validate/stats/precision_study.h"

#include <gsl/gsl_integration.h>

#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"
#include "validate/stats/quantiles.h"

const char *const accept_route_names[] = {"mean2", "mean3", "mean4", "median3", "median4", NULL};

struct range_arg {
	double n, q;
};

static double range_integrand(double x, void *arg)
{
	const struct range_arg *a = arg;
	/* the smaller tails are used, so that the difference keeps its digits on both sides */
	double inside = x > 0 ? normal_above(x) - normal_above(x + a->q)
			      : normal_below(x + a->q) - normal_below(x);
	return a->n * exp(-x * x / 2) / sqrt(2 * M_PI) * pow(inside, a->n - 1);
}

static enum stat_status range_below(double n, double q, gsl_integration_workspace *w, double *p)
{
	struct range_arg arg = {n, q};
	gsl_function f = {range_integrand, &arg};
	double error;
	int failed =
	    gsl_integration_qag(&f, -9 - q, 9, 1e-15, 1e-13, 1000, GSL_INTEG_GAUSS61, w, p, &error);
	return failed && !(error < 1e-12) ? STAT_NOT_CONVERGED : STAT_OK;
}

enum stat_status critical_range_factor(unsigned int n, double p, double *q)
{
	if (n < 2 || n > 1000 || !(p > 0 && p < 1))
		return STAT_OUT_OF_RANGE;
	gsl_integration_workspace *w = gsl_integration_workspace_alloc(1000);
	if (!w)
		return STAT_NOT_CONVERGED;
	double low = 0, high = 20, below;
	enum stat_status s = STAT_OK;
	for (int i = 0; i < 60 && !s; i++) {
		double middle = (low + high) / 2;
		s = range_below(n, middle, w, &below);
		if (below < p)
			low = middle;
		else
			high = middle;
	}
	gsl_integration_workspace_free(w);
	*q = (low + high) / 2;
	return s;
}

static enum stat_status root_of(double square, double factor, double *cd)
{
	if (!(square >= 0) || !isfinite(square))
		return STAT_OUT_OF_RANGE;
	*cd = factor * sqrt(square);
	return STAT_OK;
}

enum stat_status critical_difference_reference(double sigma_R, double sigma_r, double n,
					       double factor, double *cd)
{
	return n >= 1 ? root_of(pow(factor * sigma_R, 2) - pow(factor * sigma_r, 2) * (n - 1) / n,
				1 / sqrt(2), cd)
		      : STAT_OUT_OF_RANGE;
}

enum stat_status critical_difference_two(double sigma_R, double sigma_r, double n1, double n2,
					 double factor, double *cd)
{
	if (!(n1 >= 1) || !(n2 >= 1))
		return STAT_OUT_OF_RANGE;
	return root_of(pow(factor * sigma_R, 2) - pow(factor * sigma_r,
		2) * (1 - 1 / (2 * n1) - 1 / (2 * n2)), 1, cd);
}

enum stat_status critical_difference_within(double sigma_r, double n1, double n2, double factor,
					    double *cd)
{
	if (!(n1 >= 1) || !(n2 >= 1))
		return STAT_OUT_OF_RANGE;
	return root_of(1 / (2 * n1) + 1 / (2 * n2), factor * sigma_r, cd);
}

/* Sets *mean to the mean of the first n values if their range is within the limit. */
static bool mean_within(const double *x, size_t n, double limit, double *mean)
{
	struct sample_moments m;
	if (sample_moments(x, n, &m) || m.max - m.min > limit)
		return false;
	*mean = m.mean;
	return true;
}

enum stat_status accept_result(const double first[2], const double *more, size_t n_more, bool cheap,
	double sigma_r, const double cr[3], enum accept_route *route, double *value)
{
	double x[4] = {first[0], first[1], n_more > 0 ? more[0] : 0, n_more > 1 ? more[1] : 0};
	enum stat_status s = sample_check(x, 4);
	if (s)
		return s;
	if (!(sigma_r > 0))
		return STAT_OUT_OF_RANGE;
	*route = ACCEPT_MEAN2;
	if (mean_within(x, 2, cr[0] * sigma_r, value))
		return STAT_OK;
	if (n_more < (cheap ? 2u : 1u))
		return STAT_TOO_FEW;
	*route = ACCEPT_MEAN3;
	if (!cheap && mean_within(x, 3, cr[1] * sigma_r, value))
		return STAT_OK;
	if (n_more < 2) {
		*route = ACCEPT_MEDIAN3;
		return sample_median(x, 3, value);
	}
	*route = ACCEPT_MEAN4;
	if (mean_within(x, 4, cr[2] * sigma_r, value))
		return STAT_OK;
	*route = ACCEPT_MEDIAN4;
	return sample_median(x, 4, value);
}
