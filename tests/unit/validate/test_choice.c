/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "validate/campaign/choice.h"

static const struct choice_limits limits = {.n_max = 60, .left_s = 1000, .seed = 1};

static size_t next(const struct choice_scenario *s, size_t n, const struct choice_limits *l)
{
	bool drawn;
	return choice_next(s, n, l, &drawn);
}

static void test_earliest_first(void **state)
{
	(void)state;
	const uint64_t many[] = {20}, few[] = {5};
	const struct choice_scenario s[] = {{8, many, 1, 1}, {8, few, 1, 1}, {8, few, 1, 2}};
	assert_int_equal(next(s, 3, &limits), 1);
	assert_int_equal(next(s, 1, &limits), 0);
	/* 20 s for a case, or 50 */
	const struct choice_scenario dear[] = {{8, many, 1, 1}, {8, few, 1, 10}};
	assert_int_equal(next(dear, 2, &limits), 0);
}

/* Two cases that need 6 pairs go before one case that needs 4. */
static void test_cases_of_a_scenario_count_together(void **state)
{
	(void)state;
	const uint64_t two[] = {6, 6}, one[] = {4};
	const struct choice_scenario s[] = {{8, one, 1, 1}, {8, two, 2, 1}};
	assert_int_equal(next(s, 2, &limits), 1);
}

static void test_decided_stop(void **state)
{
	(void)state;
	const uint64_t few[] = {5};
	const struct choice_scenario s[] = {{8, NULL, 0, 1}, {60, few, 1, 1}, {8, few, 1, 2000}};
	for (uint64_t i = 0; i < 2 * CHOICE_DRAW_EVERY; i++) {
		struct choice_limits l = limits;
		l.n_choices = i;
		assert_true(next(s, 1, &l) == CHOICE_NONE); /* decided */
		assert_true(next(s + 1, 1, &l) == CHOICE_NONE); /* no further pair is planned */
		/* its next pair would exceed the budget */
		assert_true(next(s + 2, 1, &l) == CHOICE_NONE);
	}
	assert_true(next(s, 0, &limits) == CHOICE_NONE);
}

static void test_within_the_budget(void **state)
{
	(void)state;
	const uint64_t soon[] = {30}, later[] = {200};
	const struct choice_scenario s[] = {{8, later, 1, 0.1}, {8, soon, 1, 1}};
	struct choice_limits l = limits;
	/* a case that needs 200 further pairs gets none, however fast they are */
	assert_int_equal(next(s, 2, &l), 1);
	l.left_s = 3; /* a tenth of the time for 30 pairs */
	const uint64_t few[] = {25};
	const struct choice_scenario t[] = {{8, soon, 1, 1}, {8, few, 1, 0.1}};
	assert_int_equal(next(t, 2, &l), 1);
}

/* Of cases with unknown needs, the case with the fewest pairs is chosen. It comes after a case that
 * needs that number of further pairs. */
static void test_unknown(void **state)
{
	(void)state;
	const uint64_t unknown[] = {0};
	const struct choice_scenario s[] = {{20, unknown, 1, 1}, {9, unknown, 1, 1}};
	assert_int_equal(next(s, 2, &limits), 1);
	const uint64_t as_many[] = {9};
	const struct choice_scenario known[] = {{9, unknown, 1, 1}, {9, as_many, 1, 1}};
	assert_int_equal(next(known, 2, &limits), 1);
	const struct choice_scenario none[] = {{0, unknown, 1, 1}};
	assert_int_equal(next(none, 1, &limits), 0);
}

/* The case with the worst prospects gets a share of the pairs, however good the others are; a
 * resumed campaign draws the same. */
static void test_no_case_starves(void **state)
{
	(void)state;
	const uint64_t best[] = {1}, bad[] = {1000000};
	const struct choice_scenario s[] = {
	    {8, best, 1, 1}, {8, bad, 1, 1}, {8, bad, 1, 1}, {8, NULL, 0, 1}};
	size_t n[4] = {0}, n_drawn = 0;
	for (uint64_t i = 0; i < 400; i++) {
		struct choice_limits l = limits;
		bool drawn;
		l.n_choices = i;
		const size_t at = choice_next(s, 4, &l, &drawn);
		n[at]++;
		n_drawn += drawn;
		assert_int_equal(at, next(s, 4, &l));
		assert_true(drawn || at == 0);
	}
	assert_int_equal(n_drawn, 400 / CHOICE_DRAW_EVERY);
	assert_true(n[1] > 4 && n[2] > 4 && n[3] == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_earliest_first),
	    cmocka_unit_test(test_cases_of_a_scenario_count_together),
	    cmocka_unit_test(test_decided_stop),
	    cmocka_unit_test(test_within_the_budget),
	    cmocka_unit_test(test_unknown),
	    cmocka_unit_test(test_no_case_starves),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
