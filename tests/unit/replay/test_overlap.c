/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/result/overlap.h"

enum { NONE = -1, FAILS = true };

static uint64_t add(struct overlap *o, uint32_t tid, int64_t begin_ns, int64_t end_ns,
		    const char *path, int32_t fd, int32_t opened, int32_t closed, bool differs)
{
	return overlap_add(o, (struct overlap_call){.begin_ns = begin_ns,
						    .end_ns = end_ns,
						    .pid = tid < 10 ? 1 : 2,
						    .tid = tid,
						    .fd = fd,
						    .opened = opened,
						    .closed = closed,
						    .path = path,
						    .differs = differs});
}

/* Thread 2 opens descriptor 3 while thread 1 closes it: the replay may close the new file. */
static void test_reused_descriptor(void **state)
{
	struct overlap o = {.n = 0};
	(void)state;
	assert_int_equal(add(&o, 2, 190, 290, "b", NONE, 3, NONE, false), 0);
	assert_int_equal(add(&o, 1, 200, 300, "a", 3, NONE, 3, false), 0);
	assert_int_equal(add(&o, 2, 400, 410, "b", 3, NONE, NONE, FAILS), 1);
	assert_int_equal(add(&o, 2, 420, 430, "b", 3, NONE, 3, FAILS), 1);
	/* another process, and another descriptor */
	assert_int_equal(add(&o, 12, 440, 450, "b", 3, NONE, NONE, FAILS), 0);
	assert_int_equal(add(&o, 2, 460, 470, "b", 4, NONE, NONE, FAILS), 0);
	/* the number is opened again, and no call overlaps that */
	assert_int_equal(add(&o, 2, 500, 510, "c", NONE, 3, NONE, false), 0);
	assert_int_equal(add(&o, 2, 520, 530, "c", 3, NONE, NONE, FAILS), 0);
	overlap_release(&o);
}

/* The overlapping close itself fails, and is known only when the open follows. */
static void test_close_that_fails(void **state)
{
	struct overlap o = {.n = 0};
	(void)state;
	assert_int_equal(add(&o, 1, 200, 300, "a", 3, NONE, 3, FAILS), 0);
	assert_int_equal(add(&o, 2, 250, 290, "b", NONE, 3, NONE, false), 1);
	overlap_release(&o);
}

static void test_calls_in_turn(void **state)
{
	struct overlap o = {.n = 0};
	(void)state;
	assert_int_equal(add(&o, 1, 200, 300, "a", 3, NONE, 3, false), 0);
	assert_int_equal(add(&o, 2, 310, 390, "b", NONE, 3, NONE, false), 0);
	assert_int_equal(add(&o, 2, 400, 410, "b", 3, NONE, NONE, FAILS), 0);
	/* one thread does not overlap itself */
	assert_int_equal(add(&o, 1, 500, 600, "a", 5, NONE, 5, false), 0);
	assert_int_equal(add(&o, 1, 510, 590, "b", NONE, 5, NONE, false), 0);
	assert_int_equal(add(&o, 1, 700, 710, "b", 5, NONE, NONE, FAILS), 0);
	overlap_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reused_descriptor),
	    cmocka_unit_test(test_close_that_fails),
	    cmocka_unit_test(test_calls_in_turn),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
