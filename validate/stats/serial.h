/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What replicates that may depend on their predecessors are worth: few values, as many as a
 * campaign has.
 *
 * A first-order autoregression is taken for their dependence. Its coefficient, from the lag-1
 * autocorrelation r_1 of n values about their own mean, which is too small by about (1 + 4 rho)/n,
 * and with (2.2 + 8/n)/n added, which n values may hide: rho = (r_1 + 1/n)/max(0.4, 1 - 4/n) + (2.2
 * + 8/n)/n, cut to 0..0.98. Variance of the mean over that of independent values: V = 1 + 2
 * sum_{k<n} (1 - k/n) rho^k; n/V values' worth. The sample variance is too small by (n - V)/(n - 1)
 * then, so that se = s/sqrt n sqrt(V (n-1)/(n-V)), with n/V - 1 degrees of freedom, at least 1.
 * Sums of products of two such series, as those of a variance or of Pitman and Morgan's statistic,
 * have V of the product of both coefficients.
 *
 * Chosen by simulation (validate selftest stats; doc/statistics.md): at n = 10, 20, 30, 60 and
 * autocorrelations of 0, 0.3, 0.6, 0.8 a one-sided test at 5 % errs in 5 % or less, which batch
 * means, cosine transforms, Newey and West with fixed-b critical values and a test of lag 1
 * beforehand do not. Nothing is narrowed for negative autocorrelation. Source: Marriott and Pope
 * (1954), Kendall (1954) for the bias; Zieba and Ramza (2011) for the effective number. */
#ifndef VALIDATE_STATS_SERIAL_H
#define VALIDATE_STATS_SERIAL_H

#include <stddef.h>

#include "validate/stats/mean_difference.h"
#include "validate/stats/status.h"

struct serial {
	double lag1;	    /* r_1 as it is */
	double rho;	    /* the coefficient taken, 0..0.98 */
	double inflation;   /* V, 1..n */
	double n_effective; /* n/V */
};

/* x[n] in the order of time. Errors: STAT_TOO_FEW (n < 2), STAT_ZERO_VARIANCE, STAT_NOT_FINITE. */
enum stat_status serial_dependence(const double *x, size_t n, struct serial *s) STAT_MUST_CHECK;

/* The coefficient as n values show it, without what they may hide; negative ones stay. */
double serial_rho_own(double lag1, double n);

/* Of one series among those of n_cells cells that a replayer has, `mean` being the mean of their
 * serial_rho_own(): the larger of mean + (2.2 + 8/n)/n / sqrt(n_cells), for the cells together hide
 * less than each, and of the series' own coefficient less its standard error, 1/sqrt(n) of r_1, for
 * half of all independent series show a positive one. */
struct serial serial_pooled(double lag1, size_t n, double mean, size_t n_cells);

/* Of n values of which it is not known: as if independent, lag1 NaN. */
struct serial serial_none(size_t n);

/* V of n values with the coefficient rho, 0 <= rho < 1. */
double serial_inflation(double rho, double n);

/* Of the n products of two such series: the square of one of them, for its variance. lag1 is the
 * product of both, 0 unless both are positive. */
struct serial serial_product(const struct serial *a, const struct serial *b, size_t n);

/* The mean of n values as it is known where they depend on each other so; t is what mean_test()
 * says of them. */
struct t_estimate serial_widen(const struct t_estimate *t, size_t n, const struct serial *s);

/* The coefficient, when the r_1 of n values is met again among n_then: what those may hide is
 * less. */
double serial_rho_among(double lag1, double n, double n_then);

#endif
