/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences of means: Welch's t for independent samples, t for pairs, and t for the mean of one
 * sample.
 *
 * Welch: a = s_x^2/n, b = s_r^2/m, t = (mean_x - mean_r)/sqrt(a+b), degrees of freedom
 * (a+b)^2/(a^2/(n-1) + b^2/(m-1)). Pairs: t of d_i = x_i - r_i with n-1 degrees of freedom; both
 * values of a pair must come from the same block. Pairs of logarithms give the relative bias,
 * exp(mean d) - 1, of the default analysis. Source: Welch (1947); GUM 4.2.3 for the standard
 * uncertainty of a mean. */
#pragma once

#include "validate/stats/status.h"

struct t_estimate {
	double value; /* the mean, or the difference of means */
	double se;    /* its standard uncertainty, > 0 */
	double df;
	double t; /* value/se */
	double p; /* two-sided, against 0 */
};

/* Estimates the difference of the means of two samples. Errors: STAT_TOO_FEW (a sample has fewer
 * than two values), STAT_ZERO_VARIANCE (both are constant), STAT_NOT_FINITE. */
enum stat_status welch_test(const double *ref, size_t m, const double *rep, size_t n,
			    struct t_estimate *e) STAT_MUST_CHECK;

/* Estimates the mean difference of pairs. Errors: also STAT_NOT_PAIRED (n != m); STAT_ZERO_VARIANCE
 * if all differences are equal. */
enum stat_status paired_test(const double *ref, size_t m, const double *rep, size_t n,
			     struct t_estimate *e) STAT_MUST_CHECK;

/* Estimates the mean of d[n]. Errors: STAT_TOO_FEW, STAT_ZERO_VARIANCE, STAT_NOT_FINITE. */
enum stat_status mean_test(const double *d, size_t n, struct t_estimate *e) STAT_MUST_CHECK;

/* Computes the two-sided interval value -+ t_{(1+conf)/2}(df) se. */
enum stat_status t_interval(const struct t_estimate *e, double conf, double *lo,
			    double *hi) STAT_MUST_CHECK;

/* Sets d[i] = ln(rep[i]/ref[i]). Errors: STAT_NOT_FINITE, STAT_NEGATIVE_REFERENCE,
 * STAT_ZERO_REFERENCE, and STAT_OUT_OF_RANGE for a replay value <= 0. */
enum stat_status log_ratios(const double *ref, const double *rep, size_t n,
			    double *d) STAT_MUST_CHECK;

/* Checks references of a relative quantity. Errors: STAT_NOT_FINITE, STAT_NEGATIVE_REFERENCE or
 * STAT_ZERO_REFERENCE. */
enum stat_status reference_check(const double *ref, size_t m) STAT_MUST_CHECK;
