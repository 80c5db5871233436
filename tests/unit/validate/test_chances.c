/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "validate/campaign/chances.h"
#include "validate/stats/generator.h"
#include "validate/stats/mean_difference.h"
#include "validate/stats/distributions.h"

static struct protocol fixed(unsigned int n)
{
	return (struct protocol){.n_replicates_min = n, .n_replicates_max = n, .look = {n}, .n_looks = 1, .accept = accept_defaults};
}

static void test_too_few_for_the_rule(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct protocol p = fixed(4);
	assert_int_equal(chances_check(&p, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "replicates = 5 or more"));
	assert_true(chance_of_ratio(&p, 4, 0.001, 0.1) == 0);
	assert_true(chance_of_precision(&p, 4, 2) == 0);
	p.allow_undecidable = true;
	assert_int_equal(chances_check(&p, &e), 0);
	p = fixed(5);
	assert_int_equal(chances_check(&p, &e), 0);
	assert_true(chance_of_ratio(&p, 5, 0.001, 0.1) > 0.99);
}

/* Looking after every pair takes a smaller level, and so more pairs. */
static void test_budget_needs_more(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct protocol p = fixed(60);
	p.budget_ns = 1;
	p.n_replicates_min = 5;
	const double level = chances_level(&p, 60);
	assert_true(level > 0.001 && level < 0.02);
	assert_true(chances_level(&p, 4) == 0);
	assert_true(ldexp(1, -(int)chances_fewest(level)) <= level && ldexp(1, 1 - (int)chances_fewest(level)) > level);
	p.n_replicates_max = 6;
	assert_int_equal(chances_check(&p, &e), 0);
	p.n_replicates_max = 5;
	assert_int_equal(chances_check(&p, &e), 0); /* one look */
	const struct protocol one = fixed(20);
	p.n_replicates_max = 60;
	assert_true(chance_of_ratio(&p, 20, 0.1, 0.1) < chance_of_ratio(&one, 20, 0.1, 0.1));
}

/* Against the share of simulated samples whose 90 % interval lies within the limits. */
static void test_chance_is_the_share_accepted(void **state)
{
	(void)state;
	enum { N = 10, TRIALS = 20000 };
	struct generator g;
	struct protocol p = fixed(N);
	size_t n_accepted = 0;
	generator_seed(&g, 3, 0);
	for (int i = 0; i < TRIALS; i++) {
		double d[N];
		struct t_estimate t;
		for (int k = 0; k < N; k++)
			d[k] = 0.1 * generator_normal(&g);
		assert_int_equal(mean_test(d, N, &t), STAT_OK);
		/* t of 0.95 with 9 degrees of freedom */
		n_accepted += t.value - 1.8331129327 * t.se > log1p(-0.1) && t.value + 1.8331129327 * t.se < log1p(0.1);
	}
	const double share = (double)n_accepted / TRIALS, chance = chance_of_ratio(&p, N, 0.1, 0.1);
	if (!(fabs(share - chance) < 4 * sqrt(share * (1 - share) / TRIALS)))
		fail_msg("%g accepted, %g expected", share, chance);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_too_few_for_the_rule),
	    cmocka_unit_test(test_budget_needs_more),
	    cmocka_unit_test(test_chance_is_the_share_accepted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
