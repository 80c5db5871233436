/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting of doubles: by comparisons where there are few, by the digits of their bits (radix 2^11, least significant
 * first, digits that all share skipped) where there are many, as an order of the bits as integers is one of the numbers.
 * Source: Knuth, The art of computer programming 3, 5.2.5. */
#ifndef VALIDATE_STATS_SORT_H
#define VALIDATE_STATS_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Ascending, in place; x[n] holds no NaN. -0 comes before 0. O(n), n more doubles of memory where n is large. */
void doubles_sort(double *x, size_t n);

/* A double's bits as an integer of the same order, and back. */
static inline uint64_t double_rank(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits ^ ((uint64_t)((int64_t)bits >> 63) | UINT64_C(1) << 63);
}

static inline double double_of_rank(uint64_t rank)
{
	uint64_t bits = rank ^ ((rank >> 63 ? 0 : ~UINT64_C(0)) | UINT64_C(1) << 63);
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

#endif
