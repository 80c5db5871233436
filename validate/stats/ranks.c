/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/ranks.h"

#include "validate/stats/distributions.h"
#include "validate/stats/quantiles.h"

/* Returns both samples in one sorted array. The caller frees it. */
static double *samples_pool(const double *ref, size_t m, const double *rep, size_t n)
{
	SCOPED_FREE double *all = xmalloc((n + m) * sizeof *all);
	memcpy(all, ref, m * sizeof *all);
	memcpy(all + m, rep, n * sizeof *all);
	double *sorted = sample_sorted(all, n + m);
	return sorted;
}

/* Returns the sum of t^3 - t over groups of t equal values. */
static double tie_term(const double *ref, size_t m, const double *rep, size_t n)
{
	double *all = samples_pool(ref, m, rep, n), sum = 0;
	for (size_t i = 0, size; i < n + m; i += size) {
		for (size = 1; i + size < n + m && all[i + size] == all[i]; size++)
			;
		sum += (double)size * (double)size * (double)size - (double)size;
	}
	free(all);
	return sum;
}

enum stat_status mann_whitney_u(const double *ref, size_t m, const double *rep, size_t n, double *u)
{
	enum stat_status s = samples_check(ref, m, rep, n);
	if (s)
		return s;
	double *r = sample_sorted(ref, m), *x = sample_sorted(rep, n), sum = 0;
	size_t below = 0, upto = 0; /* number of r below x[i], and of r at most x[i] */
	for (size_t i = 0; i < n; i++) {
		while (below < m && r[below] < x[i])
			below++;
		while (upto < m && r[upto] <= x[i])
			upto++;
		sum += (double)below + 0.5 * (double)(upto - below);
	}
	FREE_EACH(r, x);
	*u = sum;
	return STAT_OK;
}

enum stat_status mann_whitney_p(const double *ref, size_t m, const double *rep, size_t n, double *p)
{
	double u, pairs = (double)n * (double)m, total = (double)n + (double)m;
	enum stat_status s = mann_whitney_u(ref, m, rep, n, &u);
	if (s)
		return s;
	double variance =
	    pairs / 12 * (total + 1 - tie_term(ref, m, rep, n) / (total * (total - 1)));
	if (!(variance > 0))
		return STAT_ZERO_VARIANCE;
	*p = fmin(1, 2 * normal_above((fabs(u - pairs / 2) - 0.5) / sqrt(variance)));
	return STAT_OK;
}

enum stat_status mann_whitney_p_exact(const double *ref, size_t m, const double *rep, size_t n,
				      double *p)
{
	double u;
	enum stat_status s = mann_whitney_u(ref, m, rep, n, &u);
	if (s)
		return s;
	if (n * m > 10000 || n > 10000 || m > 10000)
		return STAT_OUT_OF_RANGE;
	if (tie_term(ref, m, rep, n) > 0)
		return STAT_NOT_APPLICABLE;
	/* U and nm - U have the same P-value, and with the smaller sample first the tables are
	 * shorter */
	if (m > n) {
		size_t larger = m;
		m = n;
		n = larger;
	}
	size_t most = n * m, width = most + 1;
	/* row j of the current i: P(i, j, u); P(0, j, 0) = P(i, 0, 0) = 1 */
	double *now = xcalloc((m + 1) * width, sizeof *now),
	       *before = xcalloc((m + 1) * width, sizeof *before), *swap;
	for (size_t j = 0; j <= m; j++)
		before[j * width] = 1;
	for (size_t i = 1; i <= n; i++) {
		memset(now, 0, width * sizeof *now);
		now[0] = 1;
		for (size_t j = 1; j <= m; j++)
			for (size_t v = 0; v <= most; v++) {
				double above = v >= j ? before[j * width + v - j] : 0;
				now[j * width + v] = ((double)i * above + (double)j *
					now[(j - 1) * width + v]) / (double)(i + j);
			}
		swap = now;
		now = before;
		before = swap;
	}
	size_t from = (size_t)fmax(u, (double)most - u);
	double sum = 0;
	for (size_t v = from; v <= most; v++)
		sum += before[m * width + v];
	FREE_EACH(now, before);
	*p = fmin(1, 2 * sum);
	return STAT_OK;
}

enum stat_status vargha_delaney(const double *ref, size_t m, const double *rep, size_t n,
				double *a12)
{
	double u;
	enum stat_status s = mann_whitney_u(ref, m, rep, n, &u);
	if (!s)
		*a12 = u / ((double)n * (double)m);
	return s;
}

enum stat_status mann_whitney_least_p(double m, double n, double *p)
{
	if (!(m >= 1) || !(n >= 1))
		return STAT_TOO_FEW;
	*p = fmin(1, 2 * exp(log_gamma(m + 1) + log_gamma(n + 1) - log_gamma(m + n + 1)));
	return STAT_OK;
}
