/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A binary heap in an array of elements of any type: element 0 comes before all others.
 *
 * Elements are passed as `void *` and compared by a function, as in qsort(). A macro that generates
 * functions, as in klib, is harder to read and to debug. The functions are inline, so the compiler
 * knows size and comparison, and the heap is as fast as a heap written by hand. */
#pragma once

#include <assert.h>

#include "common/std.h"

#define HEAP_ELEMENT_MAX 128u

struct heap_type {
	size_t size; /* size of an element in bytes, at most HEAP_ELEMENT_MAX */
	bool (*before)(const void *a, const void *b, const void *context);
	const void *context;
};

static inline void heap_swap(const struct heap_type *t, char *a, char *b)
{
	char moved[HEAP_ELEMENT_MAX];
	assert(t->size <= sizeof moved);
	memcpy(moved, a, t->size);
	memcpy(a, b, t->size);
	memcpy(b, moved, t->size);
}

/* Moves element i of heap[n] down, after its key became later. */
static inline void heap_sift_down(const struct heap_type *t, void *heap, size_t n, size_t i)
{
	char *at = heap;
	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n &&
		    t->before(at + (child + 1) * t->size, at + child * t->size, t->context))
			child++;
		if (!t->before(at + child * t->size, at + i * t->size, t->context))
			return;
		heap_swap(t, at + child * t->size, at + i * t->size);
	}
}

/* Moves element i up, after it was appended or its key became earlier. */
static inline void heap_sift_up(const struct heap_type *t, void *heap, size_t i)
{
	char *at = heap;
	for (; i && t->before(at + i * t->size, at + (i - 1) / 2 * t->size, t->context);
	     i = (i - 1) / 2)
		heap_swap(t, at + i * t->size, at + (i - 1) / 2 * t->size);
}

/* Makes a heap of n elements that are in any order. */
static inline void heap_make(const struct heap_type *t, void *heap, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		heap_sift_down(t, heap, n, i);
}

/* For elements that begin with an int64_t: the smallest is first. */
static inline bool heap_int64_before(const void *a, const void *b, const void *context)
{
	(void)context;
	return *(const int64_t *)a < *(const int64_t *)b;
}
