/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the derivation of `fs` forgets: sets lose only uses that are known, and the waits stay the
 * same. test_fs_property.c tests that the order is kept if everything is forgotten at once. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "sample.h"
#include "replay/order/order_fs_private.h"
#include "tests/bench/prepare_shapes.h"

enum { N_THREADS = 20, N_REQUESTS = 40000 };

/* Which threads have a use in the set, as bits. */
static uint32_t users(const struct use_table *t, const struct use_set *s)
{
	uint32_t bits = 0, n = 0;
	for (uint32_t u = s->first; u; u = t->use[u].next, n++) {
		assert_false(bits >> t->use[u].thread & 1);
		bits |= 1u << t->use[u].thread;
	}
	assert_int_equal(n, s->n);
	return bits;
}

static void a_set_loses_what_is_known(void **state)
{
	(void)state;
	for (uint32_t n = 4; n <= N_THREADS; n += 8) { /* few and many: a list, and a hash table */
		struct use_table t = {.use = NULL};
		struct use_set s = {.first = 0}, other = {.first = 0};
		uint32_t known[N_THREADS];
		for (uint32_t i = 0; i < n; i++) {
			use_note(&t, &s, i, 10 + i, 0);
			use_note(&t, &other, i, 100, 0);
			/* all uses of every second thread, and all but the last use of the
			 * others */
			known[i] = i % 2 ? 10 + i : 9 + i;
		}
		use_forget(&t, &s, known);
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(users(&t, &s) >> i & 1, i % 2 == 0);
		assert_int_equal(use_table_used(&t), n + n / 2);
		for (uint32_t i = 0; i < n; i++)
			use_note(&t, &s, i, 50, 0);
		assert_int_equal(users(&t, &s), (1u << n) - 1);
		assert_int_equal(users(&t, &other), (1u << n) - 1);
		assert_int_equal(use_table_used(&t), 2 * n);
		memset(known, 0xff, sizeof known);
		use_forget(&t, &s, known);
		assert_int_equal(s.first, 0);
		use_note(&t, &s, 3, 60, 0);
		assert_int_equal(users(&t, &s), 1u << 3);
		use_table_release(&t);
	}
}

static void derive(struct edges *d, const char *path, unsigned int rules, uint32_t forget_at)
{
	struct err e = ERR_INIT;
	struct loaded x = {.t = NULL};
	must(trace_open(&x.t, path, &e) || load_read(&x.l, x.t, &e) ||
		 slots_find(&x.s, &x.l, x.t, &e),
	     &e);
	slots_reuse(&x.s, &x.l);
	*d = (struct edges){.edge = NULL};
	must(order_derive_fs_forgetting(d, rules, &x.l, &x.s, forget_at, &e), &e);
	loaded_release(&x);
}

static void check_shape(const struct shape *shape)
{
	char *dir = sample_dir(), *path = xasprintf("%s/trace", dir);
	struct edges all, some, few;
	shape_trace(path, shape, N_REQUESTS);
	for (int size = 0; size < 2; size++) {
		const unsigned int rules = size ? RULES_ALL : RULES_ALL & ~(1u << RULE_SIZE);
		derive(&all, path, rules, UINT32_MAX);
		derive(&few, path, rules, FORGET_AT / 8);
		derive(&some, path, rules, 0);
		assert_true(all.n > 0);
		if (size) { /* for writes beyond the end: see fs_forget */
			assert_true(some.n <= all.n && few.n <= all.n);
		} else {
			assert_int_equal(some.n, all.n);
			assert_int_equal(few.n, all.n);
			assert_memory_equal(some.edge, all.edge, all.n * sizeof *all.edge);
			assert_memory_equal(few.edge, all.edge, all.n * sizeof *all.edge);
		}
		edges_release(&all);
		edges_release(&some);
		edges_release(&few);
	}
	free(path);
	sample_dir_remove(dir);
}

static void waits_are_the_same(void **state)
{
	(void)state;
	struct shape server = shapes[5];
	assert_string_equal(server.name, "file server");
	server.n_files = 60; /* so few that many threads use each file */
	check_shape(&server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_set_loses_what_is_known),
					   cmocka_unit_test(waits_are_the_same)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
