/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/series.h"

#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"
#include "validate/stats/quantiles.h"

enum stat_status autocorrelation(const double *x, size_t n, size_t lag, double *r)
{
	struct sample_moments m;
	enum stat_status s = sample_moments_spread(x, n, &m);
	if (s)
		return s;
	if (lag >= n)
		return STAT_OUT_OF_RANGE;
	double sum = 0, e = m.mean - x[0];
	for (size_t i = 0; i + lag < n; i++)
		sum += ((x[i] - x[0]) - e) * ((x[i + lag] - x[0]) - e);
	*r = sum / m.sum_sq;
	return STAT_OK;
}

double autocorrelation_warning(size_t n)
{
	return 2 / sqrt((double)n);
}

enum stat_status runs_test(const double *x, size_t n, struct trend_test *t)
{
	double median, above = 0, below = 0, runs = 0;
	int last = 0;
	enum stat_status s = sample_median(x, n, &median);
	if (s)
		return s;
	for (size_t i = 0; i < n; i++) {
		int side = (x[i] > median) - (x[i] < median);
		if (side == 0)
			continue;
		above += side > 0;
		below += side < 0;
		runs += side != last;
		last = side;
	}
	double total = above + below, twice = 2 * above * below;
	if (above == 0 || below == 0)
		return n < 2 ? STAT_TOO_FEW : STAT_ZERO_VARIANCE;
	double v = twice * (twice - total) / (total * total * (total - 1));
	if (!(v > 0))
		return STAT_TOO_FEW;
	t->statistic = runs;
	t->z = (runs - (twice / total + 1)) / sqrt(v);
	t->p = 2 * normal_above(fabs(t->z));
	return STAT_OK;
}

enum { INSERTED = 16 };

/* Sorts x[n] and returns the number of pairs out of order: O(n log n), exact up to 2^53 pairs. */
static double merge_count(double *x, double *spare, size_t n)
{
	double falling = 0;
	if (n <= INSERTED) {
		for (size_t i = 1; i < n; i++) {
			double value = x[i];
			size_t j = i;
			for (; j > 0 && x[j - 1] > value; j--)
				x[j] = x[j - 1];
			x[j] = value;
			falling += (double)(i - j);
		}
		return falling;
	}
	size_t half = n / 2, i = 0, j = half, k = 0;
	falling = merge_count(x, spare, half) + merge_count(x + half, spare, n - half);
	/* of equal values the left value first, because an equal pair is not out of order */
	while (i < half && j < n) {
		bool left = x[i] <= x[j];
		falling += left ? 0 : (double)(half - i);
		spare[k++] = left ? x[i] : x[j];
		i += left;
		j += !left;
	}
	memcpy(spare + k, x + i, (half - i) * sizeof *x);
	memcpy(x, spare, (k + half - i) * sizeof *x);
	return falling;
}

static double pairs_falling(const double *x, size_t n)
{
	SCOPED_FREE double *copy = xreallocarray(NULL, 2 * n, sizeof *copy);
	memcpy(copy, x, n * sizeof *copy);
	return merge_count(copy, copy + n, n);
}

enum stat_status mann_kendall(const double *x, size_t n, struct trend_test *t)
{
	double tied = 0, tied_pairs = 0, count = (double)n;
	enum stat_status s = sample_check(x, n);
	if (s)
		return s;
	if (n < 2)
		return STAT_TOO_FEW;
	double falling = pairs_falling(x, n), *sorted = sample_sorted(x, n);
	for (size_t i = 0, size; i < n; i += size) {
		for (size = 1; i + size < n && sorted[i + size] == sorted[i]; size++)
			;
		double g = (double)size;
		tied += g * (g - 1) * (2 * g + 5);
		tied_pairs += g * (g - 1) / 2;
	}
	free(sorted);
	double v = (count * (count - 1) * (2 * count + 5) - tied) / 18;
	if (!(v > 0))
		return STAT_ZERO_VARIANCE;
	double sum = count * (count - 1) / 2 - tied_pairs - 2 * falling;
	t->statistic = sum;
	t->z = (sum - (double)((sum > 0) - (sum < 0))) / sqrt(v);
	t->p = fmin(1, 2 * normal_above(fabs(t->z)));
	return STAT_OK;
}

enum stat_status mann_kendall_attains(size_t n, double alpha)
{
	/* n! orders are equally likely; the ascending and the descending order are the most
	 * extreme */
	double orders = 1;
	if (n < 2)
		return STAT_TOO_FEW;
	if (!(alpha > 0))
		return STAT_TOO_FEW_FOR_ALPHA;
	for (size_t i = 2; i <= n && orders * alpha < 2; i++)
		orders *= (double)i;
	return orders * alpha < 2 ? STAT_TOO_FEW_FOR_ALPHA : STAT_OK;
}

enum stat_status mann_kendall_exact(const double *x, size_t n, double alpha, struct trend_test *t)
{
	enum stat_status s = mann_kendall(x, n, t);
	if (s)
		return s;
	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			if (x[i] == x[j])
				return STAT_NOT_APPLICABLE;
	s = mann_kendall_attains(n, alpha);
	if (s)
		return s;
	if (n > MANN_KENDALL_EXACT_MAX_N)
		return STAT_OUT_OF_RANGE;
	/* share[k]: share of the orders of i values with k pairs out of order; value i may precede
	 * 0..i-1 others */
	size_t n_pairs = n * (n - 1) / 2,
	       n_against = (size_t)(((double)n_pairs - fabs(t->statistic)) / 2);
	double *share = xcalloc(n_pairs + 1, sizeof *share),
	       *next = xcalloc(n_pairs + 1, sizeof *next), sum = 0;
	share[0] = 1;
	for (size_t i = 2; i <= n; i++) {
		for (size_t k = 0; k <= n_pairs; k++) {
			next[k] = 0;
			for (size_t before = 0; before < i && before <= k; before++)
				next[k] += share[k - before] / (double)i;
		}
		memcpy(share, next, (n_pairs + 1) * sizeof *share);
	}
	for (size_t k = 0; k <= n_against; k++)
		sum += share[k];
	FREE_EACH(share, next);
	t->p = fmin(1, 2 * sum);
	return STAT_OK;
}

enum stat_status von_neumann_ratio(const double *x, size_t n, double *ratio)
{
	struct sample_moments m;
	enum stat_status s = sample_moments_spread(x, n, &m);
	if (s)
		return s;
	double sum = 0;
	for (size_t i = 0; i + 1 < n; i++)
		sum += (x[i + 1] - x[i]) * (x[i + 1] - x[i]);
	*ratio = sum / m.sum_sq;
	return STAT_OK;
}

enum stat_status ljung_box(const double *x, size_t n, size_t lags, double *q, double *p)
{
	double sum = 0;
	if (lags == 0 || lags >= n)
		return STAT_OUT_OF_RANGE;
	SCOPED_FREE double *r = xreallocarray(NULL, lags + 1, sizeof *r);
	enum stat_status s = autocorrelations(x, n, lags, r);
	for (size_t k = 1; !s && k <= lags; k++)
		sum += r[k] * r[k] / (double)(n - k);
	if (s)
		return s;
	*q = (double)n * ((double)n + 2) * sum;
	*p = chi2_above(*q, (double)lags);
	return STAT_OK;
}
