/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replicates that depend on each other: effective numbers compared with sums computed separately,
 * and error rates by simulation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>

#include "validate/selftest/noise.h"
#include "validate/stats/distributions.h"
#include "validate/stats/mean_difference.h"
#include "validate/stats/pitman_morgan.h"
#include "validate/stats/serial.h"
#include "validate/stats/spread.h"

static void assert_close(double a, double b, double relative)
{
	if (!(fabs(a - b) <= relative * fmax(1e-12, fabs(b))))
		fail_msg("%.15g is not %.15g", a, b);
}

/* 1 + 2 sum (1 - k/n) rho^k, term by term in exact fractions if they end */
static void test_inflation(void **state)
{
	(void)state;
	assert_close(serial_inflation(0, 20), 1, 0);
	assert_close(serial_inflation(-0.5, 20), 1, 0);
	assert_close(serial_inflation(0.5, 1), 1, 0);
	assert_close(serial_inflation(0.5, 10), 2.600390625, 1e-14);
	assert_close(serial_inflation(0.98, 5), 4.842380864000001, 1e-12);
	assert_close(serial_inflation(0.3, 60), 1.836734693877551, 1e-13);
}

static void test_dependence(void **state)
{
	(void)state;
	const double x[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9,
			    7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3};
	const double rising[] = {1, 2, 3, 4, 5, 4, 3, 2, 1, 2}, constant[] = {2, 2, 2},
		     turning[] = {1, -1, 1, -1, 1, -1};
	struct serial s;
	struct t_estimate t;
	assert_int_equal(serial_dependence(x, 25, &s), STAT_OK);
	assert_close(s.lag1, 0.11161526398327236, 1e-12);
	assert_close(s.rho, 0.281294361884848, 1e-12);
	assert_close(s.inflation, 1.7392143285674238, 1e-12);
	assert_close(s.n_effective, 14.374306598883813, 1e-12);
	assert_int_equal(mean_test(x, 25, &t), STAT_OK);
	assert_close(t.se, 0.5050412524404978, 1e-12);
	struct t_estimate wide = serial_widen(&t, 25, &s);
	assert_close(wide.value, t.value, 0);
	assert_close(wide.se, 0.6765452304897429, 1e-12);
	assert_close(wide.df, 13.374306598883813, 1e-12);
	assert_int_equal(serial_dependence(rising, 10, &s), STAT_OK);
	assert_close(s.rho, 0.98, 0);
	assert_int_equal(mean_test(rising, 10, &t), STAT_OK);
	wide = serial_widen(&t, 10, &s);
	assert_close(wide.se, 4.875584666793677, 1e-9);
	assert_close(wide.df, 1, 0);
	/* nothing is narrowed */
	assert_int_equal(serial_dependence(turning, 6, &s), STAT_OK);
	assert_true(s.lag1 < -0.5);
	assert_close(s.inflation, 1, 0);
	assert_int_equal(serial_dependence(constant, 3, &s), STAT_ZERO_VARIANCE);
	assert_int_equal(serial_dependence(x, 1, &s), STAT_TOO_FEW);
	s = serial_none(7);
	assert_true(isnan(s.lag1));
	assert_close(s.n_effective, 7, 0);
	/* among more values, less of the dependence stays hidden */
	assert_true(serial_rho_among(0.2, 20, 200) < serial_rho_among(0.2, 20, 20));
	assert_close(serial_rho_among(0.2, 20, INFINITY), 0.3125, 1e-12);
}

static void test_spread(void **state)
{
	(void)state;
	const double x[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9,
			    7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3};
	struct sample_moments m;
	struct serial s;
	assert_int_equal(sample_moments_spread(x, 25, &m), STAT_OK);
	assert_int_equal(serial_dependence(x, 25, &s), STAT_OK);
	double sd = m.sd, nu = spread_df(x, 25, &m, 0);
	assert_close(nu, 24, 0); /* its tails are short: excess -0.96 */
	assert_close(spread_df(x, 25, &m, 4), 50 / (4 + 50.0 / 24), 1e-12);
	spread_allow_hidden(25, &s, &sd, &nu);
	assert_close(sd, 2.5650172414427193, 1e-12);
	assert_close(nu, 5.75, 1e-12);
	assert_close(spread_df(x, 3, &m, 0), 1, 0);
}

/* The test at a limit, one-sided 5 %: of the mean, and of the ratio of scatters at 2. */
static void sizes(enum noise kind, size_t n, double *mean, double *ratio)
{
	enum { M = 3000 };
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 5);
	*mean = *ratio = 0;
	for (int i = 0; i < M; i++) {
		double r[60], x[60], d[60], above, below;
		struct serial s, factor[2];
		struct t_estimate t;
		struct pitman_morgan pm;
		noise_draw(kind, rng, r, n);
		noise_draw(kind, rng, x, n);
		for (size_t k = 0; k < n; k++) {
			d[k] = x[k] - r[k];
			x[k] *= 2;
		}
		assert_int_equal(mean_test(d, n, &t), STAT_OK);
		assert_int_equal(serial_dependence(d, n, &s), STAT_OK);
		t = serial_widen(&t, n, &s);
		*mean += (t_below(t.value / t.se, t.df) <= 0.05) / (double)M;
		assert_int_equal(pitman_morgan(r, n, x, n, &pm), STAT_OK);
		assert_int_equal(pitman_morgan_serial(r, x, n, 2, factor), STAT_OK);
		s = serial_product(&factor[0], &factor[1], n);
		assert_int_equal(
		    pitman_morgan_p_of(&pm, fmax(1, s.n_effective - 2), 2, &above, &below),
		    STAT_OK);
		*ratio += (below <= 0.05) / (double)M;
	}
	gsl_rng_free(rng);
}

static void test_sizes(void **state)
{
	(void)state;
	static const enum noise kinds[] = {NOISE_NORMAL, NOISE_AR3, NOISE_AR6, NOISE_AR8};
	static const size_t numbers[] = {10, 20, 30, 60};
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
			double mean, ratio;
			sizes(kinds[k], numbers[i], &mean, &ratio);
			/* 5 % and three standard errors of 3000 trials; and it still accepts
			 * some */
			if (mean > 0.062 || ratio > 0.062 || mean < 0.015)
				fail_msg("%s, %zu: mean %.4f, ratio %.4f", noise_names[kinds[k]],
					 numbers[i], mean, ratio);
		}
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(test_inflation),
		cmocka_unit_test(test_dependence),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_sizes),
	};
	gsl_set_error_handler_off();
	return cmocka_run_group_tests_name("dependence of replicates", all, NULL, NULL);
}
