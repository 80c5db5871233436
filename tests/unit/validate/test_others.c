/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "validate/campaign/others.h"

static void assert_close(double a, double b)
{
	if (!(fabs(a - b) < 1e-9))
		fail_msg("%.10g, not %.10g", a, b);
}

static double n_processors(void)
{
	return (double)sysconf(_SC_NPROCESSORS_ONLN);
}

/* Two slices of 0.1 s: other programs use a quarter of a CPU, and an eighth of it is stolen. */
static void test_slices_add_up(void **state)
{
	(void)state;
	struct others_use use = {0};
	double others, stolen;
	for (int i = 0; i < 2; i++) {
		const struct others_reading from = {i * 1000000000ll, 50 + i, 1 + i},
					    to = {from.ns + 100000000, from.busy_s + 0.125,
						  from.stolen_s + 0.0125};
		others_add(&use, &from, &to);
	}
	assert_close(use.processor_s, 0.2 * n_processors());
	others_shares(&use, 0.2, &others, &stolen);
	assert_close(others, 0.05 / use.processor_s);
	assert_close(stolen, 0.025 / use.processor_s);
}

/* Ticks are coarse: the difference may be negative, or exceed the total. */
static void test_shares_stay_shares(void **state)
{
	(void)state;
	struct others_use use = {.processor_s = 0.4, .busy_s = 0.19, .stolen_s = 0.5};
	double others, stolen;
	others_shares(&use, 0.2, &others, &stolen);
	assert_true(others == 0);
	assert_true(stolen == 1);
}

static void test_unknown(void **state)
{
	(void)state;
	const struct others_reading from = {0, NAN, NAN}, to = {100, 1, 1};
	struct others_use use = {0};
	double others, stolen;
	others_shares(&use, 0, &others, &stolen);
	assert_true(isnan(others) && isnan(stolen));
	others_add(&use, &from, &to);
	others_shares(&use, 0, &others, &stolen);
	assert_true(isnan(others) && isnan(stolen));
}

static void test_readings_grow(void **state)
{
	(void)state;
	struct others_reading a, b;
	others_read(&a);
	others_read(&b);
	assert_true(b.ns > a.ns);
	assert_true(b.busy_s >= a.busy_s || isnan(a.busy_s));
	const double own_s = process_cpu_s(getpid());
	assert_true(own_s > 0 && process_cpu_s(getpid()) > own_s);
	assert_true(isnan(process_cpu_s(0x7ffffff)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_slices_add_up),
	    cmocka_unit_test(test_shares_stay_shares),
	    cmocka_unit_test(test_unknown),
	    cmocka_unit_test(test_readings_grow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
