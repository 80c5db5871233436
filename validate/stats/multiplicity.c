/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/multiplicity.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_sort.h>

#include "common/xalloc.h"

static enum stat_status check(const double *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(p[i]))
			return STAT_NOT_FINITE;
		if (p[i] < 0 || p[i] > 1)
			return STAT_OUT_OF_RANGE;
	}
	return STAT_OK;
}

static size_t *ascending(const double *p, size_t n)
{
	size_t *order = xmalloc((n ? n : 1) * sizeof *order);
	gsl_sort_index(order, p, 1, n);
	return order;
}

enum stat_status adjust_holm(const double *p, size_t n, double *adjusted)
{
	enum stat_status s = check(p, n);
	if (s)
		return s;
	size_t *order = ascending(p, n);
	double running = 0;
	for (size_t j = 0; j < n; j++) {
		running = fmax(running, fmin(1, (double)(n - j) * p[order[j]]));
		adjusted[order[j]] = running;
	}
	free(order);
	return STAT_OK;
}

enum stat_status adjust_benjamini_hochberg(const double *p, size_t n, double *adjusted)
{
	enum stat_status s = check(p, n);
	if (s)
		return s;
	size_t *order = ascending(p, n);
	double running = 1;
	for (size_t j = n; j-- > 0;) {
		running = fmin(running, (double)n * p[order[j]] / (double)(j + 1));
		adjusted[order[j]] = running;
	}
	free(order);
	return STAT_OK;
}
