/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fenwick's tree: sums of a prefix of an array that changes, both in O(log n). */
#ifndef VALIDATE_METRICS_FENWICK_H
#define VALIDATE_METRICS_FENWICK_H

#include <stddef.h>
#include <stdint.h>

#include "common/xalloc.h"

/* All zeros, for places 0..n-1. The caller frees. */
static inline uint64_t *fenwick_new(size_t n)
{
	return xcalloc(n + 1, sizeof(uint64_t));
}

static inline void fenwick_add(uint64_t *tree, size_t n, size_t place, uint64_t value)
{
	for (size_t i = place + 1; i <= n; i += i & -i)
		tree[i] += value;
}

/* Sum over the first `n_first` places. */
static inline uint64_t fenwick_sum(const uint64_t *tree, size_t n_first)
{
	uint64_t sum = 0;
	for (size_t i = n_first; i; i -= i & -i)
		sum += tree[i];
	return sum;
}

#endif
