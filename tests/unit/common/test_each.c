/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>

#include "common/each.h"

enum { N = 5000 };

struct counts {
	atomic_uint done[N];
};

static void count(void *context, size_t i)
{
	struct counts *c = context;
	atomic_fetch_add(&c->done[i], 1);
}

static void each_is_done_once(void **state)
{
	static struct counts c;
	(void)state;
	each_do(N, count, &c);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(c.done[i], 1);
	each_do(3, count, &c);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(c.done[i], i < 3 ? 2 : 1);
	each_do(0, count, &c);
	assert_int_equal(c.done[0], 2);
}

static void as_many_threads_as_cpus(void **state)
{
	cpu_set_t set;
	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
	size_t n = (size_t)CPU_COUNT(&set);
	n = n < EACH_THREADS_MAX ? n : EACH_THREADS_MAX;
	assert_int_equal(each_threads(1000), n);
	assert_int_equal(each_threads(1), 1);
	assert_int_equal(each_threads(0), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_is_done_once),
	    cmocka_unit_test(as_many_threads_as_cpus),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
