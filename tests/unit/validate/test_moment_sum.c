/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/validate/random.h"
#include "validate/metrics/moment_sum.h"

static void assert_close(double got, double expected, double rel_tol)
{
	if (!(fabs(got - expected) <= rel_tol * fabs(expected)))
		fail_msg("%.17g instead of %.17g", got, expected);
}

/* Two passes in extended precision. */
static struct moments by_definition(const int64_t *x, size_t n, int64_t shift)
{
	long double sum = 0, ss = 0;
	struct moments m = {.n = n, .min = INFINITY, .max = -INFINITY};
	for (size_t i = 0; i < n; i++) {
		double v = (double)(x[i] - shift);
		sum += v;
		m.min = v < m.min ? v : m.min;
		m.max = v > m.max ? v : m.max;
	}
	for (size_t i = 0; i < n; i++) {
		long double d = (long double)(x[i] - shift) - sum / (long double)n;
		ss += d * d;
	}
	m.mean = (double)(sum / (long double)n);
	m.sd = n < 2 ? 0 : (double)sqrtl(ss / (long double)(n - 1));
	return m;
}

static void compare(const int64_t *x, size_t n, int64_t shift, double rel_tol)
{
	struct moment_sum whole = {0}, half[2] = {{0}, {0}};
	for (size_t i = 0; i < n; i++) {
		moment_sum_add(&whole, x[i]);
		moment_sum_add(&half[i % 2], x[i]);
	}
	moment_sum_merge(&half[1], &half[0]);
	struct moments expected = by_definition(x, n, shift);
	struct moments got[] = {moment_sum_result(&whole, shift),
				moment_sum_result(&half[1], shift)};
	for (int i = 0; i < 2; i++) {
		assert_int_equal(got[i].n, expected.n);
		assert_close(got[i].mean, expected.mean, rel_tol);
		assert_close(got[i].sd, expected.sd, rel_tol);
		assert_true(got[i].min == expected.min && got[i].max == expected.max);
	}
}

static void test_against_two_passes(void **state)
{
	(void)state;
	struct random r = {7};
	int64_t x[500];
	for (int round = 0; round < 500; round++) {
		size_t n = 1 + random_below(&r, 500);
		/* below 2^43 */
		int64_t offset = (int64_t)(random_u64(&r) >> (21 + random_below(&r, 42)));
		for (size_t i = 0; i < n; i++)
			x[i] = offset + (int64_t)random_below(&r, 1000) - 500;
		compare(x, n, round % 2 ? offset / 2 : 0, 1e-14);
	}
}

static void test_offset_costs_no_digit(void **state)
{
	(void)state;
	struct moment_sum m = {0};
	for (int i = 0; i < 1000;
	     i++) /* NIST's NumAcc pattern: sd 0.1 of a unit in the tenth digit, in integers */
		moment_sum_add(&m, 10000000000000 + (i % 2 ? 1 : 3));
	moment_sum_add(&m, 10000000000002);
	struct moments got = moment_sum_result(&m, 0);
	assert_true(got.mean == 10000000000002.0);
	assert_true(got.sd == 1.0); /* 1000 deviations of 1, divisor 1000 */
}

static void test_huge_values(void **state)
{
	(void)state;
	int64_t x[] = {5,           INT64_C(1) << 61, -(INT64_C(1) << 60),
		       MOMENT_HUGE, -MOMENT_HUGE,     MOMENT_HUGE - 1,
		       12345};
	compare(x, sizeof x / sizeof *x, 0, 1e-12);
	int64_t equal[100];
	for (int i = 0; i < 100; i++)
		equal[i] = INT64_C(1) << 60;
	struct moment_sum m = {0};
	for (int i = 0; i < 100; i++)
		moment_sum_add(&m, equal[i]);
	struct moments got = moment_sum_result(&m, 0);
	assert_true(got.mean == 0x1p60);
	/* only rounding, and no square root of a negative number */
	assert_true(got.sd <= 0x1p30);
}

static void test_few_values(void **state)
{
	(void)state;
	struct moment_sum m = {0};
	struct moments got = moment_sum_result(&m, 0);
	assert_true(got.n == 0 && got.mean == 0 && got.sd == 0 && got.min == 0 && got.max == 0);
	moment_sum_add(&m, -7);
	got = moment_sum_result(&m, 3);
	assert_true(got.n == 1 && got.mean == -10 && got.sd == 0 && got.min == -10 &&
		    got.max == -10);
	struct moment_sum empty = {0};
	moment_sum_merge(&m, &empty);
	moment_sum_merge(&empty, &m);
	assert_true(empty.n == 1 && empty.min == -7 && empty.max == -7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_against_two_passes),
	    cmocka_unit_test(test_offset_costs_no_digit),
	    cmocka_unit_test(test_huge_values),
	    cmocka_unit_test(test_few_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
