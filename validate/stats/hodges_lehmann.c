/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The median of all n m differences, without computing all of them. The number of differences <= d
 * is counted in O(n+m) on sorted samples. Interpolation and bisection narrow the range of d until
 * few differences remain, which are sorted. Source: Johnson and Mizoguchi (1978) for the idea of
 * selecting in X + Y. */
#include "validate/stats/quantiles.h"
#include "validate/stats/ranks.h"

/* Converts the bits of a double to an integer with the same order. Inverse: double_of_rank. */
static uint64_t double_rank(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits ^ ((uint64_t)((int64_t)bits >> 63) | UINT64_C(1) << 63);
}

static double double_of_rank(uint64_t rank)
{
	uint64_t bits = rank ^ ((rank >> 63 ? 0 : ~UINT64_C(0)) | UINT64_C(1) << 63);
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

enum { FEW = 1 << 20, MAX_STEPS = 200 };

struct differences {
	const double *r, *x; /* sorted */
	size_t m, n;
};

/* Returns the number of differences x_i - r_j <= d. Rounding keeps the order of differences, so the
 * count is exact. */
static double count_upto(const struct differences *s, double d)
{
	double count = 0;
	size_t j = s->m; /* r[j..m-1] have x_i - r_j <= d */
	for (size_t i = 0; i < s->n; i++) {
		while (j > 0 && s->x[i] - s->r[j - 1] <= d)
			j--;
		while (j < s->m && s->x[i] - s->r[j] > d)
			j++;
		count += (double)(s->m - j);
	}
	return count;
}

/* Returns the n differences in (lo, hi], sorted. The caller frees the array. */
static double *differences_between(const struct differences *s, double lo, double hi, size_t n)
{
	double *d = xreallocarray(NULL, n + 1, sizeof *d);
	size_t k = 0, from = s->m, to = s->m;
	for (size_t i = 0; i < s->n; i++) {
		while (from > 0 && s->x[i] - s->r[from - 1] <= hi)
			from--;
		while (from < s->m && s->x[i] - s->r[from] > hi)
			from++;
		while (to > 0 && s->x[i] - s->r[to - 1] <= lo)
			to--;
		while (to < s->m && s->x[i] - s->r[to] > lo)
			to++;
		for (size_t j = from; j < to && k < n; j++)
			d[k++] = s->x[i] - s->r[j];
	}
	doubles_sort(d, k);
	return d;
}

static double middle_of(double lo, double hi)
{
	uint64_t a = double_rank(lo), b = double_rank(hi);
	return double_of_rank(a + (b - a) / 2);
}

/* Returns the k-th smallest difference (from 1). Invariant: count_upto(lo) < k <=
 * count_upto(hi). */
static double kth_of(const struct differences *s, double k)
{
	double lo = s->x[0] - s->r[s->m - 1], hi = s->x[s->n - 1] - s->r[0];
	double n_lo = count_upto(s, lo), n_hi = (double)s->n * (double)s->m;
	if (n_lo >= k)
		return lo;
	for (int step = 0; n_hi - n_lo > FEW && step < MAX_STEPS; step++) {
		double d = step % 3 == 2 ? middle_of(lo, hi)
					 : lo + (hi - lo) * ((k - n_lo) / (n_hi - n_lo));
		if (!(d > lo && d < hi))
			d = middle_of(lo, hi);
		if (!(d > lo && d < hi)) /* adjacent doubles: all remaining differences are equal */
			return hi;
		double n_d = count_upto(s, d);
		if (n_d >= k) {
			hi = d;
			n_hi = n_d;
		} else {
			lo = d;
			n_lo = n_d;
		}
	}
	size_t n = (size_t)(n_hi - n_lo);
	double *d = differences_between(s, lo, hi, n), value = d[(size_t)(k - n_lo) - 1];
	free(d);
	return value;
}

enum stat_status hodges_lehmann(const double *ref, size_t m, const double *rep, size_t n,
				double *shift)
{
	enum stat_status s = samples_check(ref, m, rep, n);
	if (s)
		return s;
	double *r = sample_sorted(ref, m), *x = sample_sorted(rep, n),
	       total = (double)n * (double)m;
	struct differences d = {r, x, m, n};
	if (!isfinite(x[n - 1] - r[0]) || !isfinite(x[0] - r[m - 1]) || total > 0x1p52) {
		s = STAT_NOT_FINITE;
	} else {
		double low = kth_of(&d, floor((total + 1) / 2));
		*shift = fmod(total, 2) == 1 ? low : low + 0.5 * (kth_of(&d, total / 2 + 1) - low);
	}
	FREE_EACH(r, x);
	return s;
}
