/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fast algorithms compared with plain ones on random cases, and with exact results: sorting,
 * medians of distances and of differences, counts of pairs, autocorrelations; Monte Carlo
 * propagation, classes of outliers, equivalence, charts, budgets. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sort.h>

#include "validate/stats/bounds.h"
#include "validate/stats/budget.h"
#include "validate/stats/conformity.h"
#include "validate/stats/control.h"
#include "validate/stats/dependence.h"
#include "validate/stats/distributions.h"
#include "validate/stats/equivalence.h"
#include "validate/stats/generator.h"
#include "validate/stats/group_classes.h"
#include "validate/stats/moments.h"
#include "validate/stats/monte_carlo.h"
#include "validate/stats/quantiles.h"
#include "validate/stats/ranks.h"
#include "validate/stats/regression.h"
#include "validate/stats/series.h"

static void assert_close(double got, double wanted, double tolerance)
{
	if (!(fabs(got - wanted) <= tolerance))
		fail_msg("%.17g is not within %g of %.17g", got, tolerance, wanted);
}

/* Of either sign, of very different sizes, or with equal values. */
static void fill(struct generator *g, double *x, size_t n, int kind)
{
	for (size_t i = 0; i < n; i++) {
		double z = generator_normal(g);
		x[i] = kind == 0 ? z : kind == 1 ? z * exp(20 * generator_normal(g)) : floor(3 * z);
	}
}

static void test_sort(void **state)
{
	enum { N = 5000 };
	static double x[N], y[N];
	struct generator g;
	(void)state;
	generator_seed(&g, 1, 1);
	for (int kind = 0; kind < 3; kind++) {
		fill(&g, x, N, kind);
		x[3] = -0.0;
		x[4] = 0;
		memcpy(y, x, sizeof x);
		doubles_sort(x, N);
		gsl_sort(y, 1, N);
		for (size_t i = 0; i < N; i++) {
			assert_true(x[i] == y[i]);
			assert_true(!i || x[i - 1] != 0 || x[i] != 0 || signbit(x[i - 1]) ||
				    !signbit(x[i]));
		}
	}
}

static double brute_median(double *d, size_t n)
{
	gsl_sort(d, 1, n);
	return n % 2 ? d[n / 2] : d[n / 2 - 1] + 0.5 * (d[n / 2] - d[n / 2 - 1]);
}

static void test_medians(void **state)
{
	struct generator g;
	double r[70], x[70], *d = malloc(70 * 70 * sizeof *d), got;
	(void)state;
	generator_seed(&g, 2, 1);
	for (int trial = 0; trial < 120; trial++) {
		size_t n = 1 + generator_below(&g, 70), m = 1 + generator_below(&g, 70);
		fill(&g, r, m, trial % 3);
		fill(&g, x, n, trial % 3);
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < m; j++)
				d[i * m + j] = x[i] - r[j];
		assert_int_equal(hodges_lehmann(r, m, x, n, &got), STAT_OK);
		assert_true(got == brute_median(d, n * m));
		memcpy(d, x, n * sizeof *d);
		double median = brute_median(d, n);
		for (size_t i = 0; i < n; i++)
			d[i] = fabs(x[i] - median);
		assert_int_equal(sample_mad(x, n, &got), STAT_OK);
		assert_close(got, brute_median(d, n), 1e-15 * fabs(got));
	}
	free(d);
}

/* More differences than are sorted: the shift of two large samples, one of them shifted, with many
 * equal values. */
static void test_large_shift(void **state)
{
	enum { N = 1401, M = 1000 };
	static double r[M], x[N];
	double *d = malloc(sizeof(double) * N * M), got;
	struct generator g;
	(void)state;
	generator_seed(&g, 3, 1);
	for (int kind = 0; kind < 3; kind++) {
		fill(&g, r, M, kind);
		fill(&g, x, N, kind);
		for (size_t i = 0; i < N; i++)
			for (size_t j = 0; j < M; j++)
				d[i * M + j] = (x[i] += j ? 0 : 0.5) - r[j];
		assert_int_equal(hodges_lehmann(r, M, x, N, &got), STAT_OK);
		doubles_sort(d, (size_t)N * M);
		size_t half = (size_t)N * M / 2;
		assert_true(got == d[half - 1] + 0.5 * (d[half] - d[half - 1]));
	}
	free(d);
}

static void test_series(void **state)
{
	enum { N = 9000 };
	static double x[N], r[400];
	struct generator g;
	struct trend_test t;
	(void)state;
	generator_seed(&g, 4, 1);
	for (int kind = 0; kind < 3; kind++) {
		size_t n = 60 + generator_below(&g, 60);
		fill(&g, x, n, kind);
		double s = 0;
		for (size_t i = 0; i < n; i++)
			for (size_t j = i + 1; j < n; j++)
				s += (x[j] > x[i]) - (x[j] < x[i]);
		assert_int_equal(mann_kendall(x, n, &t), STAT_OK);
		assert_true(t.statistic == s);
	}
	fill(&g, x, N, 0);
	for (size_t i = 1; i < N; i++)
		x[i] += 0.9 * x[i - 1];
	for (size_t i = 0; i < N; i++)
		x[i] += 1e6;
	assert_int_equal(autocorrelations(x, N, 399, r), STAT_OK);
	for (size_t k = 0; k < 400; k += 57) {
		double direct;
		assert_int_equal(autocorrelation(x, N, k, &direct), STAT_OK);
		assert_close(r[k], direct, 1e-9);
	}
	struct geyer q;
	assert_int_equal(geyer_se(x, N, &q), STAT_OK);
	assert_close(q.tau, 19, 6); /* (1 + 0.9)/(1 - 0.9) */
	assert_true(q.n_pairs > 16);
	assert_int_equal(autocorrelations(x, 10, 10, r), STAT_OUT_OF_RANGE);
}

struct kept {
	double *y;
	size_t n;
};

/* monte_carlo_sum, which also keeps each value. */
static double kept_sum(const double *value, size_t n, void *arg)
{
	struct kept *k = arg;
	return k->y[k->n++] = monte_carlo_sum(value, n, NULL);
}

/* The ends of both intervals are those among all values, sorted. */
static void test_monte_carlo_ends(void **state)
{
	enum { N = 30000 };
	static double y[N];
	static const double coverage[] = {0.95, 0.9, 0.5};
	struct monte_carlo_input in[2] = {{MC_STUDENT, 1, 1, 3}, {MC_RECTANGULAR, 0, 2, 1}};
	struct monte_carlo_result r;
	(void)state;
	for (size_t c = 0; c < sizeof coverage / sizeof *coverage; c++) {
		struct monte_carlo_plan plan = {.n_trials = N, .seed = 4, .coverage = coverage[c]};
		struct kept k = {.y = y};
		const size_t q = (size_t)(coverage[c] * N + 0.5), first = (N - q + 1) / 2 - 1;
		double least = INFINITY;
		assert_int_equal(monte_carlo(in, 2, kept_sum, &k, &plan, &r), STAT_OK);
		assert_int_equal(k.n, N);
		doubles_sort(y, N);
		for (size_t i = 0; i + q < N; i++)
			least = fmin(least, y[i + q] - y[i]);
		assert_true(r.lo == y[first] && r.hi == y[first + q]);
		assert_true(r.shortest_hi - r.shortest_lo == least);
	}
}

static void test_monte_carlo(void **state)
{
	struct monte_carlo_input in[4];
	struct monte_carlo_plan plan = {.n_trials = 1000000, .seed = 3, .coverage = 0.95};
	struct monte_carlo_result r;
	double exact, delta;
	(void)state;
	for (int i = 0; i < 4; i++)
		in[i] = (struct monte_carlo_input){MC_RECTANGULAR, 0, 1, 1};
	assert_int_equal(rectangular_sum_halfwidth(4, 1, 0.95, &exact), STAT_OK);
	assert_int_equal(monte_carlo(in, 4, monte_carlo_sum, NULL, &plan, &r), STAT_OK);
	assert_close(exact, 3.879406741, 1e-8);
	assert_close(r.hi, exact, 0.02);
	assert_close(r.lo, -exact, 0.02);
	assert_close(r.sd, 2, 0.01);
	assert_true(r.shortest_hi - r.shortest_lo <= r.hi - r.lo);
	/* GUM's 3.92 is valid with two digits of u = 2.0, but not with three */
	assert_int_equal(numerical_tolerance(2, 2, &delta), STAT_OK);
	assert_true(monte_carlo_accepts(&r, -3.919928, 3.919928, delta));
	assert_int_equal(numerical_tolerance(2, 3, &delta), STAT_OK);
	assert_false(monte_carlo_accepts(&r, -3.919928, 3.919928, delta));
	/* a t distribution with few degrees of freedom: it has a quantile, but no standard
	 * deviation */
	in[0] = (struct monte_carlo_input){MC_STUDENT, 5, 0.5, 2};
	assert_int_equal(monte_carlo(in, 1, monte_carlo_sum, NULL, &plan, &r), STAT_OK);
	assert_int_equal(r.sd_status, STAT_NOT_APPLICABLE);
	assert_close(r.hi, 5 + 0.5 * 4.302652730, 0.03);
	in[0] = (struct monte_carlo_input){MC_NORMAL, 0, 1, 1};
	assert_int_equal(monte_carlo(in, 1, monte_carlo_sum, NULL, &plan, &r), STAT_OK);
	assert_close(r.sd, 1, 0.01);
	assert_close(r.hi, 1.959964, 0.02);
	plan.adaptive = true;
	plan.delta = 0.05;
	assert_int_equal(monte_carlo(in, 1, monte_carlo_sum, NULL, &plan, &r), STAT_OK);
	assert_true(r.stable && r.n_trials < 1000000 && r.n_trials >= 20000);
	plan.delta = 1e-9;
	plan.n_trials = 50000;
	assert_int_equal(monte_carlo(in, 1, monte_carlo_sum, NULL, &plan, &r), STAT_OK);
	assert_true(!r.stable && r.n_trials == 50000);
	assert_int_equal(monte_carlo(in, 0, monte_carlo_sum, NULL, &plan, &r), STAT_TOO_FEW);
	in[0].u = -1;
	assert_int_equal(monte_carlo(in, 1, monte_carlo_sum, NULL, &plan, &r), STAT_OUT_OF_RANGE);
}

static void test_group_classes(void **state)
{
	double x[8][3];
	struct values group[8];
	struct group_classes c;
	struct generator g;
	(void)state;
	generator_seed(&g, 6, 1);
	for (int i = 0; i < 8; i++) {
		for (int j = 0; j < 3; j++)
			x[i][j] = 100 + generator_normal(&g);
		group[i] = (struct values){x[i], 3};
	}
	assert_int_equal(group_classes(group, 8, &c), STAT_OK);
	assert_int_equal(c.cochran.class, OUTLIER_NONE);
	assert_int_equal(c.grubbs_max.class, OUTLIER_NONE);
	assert_close(c.cochran.critical_5, 0.515687, 1e-6);
	assert_close(c.grubbs_max.critical_1, 2.274365, 1e-6);
	assert_close(c.double_high.critical_5, 0.1103, 0.0005);
	assert_close(c.double_high.critical_1, 0.0563, 0.0005);
	group_classes_release(&c);
	for (int j = 0; j < 3; j++)
		x[5][j] += 30;
	x[2][0] += 40;
	assert_int_equal(group_classes(group, 8, &c), STAT_OK);
	assert_int_equal(c.cochran.class, OUTLIER_OUTLIER);
	assert_int_equal(c.cochran.group, 2);
	assert_int_equal(c.grubbs_max.group, 5);
	assert_int_equal(c.k[2].class, OUTLIER_OUTLIER);
	group_classes_release(&c);
	x[2][0] -= 40;
	assert_int_equal(group_classes(group, 8, &c), STAT_OK);
	assert_int_equal(c.grubbs_max.class, OUTLIER_OUTLIER);
	assert_int_equal(c.double_high.status, STAT_NOT_APPLICABLE); /* one outlier was found */
	assert_int_equal(c.h[5].class, OUTLIER_OUTLIER);
	group_classes_release(&c);
	for (int j = 0; j < 3; j++)
		x[1][j] += 30; /* two outliers hide each other from the single test */
	assert_int_equal(group_classes(group, 8, &c), STAT_OK);
	assert_int_not_equal(c.grubbs_max.class, OUTLIER_OUTLIER);
	assert_int_equal(c.double_high.class, OUTLIER_OUTLIER);
	group_classes_release(&c);
	/* two sessions have Cochran's test only; equal means and equal values have statuses */
	assert_int_equal(group_classes(group, 2, &c), STAT_OK);
	assert_int_equal(c.cochran.status, STAT_OK);
	assert_int_equal(c.grubbs_max.status, STAT_TOO_FEW);
	group_classes_release(&c);
	assert_int_equal(group_classes(group, 1, &c), STAT_TOO_FEW);
	memset(x, 0, sizeof x);
	assert_int_equal(group_classes(group, 8, &c), STAT_OK);
	assert_int_equal(c.cochran.status, STAT_ZERO_VARIANCE);
	assert_int_equal(c.h[0].status, STAT_ZERO_VARIANCE);
	group_classes_release(&c);
	group[3].n = 2;
	assert_int_equal(group_commonest_size(group, 8), 3);
}

/* The table compared with a separate simulation, within four standard errors of the share beyond
 * it. */
static void test_double_table(void **state)
{
	enum { TRIALS = 60000 };
	struct generator g;
	double x[40], critical;
	(void)state;
	static const size_t size[] = {5, 8, 13, 40};
	for (size_t k = 0; k < 4; k++) {
		size_t p = size[k], beyond = 0;
		generator_seed(&g, 77, k);
		assert_int_equal(grubbs_double_critical(0.05, p, &critical), STAT_OK);
		for (size_t t = 0; t < TRIALS; t++) {
			struct sample_moments all, low, high;
			for (size_t i = 0; i < p; i++)
				x[i] = generator_normal(&g);
			gsl_sort(x, 1, p);
			assert_int_equal(sample_moments(x, p, &all), STAT_OK);
			assert_int_equal(sample_moments(x, p - 2, &high), STAT_OK);
			assert_int_equal(sample_moments(x + 2, p - 2, &low), STAT_OK);
			beyond += fmin(high.sum_sq, low.sum_sq) / all.sum_sq < critical;
		}
		assert_close((double)beyond / TRIALS, 0.05, 4 * sqrt(0.05 * 0.95 / TRIALS));
	}
	assert_int_equal(grubbs_double_critical(0.05, 3, &critical), STAT_TOO_FEW);
	assert_int_equal(grubbs_double_critical(0.05, 41, &critical), STAT_OUT_OF_RANGE);
	assert_int_equal(grubbs_double_critical(0.1, 8, &critical), STAT_OUT_OF_RANGE);
}

static void test_equivalence(void **state)
{
	static const double r[] = {100, 101, 99, 100, 102, 98},
			    near[] = {101, 102, 100, 101, 103, 99};
	static const double far[] = {120, 121, 119, 120, 122, 118},
			    wild[] = {60, 150, 100, 80, 130, 95};
	struct equivalence e;
	enum equivalence_class c;
	bool inside;
	(void)state;
	assert_int_equal(equivalence_log(r, 6, near, 6, 5, &e), STAT_OK);
	assert_true(e.p < 0.01);
	struct equivalence swapped; /* a ratio and its inverse deviate equally from 1 */
	assert_int_equal(equivalence_log(near, 6, r, 6, 5, &swapped), STAT_OK);
	assert_close(swapped.p_lower, e.p_upper, 1e-12);
	assert_int_equal(equivalence_fieller(r, 6, near, 6, 5, 0.05, &inside), STAT_OK);
	assert_true(inside);
	assert_int_equal(equivalence_fieller(r, 6, far, 6, 5, 0.05, &inside), STAT_OK);
	assert_false(inside);
	assert_int_equal(equivalence_classify(r, 6, near, 6, 5, 0.05, &c), STAT_OK);
	assert_int_equal(c, CLASS_EQUIVALENT);
	assert_int_equal(equivalence_classify(r, 6, far, 6, 5, 0.05, &c), STAT_OK);
	assert_int_equal(c, CLASS_DIFFERENT);
	assert_int_equal(equivalence_classify(r, 6, far, 6, 40, 0.05, &c), STAT_OK);
	assert_int_equal(c, CLASS_BOTH);
	assert_int_equal(equivalence_classify(r, 6, wild, 6, 5, 0.05, &c), STAT_OK);
	assert_int_equal(c, CLASS_UNDETERMINED);
	assert_int_equal(equivalence_log(r, 6, near, 6, 100, &e), STAT_OUT_OF_RANGE);
	static const double with_zero[] = {1, 0, 2};
	assert_int_equal(equivalence_log(r, 6, with_zero, 3, 5, &e), STAT_OUT_OF_RANGE);
	assert_int_equal(equivalence_log(with_zero, 3, r, 6, 5, &e), STAT_ZERO_REFERENCE);
}

static void test_quantification(void **state)
{
	double loq;
	bool good;
	(void)state;
	assert_int_equal(limit_of_quantification((double[]){1, 3}, 2, &loq), STAT_OK);
	assert_close(loq, 10 * sqrt(2), 1e-12);
	assert_int_equal(quantification_check((double[]){14, 15}, 2, loq, &good), STAT_OK);
	assert_true(good);
	assert_int_equal(quantification_check((double[]){14, 14}, 2, loq, &good), STAT_OK);
	assert_false(good);
}

static void test_bounds(void **state)
{
	double sorted[100];
	struct quantile_bounds b;
	struct order_interval o;
	double excess, p;
	(void)state;
	for (int i = 0; i < 100; i++)
		sorted[i] = i + 1;
	assert_int_equal(order_interval(100, 0.5, 0.95, &o), STAT_OK);
	assert_int_equal(quantile_bounds(sorted, 100, 100, 0.5, 0.95, &b), STAT_OK);
	assert_true(b.lo == (double)o.lower && b.hi == (double)o.upper);
	struct quantile_bounds wider;
	assert_int_equal(quantile_bounds(sorted, 100, 25, 0.5, 0.95, &wider), STAT_OK);
	assert_true(wider.lo < b.lo && wider.hi > b.hi);
	assert_int_equal(quantile_bounds(sorted, 100, 100, 0.99, 0.95, &b), STAT_OK);
	assert_int_equal(b.hi_status, STAT_UNBOUNDED);
	assert_int_equal(b.lo_status, STAT_OK);
	assert_int_equal(quantile_bounds(sorted, 100, 200, 0.5, 0.95, &b), STAT_OUT_OF_RANGE);
	assert_int_equal(quantile_bounds(sorted, 0, 0, 0.5, 0.95, &b), STAT_TOO_FEW);
	assert_int_equal(dkw_bands(0.5, 100, 100, 0.05, &excess), STAT_OK);
	assert_close(excess, 0.5 - 2 * sqrt(log(2 / 0.025) / 200), 1e-12);
	assert_int_equal(mann_whitney_least_p(4, 4, &p), STAT_OK);
	assert_close(p, 2.0 / 70, 1e-12);
	double ess;
	double alternate[] = {1, -1, 1, -1, 1, -1, 1, -1};
	assert_int_equal(effective_number_capped(alternate, 8, &ess), STAT_OK);
	assert_close(ess, 8 * log10(8), 1e-12);
}

/* Expected values: a separate computation of the formula in the header. */
static void test_winsorise(void **state)
{
	(void)state;
	double x[] = {-2, -1, 0, 1, 2, 100}, near[] = {1, 2, 3, 4, 5}, few[] = {1, 2, 300},
	       alike[] = {1, 1, 1, 1, 9};
	static const double expected[] = {-2.3049741852406,  -1.20952907023027, -0.114083955219933,
					  0.981361159790399, 2.07680627480073,  7.74211977609967};
	assert_int_equal(sample_winsorise(x, 6), 1);
	for (size_t i = 0; i < 6; i++)
		assert_close(x[i], expected[i], 1e-12);
	assert_int_equal(sample_winsorise(near, 5), 0);
	for (size_t i = 0; i < 5; i++)
		assert_true(near[i] == (double)i + 1);
	assert_int_equal(sample_winsorise(few, 3), 0);
	assert_true(few[2] == 300);
	assert_int_equal(sample_winsorise(alike, 5), 0);
	assert_true(alike[4] == 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sort),	 cmocka_unit_test(test_medians),
	    cmocka_unit_test(test_large_shift),  cmocka_unit_test(test_series),
	    cmocka_unit_test(test_monte_carlo),  cmocka_unit_test(test_monte_carlo_ends),
	    cmocka_unit_test(test_group_classes),
	    cmocka_unit_test(test_double_table), cmocka_unit_test(test_equivalence),
	    cmocka_unit_test(test_quantification), cmocka_unit_test(test_bounds), cmocka_unit_test(test_winsorise),
	};
	gsl_set_error_handler_off();
	return cmocka_run_group_tests_name("statistics, further", tests, NULL, NULL);
}
