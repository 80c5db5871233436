/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/moments.h"

enum { LANES = 8 }; /* number of parallel sums, which are faster and have smaller rounding errors */

static double lanes_sum(const double *lane)
{
	return ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
	       ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

/* Computes the mean of x - x[0], and the extremes of x. */
static double shifted_mean(const double *x, size_t n, double *least, double *most)
{
	double sum[LANES] = {0}, low[LANES], high[LANES], shift = x[0];
	size_t i = 0;
	for (size_t k = 0; k < LANES; k++)
		low[k] = high[k] = x[0];
	for (; i + LANES <= n; i += LANES)
		for (size_t k = 0; k < LANES; k++) {
			double v = x[i + k];
			sum[k] += v - shift;
			low[k] = v < low[k] ? v : low[k];
			high[k] = v > high[k] ? v : high[k];
		}
	for (; i < n; i++) {
		sum[0] += x[i] - shift;
		low[0] = x[i] < low[0] ? x[i] : low[0];
		high[0] = x[i] > high[0] ? x[i] : high[0];
	}
	*least = low[0];
	*most = high[0];
	for (size_t k = 1; k < LANES; k++) {
		*least = low[k] < *least ? low[k] : *least;
		*most = high[k] > *most ? high[k] : *most;
	}
	return lanes_sum(sum) / (double)n;
}

/* Computes the sum of squared deviations from shift + mean. The second term removes the rounding
 * error of the mean. */
static double squares_about(const double *x, size_t n, double shift, double mean)
{
	double squares[LANES] = {0}, rest[LANES] = {0};
	size_t i = 0;
	for (; i + LANES <= n; i += LANES)
		for (size_t k = 0; k < LANES; k++) {
			double d = (x[i + k] - shift) - mean;
			squares[k] += d * d;
			rest[k] += d;
		}
	for (; i < n; i++) {
		double d = (x[i] - shift) - mean;
		squares[0] += d * d;
		rest[0] += d;
	}
	const double left = lanes_sum(rest), sum = lanes_sum(squares) - left * left / (double)n;
	/* an overflow gives infinity or NaN, not a scatter of 0 */
	return sum < 0 ? 0 : sum;
}

enum stat_status sample_moments(const double *x, size_t n, struct sample_moments *m)
{
	*m = (struct sample_moments){.n = n, .spread = STAT_TOO_FEW};
	if (n == 0)
		return STAT_TOO_FEW;
	enum stat_status s = sample_check(x, n);
	if (s)
		return s;
	double mean = shifted_mean(x, n, &m->min, &m->max);
	m->mean = x[0] + mean;
	m->first = x[0];
	m->from_first = mean;
	if (!isfinite(m->mean))
		return STAT_NOT_FINITE;
	if (n < 2)
		return STAT_OK;
	/* equal values give exactly 0, because the shifted values and their mean are 0 */
	m->sum_sq = squares_about(x, n, x[0], mean);
	m->variance = m->sum_sq / (double)(n - 1);
	m->sd = sqrt(m->variance);
	m->sem = m->sd / sqrt((double)n);
	if (!isfinite(m->variance))
		return STAT_NOT_FINITE;
	m->spread = STAT_OK;
	return STAT_OK;
}

enum stat_status sample_moments_spread(const double *x, size_t n, struct sample_moments *m)
{
	enum stat_status s = sample_moments(x, n, m);
	if (s)
		return s;
	if (m->spread)
		return m->spread;
	return m->sum_sq > 0 ? STAT_OK : STAT_ZERO_VARIANCE;
}

enum stat_status sample_cv_pct(const struct sample_moments *m, double *cv_pct)
{
	if (m->spread)
		return m->spread;
	if (m->mean == 0)
		return STAT_ZERO_REFERENCE;
	*cv_pct = 100 * m->sd / fabs(m->mean);
	return STAT_OK;
}

enum stat_status sample_skewness(const double *x, size_t n, double *g1)
{
	struct sample_moments m;
	enum stat_status s = sample_moments_spread(x, n, &m);
	if (s)
		return s;
	double cubes = 0, scale = sqrt(m.sum_sq / (double)n), shifted_mean = m.mean - x[0];
	for (size_t i = 0; i < n; i++) {
		double z = ((x[i] - x[0]) - shifted_mean) / scale;
		cubes += z * z * z;
	}
	*g1 = cubes / (double)n;
	return STAT_OK;
}

enum stat_status sample_correlation(const double *x, const double *y, size_t n, double *c)
{
	struct sample_moments mx, my;
	enum stat_status s = sample_moments_spread(x, n, &mx);
	s = s ? s : sample_moments_spread(y, n, &my);
	if (s)
		return s;
	double products = 0, ex = mx.mean - x[0], ey = my.mean - y[0];
	for (size_t i = 0; i < n; i++)
		products += ((x[i] - x[0]) - ex) / sqrt(mx.sum_sq) *
			    (((y[i] - y[0]) - ey) / sqrt(my.sum_sq));
	*c = fmin(1, fmax(-1, products));
	return STAT_OK;
}

double moments_difference(const struct sample_moments *x, const struct sample_moments *r)
{
	return (x->first - r->first) + (x->from_first - r->from_first);
}

double plain_mean(const double *x, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return n ? sum / (double)n : NAN;
}
