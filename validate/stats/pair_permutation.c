/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/pair_permutation.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "validate/stats/quantiles.h"

struct tally {
	double above, below, n;
};

/* Of the m <= n smallest of sum[n] - d and sum[n] + d, how many are of the former; of equal ones these come first. */
static size_t n_less_of(const double *sum, double d, size_t m)
{
	size_t lo = 0, hi = m;
	while (lo < hi) {
		const size_t i = (lo + hi) / 2;
		if (sum[m - i - 1] + d < sum[i] - d)
			hi = i;
		else
			lo = i + 1;
	}
	return lo;
}

/* Merges take turns in as many parts of the result as this, for each step of one waits for the step before. */
#define PARTS 4

/* next[2 n], ascending: every sum[n], which is ascending, less d and with it; n is a power of two, d not negative. With every sum there is the
 * same one with all signs turned, so that the upper half is the lower one in the mirror. */
static void sums_double(double *next, const double *sum, size_t n, double d)
{
	const size_t n_part = n / PARTS; /* 0 where there are not so many: they are found one by one */
	size_t i[PARTS], k[PARTS];
	for (size_t m = PARTS * n_part; m < n; m++) {
		const size_t less = n_less_of(sum, d, m);
		next[m] = fmin(sum[less] - d, sum[m - less] + d);
	}
	for (size_t p = 0; p < PARTS; p++) {
		i[p] = n_less_of(sum, d, p * n_part);
		k[p] = p * n_part - i[p];
	}
	for (size_t m = 0; m < n_part; m++)
#pragma GCC unroll 4
		for (size_t p = 0; p < PARTS; p++) {
			const double less = sum[i[p]] - d, more = sum[k[p]] + d;
			const bool take_more = more < less;
			next[p * n_part + m] = take_more ? more : less;
			k[p] += take_more;
			i[p] += !take_more;
		}
	for (size_t m = 0; m < n; m++)
		next[2 * n - 1 - m] = -next[m];
}

/* All 2^n sums of z with either sign, ascending; the caller frees. */
static double *sums_of(const double *z, size_t n)
{
	double *sum = xcalloc((size_t)1 << n, sizeof *sum), *next = xcalloc((size_t)1 << n, sizeof *next);
	for (size_t k = 0; k < n; k++) {
		double *made = next;
		sums_double(made, sum, (size_t)1 << k, fabs(z[k]));
		next = sum;
		sum = made;
	}
	free(next);
	return sum;
}

/* How many a[i] + b[j] are at least `least`, both ascending. */
static double count_from(const double *a, size_t n_a, const double *b, size_t n_b, double least)
{
	double n = 0;
	size_t j = n_b; /* b[j..] reach it */
	for (size_t i = 0; i < n_a; i++) {
		while (j > 0 && a[i] + b[j - 1] >= least)
			j--;
		n += (double)(n_b - j);
	}
	return n;
}

/* Sums that are equal but for their rounding are equal. The signs turned, what is at most becomes at least. */
static void count_all(struct tally *t, const double *z, size_t n, double observed, double rounding)
{
	size_t half = n / 2, n_a = (size_t)1 << half, n_b = (size_t)1 << (n - half);
	double *a = sums_of(z, half), *b = sums_of(z + half, n - half);
	t->n = ldexp(1, (int)n);
	t->above = count_from(a, n_a, b, n_b, observed - rounding);
	t->below = count_from(a, n_a, b, n_b, -observed - rounding);
	free(a);
	free(b);
}

static uint64_t draw(uint64_t *state) /* xorshift64*, Vigna (2016) */
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

static void count_drawn(struct tally *t, const double *z, size_t n, double observed, double rounding)
{
	uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
	*t = (struct tally){1, 1, 1}; /* the added one */
	for (uint32_t i = 0; i < PAIR_PERMUTATION_DRAWN; i++) {
		double sum = observed;
		uint64_t bits = 0;
		for (size_t k = 0; k < n; k++, bits >>= 1) {
			if (k % 32 == 0)
				bits = draw(&state) >> 32;
			sum -= 2 * z[k] * (double)(bits & 1);
		}
		t->above += sum >= observed - rounding;
		t->below += sum <= observed + rounding;
		t->n++;
	}
}

enum stat_status pair_permutation_p(const double *ref, const double *rep, size_t n, double limit, double *p_above,
				    double *p_below)
{
	double x, r;
	struct tally t;
	if (!(limit > 0) || !isfinite(limit))
		return STAT_OUT_OF_RANGE;
	if (n < 3)
		return STAT_TOO_FEW;
	enum stat_status s = sample_median(rep, n, &x);
	if (!s)
		s = sample_median(ref, n, &r);
	if (s)
		return s;
	double *z = xcalloc(n, sizeof *z), observed = 0, size = 0;
	for (size_t i = 0; i < n; i++) {
		double u = (rep[i] - x) / limit, v = ref[i] - r;
		z[i] = u * u - v * v;
		observed += z[i];
		size += fabs(z[i]);
	}
	if (size <= 0) {
		free(z);
		return STAT_ZERO_VARIANCE;
	}
	if (n <= PAIR_PERMUTATION_EXACT)
		count_all(&t, z, n, observed, 1e-12 * size);
	else
		count_drawn(&t, z, n, observed, 1e-12 * size);
	free(z);
	*p_above = t.above / t.n;
	*p_below = t.below / t.n;
	return STAT_OK;
}
