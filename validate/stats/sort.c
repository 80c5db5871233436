/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/sort.h"

#include <stdlib.h>

#include <gsl/gsl_sort.h>

#include "common/xalloc.h"

enum { FEW = 2000, DIGIT_BITS = 11, N_DIGITS = 6, RADIX = 1 << DIGIT_BITS };

static size_t digit(uint64_t rank, int which)
{
	return (size_t)(rank >> (which * DIGIT_BITS)) & (RADIX - 1);
}

/* Moves `from` to `to` in the order of one digit; false where all share it and nothing was moved. */
static int pass(const uint64_t *from, uint64_t *to, size_t n, const size_t *count, int which)
{
	size_t at[RADIX], sum = 0;
	if (count[digit(from[0], which)] == n)
		return 0;
	for (size_t d = 0; d < RADIX; d++) {
		at[d] = sum;
		sum += count[d];
	}
	for (size_t i = 0; i < n; i++)
		to[at[digit(from[i], which)]++] = from[i];
	return 1;
}

static void radix_sort(double *x, size_t n)
{
	uint64_t *from = xreallocarray(NULL, n, sizeof *from), *to = xreallocarray(NULL, n, sizeof *to);
	size_t(*count)[RADIX] = xcalloc(N_DIGITS, sizeof *count);
	for (size_t i = 0; i < n; i++) {
		from[i] = double_rank(x[i]);
		for (int which = 0; which < N_DIGITS; which++)
			count[which][digit(from[i], which)]++;
	}
	for (int which = 0; which < N_DIGITS; which++)
		if (pass(from, to, n, count[which], which)) {
			uint64_t *swap = from;
			from = to;
			to = swap;
		}
	for (size_t i = 0; i < n; i++)
		x[i] = double_of_rank(from[i]);
	free(from);
	free(to);
	free(count);
}

void doubles_sort(double *x, size_t n)
{
	if (n < FEW)
		gsl_sort(x, 1, n);
	else
		radix_sort(x, n);
}
