/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/dependence.h"

#include "validate/stats/moments.h"
#include "validate/stats/series.h"

enum stat_status batch_means(const double *x, size_t n, size_t batches, double *se, double *lag1)
{
	struct sample_moments m;
	if (batches < 2 || batches > n)
		return STAT_OUT_OF_RANGE;
	size_t length = n / batches;
	SCOPED_FREE double *mean = xmalloc(batches * sizeof *mean);
	enum stat_status s = STAT_OK;
	for (size_t b = 0; b < batches && !s; b++) {
		s = sample_moments(x + b * length, length, &m);
		mean[b] = m.mean;
	}
	s = s ? s : sample_moments_spread(mean, batches, &m);
	s = s ? s : autocorrelation(mean, batches, 1, lag1);
	*se = m.sem;
	return s;
}

/* Sums pairs of autocorrelations up to the first pair that is not positive. Computes more lags as
 * needed. */
static enum stat_status geyer_sum(const double *x, size_t n, struct geyer *g)
{
	size_t most = n - 1 < 31 ? n - 1 : 31, lag = 0;
	double least = INFINITY, sum = 0, sum_monotone = 0, *r = NULL;
	for (bool open = true; open && lag + 1 < n;
	     most = 8 * most + 7 < n ? 8 * most + 7 : n - 1) {
		r = xreallocarray(r, most + 1, sizeof *r);
		enum stat_status s = autocorrelations(x, n, most, r);
		if (s) {
			free(r);
			return s;
		}
		for (; open && lag + 1 <= most; lag += 2) {
			double pair = r[lag] + r[lag + 1];
			open = pair > 0;
			least = fmin(least, pair);
			g->n_pairs += open;
			sum += open ? pair : 0;
			sum_monotone += open ? least : 0;
		}
		if (most == n - 1)
			break;
	}
	free(r);
	g->tau = -1 + 2 * sum;
	g->tau_monotone = -1 + 2 * sum_monotone;
	return STAT_OK;
}

enum stat_status geyer_se(const double *x, size_t n, struct geyer *g)
{
	struct sample_moments m;
	enum stat_status s = sample_moments_spread(x, n, &m);
	*g = (struct geyer){0};
	s = s ? s : geyer_sum(x, n, g);
	if (s)
		return s;
	if (g->tau <= 0) /* the values alternate, so there is nothing to extrapolate from */
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
	double c0 = m.sum_sq / (double)n, sum = c0, *r = xreallocarray(NULL, lags + 1, sizeof *r);
	s = autocorrelations(x, n, lags, r);
	for (size_t k = 1; !s && k <= lags; k++)
		sum += 2 * (1 - (double)k / (double)(lags + 1)) * r[k] * c0;
	free(r);
	if (s)
		return s;
	if (!(sum > 0))
		return STAT_OUT_OF_RANGE;
	*se = sqrt(sum / (double)n);
	return STAT_OK;
}

bool batch_means_acceptable(size_t batches, double lag1)
{
	return batches > 1 && fabs(lag1) < 2 / sqrt((double)batches);
}

enum stat_status effective_number_capped(const double *x, size_t n, double *ess)
{
	struct geyer g;
	enum stat_status s = geyer_se(x, n, &g);
	if (s && s != STAT_OUT_OF_RANGE)
		return s;
	double most = (double)n * log10((double)n);
	*ess = s ? most : fmin((double)n / g.tau, most); /* tau <= 0: the largest possible number */
	return STAT_OK;
}
