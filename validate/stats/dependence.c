/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/dependence.h"

#include <math.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "validate/stats/moments.h"
#include "validate/stats/series.h"

enum stat_status batch_means(const double *x, size_t n, size_t batches, double *se, double *lag1)
{
	struct sample_moments m;
	if (batches < 2 || batches > n)
		return STAT_OUT_OF_RANGE;
	size_t length = n / batches;
	double *mean = xmalloc(batches * sizeof *mean);
	enum stat_status s = STAT_OK;
	for (size_t b = 0; b < batches && !s; b++) {
		s = sample_moments(x + b * length, length, &m);
		mean[b] = m.mean;
	}
	if (!s)
		s = sample_moments_spread(mean, batches, &m);
	if (!s)
		s = autocorrelation(mean, batches, 1, lag1);
	free(mean);
	*se = m.sem;
	return s;
}

enum stat_status geyer(const double *x, size_t n, struct geyer *g)
{
	struct sample_moments m;
	enum stat_status s = sample_moments_spread(x, n, &m);
	if (s)
		return s;
	double least = INFINITY, sum = 0, sum_monotone = 0;
	g->n_pairs = 0;
	for (size_t lag = 0; lag + 1 < n; lag += 2) {
		double even, odd;
		s = autocorrelation(x, n, lag, &even);
		if (!s)
			s = autocorrelation(x, n, lag + 1, &odd);
		if (s)
			return s;
		if (even + odd <= 0)
			break;
		g->n_pairs++;
		sum += even + odd;
		least = fmin(least, even + odd);
		sum_monotone += least;
	}
	g->tau = -1 + 2 * sum;
	g->tau_monotone = -1 + 2 * sum_monotone;
	if (g->tau <= 0) /* alternating values: nothing to extrapolate from */
		return STAT_OUT_OF_RANGE;
	g->se = m.sd * sqrt(g->tau / (double)n);
	return STAT_OK;
}

enum stat_status effective_number_ar1(const double *x, size_t n, double *ess)
{
	double r;
	enum stat_status s = autocorrelation(x, n, 1, &r);
	if (!s)
		*ess = (double)n * (1 - r) / (1 + r);
	return s;
}

enum stat_status newey_west(const double *x, size_t n, size_t lags, double *se)
{
	struct sample_moments m;
	enum stat_status s = sample_moments_spread(x, n, &m);
	if (s)
		return s;
	if (lags >= n)
		return STAT_OUT_OF_RANGE;
	double c0 = m.sum_sq / (double)n, sum = c0;
	for (size_t k = 1; k <= lags; k++) {
		double r;
		s = autocorrelation(x, n, k, &r);
		if (s)
			return s;
		sum += 2 * (1 - (double)k / (double)(lags + 1)) * r * c0;
	}
	if (!(sum > 0))
		return STAT_OUT_OF_RANGE;
	*se = sqrt(sum / (double)n);
	return STAT_OK;
}
