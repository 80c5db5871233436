/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/bounds.h"

#include "common/sort.h"
#include "validate/stats/distributions.h"

static double binomial_upto(uint64_t k, double p, uint64_t n)
{
	return binomial_at_most((double)k, (double)n, p);
}

/* Returns the smallest k with P(B <= k) > level, or with P(B <= k) >= level if `reach`. */
static uint64_t smallest_count(uint64_t n, double p, double level, int reach)
{
	uint64_t low = 0;
	BISECT(low, n, k, reach ? !(binomial_upto(k, p, n) >= level)
				: !(binomial_upto(k, p, n) > level))
	return low;
}

enum stat_status order_interval(uint64_t n, double p, double conf, struct order_interval *o)
{
	if (n == 0)
		return STAT_TOO_FEW;
	if (!(p > 0 && p < 1) || !(conf > 0 && conf < 1) || n > (uint64_t)1 << 50)
		return STAT_OUT_OF_RANGE;
	o->lower = smallest_count(n, p, (1 - conf) / 2, 0);
	o->upper = smallest_count(n, p, (1 + conf) / 2, 1) + 1;
	o->coverage =
	    binomial_upto(o->upper - 1, p, n) - (o->lower ? binomial_upto(o->lower - 1, p, n) : 0);
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

/* Converts a rank among n_effective values to a rank among n values. */
static double rank_scaled(uint64_t rank, uint64_t n_effective, size_t n, bool upper)
{
	double scaled = (double)rank * ((double)n / (double)n_effective);
	return upper ? ceil(scaled - 1e-9) : floor(scaled + 1e-9);
}

enum stat_status quantile_bounds(const double *sorted, size_t n, double n_effective, double p,
				 double conf, struct quantile_bounds *b)
{
	struct order_interval o;
	if (!(n_effective >= 1) || !(n_effective <= (double)n))
		return n ? STAT_OUT_OF_RANGE : STAT_TOO_FEW;
	uint64_t whole = (uint64_t)floor(n_effective);
	enum stat_status s = order_interval(whole, p, conf, &o);
	if (s)
		return s;
	double lower = rank_scaled(o.lower, whole, n, false),
	       upper = rank_scaled(o.upper, whole, n, true);
	*b = (struct quantile_bounds){.coverage = o.coverage};
	b->lo_status = o.lower < 1 || lower < 1 ? STAT_UNBOUNDED : STAT_OK;
	b->hi_status = o.upper > whole || upper > (double)n ? STAT_UNBOUNDED : STAT_OK;
	b->lo = b->lo_status ? 0 : sorted[(size_t)lower - 1];
	b->hi = b->hi_status ? 0 : sorted[(size_t)upper - 1];
	return STAT_OK;
}

enum stat_status dkw_bands(double d, double n_ref, double n_rep, double alpha, double *excess)
{
	double r, x;
	enum stat_status s = dkw_epsilon(n_ref, alpha / 2, &r);
	s = s ? s : dkw_epsilon(n_rep, alpha / 2, &x);
	if (!s)
		*excess = d - (r + x);
	return s;
}
