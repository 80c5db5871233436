/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/bounds.h"

#include <math.h>

#include <gsl/gsl_cdf.h>

static double binomial_upto(uint64_t k, double p, uint64_t n)
{
	return k >= n ? 1 : gsl_cdf_beta_Q(p, (double)k + 1, (double)(n - k));
}

/* Smallest k with P(B <= k) > level, or >= where `reach`. */
static uint64_t smallest(uint64_t n, double p, double level, int reach)
{
	uint64_t low = 0, high = n;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		double below = binomial_upto(middle, p, n);
		if (reach ? below >= level : below > level)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

enum stat_status order_interval(uint64_t n, double p, double conf, struct order_interval *o)
{
	if (n == 0)
		return STAT_TOO_FEW;
	if (!(p > 0 && p < 1) || !(conf > 0 && conf < 1) || n > (uint64_t)1 << 50)
		return STAT_OUT_OF_RANGE;
	o->lower = smallest(n, p, (1 - conf) / 2, 0);
	o->upper = smallest(n, p, (1 + conf) / 2, 1) + 1;
	o->coverage = binomial_upto(o->upper - 1, p, n) - (o->lower ? binomial_upto(o->lower - 1, p, n) : 0);
	return STAT_OK;
}

enum stat_status dkw_epsilon(double n, double alpha, double *epsilon)
{
	if (!(n >= 1) || !(alpha > 0 && alpha < 1))
		return STAT_OUT_OF_RANGE;
	*epsilon = sqrt(log(2 / alpha) / (2 * n));
	return STAT_OK;
}

enum stat_status hoeffding_p(double n, double t, double a, double b, double *p)
{
	if (!(n >= 1) || !(t >= 0) || !(b > a))
		return STAT_OUT_OF_RANGE;
	*p = fmin(1, 2 * exp(-2 * n * t * t / ((b - a) * (b - a))));
	return STAT_OK;
}
