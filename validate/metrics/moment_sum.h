/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact mean and standard deviation of whole nanoseconds in one pass. The sums of values and
 * squares are 128-bit integers, so a large common offset causes no cancellation. A value costs one
 * multiplication and no division.
 *
 * Units: ns of either sign, |value| < 2^62. Source: sum (x-m)^2 = sum x^2 - 2 m sum x + n m^2, with
 * m the mean rounded to a whole number, in exact arithmetic. */
#pragma once

#include "validate/metrics/summary.h"

struct moment_sum { /* all zero: empty */
	uint64_t n;
	__int128 sum;
	unsigned __int128 sum_sq;
	int64_t min, max;
	/* Number of values of 2^44 ns (about five hours) or more, whose squares could overflow
	 * sum_sq. */
	uint64_t n_huge;
	long double huge_sum_sq;
};

#define MOMENT_HUGE (1ll << 44)

void moment_sum_add_huge(struct moment_sum *m, int64_t value);

static inline void moment_sum_add(struct moment_sum *m, int64_t value)
{
	if (__builtin_expect(!m->n, 0))
		m->min = m->max = value;
	m->min = value < m->min ? value : m->min;
	m->max = value > m->max ? value : m->max;
	m->n++;
	m->sum += value;
	if (__builtin_expect(value >= MOMENT_HUGE || value <= -MOMENT_HUGE, 0))
		moment_sum_add_huge(m, value);
	else
		m->sum_sq += (unsigned __int128)((__int128)value * value);
}

void moment_sum_merge(struct moment_sum *into, const struct moment_sum *from);

/* Returns the moments of (value - shift). An empty sum gives only zeros. */
struct moments moment_sum_result(const struct moment_sum *m, int64_t shift);
