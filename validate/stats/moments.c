/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/moments.h"

#include <math.h>

enum stat_status sample_moments(const double *x, size_t n, struct sample_moments *m)
{
	*m = (struct sample_moments){.n = n, .spread = STAT_TOO_FEW};
	if (n == 0)
		return STAT_TOO_FEW;
	enum stat_status s = sample_check(x, n);
	if (s)
		return s;

	double shift = x[0], sum = 0;
	m->min = m->max = x[0];
	for (size_t i = 0; i < n; i++) {
		sum += x[i] - shift;
		m->min = fmin(m->min, x[i]);
		m->max = fmax(m->max, x[i]);
	}
	double mean = sum / (double)n;
	m->mean = shift + mean;
	if (!isfinite(m->mean))
		return STAT_NOT_FINITE;
	if (n < 2)
		return STAT_OK;

	double squares = 0, rest = 0;
	for (size_t i = 0; i < n; i++) {
		double d = (x[i] - shift) - mean;
		squares += d * d;
		rest += d;
	}
	/* equal values stay exactly 0: the shifted values and their mean are 0 then */
	m->sum_sq = fmax(0, squares - rest * rest / (double)n);
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
	if (!s)
		s = sample_moments_spread(y, n, &my);
	if (s)
		return s;
	double products = 0, ex = mx.mean - x[0], ey = my.mean - y[0];
	for (size_t i = 0; i < n; i++)
		products += ((x[i] - x[0]) - ex) / sqrt(mx.sum_sq) * (((y[i] - y[0]) - ey) / sqrt(my.sum_sq));
	*c = fmin(1, fmax(-1, products));
	return STAT_OK;
}
