/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/moment_sum.h"

void moment_sum_add_huge(struct moment_sum *m, int64_t value)
{
	m->n_huge++;
	m->huge_sum_sq += (long double)value * (long double)value;
}

void moment_sum_merge(struct moment_sum *into, const struct moment_sum *from)
{
	if (!from->n)
		return;
	if (!into->n) {
		*into = *from;
		return;
	}
	into->min = from->min < into->min ? from->min : into->min;
	into->max = from->max > into->max ? from->max : into->max;
	into->n += from->n;
	into->sum += from->sum;
	into->sum_sq += from->sum_sq;
	into->n_huge += from->n_huge;
	into->huge_sum_sq += from->huge_sum_sq;
}

/* Returns the sum of squared deviations from the mean. */
static double squares_sum(const struct moment_sum *m)
{
	__int128 n = (__int128)m->n;
	/* the values span hours, so 64 bits of mantissa are enough */
	if (m->n_huge) {
		long double mean = (long double)m->sum / (long double)n;
		long double ss =
		    (long double)m->sum_sq + m->huge_sum_sq - mean * (long double)m->sum;
		return ss > 0 ? (double)ss : 0;
	}
	/* |value| < 2^44, so every product below is less than 2^88 n */
	__int128 centre = m->sum / n;
	__int128 rest = m->sum - centre * n; /* |rest| < n */
	__int128 about_centre = (__int128)m->sum_sq - 2 * centre * m->sum + n * centre * centre;
	double ss = (double)about_centre - (double)rest * ((double)rest / (double)n);
	return ss > 0 ? ss : 0;
}

struct moments moment_sum_result(const struct moment_sum *m, int64_t shift)
{
	struct moments r = {.n = m->n};
	if (!m->n)
		return r;
	__int128 sum = m->sum - (__int128)m->n * shift;
	/* the whole part is converted separately, so that the fraction keeps its digits */
	__int128 whole = sum / (__int128)m->n;
	r.mean = (double)whole + (double)(sum - whole * (__int128)m->n) / (double)m->n;
	r.sd = m->n < 2 ? 0 : sqrt(squares_sum(m) / (double)(m->n - 1));
	r.min = (double)((__int128)m->min - shift);
	r.max = (double)((__int128)m->max - shift);
	return r;
}
