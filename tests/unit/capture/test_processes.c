/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/processes.h"

static void assert_list(const struct processes *p, const char *wanted)
{
	json_t *list = processes_list(p);
	char *text = list ? json_dumps(list, JSON_COMPACT) : strdup("none");
	assert_string_equal(text, wanted);
	free(text);
	json_decref(list);
}

static void test_a_single_process_gives_no_list(void **state)
{
	struct processes p;
	(void)state;
	processes_init(&p);
	processes_see(&p, 10, 0, 5);
	assert_list(&p, "none");
	processes_release(&p);
}

static void test_first_sight_and_first_wait_count(void **state)
{
	struct processes p;
	(void)state;
	processes_init(&p);
	processes_see(&p, 10, 0, 5);
	processes_see(&p, 11, 10, 6);
	processes_see(&p, 11, 12, 7);
	processes_waited(&p, 11, 10, 8);
	processes_waited(&p, 11, 10, 9);
	processes_waited(&p, 99, 10, 9);
	assert_list(&p,
		    "[{\"pid\":10,\"parent\":0,\"begin_ns\":5},"
		    "{\"pid\":11,\"parent\":10,\"begin_ns\":6,\"waited_by\":10,\"waited_ns\":8}]");
	processes_release(&p);
}

static void test_wait_may_come_before_the_process(void **state)
{
	struct processes p;
	(void)state;
	processes_init(&p);
	processes_see(&p, 10, 0, 5);
	processes_waited(&p, 11, 10, 7);
	processes_waited(&p, 12, 10, 7); /* the wait for an earlier process with the same number */
	processes_see(&p, 11, 10, 6);
	processes_see(&p, 12, 10, 8);
	assert_list(&p,
		    "[{\"pid\":10,\"parent\":0,\"begin_ns\":5},"
		    "{\"pid\":11,\"parent\":10,\"begin_ns\":6,\"waited_by\":10,\"waited_ns\":7},"
		    "{\"pid\":12,\"parent\":10,\"begin_ns\":8}]");
	processes_release(&p);
}

static void test_parent_may_be_set_until_the_wait(void **state)
{
	struct processes p;
	(void)state;
	processes_init(&p);
	processes_see(&p, 11, 0, 6);
	processes_see(&p, 12, 0, 6);
	processes_started_by(&p, 11, 10);
	processes_waited(&p, 12, 10, 8);
	processes_started_by(&p, 12, 44);
	processes_started_by(&p, 13, 44);
	assert_list(&p,
		    "[{\"pid\":11,\"parent\":10,\"begin_ns\":6},"
		    "{\"pid\":12,\"parent\":0,\"begin_ns\":6,\"waited_by\":10,\"waited_ns\":8}]");
	processes_release(&p);
}

static void test_one_thread_is_a_list(void **state)
{
	struct processes p;
	(void)state;
	threads_init(&p);
	assert_null(processes_list(&p));
	processes_waited(&p, 11, 10, 9);
	processes_see(&p, 11, 10, 6);
	assert_list(&p, "[{\"tid\":11,\"parent\":10,\"begin_ns\":6,\"waited_by\":10,"
			"\"waited_ns\":9}]");
	processes_release(&p);
}

static void test_rows_of_another_trace(void **state)
{
	struct processes p;
	json_t *rows =
	    json_loads("[{\"pid\":10,\"parent\":1,\"begin_ns\":5},"
		       "{\"pid\":11,\"parent\":10,\"begin_ns\":6,\"waited_by\":10,\"waited_ns\":8},"
		       "{\"pid\":12}, 7, {\"pid\":-1,\"parent\":0,\"begin_ns\":0},"
		       "{\"pid\":13,\"parent\":0,\"begin_ns\":9223372036854775807}]",
		       0, NULL);
	(void)state;
	processes_init(&p);
	processes_see(&p, 10, 0, 3);
	processes_add(&p, NULL, 0);
	processes_add(&p, rows, 100);
	assert_list(
	    &p, "[{\"pid\":10,\"parent\":1,\"begin_ns\":3},"
		"{\"pid\":11,\"parent\":10,\"begin_ns\":106,\"waited_by\":10,\"waited_ns\":108}]");
	processes_release(&p);
	json_decref(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_a_single_process_gives_no_list),
	    cmocka_unit_test(test_first_sight_and_first_wait_count),
	    cmocka_unit_test(test_wait_may_come_before_the_process),
	    cmocka_unit_test(test_parent_may_be_set_until_the_wait),
	    cmocka_unit_test(test_one_thread_is_a_list),
	    cmocka_unit_test(test_rows_of_another_trace),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
