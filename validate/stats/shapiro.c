/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/shapiro.h"

#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"
#include "validate/stats/quantiles.h"

static double polynomial_at(const double *c, int order, double x)
{
	double y = c[order];
	while (order-- > 0)
		y = y * x + c[order];
	return y;
}

/* Computes the weights a[0..n-1] of the ascending values; antisymmetric, a'a = 1. */
static enum stat_status weights_make(double *a, size_t n)
{
	static const double outer[] = {0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056};
	static const double next[] = {0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633};
	double norm = 0, u = 1 / sqrt((double)n);
	if (n == 3) {
		a[0] = -sqrt(0.5);
		a[1] = 0;
		a[2] = sqrt(0.5);
		return STAT_OK;
	}
	for (size_t i = 0; i < n; i++) {
		enum stat_status s =
		    normal_quantile(((double)(i + 1) - 0.375) / ((double)n + 0.25), &a[i]);
		if (s)
			return s;
		norm += a[i] * a[i];
	}
	double last = polynomial_at(outer, 5, u) + a[n - 1] / sqrt(norm), m_last = a[n - 1],
	       m_next = a[n - 2], scale;
	if (n > 5) {
		double second = polynomial_at(next, 5, u) + m_next / sqrt(norm);
		scale = sqrt((norm - 2 * m_last * m_last - 2 * m_next * m_next) /
			     (1 - 2 * last * last - 2 * second * second));
		for (size_t i = 2; i + 2 < n; i++)
			a[i] /= scale;
		a[n - 2] = second;
		a[1] = -second;
	} else {
		scale = sqrt((norm - 2 * m_last * m_last) / (1 - 2 * last * last));
		for (size_t i = 1; i + 1 < n; i++)
			a[i] /= scale;
	}
	a[n - 1] = last;
	a[0] = -last;
	return STAT_OK;
}

static double p_value(double w, size_t n)
{
	static const double mean_small[] = {0.544, -0.39978, 0.025054, -6.714e-4};
	static const double sd_small[] = {1.3822, -0.77857, 0.062767, -0.0020322};
	static const double mean_large[] = {-1.5861, -0.31082, -0.083751, 0.0038915};
	static const double sd_large[] = {-0.4803, -0.082676, 0.0030302};
	double count = (double)n, y = log1p(-w), mean, sd;
	if (n == 3)
		return fmax(0, 6 / M_PI * (asin(sqrt(w)) - asin(sqrt(0.75))));
	if (n <= 11) {
		double gamma = -2.273 + 0.459 * count;
		if (y >= gamma)
			return 0;
		y = -log(gamma - y);
		mean = polynomial_at(mean_small, 3, count);
		sd = exp(polynomial_at(sd_small, 3, count));
	} else {
		double x = log(count);
		mean = polynomial_at(mean_large, 3, x);
		sd = exp(polynomial_at(sd_large, 2, x));
	}
	return normal_above((y - mean) / sd);
}

enum stat_status shapiro_wilk(const double *x, size_t n, double *w, double *p)
{
	struct sample_moments m;
	if (n < 3)
		return STAT_TOO_FEW;
	if (n > 5000)
		return STAT_OUT_OF_RANGE;
	enum stat_status s = sample_moments_spread(x, n, &m);
	if (s)
		return s;
	double *a = xmalloc(n * sizeof *a), *sorted = sample_sorted(x, n), sum = 0;
	s = weights_make(a, n);
	for (size_t i = 0; !s && i < n; i++)
		sum += a[i] * ((sorted[i] - x[0]) - (m.mean - x[0]));
	FREE_EACH(sorted, a);
	if (s)
		return s;
	*w = fmin(1, sum * sum / m.sum_sq);
	*p = p_value(*w, n);
	return STAT_OK;
}
