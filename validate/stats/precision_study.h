/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Repeatability and reproducibility from a study in groups (sessions, days, machines), and outliers
 * among the groups.
 *
 * s_r^2 = MS_within, s_L^2 = max(0, (MS_between - MS_within)/n0), s_R^2 = s_r^2 + s_L^2; limits r =
 * 2.8 s_r, R = 2.8 s_R. Interval of s_R: s_R^2 = MS_between/n0 + (1 - 1/n0) MS_within is a sum with
 * positive coefficients c_i of mean squares S_i with nu_i degrees of freedom. Its limits are s^2 -
 * sqrt(sum (G_i c_i S_i)^2) and s^2 + sqrt(sum (H_i c_i S_i)^2), G_i = 1 - nu_i/chi2_0.975(nu_i),
 * H_i = nu_i/chi2_0.025(nu_i) - 1 (modified large-sample method; Graybill and Wang 1980).
 *
 * Cochran: C = max s_i^2/sum s_i^2, critical 1/(1 + (p-1)/F_{1-alpha/p}(n-1, (p-1)(n-1))). Grubbs,
 * on group means: G = (max - mean)/s or (mean - min)/s, critical (p-1)/sqrt p sqrt(t^2/(p-2+t^2)),
 * t = t_{1-alpha/(2p)}(p-2); double test: sum of squares without the two extremes over the sum of
 * all (a small value is suspect). Mandel: h_i = (mean_i - mean)/s(means), k_i = s_i/sqrt(sum
 * s^2/p), critical (p-1)t/sqrt(p(t^2+p-2)) with t_{1-alpha/2}(p-2), and sqrt(pF/(F+p-1)) with
 * F_{1-alpha}(n-1, (p-1)(n-1)).
 *
 * Critical range: f(n) = p-quantile of the range of n standard normal values. Critical differences:
 * see the functions. Source: ISO 5725-2 and 5725-6; Cochran (1941), Grubbs (1950), Mandel
 * (1985). */
#pragma once

#include "validate/stats/anova.h"

struct precision_study {
	double s_r, s_R;
	double s_R_lo95, s_R_hi95; /* valid for normal values and groups of about equal size */
	/* variance between groups: the unbiased estimate, which may be negative, and the estimate
	 * limited to >= 0 */
	double s_L2_raw, s_L2;
};
enum stat_status precision_study(const struct values *groups, size_t n_groups,
				 struct precision_study *p) STAT_MUST_CHECK;

/* Outlier statistics of group means and standard deviations; there must be at least two groups with
 * at least two values each. */
struct group_outliers {
	/* status of cochran and k: STAT_ZERO_VARIANCE, no scatter within any group */
	enum stat_status spread_status;
	double cochran;
	/* status of the other members: STAT_TOO_FEW for two groups, STAT_ZERO_VARIANCE for equal
	 * means */
	enum stat_status means_status;
	double grubbs_max, grubbs_min, grubbs_double_high, grubbs_double_low;
	/* Mandel's statistics of each group; 0 if undefined. Owned: group_outliers_release */
	double *h, *k;
};
/* Computes the statistics. Errors: STAT_TOO_FEW, STAT_NOT_FINITE; then there is nothing to
 * release. */
enum stat_status group_outliers(const struct values *groups, size_t n_groups,
				struct group_outliers *o) STAT_MUST_CHECK;
void group_outliers_release(struct group_outliers *o);

/* Critical values for p groups of n values. Errors: STAT_OUT_OF_RANGE. */
enum stat_status cochran_critical(double alpha, double p, double n, double *c) STAT_MUST_CHECK;
enum stat_status grubbs_critical(double alpha, double p, double *g) STAT_MUST_CHECK;
enum stat_status mandel_h_critical(double alpha, double p, double *h) STAT_MUST_CHECK;
enum stat_status mandel_k_critical(double alpha, double p, double n, double *k) STAT_MUST_CHECK;

/* Finds q with n integral phi(x) [Phi(x+q) - Phi(x)]^(n-1) dx = p; 2 <= n <= 1000. */
enum stat_status critical_range_factor(unsigned int n, double p, double *q) STAT_MUST_CHECK;

/* Critical differences: n results of a laboratory against a reference; two laboratories; two series
 * in one laboratory. factor: 2.8, or 1.96 sqrt 2. */
enum stat_status critical_difference_reference(double sigma_R, double sigma_r, double n,
					       double factor, double *cd) STAT_MUST_CHECK;
enum stat_status critical_difference_two(double sigma_R, double sigma_r, double n1, double n2,
					 double factor, double *cd) STAT_MUST_CHECK;
enum stat_status critical_difference_within(double sigma_r, double n1, double n2, double factor,
					    double *cd) STAT_MUST_CHECK;

/* Finds the final result of two determinations, with further determinations if they differ too much
 * (cr = factors f2, f3, f4 times sigma_r). `cheap`: two further determinations at once; otherwise
 * one, then another. `more` has these results, n_more is 0..2. Errors: STAT_TOO_FEW if the
 * procedure needs a result that is missing. */
enum accept_route { ACCEPT_MEAN2, ACCEPT_MEAN3, ACCEPT_MEAN4, ACCEPT_MEDIAN3, ACCEPT_MEDIAN4 };
extern const char *const accept_route_names[];
enum stat_status accept_result(const double first[2], const double *more, size_t n_more, bool cheap,
			       double sigma_r, const double cr[3], enum accept_route *route,
			       double *value) STAT_MUST_CHECK;

/* Algorithm A: computes a robust mean and standard deviation with the rounded constants 1.483, 1.5,
 * 1.134. Errors: STAT_TOO_FEW, STAT_ZERO_VARIANCE (more than half of the values are equal),
 * STAT_NOT_CONVERGED, STAT_NOT_FINITE. */
enum stat_status algorithm_a(const double *x, size_t n, double *location,
			     double *scale) STAT_MUST_CHECK;
