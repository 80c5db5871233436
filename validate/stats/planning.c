/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/planning.h"

#include <gsl/gsl_cdf.h>

#include "validate/stats/distributions.h"

/* Sets *enough: whether n replicates are enough. An error ends the search. */
typedef enum stat_status enough_fn(uint64_t n, const double *arg, int *enough);

/* Finds the smallest n >= least for which `enough` is true, by doubling and bisection. All criteria
 * are monotone in n. */
static enum stat_status least_n(enough_fn *enough, const double *arg, uint64_t least, uint64_t *n)
{
	uint64_t low = least - 1, high = least;
	int yes = 0;
	for (;;) {
		enum stat_status s = enough(high, arg, &yes);
		if (s)
			return s;
		if (yes)
			break;
		if (high >= PLANNING_MAX_N)
			return STAT_UNBOUNDED;
		low = high;
		high = high * 2 < PLANNING_MAX_N ? high * 2 : PLANNING_MAX_N;
	}
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;
		enum stat_status s = enough(middle, arg, &yes);
		if (s)
			return s;
		if (yes)
			high = middle;
		else
			low = middle;
	}
	*n = high;
	return STAT_OK;
}

static enum stat_status halfwidth_enough(uint64_t n, const double *arg, int *enough)
{
	double t;
	enum stat_status s = t_quantile((1 + arg[2]) / 2, (double)(n - 1), &t);
	*enough = !s && t * arg[0] / sqrt((double)n) <= arg[1];
	return s;
}

enum stat_status replicates_for_halfwidth(double sd, double halfwidth, double conf, uint64_t *n)
{
	if (!(sd >= 0) || !isfinite(sd) || !(halfwidth > 0) || !(conf > 0 && conf < 1))
		return STAT_OUT_OF_RANGE;
	return least_n(halfwidth_enough, (double[]){sd, halfwidth, conf}, 2, n);
}

static enum stat_status both_quantiles(double alpha, double assurance, double dof, double *t)
{
	double clears = 0, more = 0;
	enum stat_status s = t_quantile(1 - alpha, dof, &clears);
	s = s ? s : t_quantile(assurance, dof, &more);
	*t = clears + more;
	return s;
}

static enum stat_status mean_enough(uint64_t n, const double *arg, int *enough)
{
	double t = 0;
	enum stat_status s = both_quantiles(arg[2], arg[3], (double)(n - 1), &t);
	*enough = !s && t * arg[0] / sqrt((double)n) <= arg[1];
	return s;
}

enum stat_status replicates_for_mean(double sd, double distance, double alpha, double assurance,
				     uint64_t *n)
{
	if (!(sd >= 0) || !isfinite(sd))
		return STAT_OUT_OF_RANGE;
	if (!(distance > 0))
		return STAT_UNBOUNDED;
	return least_n(mean_enough, (double[]){sd, distance, alpha, assurance}, 2, n);
}

enum stat_status sd_for_mean(uint64_t n, double distance, double alpha, double assurance,
			     double *sd)
{
	double t;
	if (n < 2)
		return STAT_TOO_FEW;
	if (!(distance >= 0) || !isfinite(distance))
		return STAT_OUT_OF_RANGE;
	enum stat_status s = both_quantiles(alpha, assurance, (double)(n - 1), &t);
	if (!s)
		*sd = distance * sqrt((double)n) / t;
	return s;
}

static enum stat_status precision_enough(uint64_t n, const double *arg, int *enough)
{
	double t = 0, dof = (double)(n - 2);
	enum stat_status s = both_quantiles(arg[1], arg[2], dof, &t);
	*enough = !s && arg[0] * sqrt(dof) >= t;
	return s;
}

enum stat_status replicates_for_precision(double ratio, double correlation, double limit,
					  double alpha, double assurance, uint64_t *n)
{
	if (!(ratio > 0) || !(limit > 0) || !(fabs(correlation) < 1))
		return STAT_OUT_OF_RANGE;
	double a = ratio / limit,
	       per_root = fabs(a - 1 / a) / 2 / sqrt(1 - correlation * correlation);
	if (per_root <= 0)
		return STAT_UNBOUNDED;
	return least_n(precision_enough, (double[]){per_root, alpha, assurance}, 3, n);
}

enum stat_status ratio_for_precision(uint64_t n, double correlation, double limit, double alpha,
				     double assurance, double *below, double *above)
{
	double t;
	if (n < 3)
		return STAT_TOO_FEW;
	if (!(limit > 0) || !(fabs(correlation) < 1))
		return STAT_OUT_OF_RANGE;
	enum stat_status s = both_quantiles(alpha, assurance, (double)(n - 2), &t);
	if (s)
		return s;
	/* 1/a - a = 2h, a = ratio/limit */
	double h = t * sqrt((1 - correlation * correlation) / (double)(n - 2)),
	       a = 1 / (h + hypot(1, h));
	*below = limit * a;
	*above = limit / a;
	return STAT_OK;
}

enum stat_status power_f(uint64_t n, double lambda, double alpha, double *power)
{
	double critical;
	if (n < 2)
		return STAT_TOO_FEW;
	if (!(lambda > 0))
		return STAT_OUT_OF_RANGE;
	enum stat_status s = f_quantile(1 - alpha, (double)(n - 1), (double)(n - 1), &critical);
	if (!s)
		*power = f_above(critical / lambda, (double)(n - 1), (double)(n - 1));
	return s;
}

enum stat_status power_precision_accept(uint64_t n, double limit, double alpha, double *power)
{
	double critical;
	if (n < 2)
		return STAT_TOO_FEW;
	enum stat_status s = f_quantile(1 - alpha, (double)(n - 1), (double)(n - 1), &critical);
	if (!s)
		*power = 1 - f_above(limit * limit / critical, (double)(n - 1), (double)(n - 1));
	return s;
}

static enum stat_status power_f_enough(uint64_t n, const double *arg, int *enough)
{
	double power = 0;
	enum stat_status s = power_f(n, arg[0], arg[2], &power);
	*enough = !s && power >= arg[1];
	return s;
}

enum stat_status replicates_for_power_f(double lambda, double power, double alpha, uint64_t *n)
{
	return least_n(power_f_enough, (double[]){lambda, power, alpha}, 2, n);
}

static enum stat_status power_t_enough(uint64_t n, const double *arg, int *enough)
{
	double power = 0;
	enum stat_status s = power_t(n, arg[0], arg[2], &power);
	*enough = !s && power >= arg[1];
	return s;
}

enum stat_status replicates_for_power_t(double d, double power, double alpha, uint64_t *n)
{
	return least_n(power_t_enough, (double[]){d, power, alpha}, 2, n);
}

static enum stat_status power_equivalence_enough(uint64_t n, const double *arg, int *enough)
{
	double power = 0;
	enum stat_status s = power_equivalence(n, arg[0], arg[1], arg[2], arg[4], &power);
	*enough = !s && power >= arg[3];
	return s;
}

enum stat_status replicates_for_power_equivalence(double margin, double diff, double sigma,
						  double power, double alpha, uint64_t *n)
{
	return least_n(power_equivalence_enough, (double[]){margin, diff, sigma, power, alpha}, 2,
		       n);
}
