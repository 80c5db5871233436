/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/multiplicity.h"

#include <float.h>
#include <gsl/gsl_sort.h>

#include "validate/stats/distributions.h"

static enum stat_status p_values_check(const double *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(p[i]))
			return STAT_NOT_FINITE;
		if (p[i] < 0 || p[i] > 1)
			return STAT_OUT_OF_RANGE;
	}
	return STAT_OK;
}

static size_t *ascending_order(const double *p, size_t n)
{
	size_t *order = xmalloc((n ? n : 1) * sizeof *order);
	gsl_sort_index(order, p, 1, n);
	return order;
}

enum stat_status adjust_holm(const double *p, size_t n, double *adjusted)
{
	enum stat_status s = p_values_check(p, n);
	if (s)
		return s;
	SCOPED_FREE size_t *order = ascending_order(p, n);
	double running = 0;
	for (size_t j = 0; j < n; j++) {
		running = fmax(running, fmin(1, (double)(n - j) * p[order[j]]));
		adjusted[order[j]] = running;
	}
	return STAT_OK;
}

enum stat_status adjust_benjamini_hochberg(const double *p, size_t n, double *adjusted)
{
	enum stat_status s = p_values_check(p, n);
	if (s)
		return s;
	SCOPED_FREE size_t *order = ascending_order(p, n);
	double running = 1;
	for (size_t j = n; j-- > 0;) {
		running = fmin(running, (double)n * p[order[j]] / (double)(j + 1));
		adjusted[order[j]] = running;
	}
	return STAT_OK;
}

/* --- looks at a growing campaign ----------------------------------------- */

/* Computes the cumulative alpha at information share t: 0 < t <= 1, 0 < alpha < 1. */
static enum stat_status spending_obrien_fleming(double alpha, double t, double *spent)
{
	double z;
	if (!(t > 0 && t <= 1) || !(alpha > 0 && alpha < 1))
		return STAT_OUT_OF_RANGE;
	enum stat_status s = normal_quantile(1 - alpha / 2, &z);
	if (!s)
		*spent = t == 1 ? alpha : 2 * normal_above(z / sqrt(t));
	return s;
}

enum stat_status spending_levels(double alpha, const unsigned int *look, size_t n_looks,
				 double *level)
{
	double before = 0, spent;
	if (n_looks == 0)
		return STAT_TOO_FEW;
	for (size_t k = 0; k < n_looks; k++) {
		if (look[k] == 0 || (k && look[k] <= look[k - 1]))
			return STAT_OUT_OF_RANGE;
		enum stat_status s = spending_obrien_fleming(
		    alpha, (double)look[k] / (double)look[n_looks - 1], &spent);
		if (s)
			return s;
		level[k] = fmax(spent - before, DBL_MIN);
		before = spent;
	}
	return STAT_OK;
}

static double normal_density(double z)
{
	return exp(-z * z / 2) / sqrt(2 * M_PI);
}

double sequential_p(double p, double span)
{
	double z;
	if (!(span > 0) || !(p > 0) || normal_quantile(1 - p, &z) || z <= 0)
		return span > 0 && p >= 0.5 ? 1 : p;
	return fmin(1, p + z * normal_density(z) * span / 2);
}

double sequential_level(double alpha, double span)
{
	double low = 0, high = alpha;
	if (!(span > 0))
		return alpha;
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;
		if (sequential_p(middle, span) > alpha)
			high = middle;
		else
			low = middle;
	}
	return low;
}
