/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sign-flip test compared with enumeration, its saddlepoint approximation with the exact count,
 * its limits with its P-values, and its error rate under dependence that both roles share. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>

#include "validate/stats/sign_flip.h"

static void assert_close(double x, double y, double tolerance)
{
	if (!(fabs(x - y) <= tolerance))
		fail_msg("%.12g is not %.12g", x, y);
}

static gsl_rng *generator(unsigned long seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, seed);
	return rng;
}

/* Every vector of signs, one by one. */
static void enumerate(const double *d, size_t n, double at, double *above, double *below)
{
	double observed = 0;
	*above = *below = 0;
	for (size_t i = 0; i < n; i++)
		observed += d[i] - at;
	for (unsigned int signs = 0; signs < 1u << n; signs++) {
		double sum = 0;
		for (size_t i = 0; i < n; i++)
			sum += (signs >> i & 1 ? -1 : 1) * (d[i] - at);
		*above += (sum >= observed - 1e-12) / ldexp(1, (int)n);
		*below += (sum <= observed + 1e-12) / ldexp(1, (int)n);
	}
}

static void test_is_the_enumeration(void **state)
{
	(void)state;
	gsl_rng *rng = generator(1);
	for (size_t n = 1; n <= 13; n++) {
		double d[13], above, below, all_above, all_below;
		for (size_t i = 0; i < n; i++)
			d[i] = gsl_ran_gaussian(rng, 1) + 0.5;
		sign_flip_p(d, n, 0.1, &above, &below);
		enumerate(d, n, 0.1, &all_above, &all_below);
		assert_close(above, all_above, 1e-12);
		assert_close(below, all_below, 1e-12);
	}
	const double alike[4] = {1, 2, 3, 4};
	double above, below;
	sign_flip_p(alike, 4, 0, &above, &below);
	assert_true(above == 1.0 / 16 && below == 1);
	gsl_rng_free(rng);
}

/* Beyond the exact range: 21 to 28 values, for which an exact count is still possible. */
static void test_saddlepoint(void **state)
{
	(void)state;
	gsl_rng *rng = generator(2);
	for (size_t n = 21; n <= 28; n++)
		for (int shift = -4; shift <= 4; shift++) {
			double d[28], above, below, exact_above, exact_below;
			for (size_t i = 0; i < n; i++)
				d[i] = gsl_ran_tdist(rng, 3) + 0.3 * shift;
			sign_flip_p(d, n, 0, &above, &below);
			sign_flip_exact(d, n, &exact_above, &exact_below);
			/* in the middle, a value far off gives two modes, and nothing is decided */
			if (exact_above < 0.2)
				assert_close(above, exact_above, 0.15 * exact_above + 1e-7);
			if (exact_below < 0.2)
				assert_close(below, exact_below, 0.15 * exact_below + 1e-7);
		}
	gsl_rng_free(rng);
}

static void test_limits_invert_the_test(void **state)
{
	(void)state;
	gsl_rng *rng = generator(3);
	for (size_t n = 8; n <= 60; n += 4) {
		double d[60], lo, hi, above, below, unused;
		for (size_t i = 0; i < n; i++)
			d[i] = gsl_ran_gaussian(rng, 1);
		assert_int_equal(sign_flip_limits(d, n, 0.05, &lo, &hi), STAT_OK);
		sign_flip_p(d, n, lo, &above, &unused);
		sign_flip_p(d, n, hi, &unused, &below);
		assert_close(above, 0.05, 0.004 + 1.5 * ldexp(1, -(int)n));
		assert_close(below, 0.05, 0.004 + 1.5 * ldexp(1, -(int)n));
	}
	const double few[4] = {1, 2, 3, 4};
	double lo, hi;
	assert_int_equal(sign_flip_limits(few, 4, 0.05, &lo, &hi), STAT_OK);
	assert_true(isinf(lo) && isinf(hi));
	assert_int_equal(sign_flip_limits(few, 1, 0.05, &lo, &hi), STAT_TOO_FEW);
	gsl_rng_free(rng);
}

/* A machine that drifts and has autocorrelation, with the order drawn in each pair: 5 % at the
 * limit, for every course. */
static void test_error_with_drawn_order(void **state)
{
	(void)state;
	enum { N = 20, TRIALS = 20000 };
	gsl_rng *rng = generator(4);
	unsigned int n_accepted = 0;
	for (int trial = 0; trial < TRIALS; trial++) {
		double d[N], course = 0, above, below;
		for (size_t i = 0; i < N; i++) {
			course = 0.9 * course + gsl_ran_gaussian(rng, 1);
			d[i] = (gsl_rng_uniform(rng) < 0.5 ? -1 : 1) * (course + 0.3 * (double)i);
		}
		sign_flip_p(d, N, 0, &above, &below);
		n_accepted += below <= 0.05;
	}
	assert_close(n_accepted / (double)TRIALS, 0.05, 4 * sqrt(0.05 * 0.95 / TRIALS));
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_is_the_enumeration),
	    cmocka_unit_test(test_saddlepoint),
	    cmocka_unit_test(test_limits_invert_the_test),
	    cmocka_unit_test(test_error_with_drawn_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
