/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "replay/order/extent_map.h"
#include "common/u64_map.h"
#include "replay/order/use_set.h"

enum { N_BYTES = 2000, MAX_MET = N_BYTES };

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x >> 11;
}

struct met {
	uint32_t owner[MAX_MET];
	size_t n, most;
};

static bool meet(void *arg, uint32_t owner)
{
	struct met *m = arg;
	m->owner[m->n++] = owner;
	return m->n < m->most;
}

/* Against an array of bytes. */
static void last_writer_of_each_byte(void **state)
{
	(void)state;
	uint64_t seed = 42;
	for (int round = 0; round < 50; round++) {
		struct extent_pool p = {.node = NULL};
		uint32_t root = EXTENT_NONE, byte[N_BYTES];
		memset(byte, 0, sizeof byte);
		for (uint32_t owner = 1; owner <= 1000; owner++) {
			/* many small extents, and sometimes one over all of them */
			const bool small = round % 3;
			uint64_t start = next_random(&seed) % N_BYTES,
				 room = small && owner % 50 ? 9 : N_BYTES;
			uint64_t end =
			    start + next_random(&seed) %
					((room < N_BYTES - start ? room : N_BYTES - start) + 1);
			root = extent_put(&p, root, start, end, owner);
			for (uint64_t i = start; i < end; i++)
				byte[i] = owner;
			if (owner % 250 == 0 && round % 2) {
				extent_clear(&p, root);
				root = EXTENT_NONE;
				memset(byte, 0, sizeof byte);
			}
			start = next_random(&seed) % N_BYTES;
			end = start + next_random(&seed) % (N_BYTES - start + 1);
			struct met m = {.n = 0, .most = SIZE_MAX}, expected = {.n = 0};
			assert_true(extent_visit(&p, root, start, end, meet, &m));
			for (uint64_t i = start; i < end; i++)
				if (byte[i] && (i == start || byte[i] != byte[i - 1]))
					expected.owner[expected.n++] = byte[i];
			/* an owner can have several adjacent extents: equal neighbours count
			 * once */
			size_t n = 0;
			for (size_t i = 0; i < m.n; i++)
				if (i == 0 || m.owner[i] != m.owner[i - 1])
					m.owner[n++] = m.owner[i];
			size_t n_expected = 0;
			for (size_t i = 0; i < expected.n; i++)
				if (i == 0 || expected.owner[i] != expected.owner[i - 1])
					expected.owner[n_expected++] = expected.owner[i];
			assert_int_equal(n, n_expected);
			assert_memory_equal(m.owner, expected.owner, n * sizeof *m.owner);
		}
		extent_pool_release(&p);
	}
}

static void ends_of_the_range_and_early_end_of_a_visit(void **state)
{
	(void)state;
	struct extent_pool p = {.node = NULL};
	uint32_t root = extent_put(&p, EXTENT_NONE, 10, 20, 1);
	root = extent_put(&p, root, 20, 30, 2);
	root = extent_put(&p, root, 5, 5, 3); /* nothing */
	struct met m = {.n = 0, .most = SIZE_MAX};
	assert_true(extent_visit(&p, root, 0, 10, meet, &m));
	assert_true(extent_visit(&p, root, 30, UINT64_MAX, meet, &m));
	assert_true(extent_visit(&p, root, 15, 15, meet, &m));
	assert_int_equal(m.n, 0);
	assert_true(extent_visit(&p, root, 19, 20, meet, &m));
	assert_int_equal(m.n, 1);
	assert_int_equal(m.owner[0], 1);
	m = (struct met){.n = 0, .most = 1};
	assert_false(extent_visit(&p, root, 0, 100, meet, &m));
	assert_int_equal(m.n, 1);
	root = extent_put(&p, root, 0, UINT64_MAX, 9);
	m = (struct met){.n = 0, .most = SIZE_MAX};
	assert_true(extent_visit(&p, root, UINT64_MAX - 1, UINT64_MAX, meet, &m));
	assert_int_equal(m.owner[0], 9);
	extent_pool_release(&p);
}

/* Released nodes are used again, whatever is overwritten. */
static void nodes_are_used_again(void **state)
{
	(void)state;
	struct extent_pool p = {.node = NULL};
	uint32_t root = EXTENT_NONE, n_first = 0;
	for (int round = 0; round < 20; round++) {
		for (uint32_t i = 0; i < 20000; i++)
			root = extent_put(&p, root, (i * 7919u % 20000u) * UINT64_C(8),
					  (i * 7919u % 20000u) * UINT64_C(8) + 4, i);
		/* the second write leaves pieces of the large extent between its extents */
		n_first = round < 2 ? p.n : n_first;
		root = extent_put(&p, root, 0, UINT64_MAX, 1);
		struct met m = {.n = 0, .most = SIZE_MAX};
		assert_true(extent_visit(&p, root, 0, UINT64_MAX, meet, &m));
		assert_int_equal(m.n, 1);
	}
	assert_true(p.n < n_first + n_first / 4);
	extent_pool_release(&p);
}

/* Ascending writes: the worst case of a plain tree, deeper than a recursive walk could go. */
static void a_million_extents(void **state)
{
	(void)state;
	struct extent_pool p = {.node = NULL};
	uint32_t root = EXTENT_NONE;
	for (uint32_t i = 0; i < 1000000; i++)
		root = extent_put(&p, root, 2 * (uint64_t)i, 2 * (uint64_t)i + 1, i);
	struct met m = {.n = 0, .most = 3};
	assert_false(extent_visit(&p, root, 999999, UINT64_MAX, meet, &m));
	assert_int_equal(m.owner[0], 500000);
	extent_clear(&p, root);
	extent_pool_release(&p);
}

static void a_map_of_numbers(void **state)
{
	(void)state;
	struct u64_map m = {.cell = NULL};
	assert_null(u64_map_find(&m, 0));
	for (uint64_t k = 0; k < 10000; k++)
		*u64_map_at(&m, k * 0x100000000u, 0) += (uint32_t)k;
	assert_int_equal(*u64_map_at(&m, 7 * 0x100000000u, 99), 7);
	assert_int_equal(*u64_map_at(&m, 1, 99), 99);
	for (uint64_t k = 0; k < 10000; k++)
		assert_int_equal(*u64_map_find(&m, k * 0x100000000u), k);
	assert_null(u64_map_find(&m, UINT64_MAX));
	assert_int_equal(m.n, 10001);
	u64_map_release(&m);
	assert_null(u64_map_find(&m, 1));
}

static void the_last_use_of_each_thread(void **state)
{
	(void)state;
	struct use_table t = {.use = NULL};
	struct use_set a = {0}, b = {0};
	use_note(&t, &a, 3, 10, 50);
	use_note(&t, &a, 4, 11, 60);
	use_note(&t, &b, 3, 12, 1);
	use_note(&t, &a, 3, 13, 70);
	uint32_t n = 0;
	for (uint32_t u = a.first; u; u = t.use[u].next, n++)
		if (t.use[u].request == 13)
			assert_int_equal(t.use[u].least, 50);
		else
			assert_int_equal(t.use[u].request, 11);
	assert_int_equal(n, 2);
	assert_int_equal(t.use[b.first].request, 12);
	assert_int_equal(t.use[b.first].next, 0);
	use_table_release(&t);
}

/* Compared with an array of the last requests: sets of few threads and of many, sometimes dropped,
 * whose memory other sets use again. */
static void sets_that_are_dropped(void **state)
{
	(void)state;
	enum { N_SETS = 20, N_THREADS = 30 };
	struct use_table t = {.use = NULL};
	struct use_set set[N_SETS] = {{0}};
	uint32_t last[N_SETS][N_THREADS] = {{0}};
	uint64_t seed = 7;
	for (uint32_t request = 1; request < 50000; request++) {
		uint32_t s = (uint32_t)(next_random(&seed) % N_SETS),
			 n_threads = s % 2 ? N_THREADS : 4;
		uint32_t thread = (uint32_t)(next_random(&seed) % n_threads), n = 0;
		if (next_random(&seed) % 100 == 0) {
			use_drop(&t, &set[s]);
			memset(last[s], 0, sizeof last[s]);
		}
		use_note(&t, &set[s], thread, request, 0);
		last[s][thread] = request;
		for (uint32_t u = set[s].first; u; u = t.use[u].next, n++)
			assert_int_equal(t.use[u].request, last[s][t.use[u].thread]);
		assert_int_equal(n, set[s].n);
		for (uint32_t i = 0; i < N_THREADS; i++)
			n -= last[s][i] != 0;
		assert_int_equal(n, 0);
	}
	assert_true(t.n <= N_SETS * N_THREADS + 1);
	use_table_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(last_writer_of_each_byte),
		cmocka_unit_test(ends_of_the_range_and_early_end_of_a_visit),
		cmocka_unit_test(nodes_are_used_again),
		cmocka_unit_test(a_million_extents),
		cmocka_unit_test(a_map_of_numbers),
		cmocka_unit_test(the_last_use_of_each_thread),
		cmocka_unit_test(sets_that_are_dropped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
