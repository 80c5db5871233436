/* SPDX-License-Identifier: GPL-3.0-or-later */
/* r_k for all lags up to a maximum: computed directly, or as the inverse transform of |transform of
 * the deviations|^2, padded with zeros to avoid wrap-around. */

#include <gsl/gsl_fft_halfcomplex.h>
#include <gsl/gsl_fft_real.h>

#include "validate/stats/moments.h"
#include "validate/stats/series.h"

enum { DIRECT_LAGS = 40 }; /* a transform takes about as long as this number of lags */

static void by_products(const double *d, size_t n, size_t most, double *r)
{
	for (size_t k = 0; k <= most; k++) {
		double sum = 0;
		for (size_t i = 0; i + k < n; i++)
			sum += d[i] * d[i + k];
		r[k] = sum;
	}
}

static void by_transform(const double *d, size_t n, size_t most, double *r)
{
	size_t size = 1;
	while (size < n + most + 1)
		size *= 2;
	SCOPED_FREE double *w = xcalloc(size, sizeof *w);
	for (size_t i = 0; i < n; i++)
		w[i] = d[i];
	gsl_fft_real_radix2_transform(w, 1, size);
	w[0] *= w[0];
	w[size / 2] *= w[size / 2];
	for (size_t i = 1; i < size / 2; i++) { /* real part at i, imaginary part at size - i */
		w[i] = w[i] * w[i] + w[size - i] * w[size - i];
		w[size - i] = 0;
	}
	gsl_fft_halfcomplex_radix2_inverse(w, 1, size);
	for (size_t k = 0; k <= most; k++)
		r[k] = w[k];
}

enum stat_status autocorrelations(const double *x, size_t n, size_t most, double *r)
{
	struct sample_moments m;
	enum stat_status s = sample_moments_spread(x, n, &m);
	if (s)
		return s;
	if (most >= n)
		return STAT_OUT_OF_RANGE;
	double *d = xreallocarray(NULL, n, sizeof *d), e = m.mean - x[0];
	for (size_t i = 0; i < n; i++)
		d[i] = (x[i] - x[0]) - e;
	if (most <= DIRECT_LAGS || (double)n * (double)most < 1e6)
		by_products(d, n, most, r);
	else
		by_transform(d, n, most, r);
	for (size_t k = 1; k <= most; k++)
		r[k] /= m.sum_sq;
	r[0] = 1;
	free(d);
	return STAT_OK;
}
