/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Labels permuted within pairs, compared with an enumeration of all outcomes, and the promised
 * error rates. Fixed seeds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "validate/stats/sign_flip.h"

enum { MAX_N = 40 };

static gsl_rng *generator(unsigned long seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, seed);
	return rng;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median_of(const double *x, size_t n)
{
	double sorted[MAX_N];
	for (size_t i = 0; i < n; i++)
		sorted[i] = x[i];
	qsort(sorted, n, sizeof *sorted, ascending);
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* Every exchange, swapped one by one, with its sums computed again. */
static void listed(const double *r, const double *x, size_t n, double limit, double *above,
		   double *below)
{
	double mx = median_of(x, n), mr = median_of(r, n), observed = 0, n_above = 0, n_below = 0;
	for (size_t i = 0; i < n; i++)
		observed += pow((x[i] - mx) / limit, 2) - pow(r[i] - mr, 2);
	for (unsigned long swaps = 0; swaps < 1ul << n; swaps++) {
		double sum = 0;
		for (size_t i = 0; i < n; i++) {
			double u = (x[i] - mx) / limit, v = r[i] - mr;
			sum += swaps >> i & 1 ? v * v - u * u : u * u - v * v;
		}
		n_above += sum >= observed - 1e-9;
		n_below += sum <= observed + 1e-9;
	}
	*above = n_above / ldexp(1, (int)n);
	*below = n_below / ldexp(1, (int)n);
}

static void test_all_exchanges(void **state)
{
	(void)state;
	gsl_rng *rng = generator(1);
	for (size_t n = 3; n <= 13; n++)
		for (int k = 0; k < 5; k++) {
			double x[MAX_N], r[MAX_N], above, below, want_above, want_below;
			for (size_t i = 0; i < n; i++) {
				r[i] = gsl_ran_gaussian(rng, 1);
				x[i] = gsl_ran_gaussian(rng, 1 + k);
			}
			if (k == 4) /* ties: whole numbers */
				for (size_t i = 0; i < n; i++) {
					r[i] = round(r[i]);
					x[i] = round(x[i]);
				}
			enum stat_status s = pair_permutation_p(r, x, n, 1.5, &above, &below);
			if (k == 4 && s == STAT_ZERO_VARIANCE)
				continue;
			assert_int_equal(s, STAT_OK);
			listed(r, x, n, 1.5, &want_above, &want_below);
			assert_true(fabs(above - want_above) < 1e-12 &&
				    fabs(below - want_below) < 1e-12);
		}
	gsl_rng_free(rng);
}

/* Beyond the exact range the approximation is close to the enumeration: of 31 pairs, computed from
 * 30 of them and a pair without weight. */
static void test_beyond_exact(void **state)
{
	(void)state;
	gsl_rng *rng = generator(2);
	for (int k = 0; k < 3; k++) {
		double x[MAX_N], r[MAX_N], exact, near, below;
		for (size_t i = 0; i < 30; i++) {
			r[i] = gsl_ran_gaussian(rng, 1);
			x[i] = gsl_ran_gaussian(rng, 1.2);
		}
		assert_int_equal(pair_permutation_p(r, x, 30, 1, &exact, &below), STAT_OK);
		r[30] = median_of(r, 30);
		x[30] = median_of(x, 30);
		assert_int_equal(pair_permutation_p(r, x, 31, 1, &near, &below), STAT_OK);
		assert_true(fabs(near - exact) < 0.1 * fmin(exact, 1 - exact));
	}
	gsl_rng_free(rng);
}

/* One run far off decides nothing, whatever its value. */
static void test_one_run_is_one_pair(void **state)
{
	(void)state;
	gsl_rng *rng = generator(3);
	double x[20], r[20], above, below;
	for (size_t i = 0; i < 20; i++) {
		r[i] = gsl_ran_gaussian(rng, 1);
		x[i] = gsl_ran_gaussian(rng, 1);
	}
	x[7] = 1000;
	assert_int_equal(pair_permutation_p(r, x, 20, 2, &above, &below), STAT_OK);
	assert_true(above > 0.45 && above <= 0.5 + 1e-12);
	gsl_rng_free(rng);
}

static void test_bad_data(void **state)
{
	(void)state;
	double x[] = {1, 2, 3, 4}, r[] = {1, 2, 3, NAN}, same[] = {5, 5, 5, 5}, above, below;
	assert_int_equal(pair_permutation_p(r, x, 4, 1, &above, &below), STAT_NOT_FINITE);
	assert_int_equal(pair_permutation_p(x, x, 2, 1, &above, &below), STAT_TOO_FEW);
	assert_int_equal(pair_permutation_p(same, same, 4, 1, &above, &below), STAT_ZERO_VARIANCE);
	assert_int_equal(pair_permutation_p(x, x, 4, 0, &above, &below), STAT_OUT_OF_RANGE);
	assert_int_equal(pair_permutation_p(x, x, 4, NAN, &above, &below), STAT_OUT_OF_RANGE);
}

static double exponential(gsl_rng *rng)
{
	return gsl_ran_exponential(rng, 1);
}

static double t3(gsl_rng *rng)
{
	return gsl_ran_tdist(rng, 3);
}

static double normal(gsl_rng *rng)
{
	return gsl_ran_gaussian(rng, 1);
}

static double with_outliers(gsl_rng *rng)
{
	return gsl_ran_gaussian(rng, gsl_rng_uniform(rng) < 0.05 ? 8 : 1);
}

/* At the limit, for every distribution: each direction errs in about 5 %. */
static void test_size_of_any_shape(void **state)
{
	(void)state;
	enum { N = 2000 };
	static double (*const shape[])(gsl_rng *) = {normal, exponential, t3, with_outliers};
	for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
		gsl_rng *rng = generator(10 + k);
		unsigned int n_above = 0, n_below = 0;
		for (int trial = 0; trial < N; trial++) {
			double x[20], r[20], above, below;
			for (size_t i = 0; i < 20; i++) {
				r[i] = shape[k](rng);
				x[i] = 2 * shape[k](rng);
			}
			assert_int_equal(pair_permutation_p(r, x, 20, 2, &above, &below), STAT_OK);
			n_above += above <= 0.05;
			n_below += below <= 0.05;
		}
		print_message("shape %zu: %.3f above, %.3f below\n", k, (double)n_above / N,
			      (double)n_below / N);
		/* 0.05 + 3 standard errors */
		assert_true(n_above <= N * 0.065 && n_below <= N * 0.065);
		gsl_rng_free(rng);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_all_exchanges),	cmocka_unit_test(test_beyond_exact),
	    cmocka_unit_test(test_one_run_is_one_pair), cmocka_unit_test(test_bad_data),
	    cmocka_unit_test(test_size_of_any_shape),
	};
	return cmocka_run_group_tests_name("pair_permutation", tests, NULL, NULL);
}
