/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "validate/analysis/covariate.h"
#include "validate/stats/generator.h"

static void assert_close(double a, double b)
{
	if (!(fabs(a - b) < 1e-9))
		fail_msg("%.12g, not %.12g", a, b);
}

static double mean(const double *x, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum / (double)n;
}

/* Least squares with a constant for each cell, solved in rational arithmetic. */
static void test_two_cells(void **state)
{
	(void)state;
	const double z1[] = {0.05, -0.08, 0.12, 0.01, 0.2, -0.03}, z2[] = {-0.1, 0.04, 0.02, -0.06, 0.09};
	double d1[] = {0.062, -0.031, 0.118, 0.029, 0.171, 0.021}, d2[] = {-0.083, 0.015, 0.006, -0.049, 0.061};
	struct covariate_cell cell[] = {{6, z1, d1, 0}, {5, z2, d2, 0}};
	struct covariate_slope s;
	assert_int_equal(covariate_adjust(cell, 2, &s), STAT_OK);
	assert_close(s.slope, 0.7160754318871159);
	assert_close(s.se, 0.02312596811660385);
	assert_close(mean(d1, 6), 0.02944327223174645);
	assert_close(mean(d2, 5), -0.008567849136225767);
	assert_close(cell[0].inflation, 1.1602268231570618);
	assert_close(cell[1].inflation, 1.0002637478570486);
	assert_true(s.r_squared > 0.98 && s.r_squared < 1);
}

static void test_refused(void **state)
{
	(void)state;
	const double z[] = {0.1, 0.1, 0.1}, odd[] = {0.1, NAN, 0.2};
	double d[] = {0.01, 0.02, 0.03};
	struct covariate_slope s;
	struct covariate_cell same = {3, z, d, 0}, unknown = {3, odd, d, 0}, few = {2, z, d, 0};
	assert_int_equal(covariate_adjust(&same, 1, &s), STAT_ZERO_VARIANCE);
	assert_int_equal(covariate_adjust(&unknown, 1, &s), STAT_NOT_FINITE);
	assert_int_equal(covariate_adjust(&few, 1, &s), STAT_TOO_FEW);
	assert_close(d[0] + d[1] + d[2], 0.06);
	assert_close(same.inflation, 1);
}

static void test_value_of_a_pair(void **state)
{
	(void)state;
	const struct run x = {.others_share = 0.3, .stolen_share = 0.1}, r = {.others_share = 0.2, .stolen_share = 0}, old = {.others_share = NAN};
	assert_close(covariate_of_pair(&x, &r), log(1.4 / 1.2));
	assert_true(isnan(covariate_of_pair(&x, &old)));
}

/* Neighbours that make 70 % of the scatter: it goes, and the interval covers as often as it says. */
static void test_narrows_and_covers(void **state)
{
	(void)state;
	struct generator g;
	generator_seed(&g, 7, 0);
	enum { N = 16, TRIALS = 4000 };
	size_t n_covered = 0;
	double raw = 0, left = 0;
	for (int t = 0; t < TRIALS; t++) {
		double z[N], d[N], before = 0, after = 0;
		for (int i = 0; i < N; i++) {
			z[i] = 0.1 * generator_normal(&g);
			d[i] = 0.02 + 0.7 * z[i] + 0.03 * generator_normal(&g);
		}
		const double m0 = mean(d, N);
		for (int i = 0; i < N; i++)
			before += (d[i] - m0) * (d[i] - m0);
		struct covariate_cell cell = {N, z, d, 0};
		struct covariate_slope s;
		assert_int_equal(covariate_adjust(&cell, 1, &s), STAT_OK);
		const double m = mean(d, N);
		for (int i = 0; i < N; i++)
			after += (d[i] - m) * (d[i] - m);
		/* t of 0.975 with 14 degrees of freedom */
		n_covered += fabs(m - 0.02) <= 2.144786688 * sqrt(after / (N - 2) / N * cell.inflation);
		raw += before;
		left += after;
	}
	assert_true(left < 0.2 * raw);
	assert_true(n_covered > 0.94 * TRIALS && n_covered < 0.96 * TRIALS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_two_cells),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_value_of_a_pair),
	    cmocka_unit_test(test_narrows_and_covers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
