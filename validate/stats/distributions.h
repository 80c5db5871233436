/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distribution functions, computed by GSL, with domain checks instead of GSL's error handler.
 *
 * Quantiles are of the lower tail, and defined for 0 < p < 1 and positive, possibly fractional
 * degrees of freedom; other arguments give STAT_OUT_OF_RANGE. df may be INFINITY for Student's t
 * (the normal distribution). Tails return doubles and are defined for every finite argument; the
 * caller ensures positive degrees of freedom. GSL 2.7.1's inverses agree with 40-digit arithmetic
 * to 4e-14. If an inverse fails, its tail is inverted by bisection. */
#pragma once

#include "validate/stats/status.h"

enum stat_status normal_quantile(double p, double *q) STAT_MUST_CHECK;
enum stat_status t_quantile(double p, double df, double *q) STAT_MUST_CHECK;
enum stat_status f_quantile(double p, double df1, double df2, double *q) STAT_MUST_CHECK;
enum stat_status chi2_quantile(double p, double df, double *q) STAT_MUST_CHECK;

double normal_below(double z); /* P(Z <= z) */
double normal_above(double z); /* P(Z >= z) */
double t_below(double t, double df);
double t_above(double t, double df);
double t_two_sided(double t, double df); /* P(|T| >= |t|) */
double f_above(double f, double df1, double df2);
double f_below(double f, double df1, double df2);
double chi2_above(double q, double df);

/* Returns ln |gamma(x)|, x > 0. Unlike lgamma() of the C library, it writes no variable that all
 * threads share. */
double log_gamma(double x);

/* P(|Z| <= k), P(|T| <= k): the coverage of +-k standard uncertainties. */
double normal_coverage(double k);
double t_coverage(double k, double df);

/* Clopper-Pearson limits of a share: k of n, 0 < conf < 1. lo = quantile of Beta(k, n-k+1) at
 * (1-conf)/2, 0 for k = 0; hi = quantile of Beta(k+1, n-k) at (1+conf)/2, 1 for k = n. Errors:
 * STAT_TOO_FEW (n = 0), STAT_OUT_OF_RANGE, STAT_NOT_CONVERGED. */
enum stat_status clopper_pearson(double k, double n, double conf, double *lo,
				 double *hi) STAT_MUST_CHECK;

/* Tails of the binomial distribution, 0 <= p <= 1, n > 0: P(B >= k) and P(B <= k). If k and n - k
 * exceed about 1e6, the relative error is up to 1e-5. */
double binomial_at_least(double k, double n, double p);
double binomial_at_most(double k, double n, double p);
