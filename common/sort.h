/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons for qsort() and bsearch(), ascending.
 *
 *     ORDER_BY(by_begin, struct request, begin_ns, record)
 *
 * defines by_begin(). It compares by the first member in which the two elements differ. */
#pragma once

#include "common/std.h"

#define ORDER_BY(name, type, ...)                                                                  \
	static int name(const void *a, const void *b)                                              \
	{                                                                                          \
		const type *x = a, *y = b;                                                         \
		ORDER_PICK(__VA_ARGS__, ORDER_5, ORDER_4, ORDER_3, ORDER_2, ORDER_1, )             \
		(__VA_ARGS__) return 0;                                                            \
	}
#define ORDER_PICK(m1, m2, m3, m4, m5, order, ...) order
#define ORDER_1(member)                                                                            \
	if (x->member < y->member)                                                                 \
		return -1;                                                                         \
	if (x->member > y->member)                                                                 \
		return 1;
#define ORDER_2(member, ...) ORDER_1(member) ORDER_1(__VA_ARGS__)
#define ORDER_3(member, ...) ORDER_1(member) ORDER_2(__VA_ARGS__)
#define ORDER_4(member, ...) ORDER_1(member) ORDER_3(__VA_ARGS__)
#define ORDER_5(member, ...) ORDER_1(member) ORDER_4(__VA_ARGS__)

/* Sorts v[n]. An empty array may be NULL, which qsort() does not permit. */
#define SORT(v, n, compare)                                                                        \
	do {                                                                                       \
		if (n)                                                                             \
			qsort(v, n, sizeof *(v), compare);                                         \
	} while (0)

/* Compares by one member, which is a text. */
#define ORDER_BY_TEXT(name, type, member)                                                          \
	static int name(const void *a, const void *b)                                              \
	{                                                                                          \
		const type *x = a, *y = b;                                                         \
		return strcmp(x->member, y->member);                                               \
	}

/* Binary search: advances `low` to the first index, not above `end`, whose element is not before
 * the sought place. `before` is an expression in `i`: whether element i is before that place. */
#define BISECT(low, end, i, before)                                                                \
	for (__typeof__(low) i, high_ = (end); low < high_;) {                                     \
		i = low + (high_ - low) / 2;                                                       \
		if (before)                                                                        \
			low = i + 1;                                                               \
		else                                                                               \
			high_ = i;                                                                 \
	}

/* For elements that are numbers, or pointers to texts. */
#define ORDER_OF(name, type)                                                                       \
	static inline int name(const void *a, const void *b)                                       \
	{                                                                                          \
		const type x = *(const type *)a, y = *(const type *)b;                             \
		return (x > y) - (x < y);                                                          \
	}
ORDER_OF(order_u32, uint32_t)
ORDER_OF(order_u64, uint64_t)
ORDER_OF(order_i64, int64_t)
ORDER_OF(order_double, double)
static inline int order_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Copies the first k elements (fewer if n is smaller) of all[n], in the order of `compare`, to
 * top[]. Returns their number. */
size_t sort_top(void *top, size_t k, const void *all, size_t n, size_t size,
		int (*compare)(const void *, const void *));
