/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/regression.h"

#include <gsl/gsl_sort.h>

#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"

enum stat_status regression_fit(const double *x, const double *y, size_t n, struct regression *r)
{
	struct sample_moments mx, my;
	if (n < 3)
		return STAT_TOO_FEW;
	enum stat_status s = sample_moments_spread(x, n, &mx);
	s = s ? s : sample_moments_spread(y, n, &my);
	if (s)
		return s;

	double ex = mx.mean - x[0], ey = my.mean - y[0], sxy = 0, sse = 0;
	for (size_t i = 0; i < n; i++)
		sxy += ((x[i] - x[0]) - ex) * ((y[i] - y[0]) - ey);
	r->n = n;
	r->slope = sxy / mx.sum_sq;
	r->intercept = my.mean - r->slope * mx.mean;
	for (size_t i = 0; i < n; i++) {
		double residual = ((y[i] - y[0]) - ey) - r->slope * ((x[i] - x[0]) - ex);
		sse += residual * residual;
	}
	r->sse = sse;
	r->r_squared = 1 - sse / my.sum_sq;
	r->residual_sd = sqrt(sse / (double)(n - 2));
	r->se_slope = r->residual_sd / sqrt(mx.sum_sq);
	r->se_intercept = r->residual_sd * sqrt(1 / (double)n + mx.mean * mx.mean / mx.sum_sq);
	return STAT_OK;
}

/* Computes the sum of squares about the means of equal x, and the number of distinct x. */
static double pure_error(const double *x, const double *y, size_t n, size_t *n_distinct)
{
	SCOPED_FREE size_t *order = xmalloc(n * sizeof *order);
	double *group = xmalloc(n * sizeof *group), sum = 0;
	gsl_sort_index(order, x, 1, n);
	*n_distinct = 0;
	for (size_t i = 0, size; i < n; i += size) {
		struct sample_moments m;
		for (size = 0; i + size < n && x[order[i + size]] == x[order[i]]; size++)
			group[size] = y[order[i + size]];
		(*n_distinct)++;
		if (sample_moments(group, size, &m) == STAT_OK && !m.spread)
			sum += m.sum_sq;
	}
	free(group);
	return sum;
}

enum stat_status lack_of_fit(const double *x, const double *y, size_t n, struct lack_of_fit *l)
{
	struct regression r;
	size_t n_distinct;
	enum stat_status s = regression_fit(x, y, n, &r);
	if (s)
		return s;
	l->ss_pure_error = pure_error(x, y, n, &n_distinct);
	l->ss_lack_of_fit = fmax(0, r.sse - l->ss_pure_error);
	if (n_distinct < 3 || n_distinct == n)
		return STAT_TOO_FEW;
	l->df_lack_of_fit = (double)(n_distinct - 2);
	l->df_pure_error = (double)(n - n_distinct);
	if (l->ss_pure_error <= 0)
		return STAT_ZERO_VARIANCE;
	l->f = (l->ss_lack_of_fit / l->df_lack_of_fit) / (l->ss_pure_error / l->df_pure_error);
	l->p = f_above(l->f, l->df_lack_of_fit, l->df_pure_error);
	return STAT_OK;
}
