/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log-linear histogram of durations: exact below 1024, then 1024 equal buckets per power of two.
 * The error of a stored value is below 1/2048 (0.05 %). Range: 0 .. 2^63-1 ns.
 *
 * A value v < 2048 has bucket v. A larger value with 2^k <= v < 2^(k+1) has bucket 1024 (k-10) +
 * floor(v / 2^(k-10)). The numbering has no gap and follows the order of the values. */
#pragma once

#include <jansson.h>

#include "common/std.h"

#define HISTOGRAM_MAX_BUCKETS 55296u /* 1024 * 52 + 2048: values of 63 bits */

struct histogram {
	uint64_t *count;        /* [n_buckets], allocated by octave on demand */
	uint32_t n_buckets;     /* allocated so far */
	uint64_t n, n_negative; /* negative values are counted in n_negative only */
};

/* Bucket of a value >= 0. */
static inline uint32_t histogram_bucket(uint64_t value)
{
	/* value | 1024: one formula for both ranges, because the shift is 0 below 2048 */
	unsigned int shift = 53u - (unsigned int)__builtin_clzll(value | 1024u);
	return (shift << 10) + (uint32_t)(value >> shift);
}

void histogram_release(struct histogram *h);
/* slow path of histogram_add: allocates room for the bucket */
void histogram_grow(struct histogram *h, uint32_t bucket);

static inline void histogram_add(struct histogram *h, int64_t value)
{
	if (__builtin_expect(value < 0, 0)) {
		h->n_negative++;
		return;
	}
	uint32_t b = histogram_bucket((uint64_t)value);
	if (__builtin_expect(b >= h->n_buckets, 0))
		histogram_grow(h, b);
	h->count[b]++;
	h->n++;
}

/* Returns the midpoint of the bucket's whole numbers, which represents its values. */
double histogram_value(uint32_t bucket);

void histogram_merge(struct histogram *into, const struct histogram *from);

/* Finds the smallest x such that at least p n values are <= x (no interpolation; inverse of the
 * empirical distribution function, type 1 of Hyndman and Fan), as the midpoint of its bucket. p = 0
 * gives the smallest value, p = 1 the largest; the median of an even number of values is the lower
 * of the two in the middle. p n is treated as whole if it differs from a whole number only by
 * rounding (0.07 of 100 is the 7th value). Errors: ENODATA for n = 0, EINVAL for p outside 0..1. */
int histogram_quantile(const struct histogram *h, double p, double *value, struct err *e);
/* Returns the rank (from 1) of that value among n > 0 ascending values. */
uint64_t histogram_rank(double p, uint64_t n);
double histogram_at_rank(const struct histogram *h, uint64_t rank); /* 1 <= rank <= h->n */

/* Computes the mean without the floor(share n) smallest and equally many largest values; each value
 * is the midpoint of its bucket. 0 <= share < 0.5. Errors: those of histogram_quantile. */
int histogram_trimmed_mean(const struct histogram *h, double share, double *mean, struct err *e);

/* Returns the mean of `n` ascending values beginning at rank `first` (from 1); each value is the
 * midpoint of its bucket. 1 <= first, 1 <= n, first + n - 1 <= h->n. */
double histogram_mean_of_ranks(const struct histogram *h, uint64_t first, uint64_t n);

/* Sets at_most[k] to the number of values <= edge[k], for n ascending edges >= 0. The values of a
 * bucket are treated as spread evenly over its whole numbers. The result is rounded. */
void histogram_count_at_most(const struct histogram *h, const double *edge, size_t n,
			     uint64_t *at_most);

/* Returns the number of values above `value` (>= 0). The values of its own bucket count if the
 * bucket's midpoint is above it. */
uint64_t histogram_count_above(const struct histogram *h, double value);

/* Returns {"n": .., "negative": .., "buckets": [[bucket, count, count, ...], ...]}. Each inner
 * array is a run of adjacent buckets that begins at the given bucket. histogram_from_json restores
 * the histogram exactly. New reference. */
json_t *histogram_to_json(const struct histogram *h);
/* Initialises `h`, which is empty after an error. Errors: EINVAL for wrong types, buckets out of
 * range or order, a negative count, counts that do not sum to n. Ownership: histogram_release. */
int histogram_from_json(struct histogram *h, const json_t *o, struct err *e);
