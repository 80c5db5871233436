/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tests behind the words of a comparison, compared with values computed by hand and with
 * mpmath. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "validate/compare/baseline_private.h"
#include "validate/compare/compare_private.h"

#define N(x) (sizeof(x) / sizeof *(x))

static void assert_near(double a, double b, double tolerance)
{
	if (!(fabs(a - b) <= tolerance))
		fail_msg("%.12g is not within %.3g of %.12g", a, tolerance, b);
}

/* Means 2.5 and 4.5, variances 5/3: se = sqrt(5/6), 6 degrees of freedom. Dependence of the values
 * would widen it: these have none. */
static void test_groups(void **state)
{
	(void)state;
	const double was[] = {1, 4, 2, 3}, is[] = {3, 6, 4, 5};
	struct shift s;
	shift_of_groups(&s, was, N(was), is, N(is));
	assert_int_equal(s.status, STAT_OK);
	assert_near(s.value, 2, 1e-12);
	double lo, hi;
	shift_limits(&s, 0.05, &lo, &hi);
	assert_near(hi - 2, 2.4469118511449692 * sqrt(5.0 / 6), 1e-9);
	assert_near(lo + hi, 4, 1e-12);
	const struct serial none = serial_none(4), half = {.inflation = 2, .n_effective = 2};
	paired_mean_widen(&s.mean[0], &none);
	paired_mean_widen(&s.mean[1], &none);
	struct shift_p p = shift_test(&s, -1, 1, 0);
	assert_near(p.difference, 0.0709876543209877, 1e-9);
	assert_near(p.beyond, 0.31533359620123 / 2, 1e-9);
	assert_true(p.same > 0.5);
	paired_mean_widen(&s.mean[0], &half);
	paired_mean_widen(&s.mean[1], &half);
	p = shift_test(&s, -20, 20, 0);
	assert_true(p.same_alone < 1e-4 && p.same > p.same_alone && p.beyond > 0.99);
	shift_release(&s);
}

/* Six differences. Of the 64 combinations of signs, 2 reach their sum; 3 reach the sum of their
 * excesses over 0.5; 3 reach the sum of their deficits below 5.5. */
static void test_pairs(void **state)
{
	(void)state;
	const double was[6] = {0}, is[] = {-1, 4, 2, 6, 3, 5};
	struct shift s;
	shift_of_pairs(&s, was, is, 6);
	assert_int_equal(s.status, STAT_OK);
	assert_near(s.value, 19.0 / 6, 1e-12);
	const struct serial none = serial_none(6), half = {.inflation = 2, .n_effective = 3};
	paired_mean_widen(&s.mean[0], &none);
	struct shift_p once = shift_test(&s, -1, 5.5, 0);
	assert_near(once.difference, 4.0 / 64, 1e-12);
	assert_near(once.same, 3.0 / 64, 1e-12);
	assert_near(shift_test(&s, -1, 0.5, 0).beyond, 3.0 / 64, 1e-12);
	/* looks after every pair, and dependence, each increase P */
	struct shift_p often = shift_test(&s, -1, 5.5, 3);
	assert_true(often.same > 2 * once.same && often.difference > 2 * once.difference &&
		    often.beyond >= once.beyond);
	paired_mean_widen(&s.mean[0], &half);
	struct shift_p wide = shift_test(&s, -1, 5.5, 0);
	assert_true(wide.same > 2 * once.same && wide.difference > 2 * once.difference);
	assert_near(wide.same_alone, once.same, 1e-12);
	shift_release(&s);
}

/* With 20 pairs of sd 1: to show that a mean of 0 is within 0.5 takes ((1.645 + 0.84)/0.5)^2 = 24.7
 * pairs, and more if the mean is nearer the limit. */
static void test_needed(void **state)
{
	(void)state;
	static const double was[20] = {0};
	double is[20];
	struct shift s;
	for (size_t i = 0; i < 20; i++)
		is[i] = (i % 2 ? 1 : -1) * sqrt(19.0 / 20);
	shift_of_pairs(&s, was, is, 20);
	const struct serial none = serial_none(20);
	paired_mean_widen(&s.mean[0], &none);
	assert_near(shift_needed(&s, 0.5, 0.05), 25, 0);
	assert_true(shift_needed(&s, 0.1, 0.05) > 600 && shift_needed(&s, 0.5, 0.006) > 40);
	shift_release(&s);
}

/* Two cases share the dependence that one of them shows by chance; with sixteen cases the shared
 * value is smaller. */
static void test_pool(void **state)
{
	(void)state;
	static const double zero[12] = {0}, slow[12] = {1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1},
			    fast[12] = {1, 6, 2, 5, 3, 4, 6, 1, 5, 2, 4, 3};
	struct shift s[16];
	for (size_t i = 0; i < 16; i++)
		shift_of_pairs(&s[i], zero, i ? fast : slow, 12);
	const double alone = s[1].mean[0].serial.inflation;
	shifts_pool(s, 16);
	assert_true(s[0].mean[0].serial.inflation > 3);
	assert_true(s[1].mean[0].serial.inflation <= alone);
	for (size_t i = 0; i < 16; i++)
		shift_release(&s[i]);
	shift_of_pairs(&s[0], zero, slow, 12);
	shift_of_pairs(&s[1], zero, fast, 12);
	shifts_pool(s, 2);
	assert_true(s[1].mean[0].serial.inflation >= 1 &&
		    s[1].mean[0].serial.inflation < s[0].mean[0].serial.inflation);
	shift_release(&s[0]);
	shift_release(&s[1]);
}

/* Without scatter: P that randomly dealt labels separate 3 and 3 values, or that the signs of 4
 * pairs agree. */
static void test_no_scatter(void **state)
{
	(void)state;
	const double was[] = {1, 1, 1, 1}, is[] = {2, 2, 2, 2};
	struct shift s;
	shift_of_groups(&s, was, 3, is, 3);
	struct shift_p p = shift_test(&s, -0.5, 0.5, 0);
	assert_near(p.beyond, 1.0 / 20, 1e-9);
	assert_near(p.difference, 2.0 / 20, 1e-9);
	assert_near(p.same, 1, 0);
	shift_of_pairs(&s, was, is, 4);
	assert_near(shift_test(&s, -0.5, 0.5, 0).beyond, 1.0 / 16, 1e-12);
	shift_release(&s);
	shift_of_groups(&s, was, 3, was, 4);
	p = shift_test(&s, -0.5, 0.5, 3);
	assert_true(p.same <= 0 && p.beyond >= 1);
	shift_of_groups(&s, was, 1, is, 3);
	assert_int_equal(s.status, STAT_TOO_FEW);
}

static struct aspect_change aspect_with(double limit)
{
	return (struct aspect_change){.limit = limit, .p = NAN, .p_same = NAN, .p_difference = NAN, .p_brown_forsythe = NAN, .lo95 = NAN, .hi95 = NAN};
}

/* Of runs of 100 requests. */
static void counts(struct aspect_change *a, const double *was, size_t n_was,
		   unsigned int failed_was, const double *is, size_t n_is, unsigned int failed_is)
{
	double requests[5] = {100, 100, 100, 100, 100};
	struct baseline_case c[2] = {{.n = n_was, .n_failed = failed_was}, {.n = n_is, .n_failed = failed_is}};
	c[0].column[COLUMN_MISMATCHED] = (double *)(uintptr_t)was;
	c[1].column[COLUMN_MISMATCHED] = (double *)(uintptr_t)is;
	c[0].column[COLUMN_REQUESTS] = c[1].column[COLUMN_REQUESTS] = requests;
	counts_compare(a, &c[0], &c[1], 0);
}

/* All 5 new values exceed every old value: 2/C(10, 5). */
static void test_counts(void **state)
{
	(void)state;
	const double none[] = {0, 0, 0, 0, 0}, some[] = {3, 1, 2, 1, 9}, one[] = {0, 0, 4, 0, 0},
		     hole[] = {0, NAN}, unknown[] = {NAN, NAN};
	struct aspect_change a = aspect_with(0);
	counts(&a, none, 5, 0, some, 5, 0);
	assert_near(a.p, 2.0 / 252, 1e-12);
	assert_near(a.change, 3.2, 1e-12);
	assert_true(a.p_same >= 1);
	a = aspect_with(0);
	counts(&a, some, 5, 0, none, 5, 0);
	assert_near(a.p, 2.0 / 252, 1e-12);
	a = aspect_with(0);
	counts(&a, none, 5, 0, one, 5, 0);
	assert_near(a.p, 1, 1e-12); /* 2 * 5/10 */
	a = aspect_with(0);
	counts(&a, none, 5, 0, none, 5, 0);
	assert_true(a.p_same <= 0 && a.p >= 1);
	a = aspect_with(9);
	counts(&a, none, 5, 0, some, 5, 0);
	assert_true(a.p_same <= 0);
	a = aspect_with(0);
	counts(&a, none, 5, 0, unknown, 2, 0);
	assert_int_equal(a.status, STAT_NOT_ASSESSED);
	a = aspect_with(0);
	counts(&a, hole, 2, 0, none, 5, 0);
	assert_int_equal(a.status, STAT_NOT_FINITE);
	/* failed runs count as having lost all requests; equal numbers of them on both sides give
	 * no difference */
	a = aspect_with(0);
	counts(&a, none, 5, 0, none, 3, 2);
	assert_near(a.change, 40, 1e-12);
	assert_near(a.p, 2 * 20.0 / 90, 1e-12); /* C(5, 2)/C(10, 2), twice */
	assert_true(a.p_same >= 1);
	a = aspect_with(0);
	counts(&a, none, 5, 0, none, 0, 5);
	assert_near(a.p, 2.0 / 252, 1e-12);
	a = aspect_with(0);
	counts(&a, unknown, 2, 0, unknown, 2, 4000000000u);
	assert_int_equal(a.status, STAT_OK);
	assert_true(a.p_same >= 1 && a.change > 0);
	a = aspect_with(0);
	counts(&a, none, 3, 7, none, 3, 7);
	assert_true(a.p_same <= 0);
}

static const double still[20] = {-1.5, -1.2, -1,  -0.8, -0.6, -0.5, -0.35, -0.2, -0.1, 0,
				 0.05, 0.1,  0.2, 0.4,  0.5,  0.6,  0.8,   1,    1.2,  1.5};

/* Ten times the scatter is found in either design; a single value far off is not taken for scatter,
 * although F takes it. */
static void test_spread(void **state)
{
	(void)state;
	double wide[20], outlier[20];
	for (size_t i = 0; i < 20; i++) {
		wide[i] = 10 * still[(i * 7) % 20];
		outlier[i] = still[(i * 7) % 20];
	}
	outlier[3] = 60;
	for (int paired = 0; paired < 2; paired++) {
		struct aspect_change a = aspect_with(2);
		spread_compare(&a, still, 20, wide, 20, paired, 0);
		assert_int_equal(a.status, STAT_OK);
		assert_near(a.change, 10, 1e-9);
		assert_true(a.p < 1e-3 && a.p_difference < 1e-4 && a.p_same > 0.9 && a.lo95 > 5 &&
			    a.hi95 < 20);
		a = aspect_with(2);
		spread_compare(&a, still, 20, outlier, 20, paired, 0);
		assert_true(a.change > 10 && a.p > 0.05 && a.p_same > 0.05);
	}
	struct aspect_change a = aspect_with(2);
	spread_compare(&a, still, 20, still, 20, true, 0);
	assert_true(a.status == STAT_OK && a.p_same <= 0 && a.change >= 1 && a.change <= 1);
}

/* Equal scatters are the same; nine times the scatter is beyond 1.5. */
static void test_uncertainty(void **state)
{
	(void)state;
	struct aspect_change a = aspect_with(3);
	uncertainty_compare(&a, 0.1, 30, 0.1, 30, 0);
	assert_true(a.p_same < 1e-4 && a.p > 0.999 && a.p_difference > 0.999);
	a = aspect_with(1.5);
	uncertainty_compare(&a, 0.1, 30, 0.9, 30, 0);
	assert_true(a.p < 1e-4 && a.change > 8.9);
	a = aspect_with(2);
	uncertainty_compare(&a, NAN, 30, 0.1, 30, 0);
	assert_int_equal(a.status, STAT_NOT_ASSESSED);
}

/* A baseline has a limit for each key of [compare]. */
static void test_limits(void **state)
{
	(void)state;
	const struct option_spec *key = compare_keys;
	const struct json_member *m = baseline_members;
	while (strcmp(m->name, "limits"))
		m++;
	for (m = m->of; m->name; m++, key++) {
		assert_string_equal(m->name, key->name);
		assert_int_equal(offsetof(struct protocol, compare) + m->offset, key->offset);
	}
	assert_null(key->name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_groups),     cmocka_unit_test(test_pairs),
	    cmocka_unit_test(test_pool),       cmocka_unit_test(test_needed),
	    cmocka_unit_test(test_no_scatter), cmocka_unit_test(test_counts),
	    cmocka_unit_test(test_spread),     cmocka_unit_test(test_uncertainty),
	    cmocka_unit_test(test_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
