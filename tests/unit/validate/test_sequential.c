/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks after every pair from 8 to 60: how often a mean exactly at its limit is accepted at any of
 * them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>

#include "validate/stats/distributions.h"
#include "validate/stats/mean_difference.h"
#include "validate/stats/sign_flip.h"
#include "validate/stats/multiplicity.h"

enum { FIRST = 8, LAST = 60, TRIALS = 4000 };
enum scatter { NORMAL, T3, SHARED_AR6, N_SCATTERS };
static const char *const names[] = {"normal", "t3", "AR 0.6 of both roles"};

static void test_levels(void **state)
{
	(void)state;
	const double span = log((double)LAST / FIRST);
	assert_true(sequential_p(0.01, 0) == 0.01 && sequential_level(0.05, 0) == 0.05);
	for (double p = 1e-8; p < 0.1; p *= 3) {
		assert_true(sequential_p(p, span) > p &&
			    sequential_p(p, span) > sequential_p(p, span / 2));
		double level = sequential_level(sequential_p(p, span), span);
		assert_true(fabs(level / p - 1) < 1e-6);
	}
	/* Siegmund 1985: a boundary of 2.5 over this span is crossed with probability 0.048 */
	assert_true(fabs(sequential_p(normal_above(2.5), span) -
			 (0.00621 + 2.5 * 0.01753 * span / 2)) < 1e-4);
}

/* The difference of a pair with a random order in the pair: the machine's part has a random
 * sign. */
static void pairs_draw(gsl_rng *rng, enum scatter scatter, double *d)
{
	double course = gsl_ran_gaussian(rng, 1);
	for (size_t i = 0; i < LAST; i++) {
		course = 0.6 * course + sqrt(1 - 0.36) * gsl_ran_gaussian(rng, 1);
		if (scatter == NORMAL)
			d[i] = gsl_ran_gaussian(rng, 1);
		else if (scatter == T3)
			d[i] = gsl_ran_tdist(rng, 3);
		else
			d[i] = (gsl_rng_uniform(rng) < 0.5 ? -1 : 1) * course +
			       0.3 * gsl_ran_gaussian(rng, 1);
	}
}

static void test_error_over_all_looks(void **state)
{
	(void)state;
	const double level = sequential_level(0.05, log((double)LAST / FIRST));
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 11);
	for (enum scatter scatter = 0; scatter < N_SCATTERS; scatter++) {
		unsigned int n_flip = 0, n_t = 0;
		for (int trial = 0; trial < TRIALS; trial++) {
			double d[LAST], above, below;
			bool flip = false, t = false;
			pairs_draw(rng, scatter, d);
			for (size_t n = FIRST; n <= LAST && !(flip && t); n++) {
				struct t_estimate e;
				assert_int_equal(mean_test(d, n, &e), STAT_OK);
				t |= t_below(e.t, e.df) <= level;
				/* otherwise P is far above the level */
				if (e.t < -1.5 && !flip) {
					sign_flip_p(d, n, 0, &above, &below);
					flip |= below <= level;
				}
			}
			n_flip += flip;
			n_t += t;
		}
		print_message("%s: sign flip %.2f %%, t %.2f %% of %d accepted\n", names[scatter],
			      100.0 * n_flip / TRIALS, 100.0 * n_t / TRIALS, TRIALS);
		/* 5 % and three standard deviations of the count */
		assert_true(n_flip <= TRIALS * 0.05 + 3 * sqrt(TRIALS * 0.05 * 0.95));
		assert_true(n_t <= TRIALS * 0.05 + 3 * sqrt(TRIALS * 0.05 * 0.95));
		assert_true(n_flip >= TRIALS * 0.02); /* and the error is used */
	}
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_levels),
	    cmocka_unit_test(test_error_over_all_looks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
