/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/heap.h"

enum { N = 300 };

struct element { /* a size that is no power of two */
	uint32_t key, number;
	char rest[13];
};

/* context: whether the largest key comes first */
static bool before(const void *a, const void *b, const void *context)
{
	const struct element *x = a, *y = b;
	return context ? x->key > y->key : x->key < y->key;
}

static void expect_ascending(const struct heap_type *t, struct element *heap, size_t n,
			     bool largest_first)
{
	bool seen[N] = {false};
	uint32_t last = 0;
	for (size_t i = 0; n; i++) {
		assert_true(!i || (largest_first ? heap[0].key <= last : heap[0].key >= last));
		assert_int_equal(heap[0].key % 97, heap[0].rest[12]);
		assert_false(seen[heap[0].number]);
		seen[heap[0].number] = true;
		last = heap[0].key;
		heap[0] = heap[--n];
		heap_sift_down(t, heap, n, 0);
	}
}

static void fill(struct element *e, size_t i, uint32_t range)
{
	e->key = (uint32_t)rand() % range;
	e->number = (uint32_t)i;
	e->rest[12] = (char)(e->key % 97);
}

static void test_made_and_pushed(void **state)
{
	struct element heap[N];
	(void)state;
	srand(7);
	for (int round = 0; round < 200; round++) {
		const bool largest_first = round % 2;
		const struct heap_type t = {sizeof *heap, before, largest_first ? "" : NULL};
		const size_t n = (size_t)rand() % N;
		const uint32_t range = round % 3 ? 1000000 : 5; /* few keys: many equals */
		for (size_t i = 0; i < n; i++)
			fill(&heap[i], i, range);
		heap_make(&t, heap, n);
		expect_ascending(&t, heap, n, largest_first);
		for (size_t i = 0; i < n; i++) {
			fill(&heap[i], i, range);
			heap_sift_up(&t, heap, i);
		}
		expect_ascending(&t, heap, n, largest_first);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_made_and_pushed)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
