/* SPDX-License-Identifier: GPL-3.0-or-later */
/* m = the lag after which max(5, sqrt(log10 n)) consecutive autocorrelations are within 2
 * sqrt(log10(n)/n); M = 2m; weights 1 up to M/2, then falling to 0 at M; G = sum w_k |k| R_k, D =
 * 4/3 (sum w_k R_k)^2 over -M..M, b = (2 G^2/D)^(1/3) n^(1/3), at most min(3 sqrt n, n/3). */
#include "validate/stats/resample.h"
#include "validate/stats/series.h"

static double flat_top(double t)
{
	return t <= 0.5 ? 1 : t <= 1 ? 2 * (1 - t) : 0;
}

enum stat_status block_length(const double *x, size_t n, size_t *block)
{
	if (n < 10)
		return STAT_TOO_FEW;
	double n_real = (double)n, band = 2 * sqrt(log10(n_real) / n_real);
	size_t in_a_row = (size_t)fmax(5, sqrt(log10(n_real))), quiet = 0, m = 0;
	size_t most = (size_t)fmin(ceil(sqrt(n_real)) + (double)in_a_row, n_real - 1), known = 0;
	SCOPED_FREE double *r = xcalloc(most + 1, sizeof *r);
	enum stat_status s = autocorrelations(x, n, most, r);
	if (s)
		return s;
	for (known = 1; known <= most && quiet < in_a_row; known++) {
		quiet = fabs(r[known]) < band ? quiet + 1 : 0;
		m = quiet ? m : known;
	}
	double g = 0, d = 1;
	size_t far = 2 * m < most ? 2 * m : most;
	for (size_t k = 1; k <= far; k++) {
		double w = flat_top((double)k / (double)(2 * m));
		g += 2 * w * (double)k * r[k];
		d += 2 * w * r[k];
	}
	double b = d != 0 ? cbrt(2 * g * g / (4.0 / 3 * d * d)) * cbrt(n_real) : INFINITY;
	double limit = floor(fmin(3 * sqrt(n_real), n_real / 3));
	*block = (size_t)fmax(1, fmin(ceil(b), limit));
	return STAT_OK;
}
