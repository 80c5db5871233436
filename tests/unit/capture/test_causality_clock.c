/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts times of a host's clock to the collector's clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture/causality/agent.h"

#define S INT64_C(1000000000)

static void a_steady_clock(void **state)
{
	(void)state;
	const struct host_clock c = {{1000 * S, 1010 * S}, {990 * S, 990 * S}, {1, 1}};
	assert_int_equal(host_clock_common(&c, 1000 * S), 10 * S);
	assert_int_equal(host_clock_common(&c, 1007 * S + 3), 17 * S + 3);
}

/* The host's clock gains 1 ms in 10 s. */
static void a_fast_clock(void **state)
{
	(void)state;
	const struct host_clock c = {{50 * S, 60 * S}, {20 * S, 20 * S + 1000000}, {1, 1}};
	assert_int_equal(host_clock_common(&c, 50 * S), 30 * S);
	assert_int_equal(host_clock_common(&c, 55 * S), 35 * S - 500000);
	assert_int_equal(host_clock_common(&c, 60 * S), 40 * S - 1000000);
}

/* A run that ended before the second measurement. */
static void one_measurement(void **state)
{
	(void)state;
	const struct host_clock c = {{50 * S, 0}, {20 * S, 0}, {1, 1}};
	assert_int_equal(host_clock_common(&c, 55 * S), 35 * S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_steady_clock),
		cmocka_unit_test(a_fast_clock),
		cmocka_unit_test(one_measurement),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
