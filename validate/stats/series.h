/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replicates in the order of their runs: dependence and drift. For diagnosis, not for decisions.
 *
 * Autocorrelation: r_k = sum (x_i - mean)(x_{i+k} - mean)/sum (x_i - mean)^2 over i <= n-k. Runs
 * about the median, without values equal to it: z = (runs - mu)/sqrt v, mu = 2 a b/n + 1, v =
 * 2ab(2ab - n)/(n^2 (n-1)), a and b the numbers above and below. Mann-Kendall: S = sum over i<j of
 * sign(x_j - x_i); z = (S - sign S)/sqrt v with the variance corrected for ties; exact: 2 P(at most
 * as many of the n(n-1)/2 pairs against the trend), all orders equally likely. Von Neumann: sum
 * (x_{i+1} - x_i)^2/sum (x - mean)^2, near 2 for independent values. Ljung-Box: portmanteau of
 * r_1..r_L. Source: Wald and Wolfowitz (1940); Mann (1945), Kendall (1975); von Neumann (1941);
 * Ljung and Box (1978). */
#pragma once

#include "validate/stats/status.h"

/* All functions: x[n] in time order. Errors: STAT_TOO_FEW, STAT_ZERO_VARIANCE (a constant series),
 * STAT_NOT_FINITE; STAT_OUT_OF_RANGE for a lag of n or more. */
enum stat_status autocorrelation(const double *x, size_t n, size_t lag, double *r) STAT_MUST_CHECK;

/* Computes all lags 0..most (most < n) into r[most + 1]; uses a Fourier transform for many lags of
 * a long series. */
enum stat_status autocorrelations(const double *x, size_t n, size_t most,
				  double *r) STAT_MUST_CHECK;

/* Warning limit of |r_1|: 2/sqrt(n). */
double autocorrelation_warning(size_t n);

struct trend_test {
	double statistic; /* runs, or S */
	double z, p;	  /* p two-sided */
};
enum stat_status runs_test(const double *x, size_t n, struct trend_test *t) STAT_MUST_CHECK;
enum stat_status mann_kendall(const double *x, size_t n, struct trend_test *t) STAT_MUST_CHECK;

/* Checks whether n values can attain alpha. The smallest P-value of n values is 2/n!: 0.083 for 4,
 * so no trend over 4 levels is significant at 0.05. Errors: STAT_TOO_FEW (n < 2),
 * STAT_TOO_FEW_FOR_ALPHA. */
enum stat_status mann_kendall_attains(size_t n, double alpha) STAT_MUST_CHECK;

/* Mann-Kendall with p from all n! orders instead of the normal approximation, for the few levels of
 * a load. Errors: also STAT_NOT_APPLICABLE with ties, STAT_TOO_FEW_FOR_ALPHA, STAT_OUT_OF_RANGE (n
 * above the limit). */
#define MANN_KENDALL_EXACT_MAX_N 60u
enum stat_status mann_kendall_exact(const double *x, size_t n, double alpha,
				    struct trend_test *t) STAT_MUST_CHECK;

enum stat_status von_neumann_ratio(const double *x, size_t n, double *ratio) STAT_MUST_CHECK;
enum stat_status ljung_box(const double *x, size_t n, size_t lags, double *q,
			   double *p) STAT_MUST_CHECK;
