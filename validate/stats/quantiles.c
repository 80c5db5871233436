/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/quantiles.h"

#include <gsl/gsl_statistics_double.h>

#include "validate/stats/moments.h"

double *sample_sorted(const double *x, size_t n)
{
	double *copy = xmalloc((n ? n : 1) * sizeof *copy);
	if (n)
		memcpy(copy, x, n * sizeof *copy);
	for (size_t i = 1; i < n; i++)
		if (copy[i - 1] > copy[i]) {
			doubles_sort(copy, n);
			break;
		}
	return copy;
}

double sorted_quantile(const double *sorted, size_t n, double p, int type)
{
	double h = type == 8 ? ((double)n + 1.0 / 3) * p + 1.0 / 3 - 1 : (double)(n - 1) * p;
	h = fmin(fmax(h, 0), (double)(n - 1));
	size_t low = (size_t)floor(h);
	if (low + 1 >= n)
		return sorted[n - 1];
	return sorted[low] + (h - (double)low) * (sorted[low + 1] - sorted[low]);
}

bool quantile_is_extrapolated(size_t n, double p)
{
	/* 1e-9: rounding; 10 values suffice for 0.9 */
	return fmin(p, 1 - p) * (double)n < 1 - 1e-9;
}

enum stat_status sample_quantile(const double *x, size_t n, double p, int type, double *q)
{
	if (n == 0)
		return STAT_TOO_FEW;
	if (!(p >= 0 && p <= 1) || (type != 7 && type != 8))
		return STAT_OUT_OF_RANGE;
	enum stat_status s = sample_check(x, n);
	if (s)
		return s;
	SCOPED_FREE double *sorted = sample_sorted(x, n);
	*q = sorted_quantile(sorted, n, p, type);
	return STAT_OK;
}

enum stat_status sample_median(const double *x, size_t n, double *median)
{
	return sample_quantile(x, n, 0.5, 7, median);
}

/* Distances from the median grow in both directions. Merging both directions, from the median on,
 * gives the distances in order, up to the middle distances. */
enum stat_status sample_mad(const double *x, size_t n, double *mad)
{
	if (n == 0)
		return STAT_TOO_FEW;
	enum stat_status s = sample_check(x, n);
	if (s)
		return s;
	double *sorted = sample_sorted(x, n), median = sorted_quantile(sorted, n, 0.5, 7), last = 0,
	       before = 0;
	/* the next value to the right is [right], the next to the left [left - 1] */
	size_t right = n / 2, left = right;
	for (size_t k = 0; k <= n / 2; k++) {
		double up = right < n ? fabs(sorted[right] - median) : INFINITY;
		double down = left > 0 ? fabs(median - sorted[left - 1]) : INFINITY;
		before = last;
		last = up <= down ? up : down;
		right += up <= down;
		left -= up > down;
	}
	free(sorted);
	*mad = n % 2 ? last : before + 0.5 * (last - before);
	return STAT_OK;
}

enum stat_status sample_trimmed_mean(const double *x, size_t n, double share, double *mean)
{
	if (n == 0)
		return STAT_TOO_FEW;
	if (!(share >= 0 && share < 0.5))
		return STAT_OUT_OF_RANGE;
	enum stat_status s = sample_check(x, n);
	if (s)
		return s;
	SCOPED_FREE double *sorted = sample_sorted(x, n);
	size_t cut = (size_t)floor(share * (double)n);
	struct sample_moments m;
	s = sample_moments(sorted + cut, n - 2 * cut, &m);
	*mean = m.mean;
	return s;
}

/* Moves values beyond the limits to the nearest limit. Returns the number of values that were
 * moved. */
static size_t sample_clamp(double *x, size_t n)
{
	double median, mad;
	size_t n_moved = 0;
	if (n < 4 || sample_median(x, n, &median) || sample_mad(x, n, &mad) || !(mad > 0))
		return 0;
	const double most = 3 * 1.4826 * mad;
	for (size_t i = 0; i < n; i++)
		if (fabs(x[i] - median) > most) {
			x[i] = median + copysign(most, x[i] - median);
			n_moved++;
		}
	return n_moved;
}

size_t sample_winsorise(double *x, size_t n)
{
	const size_t n_moved = sample_clamp(x, n);
	const double stretch = sqrt((double)n / (double)(n - n_moved)),
		     mean = gsl_stats_mean(x, 1, n);
	for (size_t i = 0; n_moved && i < n; i++)
		x[i] = mean + (x[i] - mean) * stretch;
	return n_moved;
}

void terms_winsorise(const double *sum, double *term, size_t n_terms, size_t n)
{
	SCOPED_FREE double *clamped = xcalloc(n + 1, sizeof *clamped);
	memcpy(clamped, sum, n * sizeof *sum);
	const size_t n_moved = sample_clamp(clamped, n);
	double centre = 0; /* mean of the sums that were not moved */
	for (size_t i = 0; i < n; i++)
		centre += clamped[i] == sum[i] ? sum[i] / (double)(n - n_moved) : 0;
	for (size_t k = 0; k < n_terms && n_moved; k++, term += n) {
		double own = 0;
		for (size_t i = 0; i < n; i++)
			own += clamped[i] == sum[i] ? term[i] / (double)(n - n_moved) : 0;
		for (size_t i = 0; i < n; i++)
			if (clamped[i] != sum[i])
				term[i] = own + (term[i] - own) * (clamped[i] - centre) /
						    (sum[i] - centre);
	}
}

/* --- sorting ------------------------------------------------------------- */

static int doubles_compare(const void *x, const void *y)
{
	const double a = *(const double *)x, b = *(const double *)y;
	if (a != b)
		return a < b ? -1 : 1;
	return (signbit(b) != 0) - (signbit(a) != 0);
}

void doubles_sort(double *x, size_t n)
{
	qsort(x, n, sizeof *x, doubles_compare);
}
