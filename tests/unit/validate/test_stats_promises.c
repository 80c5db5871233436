/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The promises of the statistics, simulated with fixed seeds: coverage of intervals, error rates,
 * power, and looks. Tolerances are four standard errors of the simulated share, so a wrong formula
 * fails and chance does not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "common/xalloc.h"
#include "validate/stats/distributions.h"
#include "validate/stats/mean_difference.h"
#include "validate/stats/multiplicity.h"
#include "validate/stats/pitman_morgan.h"
#include "validate/stats/planning.h"
#include "validate/stats/precision_study.h"
#include "validate/stats/variance_ratio.h"

static gsl_rng *generator(unsigned long seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, seed);
	return rng;
}

static void assert_share(const char *what, double observed, double promised, double n)
{
	double tolerance = 4 * sqrt(promised * (1 - promised) / n);
	print_message("%s: %.4f, promised %.4f\n", what, observed, promised);
	if (!(fabs(observed - promised) <= tolerance))
		fail_msg("%s: %.5f is not within %.5f of %.5f", what, observed, tolerance,
			 promised);
}

/* Pairs with correlation c, log ratio of sigmas and means as given. */
static void pairs_draw(gsl_rng *rng, double *x, double *r, int n, double mean, double sd_x,
		       double sd_r, double c)
{
	for (int i = 0; i < n; i++) {
		double u = gsl_ran_gaussian(rng, 1), v = gsl_ran_gaussian(rng, 1);
		r[i] = sd_r * u;
		x[i] = mean + sd_x * (c * u + sqrt(1 - c * c) * v);
	}
}

enum { N_TRIALS = 20000, N_MAX = 60 };

static void test_paired_bias_coverage(void **state)
{
	(void)state;
	gsl_rng *rng = generator(1);
	double x[N_MAX], r[N_MAX], d[N_MAX], lo, hi;
	for (int n = 5; n <= 20; n += 15) {
		int covered90 = 0, covered95 = 0;
		for (int trial = 0; trial < N_TRIALS; trial++) {
			struct t_estimate t;
			pairs_draw(rng, x, r, n, 0.07, 0.1, 0.05, 0.6);
			for (int i = 0; i < n; i++) {
				x[i] = exp(x[i]);
				r[i] = exp(r[i]);
			}
			assert_int_equal(log_ratios(r, x, n, d), STAT_OK);
			assert_int_equal(mean_test(d, n, &t), STAT_OK);
			assert_int_equal(t_interval(&t, 0.90, &lo, &hi), STAT_OK);
			covered90 += lo <= 0.07 && 0.07 <= hi;
			assert_int_equal(t_interval(&t, 0.95, &lo, &hi), STAT_OK);
			covered95 += lo <= 0.07 && 0.07 <= hi;
		}
		assert_share("coverage of the 90 % interval of the paired bias",
			     (double)covered90 / N_TRIALS, 0.90, N_TRIALS);
		assert_share("coverage of the 95 % interval of the paired bias",
			     (double)covered95 / N_TRIALS, 0.95, N_TRIALS);
	}
	gsl_rng_free(rng);
}

static void test_pitman_morgan_coverage(void **state)
{
	(void)state;
	static const struct {
		int n;
		double ratio, correlation;
	} c[] = {{6, 1, 0}, {20, 1, 0.8}, {20, 2, 0.3}, {12, 0.5, -0.5}};
	gsl_rng *rng = generator(2);
	double x[N_MAX], r[N_MAX], lo, hi, p_above, p_below;
	for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
		int above = 0, below = 0, rejected = 0;
		for (int trial = 0; trial < N_TRIALS; trial++) {
			struct pitman_morgan pm;
			pairs_draw(rng, x, r, c[k].n, 3, c[k].ratio, 1, c[k].correlation);
			assert_int_equal(pitman_morgan(r, c[k].n, x, c[k].n, &pm), STAT_OK);
			assert_int_equal(pitman_morgan_limits(&pm, 0.05, &lo, &hi), STAT_OK);
			above += lo > c[k].ratio;
			below += hi < c[k].ratio;
			assert_int_equal(pitman_morgan_p(&pm, c[k].ratio, &p_above, &p_below),
					 STAT_OK);
			rejected += p_above <= 0.05;
			assert_true((p_above <= 0.05) == (lo >= c[k].ratio) &&
				    (p_below <= 0.05) == (hi <= c[k].ratio));
		}
		assert_share("lower limit of the precision ratio wrong", (double)above / N_TRIALS,
			     0.05, N_TRIALS);
		assert_share("upper limit of the precision ratio wrong", (double)below / N_TRIALS,
			     0.05, N_TRIALS);
		assert_share("a true limit rejected", (double)rejected / N_TRIALS, 0.05, N_TRIALS);
	}
	gsl_rng_free(rng);
}

/* A replayer as precise as the program is accepted at the limit 2 with these probabilities, by
 * formula and by simulation. */
static void test_perfect_replayer_is_accepted(void **state)
{
	(void)state;
	static const struct {
		unsigned int n;
		double probability;
	} c[] = {{10, 0.63}, {15, 0.81}, {20, 0.91}, {30, 0.98}};
	gsl_rng *rng = generator(3);
	double x[N_MAX], r[N_MAX], lo, hi, power;
	for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
		int n = (int)c[k].n, accepted = 0;
		assert_int_equal(power_precision_accept(c[k].n, 2, 0.05, &power), STAT_OK);
		assert_true(fabs(power - c[k].probability) < 0.01);
		for (int trial = 0; trial < N_TRIALS; trial++) {
			struct pitman_morgan pm;
			pairs_draw(rng, x, r, n, 0, 1, 1, 0);
			assert_int_equal(pitman_morgan(r, n, x, n, &pm), STAT_OK);
			assert_int_equal(pitman_morgan_limits(&pm, 0.05, &lo, &hi), STAT_OK);
			accepted += hi <= 2;
		}
		print_message(
		    "n = %d: a perfect replayer accepted %.3f (independent formula %.3f)\n", n,
		    (double)accepted / N_TRIALS, power);
		assert_true(fabs((double)accepted / N_TRIALS - c[k].probability) < 0.03);
	}
	gsl_rng_free(rng);
}

/* Any false rejection among 64 true hypotheses, each of which alone would err at 5 %. */
static void test_holm_family(void **state)
{
	(void)state;
	enum { N_TESTS = 64, N_FAMILIES = 20000 };
	gsl_rng *rng = generator(4);
	double p[N_TESTS];
	int n_holm = 0, n_raw = 0;
	for (int family = 0; family < N_FAMILIES; family++) {
		int raw = 0, holm = 0;
		for (int i = 0; i < N_TESTS; i++) {
			p[i] = gsl_rng_uniform_pos(rng);
			raw += p[i] <= 0.05;
		}
		assert_int_equal(adjust_holm(p, N_TESTS, p), STAT_OK);
		for (int i = 0; i < N_TESTS; i++)
			holm += p[i] <= 0.01;
		n_raw += raw > 0;
		n_holm += holm > 0;
	}
	assert_share("family error without correction", (double)n_raw / N_FAMILIES,
		     1 - pow(0.95, N_TESTS), N_FAMILIES);
	assert_share("family error after Holm", (double)n_holm / N_FAMILIES,
		     1 - pow(1 - 0.01 / N_TESTS, N_TESTS), N_FAMILIES);
	gsl_rng_free(rng);
}

/* The process at look k is S_k = sum of increments, variance = replicates. density[] holds the
 * density of S_k while no boundary was crossed, on a grid of N_GRID points from `low` to the
 * boundary (trapezoid rule). */
enum { N_GRID = 2001 };

struct path {
	double low, step;
	double density[N_GRID];
};

static double normal_density(double z)
{
	return exp(-z * z / 2) / sqrt(2 * M_PI);
}

/* P(S_k > boundary) of the processes that were inside at the previous look. */
static double crossing(const struct path *p, double variance, double boundary)
{
	double sum = 0;
	for (int i = 0; i < N_GRID; i++) {
		double weight = i == 0 || i == N_GRID - 1 ? 0.5 : 1;
		sum += weight * p->density[i] *
		       normal_above((boundary - (p->low + i * p->step)) / sqrt(variance));
	}
	return sum * p->step;
}

static void advance(const struct path *from, struct path *to, double variance, double total,
		    double boundary)
{
	to->low = -8 * sqrt(total);
	to->step = (boundary - to->low) / (N_GRID - 1);
	for (int j = 0; j < N_GRID; j++) {
		double y = to->low + j * to->step, sum = 0;
		for (int i = 0; from && i < N_GRID; i++) {
			double weight = i == 0 || i == N_GRID - 1 ? 0.5 : 1;
			double z = (y - (from->low + i * from->step)) / sqrt(variance);
			if (fabs(z) < 9)
				sum += weight * from->density[i] * normal_density(z);
		}
		to->density[j] = from ? sum * from->step / sqrt(variance)
				      : normal_density(y / sqrt(total)) / sqrt(total);
	}
}

/* The boundary crossed with probability `wanted`, by bisection in units of the process. */
static double find_boundary(const struct path *p, double variance, double total, double wanted)
{
	double low = 0, high = 9 * sqrt(total);
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;
		double crossed =
		    p ? crossing(p, variance, middle) : normal_above(middle / sqrt(total));
		if (crossed > wanted)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* The levels of spending_levels() with the boundary of a normal process crossed at look k, for the
 * first time, with exactly the increment. Source: Armitage, McPherson and Rowe (1969) for the
 * recursion. */
static enum stat_status spending_exact_levels(double alpha, const unsigned int *look,
					      size_t n_looks, double *level)
{
	enum stat_status s =
	    spending_levels(alpha, look, n_looks, level); /* increments, replaced below */
	if (s)
		return s;
	struct path *now = xmalloc(sizeof *now), *next = xmalloc(sizeof *next), *swap;
	for (size_t k = 0; k < n_looks; k++) {
		double total = look[k], variance = k ? (double)(look[k] - look[k - 1]) : total;
		double boundary = find_boundary(k ? now : NULL, variance, total, level[k]);
		level[k] = normal_above(boundary / sqrt(total));
		if (k + 1 < n_looks) {
			advance(k ? now : NULL, next, variance, total, boundary);
			swap = now;
			now = next;
			next = swap;
		}
	}
	free(now);
	free(next);
	return STAT_OK;
}

/* Six looks at 5 % each would err two to three times as often as permitted; the spent levels do
 * not. */
static void test_looks_hold_alpha(void **state)
{
	(void)state;
	static const unsigned int look[] = {10, 14, 20, 28, 40, 60};
	enum { N_LOOKS = 6 };
	gsl_rng *rng = generator(5);
	double spent[N_LOOKS], exact[N_LOOKS], x[N_MAX], sum = 0;
	int n_spent = 0, n_exact = 0, n_naive = 0;
	assert_int_equal(spending_levels(0.05, look, N_LOOKS, spent), STAT_OK);
	assert_int_equal(spending_exact_levels(0.05, look, N_LOOKS, exact), STAT_OK);
	for (int k = 0; k < N_LOOKS; k++) {
		sum += spent[k];
		/* the union bound costs power, and never saves any */
		assert_true(exact[k] >= spent[k] - 1e-9);
	}
	assert_true(fabs(sum - 0.05) < 1e-12);
	assert_true(fabs(spent[N_LOOKS - 1] - 0.0336) < 0.001 &&
		    fabs(exact[N_LOOKS - 1] - 0.0440) < 0.002);

	for (int trial = 0; trial < N_TRIALS; trial++) {
		int crossed_spent = 0, crossed_exact = 0, crossed_naive = 0;
		for (int i = 0; i < N_MAX; i++)
			x[i] = gsl_ran_gaussian(rng, 1);
		for (int k = 0; k < N_LOOKS; k++) {
			struct t_estimate t;
			assert_int_equal(mean_test(x, look[k], &t), STAT_OK);
			double p = t_above(t.t, t.df);
			crossed_spent |= p <= spent[k];
			crossed_exact |= p <= exact[k];
			crossed_naive |= p <= 0.05;
		}
		n_spent += crossed_spent;
		n_exact += crossed_exact;
		n_naive += crossed_naive;
	}
	print_message("error over six looks: %.4f as spent, %.4f at exact levels, %.4f without\n",
		      (double)n_spent / N_TRIALS, (double)n_exact / N_TRIALS,
		      (double)n_naive / N_TRIALS);
	assert_true((double)n_spent / N_TRIALS <= 0.05);
	assert_true((double)n_spent / N_TRIALS >= 0.03);
	assert_true(fabs((double)n_exact / N_TRIALS - 0.05) < 0.008);
	assert_true((double)n_naive / N_TRIALS > 0.10);
	gsl_rng_free(rng);
}

/* The number of replicates that "would probably decide it" does so with the stated probability. */
static void test_planned_replicates_settle(void **state)
{
	(void)state;
	gsl_rng *rng = generator(6);
	double x[400], r[400], lo, hi;
	uint64_t n_mean, n_precision;
	int settled = 0, settled_precision = 0;
	assert_int_equal(replicates_for_mean(0.1, 0.04, 0.05, 0.8, &n_mean), STAT_OK);
	assert_int_equal(replicates_for_precision(1.2, 0.5, 2, 0.05, 0.8, &n_precision), STAT_OK);
	assert_true(n_mean < 400 && n_precision < 400);
	for (int trial = 0; trial < N_TRIALS; trial++) {
		struct t_estimate t;
		struct pitman_morgan pm;
		pairs_draw(rng, x, r, (int)n_mean, 0, 0.1, 1, 0);
		assert_int_equal(mean_test(x, n_mean, &t), STAT_OK);
		assert_int_equal(t_interval(&t, 0.90, &lo, &hi), STAT_OK);
		settled += hi <= 0.04;
		pairs_draw(rng, x, r, (int)n_precision, 0, 1.2, 1, 0.5);
		assert_int_equal(pitman_morgan(r, n_precision, x, n_precision, &pm), STAT_OK);
		assert_int_equal(pitman_morgan_limits(&pm, 0.05, &lo, &hi), STAT_OK);
		settled_precision += hi <= 2;
	}
	print_message(
	    "planned: bias with %u settled %.3f, precision with %u settled %.3f (0.8 meant)\n",
	    (unsigned int)n_mean, (double)settled / N_TRIALS, (unsigned int)n_precision,
	    (double)settled_precision / N_TRIALS);
	assert_true(fabs((double)settled / N_TRIALS - 0.8) < 0.05);
	assert_true(fabs((double)settled_precision / N_TRIALS - 0.8) < 0.05);
	gsl_rng_free(rng);
}

/* 95 % interval of s_R with few laboratories; `unequal`: of 5 to 20 results. */
static void test_reproducibility_interval(void **state)
{
	(void)state;
	enum { MOST = 10, RESULTS = 20, STUDIES = 4000 };
	static const struct {
		size_t laboratories;
		double s_L; /* s_r is 1 */
		bool unequal;
	} rows[] = {{3, 0, false}, {3, 2, false}, {5, 0.5, false},
		    {5, 5, false}, {10, 1, false}, {5, 1, true}};
	gsl_rng *rng = generator(7);
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		const double s_R = sqrt(1 + rows[row].s_L * rows[row].s_L);
		int covered = 0;
		for (int study = 0; study < STUDIES; study++) {
			double x[MOST][RESULTS];
			struct values group[MOST];
			struct precision_study p;
			for (size_t i = 0; i < rows[row].laboratories; i++) {
				const double at = gsl_ran_gaussian(rng, rows[row].s_L);
				for (size_t k = 0; k < RESULTS; k++)
					x[i][k] = at + gsl_ran_gaussian(rng, 1);
				group[i] = (struct values){
				    x[i], rows[row].unequal ? 5 * (i % 4 + 1) : RESULTS};
			}
			assert_int_equal(precision_study(group, rows[row].laboratories, &p),
					 STAT_OK);
			assert_true(p.s_R_lo95 <= p.s_R && p.s_R <= p.s_R_hi95);
			covered += p.s_R_lo95 <= s_R && s_R <= p.s_R_hi95;
		}
		print_message("95 %% interval of s_R, %zu laboratories%s, s_L %g: %.1f %%\n",
			      rows[row].laboratories, rows[row].unequal ? " of unequal size" : "",
			      rows[row].s_L, 100.0 * covered / STUDIES);
		assert_true(covered >= 0.94 * STUDIES && covered <= 0.99 * STUDIES);
	}
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_paired_bias_coverage),
	    cmocka_unit_test(test_pitman_morgan_coverage),
	    cmocka_unit_test(test_perfect_replayer_is_accepted),
	    cmocka_unit_test(test_holm_family),
	    cmocka_unit_test(test_looks_hold_alpha),
	    cmocka_unit_test(test_planned_replicates_settle),
	    cmocka_unit_test(test_reproducibility_interval),
	};
	gsl_set_error_handler_off();
	return cmocka_run_group_tests_name("promises of the statistics", tests, NULL, NULL);
}
