/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics that cannot be computed have a status: too few values, no variance, invalid
 * references, values that are not finite, arguments outside their domain. And identities that hold
 * for all data. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_errno.h>

#include "validate/stats/anova.h"
#include "validate/stats/bounds.h"
#include "validate/stats/budget.h"
#include "validate/stats/monte_carlo.h"
#include "validate/stats/distributions.h"
#include "validate/stats/mean_difference.h"
#include "validate/stats/moments.h"
#include "validate/stats/multiplicity.h"
#include "validate/stats/named.h"
#include "validate/stats/paper.h"
#include "validate/stats/pitman_morgan.h"
#include "validate/stats/planning.h"
#include "validate/stats/quantiles.h"
#include "validate/stats/ratio.h"
#include "validate/stats/regression.h"
#include "validate/stats/series.h"
#include "validate/stats/shapiro.h"
#include "validate/stats/variance_ratio.h"

static const double one[] = {3}, equal[] = {2, 2, 2, 2, 2}, rising[] = {1, 2, 3, 5, 8},
		    other[] = {2, 1, 4, 6, 7};
static const double with_nan[] = {1, NAN, 3, 4, 5}, with_inf[] = {1, 2, INFINITY, 4, 5};
static const double with_zero[] = {1, 0, 3, 4, 5}, with_negative[] = {1, -2, 0, 4, 5};

static void assert_close(double got, double wanted, double tolerance)
{
	if (!(fabs(got - wanted) <= tolerance))
		fail_msg("%.17g is not within %g of %.17g", got, tolerance, wanted);
}

static void test_names(void **state)
{
	(void)state;
	for (int s = 0; s < STAT_N_STATUSES; s++) {
		assert_true(strlen(stat_status_name(s)) > 1);
		assert_null(strchr(stat_status_name(s), ' '));
		for (int t = 0; t < s; t++)
			assert_string_not_equal(stat_status_name(s), stat_status_name(t));
	}
	assert_string_equal(stat_status_name(STAT_TOO_FEW_FOR_ALPHA), "too_few_for_alpha");
	assert_string_equal(stat_status_name((enum stat_status)999), "unknown");
}

static void test_moments(void **state)
{
	(void)state;
	struct sample_moments m;
	double v;
	assert_int_equal(sample_moments(NULL, 0, &m), STAT_TOO_FEW);
	assert_int_equal(sample_moments(one, 1, &m), STAT_OK);
	assert_true(m.mean == 3 && m.min == 3 && m.max == 3 && m.spread == STAT_TOO_FEW);
	assert_int_equal(sample_moments_spread(one, 1, &m), STAT_TOO_FEW);
	assert_int_equal(sample_moments_spread(equal, 5, &m), STAT_ZERO_VARIANCE);
	assert_int_equal(sample_moments(equal, 5, &m), STAT_OK);
	assert_true(m.variance == 0 && m.spread == STAT_OK);
	assert_int_equal(sample_moments(with_nan, 5, &m), STAT_NOT_FINITE);
	assert_int_equal(sample_moments(with_inf, 5, &m), STAT_NOT_FINITE);
	assert_int_equal(sample_moments((double[]){DBL_MAX, -DBL_MAX}, 2, &m), STAT_NOT_FINITE);
	assert_int_equal(sample_moments((double[]){1e308, 1.5e308, 1.7e308}, 3, &m),
			 STAT_NOT_FINITE);
	assert_int_equal(sample_skewness(equal, 5, &v), STAT_ZERO_VARIANCE);
	assert_int_equal(sample_correlation(rising, equal, 5, &v), STAT_ZERO_VARIANCE);
	assert_int_equal(sample_correlation(rising, rising, 5, &v), STAT_OK);
	assert_close(v, 1, 1e-15);
	assert_int_equal(sample_moments((double[]){-1, 1}, 2, &m), STAT_OK);
	assert_int_equal(sample_cv_pct(&m, &v), STAT_ZERO_REFERENCE);
	/* a large offset loses no precision */
	assert_int_equal(
	    sample_moments((double[]){1e12 + 1, 1e12 + 2, 1e12 + 3, 1e12 + 5, 1e12 + 8}, 5, &m),
	    STAT_OK);
	assert_close(m.variance, 7.7, 1e-12);
}

static void test_quantiles(void **state)
{
	(void)state;
	double q;
	assert_int_equal(sample_quantile(NULL, 0, 0.5, 7, &q), STAT_TOO_FEW);
	assert_int_equal(sample_quantile(rising, 5, 1.1, 7, &q), STAT_OUT_OF_RANGE);
	assert_int_equal(sample_quantile(rising, 5, NAN, 7, &q), STAT_OUT_OF_RANGE);
	assert_int_equal(sample_quantile(rising, 5, 0.5, 6, &q), STAT_OUT_OF_RANGE);
	assert_int_equal(sample_quantile(with_nan, 5, 0.5, 7, &q), STAT_NOT_FINITE);
	assert_int_equal(sample_quantile(other, 5, 0, 8, &q), STAT_OK);
	assert_true(q == 1);
	assert_int_equal(sample_quantile(other, 5, 1, 7, &q), STAT_OK);
	assert_true(q == 7);
	assert_int_equal(sample_quantile(one, 1, 0.3, 8, &q), STAT_OK);
	assert_true(q == 3);
	assert_true(quantile_is_extrapolated(20, 0.99) && !quantile_is_extrapolated(20, 0.9));
	assert_int_equal(sample_trimmed_mean(rising, 5, 0.2, &q), STAT_OK);
	assert_close(q, 10.0 / 3, 1e-15);
	assert_int_equal(sample_trimmed_mean(rising, 5, 0, &q), STAT_OK);
	assert_close(q, 3.8, 1e-15);
	assert_int_equal(sample_trimmed_mean(rising, 5, 0.5, &q), STAT_OUT_OF_RANGE);
	assert_int_equal(sample_trimmed_mean(with_inf, 5, 0.2, &q), STAT_NOT_FINITE);
}

static void test_distributions(void **state)
{
	(void)state;
	double q, lo, hi;
	assert_int_equal(normal_quantile(0, &q), STAT_OUT_OF_RANGE);
	assert_int_equal(normal_quantile(NAN, &q), STAT_OUT_OF_RANGE);
	assert_int_equal(t_quantile(0.5, 0, &q), STAT_OUT_OF_RANGE);
	assert_int_equal(t_quantile(1, 3, &q), STAT_OUT_OF_RANGE);
	assert_int_equal(t_quantile(0.975, INFINITY, &q), STAT_OK);
	assert_close(q, 1.959963984540054, 1e-14);
	assert_int_equal(f_quantile(0.95, -1, 3, &q), STAT_OUT_OF_RANGE);
	assert_int_equal(chi2_quantile(2, 3, &q), STAT_OUT_OF_RANGE);
	assert_true(t_above(INFINITY, 3) == 0 && t_above(-INFINITY, 3) == 1 &&
		    t_below(INFINITY, 3) == 1);
	assert_int_equal(clopper_pearson(0, 0, 0.95, &lo, &hi), STAT_TOO_FEW);
	assert_int_equal(clopper_pearson(3, 2, 0.95, &lo, &hi), STAT_OUT_OF_RANGE);
	assert_int_equal(clopper_pearson(0, 100000, 0.90, &lo, &hi), STAT_OK);
	assert_true(lo == 0);
	assert_close(hi, 1 - pow(0.05, 1.0 / 100000), 1e-12);
	assert_int_equal(clopper_pearson(20, 20, 0.95, &lo, &hi), STAT_OK);
	assert_true(hi == 1);
	assert_close(lo, pow(0.025, 0.05), 1e-15);
	/* arguments for which GSL's inverse of the beta distribution fails; values of a continued
	 * fraction and bisection */
	assert_int_equal(clopper_pearson(54, 797, 0.95, &lo, &hi), STAT_OK);
	assert_close(lo, 0.0513053173779708, 1e-14);
	assert_close(hi, 0.0874826840879012, 1e-14);
	assert_int_equal(clopper_pearson(10, 100000, 0.95, &lo, &hi), STAT_OK);
	assert_close(lo, 4.79548951368278e-05, 5e-14);
	assert_close(hi, 0.000183895845381532, 2e-13);
	assert_int_equal(clopper_pearson(600000, 6000000, 0.95, &lo, &hi), STAT_OK);
	assert_close(lo, 0.0997600641274118, 1e-10);
	assert_close(hi, 0.100240321957258, 1e-10);
	assert_int_equal(clopper_pearson(0, 1e18, 0.90, &lo, &hi), STAT_OK);
	assert_close(hi, -log(0.05) * 1e-18, 1e-30);
	/* arguments for which GSL's tails fail as well; values of a continued fraction with more
	 * terms, and of the normal distribution */
	assert_int_equal(clopper_pearson(3e6, 1e7, 0.90, &lo, &hi), STAT_OK);
	assert_close(lo, 0.2997616308341441, 1e-11);
	assert_close(hi, 0.3002384546693232, 1e-11);
	assert_int_equal(clopper_pearson(3e17, 1e18, 0.95, &lo, &hi), STAT_OK);
	assert_close(lo, 0.3 - 1.959963984540054 * sqrt(0.21e-18), 1e-15);
	assert_close(hi, 0.3 + 1.959963984540054 * sqrt(0.21e-18), 1e-15);
	assert_int_equal(f_quantile(0.975, 1, 485, &q), STAT_OK);
	assert_close(q, 5.05522768081, 1e-10);
	assert_int_equal(f_quantile(0.95, 9999, 9999, &q), STAT_OK);
	assert_close(q, 1.03344748072, 1e-10);
	assert_int_equal(f_quantile(0.025, 485, 1, &q), STAT_OK);
	assert_close(q, 1 / 5.05522768081, 1e-11);
	assert_close(binomial_at_least(1, 10, 0.5), 1 - pow(0.5, 10), 1e-15);
	assert_close(binomial_at_most(9, 10, 0.5), 1 - pow(0.5, 10), 1e-15);
	assert_close(binomial_at_most(4999000, 1e7, 0.5), 0.263647925063, 1e-8);
	assert_close(f_above(1.001, 3e6, 3e6), 0.19335680951, 1e-8);
	assert_close(f_below(1.001, 3e6, 3e6), 1 - 0.193356809510, 1e-8);
	const double halves[][3] = {
	    {2e6, 998614, 1001387}, {4e6, 1998040, 2001961}, {1e8, 49990200, 50009801}};
	/* ranks near the median of a long column */
	for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
		struct order_interval o;
		assert_int_equal(order_interval((uint64_t)halves[i][0], 0.5, 0.95, &o), STAT_OK);
		assert_true(o.lower == (uint64_t)halves[i][1] && o.upper == (uint64_t)halves[i][2]);
		assert_close(o.coverage, 0.95, 1e-3);
	}
	assert_true(binomial_at_least(0, 10, 0.5) == 1 && binomial_at_least(11, 10, 0.5) == 0);
	assert_true(binomial_at_most(10, 10, 0.5) == 1 && binomial_at_most(-1, 10, 0.5) == 0);
	assert_close(binomial_at_least(10, 10, 0.5), pow(0.5, 10), 1e-18);
}

static void test_two_samples(void **state)
{
	(void)state;
	struct variance_ratio v;
	struct t_estimate t;
	struct spread_test s;
	double lo, hi, d[5];
	assert_int_equal(variance_ratio(one, 1, rising, 5, &v), STAT_TOO_FEW);
	assert_int_equal(variance_ratio(equal, 5, rising, 5, &v), STAT_ZERO_VARIANCE);
	assert_int_equal(variance_ratio(equal, 5, equal, 5, &v), STAT_ZERO_VARIANCE);
	/* a steady replay is no fault */
	assert_int_equal(variance_ratio(rising, 5, equal, 5, &v), STAT_OK);
	assert_true(v.f == 0 && v.p_greater == 1);
	assert_int_equal(variance_ratio(rising, 5, with_nan, 5, &v), STAT_NOT_FINITE);
	assert_int_equal(welch_test(equal, 5, equal, 5, &t), STAT_ZERO_VARIANCE);
	assert_int_equal(welch_test(one, 1, rising, 5, &t), STAT_TOO_FEW);
	assert_int_equal(paired_test(rising, 5, other, 4, &t), STAT_NOT_PAIRED);
	assert_int_equal(paired_test(rising, 5, rising, 5, &t), STAT_ZERO_VARIANCE);
	assert_int_equal(fieller_interval(with_negative, 5, rising, 5, 0.95, &lo, &hi),
			 STAT_UNBOUNDED);
	assert_int_equal(fieller_interval(rising, 5, rising, 5, 2, &lo, &hi), STAT_OUT_OF_RANGE);
	assert_int_equal(
	    spread_test((struct values[]){{equal, 5}, {equal, 5}}, 2, SPREAD_ABOUT_MEDIAN, &s),
	    STAT_ZERO_VARIANCE);
	assert_int_equal(
	    spread_test((struct values[]){{rising, 5}, {NULL, 0}}, 2, SPREAD_ABOUT_MEAN, &s),
	    STAT_TOO_FEW);
	assert_int_equal(spread_test(NULL, 0, SPREAD_ABOUT_MEAN, &s), STAT_TOO_FEW);
	assert_int_equal(log_ratios(with_zero, rising, 5, d), STAT_ZERO_REFERENCE);
	assert_int_equal(log_ratios(with_negative, rising, 5, d),
			 STAT_NEGATIVE_REFERENCE); /* named before the zero in the same column */
	assert_int_equal(log_ratios(rising, with_zero, 5, d), STAT_OUT_OF_RANGE);
	assert_int_equal(log_ratios(rising, with_inf, 5, d), STAT_NOT_FINITE);
}

static void test_pitman_morgan(void **state)
{
	(void)state;
	struct pitman_morgan pm;
	double lo, hi, above, below, twice[5];
	assert_int_equal(pitman_morgan(rising, 5, other, 4, &pm), STAT_NOT_PAIRED);
	assert_int_equal(pitman_morgan(rising, 2, other, 2, &pm), STAT_TOO_FEW);
	assert_int_equal(pitman_morgan(equal, 5, other, 5, &pm), STAT_ZERO_VARIANCE);
	assert_int_equal(pitman_morgan(rising, 5, equal, 5, &pm), STAT_ZERO_VARIANCE);
	for (int i = 0; i < 5; i++)
		twice[i] = 2 * rising[i] + 1;
	assert_int_equal(pitman_morgan(rising, 5, twice, 5, &pm),
			 STAT_ZERO_VARIANCE); /* limits without width prove nothing */
	assert_int_equal(pitman_morgan(rising, 5, with_nan, 5, &pm), STAT_NOT_FINITE);
	assert_int_equal(pitman_morgan(rising, 5, other, 5, &pm), STAT_OK);
	assert_int_equal(pitman_morgan_limits(&pm, 0.05, &lo, &hi), STAT_OK);
	assert_close(sqrt(lo * hi), pm.ratio, 1e-12); /* symmetric in the logarithm */
	assert_int_equal(pitman_morgan_limits(&pm, 0, &lo, &hi), STAT_OUT_OF_RANGE);
	assert_int_equal(pitman_morgan_p(&pm, 0, &above, &below), STAT_OUT_OF_RANGE);
	assert_int_equal(pitman_morgan_p(&pm, 1, &above, &below), STAT_OK);
	assert_close(above + below, 1, 1e-14);

	/* the definition: t = R sqrt((n-2)/(1-R^2)) with R the correlation of x + r and x - r */
	double sum[5], difference[5], r;
	for (int i = 0; i < 5; i++) {
		sum[i] = other[i] + rising[i];
		difference[i] = other[i] - rising[i];
	}
	assert_int_equal(sample_correlation(sum, difference, 5, &r), STAT_OK);
	assert_close(above, t_above(r * sqrt(3 / (1 - r * r)), 3), 1e-13);
}

static void test_paper(void **state)
{
	(void)state;
	struct paper_bias b;
	struct paper_uncertainty u;
	struct bias_estimate e;
	double v;
	assert_int_equal(paper_bias(with_zero, 5, rising, 5, &b), STAT_ZERO_REFERENCE);
	assert_int_equal(paper_bias(with_negative, 5, rising, 5, &b), STAT_NEGATIVE_REFERENCE);
	assert_int_equal(paper_bias_check(rising, 5, other, 4), STAT_NOT_PAIRED);
	assert_int_equal(paper_bias_check(NULL, 0, NULL, 0), STAT_TOO_FEW);
	assert_int_equal(paper_bias_check(with_nan, 5, rising, 5), STAT_NOT_FINITE);
	assert_int_equal(paper_bias_at(rising, 5, other, 5, 5, &v), STAT_OUT_OF_RANGE);
	/* against the mean reference */
	assert_int_equal(paper_bias(rising, 5, other, 4, &b), STAT_OK);
	assert_false(b.paired);
	assert_int_equal(paper_bias(rising, 5, other, 5, &b), STAT_OK);
	assert_close(b.rms_identity_pct, b.rms_pct, 1e-12 * b.rms_pct);
	assert_int_equal(paper_bias(one, 1, one, 1, &b), STAT_OK);
	assert_int_equal(b.spread_status, STAT_TOO_FEW);
	for (int mode = 0; mode < PAPER_MODE_N; mode++) {
		assert_int_equal(paper_uncertainty(rising, 5, other, 5, mode, &u), STAT_OK);
		assert_true(u.status == STAT_OK && u.U3_pct > u.U2_pct &&
			    u.u_c_pct >= u.u_bias_pct);
		assert_close(u.U2_pct, 2 * u.u_c_pct, 0);
		assert_int_equal(paper_uncertainty(one, 1, one, 1, mode, &u), STAT_TOO_FEW);
		assert_int_equal(u.status, STAT_TOO_FEW);
	}
	assert_int_equal(paper_significance(rising, 5, other, 5, &v), STAT_OK);
	assert_true(v <= 1); /* why the paper's rule is vacuous */
	assert_int_equal(paper_significance(equal, 5, equal, 5, &v), STAT_ZERO_VARIANCE);
	assert_int_equal(bias_independent(equal, 5, equal, 5, &e), STAT_ZERO_VARIANCE);
	const double tiny[] = {1e-200, 2e-200, 3e-200}, huge[] = {1e150, 2e150, 3e150};
	assert_int_equal(bias_independent(tiny, 3, huge, 3, &e), STAT_NOT_FINITE);
	for (int mode = 0; mode < PAPER_MODE_N; mode++)
		assert_int_equal(paper_uncertainty(tiny, 3, huge, 3, mode, &u), STAT_NOT_FINITE);
	assert_int_equal(bias_paired_u_pct(one, 1, one, 1, &v), STAT_TOO_FEW);
}

static void test_budget(void **state)
{
	(void)state;
	struct budget_total t;
	double k, expanded, share = 0;
	struct budget_component c[] = {
	    budget_component("a", BUDGET_TYPE_A, BUDGET_NORMAL, 3, 9),
	    budget_component("b", BUDGET_TYPE_B, BUDGET_RECTANGULAR, 2, INFINITY),
	    budget_component("c", BUDGET_TYPE_B, BUDGET_TRIANGULAR, 2, INFINITY),
	    budget_component("d", BUDGET_TYPE_B, BUDGET_RESOLUTION, 0, INFINITY),
	};
	assert_int_equal(budget_combine(c, 0, &t), STAT_TOO_FEW);
	assert_int_equal(budget_combine(c + 3, 1, &t), STAT_ZERO_VARIANCE);
	assert_int_equal(budget_combine(c, 4, &t), STAT_OK);
	assert_close(t.u_c, sqrt(9 + 4.0 / 3 + 4.0 / 6), 1e-14);
	for (int i = 0; i < 4; i++)
		share += c[i].share_pct;
	assert_close(share, 100, 1e-9);
	assert_close(t.nu_eff, 9 * pow(t.u_c, 4) / 81, 1e-10);
	assert_int_equal(budget_combine(c + 1, 2, &t), STAT_OK);
	assert_true(isinf(t.nu_eff));
	assert_int_equal(budget_expand(&t, 0.95, BUDGET_TRUNCATED, &k, &expanded), STAT_OK);
	assert_close(k, 1.959963984540054, 1e-13);
	assert_int_equal(budget_expand(&t, 1, BUDGET_CONTINUOUS, &k, &expanded), STAT_OUT_OF_RANGE);
	/* The scatter of ten replays, the uncertainty of their mean, and that of the references'
	 * mean: the first two are one estimate */
	struct budget_component ten[] = {
	    budget_component("repeatability", BUDGET_TYPE_A, BUDGET_NORMAL, 1, 9),
	    budget_component("mean of the replays", BUDGET_TYPE_A, BUDGET_NORMAL, sqrt(0.1), 9),
	    budget_component("mean of the references", BUDGET_TYPE_A, BUDGET_NORMAL, sqrt(0.041),
			     9),
	};
	assert_int_equal(budget_combine(ten, 3, &t), STAT_OK);
	assert_close(t.nu_eff, 11.58, 0.005);
	double u_c = t.u_c;
	ten[0].estimate = ten[1].estimate = 1;
	assert_int_equal(budget_combine(ten, 3, &t), STAT_OK);
	assert_close(t.u_c, u_c, 1e-14);
	assert_close(t.nu_eff, 9.67, 0.005);
	assert_close(ten[0].share_pct, 10 * ten[1].share_pct, 1e-12);
	ten[1].nu = 5; /* the fewest count */
	assert_int_equal(budget_combine(ten, 2, &t), STAT_OK);
	assert_close(t.nu_eff, 5, 1e-12);
	c[0].nu = 0.4;
	assert_int_equal(budget_combine(c, 1, &t), STAT_OK);
	assert_true(t.nu_raised && t.nu_eff == 1);
	c[0].u = 1e200;
	assert_int_equal(budget_combine(c, 4, &t), STAT_NOT_FINITE);
	c[0].u = -1;
	assert_int_equal(budget_combine(c, 4, &t), STAT_OUT_OF_RANGE);
	c[0].u = NAN;
	assert_int_equal(budget_combine(c, 4, &t), STAT_OUT_OF_RANGE);
}

static void test_lines_and_series(void **state)
{
	(void)state;
	struct regression r;
	struct lack_of_fit l;
	struct trend_test t;
	double v, p;
	assert_int_equal(regression_fit(rising, other, 2, &r), STAT_TOO_FEW);
	assert_int_equal(regression_fit(equal, other, 5, &r), STAT_ZERO_VARIANCE);
	assert_int_equal(lack_of_fit(rising, other, 5, &l), STAT_TOO_FEW); /* no x repeats */
	assert_int_equal(lack_of_fit((double[]){1, 1, 2, 2}, other, 4, &l), STAT_TOO_FEW);
	assert_int_equal(lack_of_fit((double[]){1, 1, 2, 2, 3}, (double[]){1, 1, 5, 5, 2}, 5, &l),
			 STAT_ZERO_VARIANCE);
	assert_int_equal(autocorrelation(equal, 5, 1, &v), STAT_ZERO_VARIANCE);
	assert_int_equal(autocorrelation(rising, 5, 5, &v), STAT_OUT_OF_RANGE);
	assert_int_equal(runs_test(equal, 5, &t), STAT_ZERO_VARIANCE);
	assert_int_equal(runs_test(one, 1, &t), STAT_TOO_FEW);
	assert_int_equal(mann_kendall(one, 1, &t), STAT_TOO_FEW);
	assert_int_equal(mann_kendall(equal, 5, &t), STAT_ZERO_VARIANCE);
	assert_int_equal(mann_kendall(with_nan, 5, &t), STAT_NOT_FINITE);
	assert_int_equal(mann_kendall(rising, 5, &t), STAT_OK);
	assert_true(t.statistic == 10);
	assert_int_equal(mann_kendall_attains(1, 0.05), STAT_TOO_FEW);
	assert_int_equal(mann_kendall_attains(4, 0.05), STAT_TOO_FEW_FOR_ALPHA);
	assert_int_equal(mann_kendall_attains(4, 2.0 / 24), STAT_OK);
	assert_int_equal(mann_kendall_attains(5, 0.05), STAT_OK);
	assert_int_equal(mann_kendall_attains(1000, 0), STAT_TOO_FEW_FOR_ALPHA);
	assert_int_equal(mann_kendall_exact(rising, 4, 0.05, &t), STAT_TOO_FEW_FOR_ALPHA);
	assert_int_equal(mann_kendall_exact(rising, 4, 0.1, &t), STAT_OK);
	assert_close(t.p, 2.0 / 24, 1e-16);
	assert_int_equal(mann_kendall_exact((double[]){1, 1, 2, 3, 4}, 5, 0.05, &t),
			 STAT_NOT_APPLICABLE);
	/* orders of 5 with at most 1 pair out of order: 1 + 4; of 6 with at most 3: 1 + 5 + 14 + 29
	 */
	assert_int_equal(mann_kendall_exact((double[]){2, 1, 3, 4, 5}, 5, 0.05, &t), STAT_OK);
	assert_close(t.p, 2 * 5.0 / 120, 1e-15);
	assert_int_equal(mann_kendall_exact((double[]){6, 5, 4, 1, 2, 3}, 6, 0.05, &t), STAT_OK);
	assert_close(t.p, 2 * 49.0 / 720, 1e-15);
	double many[MANN_KENDALL_EXACT_MAX_N + 1];
	for (size_t i = 0; i <= MANN_KENDALL_EXACT_MAX_N; i++)
		many[i] = i % 2 ? (double)i : -(double)i;
	assert_int_equal(mann_kendall_exact(many, MANN_KENDALL_EXACT_MAX_N + 1, 0.05, &t),
			 STAT_OUT_OF_RANGE);
	assert_int_equal(mann_kendall_exact(many, MANN_KENDALL_EXACT_MAX_N, 0.05, &t), STAT_OK);
	assert_true(t.p > 0 && t.p <= 1);
	assert_int_equal(von_neumann_ratio(equal, 5, &v), STAT_ZERO_VARIANCE);
	assert_int_equal(ljung_box(rising, 5, 5, &v, &p), STAT_OUT_OF_RANGE);
	assert_int_equal(shapiro_wilk(rising, 2, &v, &p), STAT_TOO_FEW);
	assert_int_equal(shapiro_wilk(equal, 5, &v, &p), STAT_ZERO_VARIANCE);
}

static void test_many_and_planning(void **state)
{
	(void)state;
	double p[] = {0.01, 0.04, 0.03}, out[3], level[3];
	uint64_t n;
	assert_int_equal(adjust_holm(NULL, 0, NULL), STAT_OK);
	assert_int_equal(adjust_holm((double[]){0.1, NAN}, 2, out), STAT_NOT_FINITE);
	assert_int_equal(adjust_holm((double[]){0.1, 1.5}, 2, out), STAT_OUT_OF_RANGE);
	assert_int_equal(adjust_holm(p, 3, p), STAT_OK); /* in place */
	assert_close(p[0], 0.03, 1e-15);
	assert_close(p[1], 0.06, 1e-15);
	assert_close(p[2], 0.06, 1e-15);
	assert_int_equal(replicates_for_mean(0.1, 0, 0.05, 0.8, &n), STAT_UNBOUNDED);
	assert_int_equal(replicates_for_mean(0.1, 1e-9, 0.05, 0.8, &n), STAT_UNBOUNDED);
	assert_int_equal(replicates_for_mean(NAN, 1, 0.05, 0.8, &n), STAT_OUT_OF_RANGE);
	assert_int_equal(replicates_for_mean(0, 1, 0.05, 0.8, &n), STAT_OK);
	assert_int_equal(n, 2);
	assert_int_equal(replicates_for_precision(2, 0.3, 2, 0.05, 0.8, &n), STAT_UNBOUNDED);
	assert_int_equal(replicates_for_precision(1, 1, 2, 0.05, 0.8, &n), STAT_OUT_OF_RANGE);
	double sd, below, above;
	assert_int_equal(sd_for_mean(1, 1, 0.05, 0.8, &sd), STAT_TOO_FEW);
	assert_int_equal(sd_for_mean(20, NAN, 0.05, 0.8, &sd), STAT_OUT_OF_RANGE);
	assert_int_equal(sd_for_mean(20, 0.1, 0.05, 0.8, &sd), STAT_OK);
	assert_int_equal(replicates_for_mean(sd * 0.999999, 0.1, 0.05, 0.8, &n), STAT_OK);
	assert_int_equal(n, 20); /* each is the inverse of the other */
	assert_int_equal(replicates_for_mean(sd * 1.000001, 0.1, 0.05, 0.8, &n), STAT_OK);
	assert_int_equal(n, 21);
	assert_int_equal(ratio_for_precision(2, 0.3, 2, 0.05, 0.8, &below, &above), STAT_TOO_FEW);
	assert_int_equal(ratio_for_precision(20, 1, 2, 0.05, 0.8, &below, &above),
			 STAT_OUT_OF_RANGE);
	assert_int_equal(ratio_for_precision(20, 0.3, 2, 0.05, 0.8, &below, &above), STAT_OK);
	assert_true(below < 2 && above > 2);
	assert_int_equal(replicates_for_precision(below * 0.999999, 0.3, 2, 0.05, 0.8, &n),
			 STAT_OK);
	assert_int_equal(n, 20);
	assert_int_equal(replicates_for_precision(above * 0.999999, 0.3, 2, 0.05, 0.8, &n),
			 STAT_OK);
	assert_int_equal(n, 21);
	assert_int_equal(replicates_for_halfwidth(1, 0, 0.95, &n), STAT_OUT_OF_RANGE);
	assert_int_equal(replicates_for_power_f(1, 0.8, 0.05, &n), STAT_UNBOUNDED);
	assert_int_equal(spending_levels(0.05, NULL, 0, level), STAT_TOO_FEW);
	assert_int_equal(spending_levels(0.05, (unsigned int[]){10, 10}, 2, level),
			 STAT_OUT_OF_RANGE);
	assert_int_equal(spending_levels(0.05, (unsigned int[]){0, 10}, 2, level),
			 STAT_OUT_OF_RANGE);
	assert_int_equal(spending_levels(0.05, (unsigned int[]){20}, 1, level), STAT_OK);
	assert_true(level[0] == 0.05);
	assert_int_equal(spending_levels(0.01, (unsigned int[]){10, 10000}, 2, level), STAT_OK);
	/* a baseline with a level of 0 is refused */
	assert_true(level[0] > 0 && level[0] < 1e-300 && level[1] == 0.01);
}

static void test_digits_and_names(void **state)
{
	(void)state;
	double v;
	struct named_call call = {0};
	struct named_result r;
	assert_int_equal(round_to_digits(0.0996, 2, &v), STAT_OK);
	assert_close(v, 0.10, 1e-17);
	/* 0.10: the last digit counts hundredths */
	assert_int_equal(numerical_tolerance(0.0996, 2, &v), STAT_OK);
	assert_close(v, 0.005, 1e-18);
	assert_int_equal(round_to_digits(0, 2, &v), STAT_OUT_OF_RANGE);
	assert_int_equal(round_to_digits(INFINITY, 2, &v), STAT_OUT_OF_RANGE);
	assert_int_equal(round_to_digits(1, 0, &v), STAT_OUT_OF_RANGE);
	assert_int_equal(named_compute("no_such_statistic", &call, &r), STAT_NOT_APPLICABLE);
	/* no data given */
	assert_int_equal(named_compute("mean", &call, &r), STAT_TOO_FEW);
	assert_int_equal(named_compute("norm_ppf", &call, &r), STAT_OUT_OF_RANGE); /* no p given */
	struct named_param bad = {"p", "half"};
	call.param = &bad;
	call.n_params = 1;
	assert_int_equal(named_compute("norm_ppf", &call, &r), STAT_OUT_OF_RANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_moments),
	    cmocka_unit_test(test_quantiles),
	    cmocka_unit_test(test_distributions),
	    cmocka_unit_test(test_two_samples),
	    cmocka_unit_test(test_pitman_morgan),
	    cmocka_unit_test(test_paper),
	    cmocka_unit_test(test_budget),
	    cmocka_unit_test(test_lines_and_series),
	    cmocka_unit_test(test_many_and_planning),
	    cmocka_unit_test(test_digits_and_names),
	};
	gsl_set_error_handler_off();
	return cmocka_run_group_tests_name("statuses of the statistics", tests, NULL, NULL);
}
