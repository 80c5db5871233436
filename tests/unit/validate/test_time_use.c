/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/clock.h"
#include "validate/campaign/time_use.h"

static double real(const json_t *o, const char *name)
{
	const json_t *x = json_object_get(o, name);
	assert_true(json_is_real(x));
	return json_real_value(x);
}

/* For all parts, their sum is the time that passed. */
static void test_every_moment_once(void **state)
{
	(void)state;
	struct time_use t;
	const int64_t begin_ns = clock_monotonic_ns();
	time_use_start(&t, TIME_SETUP);
	const int64_t started_ns = clock_monotonic_ns();
	enum time_part before = time_begin(&t, TIME_RECORDINGS);
	assert_int_equal(before, TIME_SETUP);
	const enum time_part inner = time_begin(&t, TIME_SYNC); /* belongs to the recording */
	time_move(&t, TIME_SYNC, TIME_EVICT, 1);
	time_end(&t, inner);
	assert_int_equal(t.now, TIME_RECORDINGS);
	time_end(&t, before);
	before = time_begin(&t, TIME_RESTORE);
	time_move(&t, TIME_RESTORE, TIME_SYNC, 1e-12);
	time_end(&t, before);
	json_t *o = time_use_to_json(&t, NULL);
	double sum = 0;
	for (int i = 0; i < TIME_N; i++)
		sum += t.s[i];
	assert_true(sum <= (double)(clock_monotonic_ns() - begin_ns) * 1e-9 && sum > 0);
	assert_true(sum * 1e9 <= (double)(t.since_ns - begin_ns) + 1 &&
		    sum * 1e9 >= (double)(t.since_ns - started_ns) - 1);
	assert_true(t.s[TIME_RECORDINGS] > 0 && t.s[TIME_RESTORE] > 0 && t.s[TIME_EVICT] == 0);
	assert_true(fabs(t.s[TIME_SYNC] - 1e-12) < 1e-15);
	assert_true(fabs(real(o, "total_s") - sum) < 1e-9);
	assert_true(fabs(real(o, "neither_s") - (sum - t.s[TIME_PROGRAM] - t.s[TIME_REPLAY])) <
		    1e-9);
	json_decref(o);
}

static void test_sessions_add_up(void **state)
{
	(void)state;
	struct time_use t;
	time_use_start(&t, TIME_OTHER);
	t.s[TIME_PROGRAM] = 1;
	t.s[TIME_REPLAY] = 2;
	json_t *first = time_use_to_json(&t, NULL), *both = time_use_to_json(&t, first);
	/* of the session until its second table */
	const double other_s = real(both, "total_s") - real(first, "total_s") - 3;
	assert_true(fabs(real(both, "program_s") - 2) < 1e-9 &&
		    fabs(real(both, "replay_s") - 4) < 1e-9);
	assert_true(other_s >= 0 && other_s <= t.s[TIME_OTHER] + 1e-9);
	assert_true(fabs(real(both, "neither_s") - (real(both, "total_s") - 6)) < 1e-9);
	json_decref(first);
	json_decref(both);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_moment_once),
	    cmocka_unit_test(test_sessions_add_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
