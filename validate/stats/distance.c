/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/distance.h"

#include "validate/stats/quantiles.h"

/* Walks over the pooled points. Finds the largest |i m - j n|, exactly in integers, and the
 * area. */
static enum stat_status pooled_walk(const double *ref, size_t m, const double *rep, size_t n,
				    uint64_t *largest, double *area)
{
	enum stat_status s = samples_check(ref, m, rep, n);
	if (s)
		return s;
	SCOPED_FREE double *r = sample_sorted(ref, m), *x = sample_sorted(rep, n);
	size_t i = 0, j = 0;
	*largest = 0;
	*area = 0;
	while (i < n || j < m) {
		double at = i < n && (j == m || x[i] <= r[j]) ? x[i] : r[j];
		while (i < n && x[i] == at)
			i++;
		while (j < m && r[j] == at)
			j++;
		uint64_t a = (uint64_t)i * m, b = (uint64_t)j * n, apart = a > b ? a - b : b - a;
		*largest = apart > *largest ? apart : *largest;
		if (i < n || j < m) {
			double next = i < n && (j == m || x[i] <= r[j]) ? x[i] : r[j];
			*area += (double)apart / ((double)n * (double)m) * (next - at);
		}
	}
	return STAT_OK;
}

enum stat_status ks_distance(const double *ref, size_t m, const double *rep, size_t n, double *d)
{
	uint64_t largest;
	double area;
	enum stat_status s = pooled_walk(ref, m, rep, n, &largest, &area);
	if (!s)
		*d = (double)largest / ((double)n * (double)m);
	return s;
}

enum stat_status wasserstein(const double *ref, size_t m, const double *rep, size_t n, double *w)
{
	uint64_t largest;
	return pooled_walk(ref, m, rep, n, &largest, w);
}

enum stat_status ks_p_asymptotic(const double *ref, size_t m, const double *rep, size_t n,
				 double *p)
{
	double d, sum = 0;
	enum stat_status s = ks_distance(ref, m, rep, n, &d);
	if (s)
		return s;
	double l2 = d * d * ((double)n * (double)m / ((double)n + (double)m));
	/* the series converges slowly here, but p differs from 1 by less than 1e-12 */
	if (l2 < 0.04) {
		*p = 1;
		return STAT_OK;
	}
	for (int j = 1; j <= 1000; j++) {
		double term = exp(-2.0 * j * j * l2);
		sum += j % 2 ? term : -term;
		if (term < 1e-18 * fabs(sum))
			break;
	}
	*p = fmin(1, fmax(0, 2 * sum));
	return STAT_OK;
}

enum stat_status ks_p_exact(const double *ref, size_t m, const double *rep, size_t n, double *p)
{
	uint64_t largest;
	double area;
	enum stat_status s = pooled_walk(ref, m, rep, n, &largest, &area);
	if (s)
		return s;
	if ((double)n * (double)m > 1e8)
		return STAT_OUT_OF_RANGE;
	/* touched[j]: share of the paths to (i, j) that have reached the distance; the complement
	 * would lose the digits of a small p */
	SCOPED_FREE double *touched = xcalloc(m + 1, sizeof *touched);
	for (size_t i = 0; i <= n; i++)
		for (size_t j = 0; j <= m; j++) {
			uint64_t a = (uint64_t)i * m, b = (uint64_t)j * n,
				 apart = a > b ? a - b : b - a;
			if (apart >= largest)
				touched[j] = 1;
			else if (i == 0 || j == 0)
				touched[j] = i + j == 0 ? 0 : i == 0 ? touched[j - 1] : touched[j];
			else
				touched[j] = ((double)i * touched[j] + (double)j * touched[j - 1]) /
					     (double)(i + j);
		}
	*p = touched[m];
	return STAT_OK;
}
