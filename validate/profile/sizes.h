/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizes of requests: their distribution, and the number of requests with each size. */
#pragma once

#include "common/u64_map.h"
#include "validate/metrics/histogram.h"

/* largest number of distinct sizes; further sizes are counted together */
#define SIZES_MAX 32768u

struct size_count {
	uint64_t size, n;
};

struct sizes {
	/* bytes; sizes from 2^63 as 2^63 - 1 */
	struct histogram distribution;
	struct size_count *count;      /* [n_distinct] */
	size_t n_distinct, cap_counts;
	struct u64_map count_of; /* by size */
	/* number of requests with a size that is not among the first SIZES_MAX */
	uint64_t n_not_counted;
};

/* Zero-initialised means empty. */
void sizes_release(struct sizes *s);
void sizes_add(struct sizes *s, uint64_t size);

/* Finds the most frequent sizes, by descending count, then ascending size. Sets at most k; returns
 * their number. */
size_t sizes_common(const struct sizes *s, struct size_count *top, size_t k);
