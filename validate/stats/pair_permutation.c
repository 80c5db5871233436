/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/pair_permutation.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "validate/stats/quantiles.h"
#include "validate/stats/sign_flip.h"

struct tally {
	double above, below, n;
};

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
	if (n <= PAIR_PERMUTATION_EXACT) {
		sign_flip_exact(z, n, p_above, p_below);
	} else {
		count_drawn(&t, z, n, observed, 1e-12 * size);
		*p_above = t.above / t.n;
		*p_below = t.below / t.n;
	}
	free(z);
	return STAT_OK;
}
