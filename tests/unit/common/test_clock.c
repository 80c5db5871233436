/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/clock.h"

/* --- a CLOCK_MONOTONIC that misbehaves on request; the library under test is linked with it --- */

static enum { REAL, BACKWARDS, STILL } behaviour;
static int64_t fake_ns;

int clock_gettime(clockid_t id, struct timespec *ts)
{
	if (behaviour == REAL)
		return (int)syscall(SYS_clock_gettime, id, ts);
	if (behaviour == BACKWARDS)
		fake_ns -= 1000;
	*ts = (struct timespec){.tv_sec = fake_ns / 1000000000, .tv_nsec = fake_ns % 1000000000};
	return 0;
}

static void clocks_that_go_backwards_or_stand_still_are_refused(void **state)
{
	(void)state;
	struct clock c;
	struct err e = ERR_INIT;
	fake_ns = 1000000000000;
	behaviour = BACKWARDS;
	int ret = clock_init(&c, 1000000, &e);
	behaviour = REAL;
	assert_int_equal(ret, -EIO);
	assert_non_null(strstr(e.msg, "backwards"));
	behaviour = STILL;
	ret = clock_init(&c, 1000000, &e);
	behaviour = REAL;
	assert_int_equal(ret, -EIO);
	assert_non_null(strstr(e.msg, "does not advance"));
}

/* --- the real one -------------------------------------------------------- */

static void the_line_follows_the_monotonic_clock(void **state)
{
	(void)state;
	struct clock c;
	struct err e = ERR_INIT;
	assert_int_equal(clock_init(&c, 5000000, &e), 0);
	assert_true(c.ns_per_tick > 0);
	assert_true(c.resolution_ns > 0);
	assert_true(c.read_cost_ns > 0);
	assert_true(c.last.ns - c.first.ns >= 5000000);
	for (int i = 0; i < 1000; i++) {
		int64_t before = clock_monotonic_ns();
		uint64_t ticks = clock_begin(&c);
		int64_t after = clock_monotonic_ns();
		int64_t slack =
		    1 + (c.first.bracket_ns + c.last.bracket_ns) + (after - c.first.ns) / 5000;
		int64_t ns = clock_ns_of_ticks(&c, ticks);
		assert_true(ns >= before - slack && ns <= after + slack);
	}
	int64_t baseline = c.last.ns - c.first.ns;
	assert_int_equal(clock_reanchor(&c, &e), 0);
	assert_true(c.last.ns - c.first.ns > baseline);
}

static void stamps_do_not_decrease(void **state)
{
	(void)state;
	struct clock c;
	assert_int_equal(clock_init(&c, 1000000, NULL), 0);
	uint64_t last = clock_begin(&c);
	for (int i = 0; i < 100000; i++) {
		uint64_t begin = clock_begin(&c), end = clock_end(&c);
		assert_true(begin >= last);
		assert_true(end >= begin);
		last = end;
	}
}

static void other_work_may_fill_the_baseline(void **state)
{
	(void)state;
	struct clock c;
	struct err e = ERR_INIT;
	assert_int_equal(clock_open(&c, &e), 0);
	const int64_t first_ns = c.first.ns;
	usleep(3000);
	assert_int_equal(clock_calibrate(&c, 2000000, &e), 0); /* no further wait */
	assert_int_equal(c.first.ns, first_ns);
	assert_true(c.last.ns - c.first.ns >= 3000000);
	assert_int_equal(clock_open(&c, &e), 0);
	assert_int_equal(clock_calibrate(&c, 2000000, &e), 0);
	assert_true(c.last.ns - c.first.ns >= 2000000);
	assert_true(c.resolution_ns > 0 && c.read_cost_ns > 0);
}

/* --- conversion by known lines ------------------------------------------- */

static struct clock line(uint64_t ticks0, int64_t ns0, uint64_t d_ticks, int64_t d_ns)
{
	struct clock c = {.source = CLOCK_SOURCE_TSC,
			  .first = {ticks0, ns0, 40},
			  .last = {ticks0 + d_ticks, ns0 + d_ns, 40},
			  .ns_per_tick = (double)d_ns / (double)d_ticks};
	return c;
}

static void conversion_is_exact_at_any_distance(void **state)
{
	(void)state;
	/* 2,445,426,311 ticks/s, as on a CPU of 2.45 GHz */
	struct clock c = line(123456789012345, 987654321, 2445426311, 1000000000);
	assert_int_equal(clock_ns_of_ticks(&c, 123456789012345), 987654321);
	assert_int_equal(clock_ns_of_ticks(&c, 123456789012345 + 2445426311), 1987654321);
	/* a day later and a day earlier: 86400 times the length of the line, exact to the ns */
	assert_int_equal(clock_ns_of_ticks(&c, 123456789012345 + 86400 * 2445426311ull),
			 987654321 + 86400000000000);
	struct clock late = line(300000000000000, 200000000000000, 2445426311, 1000000000);
	assert_int_equal(clock_ns_of_ticks(&late, 300000000000000 - 86400 * 2445426311ull),
			 200000000000000 - 86400000000000);
	/* one tick is 0.409 ns: rounded to the nearest */
	assert_int_equal(clock_ns_of_ticks(&c, 123456789012345 + 1), 987654321);
	assert_int_equal(clock_ns_of_ticks(&c, 123456789012345 + 2), 987654322);
	assert_int_equal(clock_ns_of_ticks(&c, 123456789012345 - 2), 987654320);
	/* python3: round(1234567890123456 * 1000000000 / 2445426311) by fractions */
	assert_int_equal(clock_ns_of_ticks(&c, 123456789012345 + 1234567890123456),
			 987654321 + 504847716968666);
}

/* The conversion divides 64 bits as long as its product is short. */
static void conversion_is_the_same_on_both_sides_of_a_long_product(void **state)
{
	(void)state;
	const int64_t d_ticks = 2445426311, d_ns = 1000000000;
	struct clock c = line(UINT64_C(1) << 40, 0, (uint64_t)d_ticks, d_ns);
	const int64_t limit = INT64_MAX / d_ns;
	for (int64_t since = limit - 5; since <= limit + 5; since++) {
		const __int128 product = (__int128)since * d_ns;
		const int64_t ns = (int64_t)((product + d_ticks / 2) / d_ticks);
		assert_int_equal(clock_ns_of_ticks(&c, c.first.ticks + (uint64_t)since), ns);
		assert_int_equal(clock_ns_of_ticks(&c, c.first.ticks - (uint64_t)since), -ns);
	}
}

static void conversions_are_inverse(void **state)
{
	(void)state;
	struct clock c = line(5000000000, 700000000000, 299792458, 100000007);
	for (int64_t i = 0; i < 10000; i++) {
		int64_t ns = 700000000000 + i * 8640000001 - 3;
		assert_int_equal(clock_ns_of_ticks(&c, clock_ticks_of_ns(&c, ns)), ns);
	}
	uint64_t last = 0;
	for (uint64_t t = 0; t < 100000; t++) {
		uint64_t ns = (uint64_t)clock_ns_of_ticks(&c, 5000000000 + t);
		assert_true(ns >= last);
		last = ns;
	}
}

static void values_beyond_the_range_are_clamped(void **state)
{
	(void)state;
	struct clock slow = line(1000, 1000, 1, 1000000000);
	assert_int_equal(clock_ns_of_ticks(&slow, 1000 + (uint64_t)INT64_MAX), INT64_MAX);
	/* as far below */
	assert_int_equal(clock_ns_of_ticks(&slow, 1000 + (uint64_t)INT64_MAX + 1), INT64_MIN);
	assert_int_equal(clock_ticks_of_ns(&slow, INT64_MIN), 0);
	struct clock fast = line(1000, 1000, 1000000000, 1);
	assert_int_equal(clock_ticks_of_ns(&fast, INT64_MAX), UINT64_MAX);
	assert_int_equal(clock_ticks_of_ns(&fast, INT64_MIN), 0);
	assert_int_equal(clock_ticks_of_ns(&fast, 0), 0);
}

static void without_a_counter_ticks_are_ns(void **state)
{
	(void)state;
	struct clock c = {.source = CLOCK_SOURCE_MONOTONIC, .ns_per_tick = 1};
	assert_int_equal(clock_ns_of_ticks(&c, 12345), 12345);
	assert_int_equal(clock_ticks_of_ns(&c, 12345), 12345);
	assert_int_equal(clock_ns_of_ticks(&c, UINT64_MAX), INT64_MAX);
	assert_int_equal(clock_ticks_of_ns(&c, -1), 0);
	int64_t before = clock_monotonic_ns();
	uint64_t begin = clock_begin(&c), end = clock_end(&c), now = clock_now(&c);
	int64_t after = clock_monotonic_ns();
	assert_true((int64_t)begin >= before && end >= begin && now >= end &&
		    (int64_t)now <= after);
}

/* --- new anchors --------------------------------------------------------- */

static void a_new_anchor_lengthens_the_line(void **state)
{
	(void)state;
	struct clock c = line(1000000, 5000000, 2000000, 1000000); /* 2 GHz over 1 ms */
	struct err e = ERR_INIT;
	/* after 1 s, 50 ppm off, as a first calibration may be */
	struct clock_anchor now = {3000000 + 2000000000, 6000000 + 1000050000, 30};
	assert_int_equal(clock_line_extend(&c, &now, &e), 0);
	assert_int_equal(clock_ns_of_ticks(&c, now.ticks), now.ns);
	assert_int_equal(clock_ns_of_ticks(&c, c.first.ticks), c.first.ns);
	assert_true(fabs(c.ns_per_tick - 1001050000.0 / 2002000000.0) < 1e-15);
	/* calibrated again at once: no new information, and no error */
	assert_int_equal(clock_line_extend(&c, &now, &e), 0);
}

static void assert_refused(const struct clock *before, struct clock_anchor now, const char *why)
{
	struct clock c = *before;
	struct err e = ERR_INIT;
	assert_int_equal(clock_line_extend(&c, &now, &e), -EIO);
	assert_non_null(strstr(e.msg, why));
	assert_non_null(strstr(e.msg, "cannot be trusted"));
	assert_memory_equal(&c, before, sizeof c); /* the line stays as it was */
}

static void clocks_that_disagree_are_refused(void **state)
{
	(void)state;
	struct clock c = line(1000000, 5000000, 20000000, 10000000);
	int64_t s = 1000000000;
	uint64_t ticks = c.last.ticks + 2 * (uint64_t)s;
	/* 250 ppm */
	assert_refused(&c, (struct clock_anchor){ticks, c.last.ns + s + s / 4000, 40}, "disagree");
	assert_refused(&c, (struct clock_anchor){ticks, c.last.ns + s - s / 4000, 40}, "disagree");
	/* one clock stood still */
	assert_refused(&c, (struct clock_anchor){ticks, c.last.ns, 40}, "disagree");
	assert_refused(&c, (struct clock_anchor){c.last.ticks, c.last.ns + s, 40}, "disagree");
	assert_refused(&c, (struct clock_anchor){c.last.ticks - 1, c.last.ns + s, 40},
		       "counter went backwards");
	assert_refused(&c, (struct clock_anchor){ticks, c.last.ns - 1, 40},
		       "CLOCK_MONOTONIC went backwards");
	assert_refused(&c, (struct clock_anchor){UINT64_MAX, c.last.ns + s, 40}, "disagree");

	struct clock_anchor near = {ticks, c.last.ns + s + s / 10000, 40}; /* 100 ppm is allowed */
	assert_int_equal(clock_line_extend(&c, &near, NULL), 0);
}

static void wide_brackets_permit_a_short_baseline(void **state)
{
	(void)state;
	struct clock c = line(1000000, 5000000, 20000000, 10000000);
	/* 100 ns after 10 us are 10,000 ppm, but two brackets of 200 ns can explain this error */
	c.last.bracket_ns = 100;
	struct clock_anchor wide = {c.last.ticks + 20000, c.last.ns + 10100, 200};
	struct clock_anchor narrow = {c.last.ticks + 20000, c.last.ns + 10100, 20};
	assert_refused(&c, narrow, "disagree");
	assert_int_equal(clock_line_extend(&c, &wide, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_that_go_backwards_or_stand_still_are_refused),
		cmocka_unit_test(the_line_follows_the_monotonic_clock),
		cmocka_unit_test(stamps_do_not_decrease),
		cmocka_unit_test(other_work_may_fill_the_baseline),
		cmocka_unit_test(conversion_is_exact_at_any_distance),
		cmocka_unit_test(conversion_is_the_same_on_both_sides_of_a_long_product),
		cmocka_unit_test(conversions_are_inverse),
		cmocka_unit_test(values_beyond_the_range_are_clamped),
		cmocka_unit_test(without_a_counter_ticks_are_ns),
		cmocka_unit_test(a_new_anchor_lengthens_the_line),
		cmocka_unit_test(clocks_that_disagree_are_refused),
		cmocka_unit_test(wide_brackets_permit_a_short_baseline),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
