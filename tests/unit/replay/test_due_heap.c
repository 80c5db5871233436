/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdbool.h>
#include <cmocka.h>

#include "replay/issue/due_heap.h"

/* Elements leave the heap in the order of their times, and every element leaves once. */
static void earliest_first(void **state)
{
	(void)state;
	struct due_heap h;
	uint64_t x = 88172645463325252u;
	enum { N = 500 };
	uint64_t due[N];
	bool out[N] = {false};
	due_heap_init(&h, N);
	for (uint32_t i = 0; i < N; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		due[i] = x % 200; /* ties too */
		due_heap_add(&h, due[i], i);
	}
	for (uint64_t last = 0, n = 0; n < N; n++) {
		uint64_t first = due_heap_first(&h);
		uint32_t lane = due_heap_take(&h);
		assert_true(lane < N && !out[lane]);
		assert_true(due[lane] == first && first >= last);
		out[lane] = true;
		last = first;
	}
	assert_int_equal(h.n, 0);
	due_heap_release(&h);
}

static void additions_and_removals_may_alternate(void **state)
{
	(void)state;
	struct due_heap h;
	due_heap_init(&h, 4);
	due_heap_add(&h, 30, 0);
	due_heap_add(&h, 10, 1);
	assert_int_equal(due_heap_take(&h), 1);
	due_heap_add(&h, 20, 2);
	due_heap_add(&h, 5, 3);
	assert_int_equal(due_heap_take(&h), 3);
	assert_int_equal(due_heap_take(&h), 2);
	assert_int_equal(due_heap_take(&h), 0);
	assert_int_equal(h.n, 0);
	due_heap_release(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(earliest_first),
					   cmocka_unit_test(additions_and_removals_may_alternate)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
