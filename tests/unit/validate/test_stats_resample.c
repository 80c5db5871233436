/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The random bootstrap compared with exact results: the ideal bootstrap of five values, normal
 * theory, and the plain algorithm against the binned algorithm and the algorithm by order
 * statistics. Tolerances are multiples of the scatter of this number of resamples; seeds are
 * fixed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_errno.h>

#include "validate/stats/bootstrap.h"
#include "validate/stats/moments.h"
#include "validate/stats/quantiles.h"
#include "validate/stats/resample.h"

static void assert_close(double got, double wanted, double tolerance)
{
	if (!(fabs(got - wanted) <= tolerance))
		fail_msg("%.17g is not within %g of %.17g", got, tolerance, wanted);
}

static void lognormal_fill(double *x, size_t n, uint64_t seed, double scale)
{
	struct generator g;
	generator_seed(&g, seed, 0);
	for (size_t i = 0; i < n; i++)
		x[i] = scale * exp(0.7 * generator_normal(&g));
}

static struct resample_plan plan_of(uint64_t n)
{
	return (struct resample_plan){n, 7, 0.95};
}

/* 5^5 resamples are known exactly, and so are their BCa limits, standard error and z0. */
static void test_ideal(void **state)
{
	static const double x[] = {4.1, 5.0, 5.2, 6.9, 11.3};
	struct bootstrap_ideal b;
	struct resample_interval i;
	struct resample_plan plan = plan_of(400000);
	double level;
	(void)state;
	assert_int_equal(bootstrap_ideal(x, 5, &b), STAT_OK);
	assert_int_equal(resample_means(NULL, 0, x, 5, 1, RESAMPLE_X, &plan, &i), STAT_OK);
	assert_close(i.se, b.se, 4 * b.se / sqrt(2 * 400000.0));
	assert_close(i.z0, b.z0, 4 * 1.26 / sqrt(400000.0));
	assert_close(i.acceleration, b.acceleration, 1e-12);
	assert_false(i.percentile);
	assert_int_equal(bca_level(b.z0, b.acceleration, 0.025, &level), STAT_OK);
	/* the means are discrete */
	assert_close(i.lo, sorted_quantile(b.mean, b.n_means, level, 7), 0.05);
	assert_int_equal(bca_level(b.z0, b.acceleration, 0.975, &level), STAT_OK);
	assert_close(i.hi, sorted_quantile(b.mean, b.n_means, level, 7), 0.08);
	bootstrap_ideal_release(&b);
}

/* Equal seeds give equal numbers, other seeds other numbers. */
static void test_seeds(void **state)
{
	double r[300], x[200];
	struct resample_interval one, again, other;
	(void)state;
	lognormal_fill(r, 300, 1, 1);
	lognormal_fill(x, 200, 2, 1.1);
	struct resample_plan plan = plan_of(5000);
	assert_int_equal(resample_means(r, 300, x, 200, 1, RESAMPLE_RELATIVE_PCT, &plan, &one),
			 STAT_OK);
	assert_int_equal(resample_means(r, 300, x, 200, 1, RESAMPLE_RELATIVE_PCT, &plan, &again),
			 STAT_OK);
	assert_memory_equal(&one, &again, sizeof one);
	plan.seed = 8;
	assert_int_equal(resample_means(r, 300, x, 200, 1, RESAMPLE_RELATIVE_PCT, &plan, &other),
			 STAT_OK);
	assert_true(one.lo != other.lo && fabs(one.lo - other.lo) < 0.2 * one.se);
}

enum { N_DRAWS = 40000 };

static void draws_of(const struct mean_source *m, double *draw)
{
	struct generator g;
	generator_seed(&g, 3, 5);
	for (size_t i = 0; i < N_DRAWS; i++)
		draw[i] = mean_source_draw(m, &g);
	doubles_sort(draw, N_DRAWS);
}

/* Moments and tails of binned resampling equal those of plain resampling, for a skewed sample with
 * two values far off. */
static void test_bins(void **state)
{
	enum { N = 1500 };
	static double x[N], plain[N_DRAWS], binned[N_DRAWS];
	struct mean_source p, b;
	struct sample_moments all, mp, mb;
	double skew_p, skew_b;
	(void)state;
	lognormal_fill(x, N, 11, 100);
	x[17] = 3000;
	x[900] = 5000;
	assert_int_equal(mean_source(&p, x, N, 1, false), STAT_OK);
	assert_int_equal(mean_source(&b, x, N, 1, true), STAT_OK);
	assert_true(!p.bin && b.n_bins > 60 && b.n_bins < 300);
	assert_true(b.third_lost < 0.01);
	draws_of(&p, plain);
	draws_of(&b, binned);
	assert_int_equal(sample_moments(x, N, &all), STAT_OK);
	assert_int_equal(sample_moments(plain, N_DRAWS, &mp), STAT_OK);
	assert_int_equal(sample_moments(binned, N_DRAWS, &mb), STAT_OK);
	double sd = sqrt(all.sum_sq) / N; /* of the ideal bootstrap's mean */
	assert_close(mp.mean, all.mean, 4 * sd / sqrt(N_DRAWS));
	assert_close(mb.mean, all.mean, 4 * sd / sqrt(N_DRAWS));
	assert_close(mp.sd, sd, 4 * sd / sqrt(2.0 * N_DRAWS));
	assert_close(mb.sd, sd, 4 * sd / sqrt(2.0 * N_DRAWS));
	assert_int_equal(sample_skewness(plain, N_DRAWS, &skew_p), STAT_OK);
	assert_int_equal(sample_skewness(binned, N_DRAWS, &skew_b), STAT_OK);
	assert_true(skew_p > 0.15);
	assert_close(skew_b, skew_p, 6 * sqrt(6.0 / N_DRAWS));
	static const double level[] = {0.001, 0.025, 0.5, 0.975, 0.999};
	for (size_t i = 0; i < 5; i++)
		assert_close(sorted_quantile(binned, N_DRAWS, level[i], 7),
			     sorted_quantile(plain, N_DRAWS, level[i], 7),
			     (level[i] == 0.001 || level[i] == 0.999 ? 0.15 : 0.04) * sd);
	mean_source_release(&p);
	mean_source_release(&b);
}

/* Resamples of a quantile without drawing n values equal those with n drawn values. */
static void test_quantile_source(void **state)
{
	enum { N = 37 };
	double x[N], copy[N];
	static double direct[N_DRAWS], plain[N_DRAWS];
	struct generator g;
	(void)state;
	lognormal_fill(x, N, 4, 10);
	doubles_sort(x, N);
	static const double level[] = {0.5, 0.9, 0.95};
	for (size_t k = 0; k < 3; k++) {
		struct quantile_source q = {x, N, level[k], sorted_quantile(x, N, level[k], 7)};
		generator_seed(&g, 1, k);
		for (size_t i = 0; i < N_DRAWS; i++) {
			direct[i] = quantile_source_draw(&q, &g);
			for (size_t j = 0; j < N; j++)
				copy[j] = x[generator_below(&g, N)];
			doubles_sort(copy, N);
			plain[i] = sorted_quantile(copy, N, level[k], 7);
		}
		doubles_sort(direct, N_DRAWS);
		doubles_sort(plain, N_DRAWS);
		/* Kolmogorov-Smirnov on a grid: both have steps at the same values */
		double most = 0;
		for (size_t i = 0, j = 0; i < N_DRAWS; i++) {
			while (i + 1 < N_DRAWS && direct[i + 1] == direct[i])
				i++;
			while (j < N_DRAWS && plain[j] <= direct[i] * (1 + 1e-12))
				j++;
			most = fmax(most, fabs((double)(i + 1) - (double)j) / N_DRAWS);
		}
		assert_true(most < 1.95 * sqrt(2.0 / N_DRAWS));
	}
}

/* Coverage of the 95 % interval of a relative bias of means of 200 lognormal values. */
static void test_coverage(void **state)
{
	enum { TRIALS = 600, N = 60 };
	double r[N], x[N], truth = 5;
	int covered = 0;
	(void)state;
	for (uint64_t t = 0; t < TRIALS; t++) {
		struct resample_interval i;
		struct resample_plan plan = {2000, t, 0.95};
		lognormal_fill(r, N, 1000 + 2 * t, 1);
		lognormal_fill(x, N, 1001 + 2 * t, 1.05);
		assert_int_equal(resample_means(r, N, x, N, 1, RESAMPLE_RELATIVE_PCT, &plan, &i),
				 STAT_OK);
		covered += i.lo <= truth && truth <= i.hi;
	}
	print_message("BCa of a relative bias, n = 60 lognormal: %.3f of %d intervals hold it\n",
		      (double)covered / TRIALS, TRIALS);
	assert_close((double)covered / TRIALS, 0.945, 4 * sqrt(0.945 * 0.055 / TRIALS));
}

/* Blocks take dependence into account that single values do not: the mean of an autoregression
 * scatters more. */
static void test_blocks(void **state)
{
	enum { N = 5000 };
	static double x[N];
	struct generator g;
	struct resample_interval single, blocks;
	struct resample_plan plan = plan_of(4000);
	size_t length = 0;
	(void)state;
	generator_seed(&g, 99, 0);
	for (size_t i = 0; i < N; i++)
		x[i] = (i ? 0.8 * (x[i - 1] - 50) : 0) + generator_normal(&g) + 50;
	assert_int_equal(block_length(x, N, &length), STAT_OK);
	assert_true(length >= 20 && length <= 120); /* theory: about 50 */
	assert_int_equal(resample_means(NULL, 0, x, N, 1, RESAMPLE_X, &plan, &single), STAT_OK);
	assert_int_equal(resample_means(NULL, 0, x, N, length, RESAMPLE_X, &plan, &blocks),
			 STAT_OK);
	double truth = 5 / sqrt(N); /* 1/(1 - 0.8)/sqrt N */
	assert_close(blocks.se, truth, 0.25 * truth);
	assert_true(single.se < 0.5 * truth);
	assert_close(blocks.estimate, single.estimate, 0);
	assert_close((blocks.lo + blocks.hi) / 2, blocks.estimate, 0.3 * truth);
	/* independent values need no blocks */
	for (size_t i = 0; i < N; i++)
		x[i] = generator_normal(&g);
	assert_int_equal(block_length(x, N, &length), STAT_OK);
	assert_true(length <= 6);
}

static void test_million(void **state)
{
	enum { N = 200000 };
	double *x = malloc(N * sizeof *x);
	struct sample_moments m;
	struct resample_interval i;
	struct resample_plan plan = plan_of(10000);
	(void)state;
	assert_non_null(x);
	lognormal_fill(x, N, 5, 1);
	assert_int_equal(sample_moments(x, N, &m), STAT_OK);
	assert_int_equal(resample_means(NULL, 0, x, N, 1, RESAMPLE_X, &plan, &i), STAT_OK);
	assert_close(i.se, m.sem, 0.04 * m.sem);
	assert_close(i.lo, m.mean - 1.96 * m.sem, 0.1 * m.sem);
	assert_close(i.hi, m.mean + 1.96 * m.sem, 0.1 * m.sem);
	/* the median's standard error is 1/(2 f sqrt n), f = 1/(0.7 sqrt(2 pi)) at the median 1 */
	doubles_sort(x, N);
	assert_int_equal(resample_quantiles(NULL, 0, x, N, 0.5, RESAMPLE_X, &plan, &i), STAT_OK);
	assert_close(i.se, 0.7 * sqrt(2 * M_PI) / (2 * sqrt(N)), 0.1 * i.se);
	free(x);
}

static void test_statuses(void **state)
{
	static const double equal[] = {2, 2, 2, 2}, good[] = {1, 2, 3, 4}, zero[] = {-1, 1, -2, 2};
	static const double bad[] = {1, NAN, 2, 3};
	struct resample_interval i;
	struct resample_plan plan = plan_of(1000);
	(void)state;
	assert_int_equal(resample_means(good, 4, equal, 4, 1, RESAMPLE_RELATIVE_PCT, &plan, &i),
			 STAT_ZERO_VARIANCE);
	assert_int_equal(resample_means(equal, 4, good, 4, 1, RESAMPLE_RELATIVE_PCT, &plan, &i),
			 STAT_OK);
	assert_close(i.estimate, 25, 1e-12);
	assert_int_equal(resample_means(zero, 4, good, 4, 1, RESAMPLE_RELATIVE_PCT, &plan, &i),
			 STAT_ZERO_REFERENCE);
	assert_int_equal(resample_means(good, 4, bad, 4, 1, RESAMPLE_DIFFERENCE, &plan, &i),
			 STAT_NOT_FINITE);
	assert_int_equal(resample_means(good, 4, good, 1, 1, RESAMPLE_DIFFERENCE, &plan, &i),
			 STAT_TOO_FEW);
	assert_int_equal(resample_means(good, 4, good, 4, 3, RESAMPLE_DIFFERENCE, &plan, &i),
			 STAT_TOO_FEW);
	assert_int_equal(resample_means(good, 4, good, 4, 4, RESAMPLE_DIFFERENCE, &plan, &i),
			 STAT_TOO_FEW);
	assert_int_equal(resample_quantiles(good, 4, good, 4, 0.99, RESAMPLE_DIFFERENCE, &plan, &i),
			 STAT_TOO_FEW);
	assert_int_equal(resample_quantiles(good, 4, good, 4, 1, RESAMPLE_DIFFERENCE, &plan, &i),
			 STAT_OUT_OF_RANGE);
	plan.n_resamples = 99;
	assert_int_equal(resample_means(good, 4, good, 4, 1, RESAMPLE_DIFFERENCE, &plan, &i),
			 STAT_OUT_OF_RANGE);
	plan = plan_of(1000);
	plan.conf = 1;
	assert_int_equal(resample_means(good, 4, good, 4, 1, RESAMPLE_DIFFERENCE, &plan, &i),
			 STAT_OUT_OF_RANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ideal),    cmocka_unit_test(test_seeds),
	    cmocka_unit_test(test_bins),     cmocka_unit_test(test_quantile_source),
	    cmocka_unit_test(test_coverage), cmocka_unit_test(test_blocks),
	    cmocka_unit_test(test_million),  cmocka_unit_test(test_statuses),
	};
	gsl_set_error_handler_off();
	return cmocka_run_group_tests_name("random bootstrap", tests, NULL, NULL);
}
