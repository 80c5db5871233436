/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Effective number of replicates that may depend on earlier replicates, for small n.
 *
 * The dependence is modelled as a first-order autoregression. Its coefficient comes from the lag-1
 * autocorrelation r_1 of n values about their mean, which is too small by about (1 + 4 rho)/n. In
 * addition n values may hide a coefficient of (2.2 + 8/n)/n: rho = (r_1 + 1/n)/max(0.4, 1 - 4/n) +
 * (2.2 + 8/n)/n, limited to 0..0.98. Variance of the mean relative to independent values: V = 1 + 2
 * sum_{k<n} (1 - k/n) rho^k; effective number n/V. The sample variance is then too small by (n -
 * V)/(n - 1), so se = s/sqrt n sqrt(V (n-1)/(n-V)), with n/V - 1 degrees of freedom, at least 1.
 * For sums of products of two such series (a variance, or Pitman and Morgan's statistic), V is that
 * of the product of both coefficients.
 *
 * The constants were chosen by simulation (validate selftest stats; doc/statistics.md): at n = 10,
 * 20, 30, 60 and autocorrelations of 0, 0.3, 0.6, 0.8 the error of a one-sided test at 5 % is at
 * most 5 %. Batch means, cosine transforms, Newey-West with fixed-b critical values and a
 * preliminary test of lag 1 do not achieve this. Negative autocorrelation does not narrow anything.
 * Source: Marriott and Pope (1954), Kendall (1954) for the bias; Zieba and Ramza (2011) for the
 * effective number. */
#pragma once

#include "validate/stats/mean_difference.h"

struct serial {
	double lag1;	    /* r_1, uncorrected */
	double rho;	    /* the coefficient used, 0..0.98 */
	double inflation;   /* V, 1..n */
	double n_effective; /* n/V */
};

/* Estimates the dependence of x[n], in the order of time. Errors: STAT_TOO_FEW (n < 2),
 * STAT_ZERO_VARIANCE, STAT_NOT_FINITE. */
enum stat_status serial_dependence(const double *x, size_t n, struct serial *s) STAT_MUST_CHECK;

/* Returns the coefficient that n values show, without the hidden part; may be negative. */
double serial_rho_own(double lag1, double n);

/* Returns the dependence of one series among those of a replayer's n_cells cells; `mean` is the
 * mean of their serial_rho_own(). The coefficient is the larger of two values: mean + (2.2 + 8/n)/n
 * / sqrt(n_cells), because the cells together hide less; and the series' own coefficient minus its
 * standard error, 1/sqrt(n) of r_1, because half of all independent series show a positive
 * coefficient. */
struct serial serial_pooled(double lag1, size_t n, double mean, size_t n_cells);

/* Returns at least the dependence of a series that hides 2.5 times as much as serial_dependence()
 * allows for: for tests at levels far below 5 %. With n = 8 to 60 looks, an error of 1 % over all
 * of them and an autocorrelation of 0.6, the error of a one-sided test is 0.5 % instead of 1.7 %
 * (tests/unit/validate/test_claim.c). */
struct serial serial_cautious(const struct serial *s, size_t n);

/* Returns the dependence of n values that count as independent because it is unknown; lag1 is
 * NaN. */
struct serial serial_none(size_t n);

/* Returns V of n values with the coefficient rho, 0 <= rho < 1. */
double serial_inflation(double rho, double n);

/* Returns the dependence of the n products of two such series; for a variance pass the same series
 * twice. lag1 is the product of both, and 0 unless both are positive. */
struct serial serial_product(const struct serial *a, const struct serial *b, size_t n);

/* Returns the estimate of the mean, widened by the dependence; t comes from mean_test(). */
struct t_estimate serial_widen(const struct t_estimate *t, size_t n, const struct serial *s);

/* Returns the coefficient that is expected among n_then values if n values show r_1: more values
 * hide less. */
double serial_rho_among(double lag1, double n, double n_then);
