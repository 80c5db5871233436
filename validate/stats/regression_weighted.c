/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Minimises sum w (y - b0 - b1 x)^2, x and y shifted by their first values; se from the inverse of
 * the normal matrix. */
#include <math.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"
#include "validate/stats/quantiles.h"
#include "validate/stats/regression.h"

/* weight[i] = 1/variance of the y that share x[i]. */
static enum stat_status weights_fill(const double *x, const double *y, size_t n, double *weight)
{
	double *same = xcalloc(n, sizeof *same);
	enum stat_status s = STAT_OK;
	for (size_t i = 0; i < n && !s; i++) {
		struct sample_moments m;
		size_t k = 0;
		for (size_t j = 0; j < n; j++)
			if (x[j] == x[i])
				same[k++] = y[j];
		s = k < 2 ? STAT_TOO_FEW : sample_moments_spread(same, k, &m);
		weight[i] = s ? 0 : 1 / m.variance;
	}
	free(same);
	return s;
}

static enum stat_status line_fit(const double *x, const double *y, const double *weight, size_t n,
				 struct weighted_line *w)
{
	double sum = 0, mean_x = 0, mean_y = 0, sxx = 0, sxy = 0;
	for (size_t i = 0; i < n; i++) {
		sum += weight[i];
		mean_x += weight[i] * (x[i] - x[0]);
		mean_y += weight[i] * (y[i] - y[0]);
	}
	mean_x /= sum;
	mean_y /= sum;
	for (size_t i = 0; i < n; i++) {
		double dx = (x[i] - x[0]) - mean_x;
		sxx += weight[i] * dx * dx;
		sxy += weight[i] * dx * ((y[i] - y[0]) - mean_y);
	}
	if (!(sxx > 0))
		return STAT_TOO_FEW;
	w->slope = sxy / sxx;
	w->intercept = (y[0] + mean_y) - w->slope * (x[0] + mean_x);
	w->se_slope = 1 / sqrt(sxx);
	w->se_intercept = sqrt(1 / sum + (x[0] + mean_x) * (x[0] + mean_x) / sxx);
	w->chi_squared = 0;
	for (size_t i = 0; i < n; i++) {
		double d = ((y[i] - y[0]) - mean_y) - w->slope * ((x[i] - x[0]) - mean_x);
		w->chi_squared += weight[i] * d * d;
	}
	w->p = chi2_above(w->chi_squared, (double)n - 2);
	return isfinite(w->chi_squared) && isfinite(w->intercept) ? STAT_OK : STAT_NOT_FINITE;
}

enum stat_status regression_weighted(const double *x, const double *y, size_t n,
				     struct weighted_line *w)
{
	if (n < 4)
		return STAT_TOO_FEW;
	enum stat_status s = sample_check(x, n);
	if (!s)
		s = sample_check(y, n);
	if (s)
		return s;
	double *weight = xcalloc(n, sizeof *weight);
	s = weights_fill(x, y, n, weight);
	if (!s)
		s = line_fit(x, y, weight, n, w);
	free(weight);
	return s;
}

enum stat_status regression_x_error(const double *x, const double *sem, size_t n, double *ratio)
{
	if (n < 2)
		return STAT_TOO_FEW;
	enum stat_status s = sample_check(x, n);
	if (!s)
		s = sample_check(sem, n);
	if (s)
		return s;
	double *sorted = sample_sorted(x, n), gap = INFINITY, most = 0;
	for (size_t i = 0; i < n; i++) {
		gap = i ? fmin(gap, sorted[i] - sorted[i - 1]) : gap;
		most = fmax(most, fabs(sem[i]));
	}
	free(sorted);
	if (!(gap > 0))
		return STAT_ZERO_VARIANCE;
	*ratio = most / gap;
	return STAT_OK;
}
