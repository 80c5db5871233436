/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of CPUs, and pinning to a CPU. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/processors.h"

static void lists_are_read_in_their_order(void **state)
{
	(void)state;
	struct processor_list list;
	struct err e = ERR_INIT;
	char text[64];
	int a = processor_nth(0), b = processor_nth((uint32_t)processors_allowed() - 1);
	snprintf(text, sizeof text, "%d,%d+%d-%d", b, a, a, a);
	assert_int_equal(processors_parse(&list, text, &e), 0);
	assert_int_equal(list.n, 3);
	assert_int_equal(list.cpu[0], b);
	assert_int_equal(list.cpu[1], a);
	assert_int_equal(list.cpu[2], a);
	processors_release(&list);
}

static void invalid_lists_are_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {"",
					  ",",
					  "0,",
					  "x",
					  "0x1",
					  "-1",
					  "0-",
					  "1-0",
					  "0 1",
					  "0,,0",
					  "99999",
					  "0-99999",
					  "18446744073709551616",
					  "0-18446744073709551615",
					  "%s"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct processor_list list;
		struct err e = ERR_INIT;
		assert_int_equal(processors_parse(&list, bad[i], &e), -EINVAL);
		assert_true(strlen(e.msg) > 5);
		processors_release(&list);
	}
}

static void a_pinned_thread_stays_on_its_cpu(void **state)
{
	(void)state;
	cpu_set_t before;
	assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
	int last = processor_nth((uint32_t)processors_allowed() - 1);
	assert_int_equal(thread_pin(last), 0);
	assert_int_equal(processors_allowed(), 1);
	assert_int_equal(sched_getcpu(), last);
	assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

static _Atomic bool enough;

static void *spin(void *arg)
{
	while (!enough)
		;
	return arg;
}

static void more_threads_than_cpus(void **state)
{
	(void)state;
	pthread_t t[65];
	int n = processors_allowed() < 64 ? processors_allowed() + 1 : 65, tries = 0;
	for (int i = 0; i < n; i++)
		assert_int_equal(pthread_create(&t[i], NULL, spin, NULL), 0);
	while (!processors_are_busy() && tries++ < 60000)
		usleep(1000);
	enough = true;
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	assert_true(tries < 60000 || processors_allowed() > 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_read_in_their_order),
		cmocka_unit_test(invalid_lists_are_refused),
		cmocka_unit_test(a_pinned_thread_stays_on_its_cpu),
		cmocka_unit_test(more_threads_than_cpus),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
