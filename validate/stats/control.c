/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/control.h"

#include <gsl/gsl_integration.h>

#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"

enum stat_status cusum(const double *z, size_t n, double k, struct cusum *at)
{
	struct cusum now = {0, 0};
	enum stat_status s = sample_check(z, n);
	for (size_t i = 0; i < n && !s; i++) {
		now.plus = fmax(0, now.plus + z[i] - k);
		now.minus = fmax(0, now.minus - z[i] - k);
		at[i] = now;
	}
	return s;
}

size_t cusum_first_signal(const struct cusum *at, size_t n, double h)
{
	for (size_t i = 0; i < n; i++)
		if (at[i].plus > h || at[i].minus > h)
			return i + 1;
	return 0;
}

static double one_sided_length(double drift, double b)
{
	double exponent = 2 * drift * b;
	if (fabs(exponent) < 1e-6) /* the quotient would cancel here, so its series is used */
		return b * b * (1 - exponent / 3);
	return (expm1(-exponent) + exponent) / (2 * drift * drift);
}

enum stat_status cusum_run_length(double h, double k, double shift, double *arl)
{
	double b = h + 1.166;
	if (!(h > 0) || !isfinite(h) || !isfinite(k) || !isfinite(shift))
		return STAT_OUT_OF_RANGE;
	*arl = 1 / (1 / one_sided_length(shift - k, b) + 1 / one_sided_length(-shift - k, b));
	return STAT_OK;
}

enum stat_status individuals_chart(const double *x, size_t n, size_t base,
				   struct individuals_chart *c)
{
	struct sample_moments m;
	double sum = 0, d2 = 2 / sqrt(M_PI), d3 = sqrt(2 - 4 / M_PI);
	if (base < 2 || base > n)
		return STAT_TOO_FEW;
	enum stat_status s = sample_check(x, n);
	s = s ? s : sample_moments(x, base, &m);
	if (s)
		return s;
	for (size_t i = 0; i + 1 < base; i++)
		sum += fabs(x[i + 1] - x[i]);
	c->center = m.mean;
	c->mr_bar = sum / (double)(base - 1);
	c->sigma = c->mr_bar / d2;
	c->upper = c->center + 3 * c->sigma;
	c->lower = c->center - 3 * c->sigma;
	c->mr_upper = c->mr_bar * (1 + 3 * d3 / d2);
	c->n_out = 0;
	for (size_t i = 0; i < n; i++)
		c->n_out += x[i] > c->upper || x[i] < c->lower;
	return STAT_OK;
}

enum stat_status ewma(const double *z, size_t n, double lambda, double *at)
{
	double now = 0;
	enum stat_status s = sample_check(z, n);
	if (!s && !(lambda > 0 && lambda <= 1))
		s = STAT_OUT_OF_RANGE;
	for (size_t i = 0; i < n && !s; i++)
		at[i] = now = lambda * z[i] + (1 - lambda) * now;
	return s;
}

double ewma_limit(size_t i, double lambda, double l)
{
	return l * sqrt(lambda / (2 - lambda) * (1 - pow(1 - lambda, 2 * (double)i)));
}

enum stat_status chart_c4(double n, double *c4)
{
	if (!(n >= 2))
		return STAT_OUT_OF_RANGE;
	*c4 = sqrt(2 / (n - 1)) * exp(log_gamma(n / 2) - log_gamma((n - 1) / 2));
	return STAT_OK;
}

static double expected_range(double x, void *arg)
{
	double n = *(const double *)arg;
	return -expm1(n * log1p(-normal_above(x))) - pow(normal_above(x), n);
}

enum stat_status chart_d2(unsigned int n, double *d2)
{
	double count = n, error;
	gsl_function f = {expected_range, &count};
	if (n < 2 || n > 100000)
		return STAT_OUT_OF_RANGE;
	gsl_integration_workspace *w = gsl_integration_workspace_alloc(1000);
	if (!w)
		return STAT_NOT_CONVERGED;
	/* the integrand is even */
	int failed =
	    gsl_integration_qag(&f, 0, 12, 1e-15, 1e-13, 1000, GSL_INTEG_GAUSS61, w, d2, &error);
	gsl_integration_workspace_free(w);
	*d2 *= 2;
	return failed && !(error < 1e-12) ? STAT_NOT_CONVERGED : STAT_OK;
}
