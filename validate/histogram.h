/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log-linear histogram of durations: 1024 equal buckets per power of two above 1023, exact below, so that a value read
 * back is off by at most 1/2048 of itself (0.05 %; METHODS section 10 allows 0.1 %). Range 0 .. 2^63-1 ns. */
#ifndef VALIDATE_HISTOGRAM_H
#define VALIDATE_HISTOGRAM_H

#include <stdint.h>

#include <jansson.h>

#include "common/err.h"

struct histogram {
	uint64_t *count; /* allocated by octave on demand */
	uint32_t n_buckets; /* allocated so far */
	uint64_t n, n_negative; /* negative values are counted apart, not placed */
};

void histogram_init(struct histogram *h);
void histogram_release(struct histogram *h);
void histogram_add(struct histogram *h, int64_t value);
void histogram_merge(struct histogram *into, const struct histogram *from);
/* The value below or at which a share p of the values lies (midpoint of its bucket). n = 0: ENODATA. */
int histogram_quantile(const struct histogram *h, double p, double *value, struct err *e);
json_t *histogram_to_json(const struct histogram *h); /* sparse [[bucket, count], ...] */
int histogram_from_json(struct histogram *h, const json_t *o, struct err *e);

#endif
