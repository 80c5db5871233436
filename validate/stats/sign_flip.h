/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Re-randomisation test of a mean: all 2^n ways of giving the n deviations from a supposed mean
 * either sign.
 *
 * Where the order inside each pair is drawn, the deviation of a pair from a constant effect has a
 * random sign, whatever the machine adds to each pair and however those additions depend on each
 * other. P is the share of the sign vectors whose sum is at least as extreme as the observed one,
 * which is among them: the smallest P is 2^-n. Exact up to SIGN_FLIP_EXACT values (the sums of two
 * halves, sorted and counted against each other); beyond that the saddlepoint approximation of
 * Lugannani and Rice for the cumulant generating function K(t) = sum ln cosh(t z_i), off by a few
 * percent of P (15 % at most in the tests, with values far off). Source: Pitman (1937); Hartigan
 * (1969) for the limits; Robinson (1982) for the saddlepoint. */
#ifndef VALIDATE_STATS_SIGN_FLIP_H
#define VALIDATE_STATS_SIGN_FLIP_H

#include "validate/stats/status.h"

#define SIGN_FLIP_EXACT 20u

/* Of the 2^n sums of z[n] with either sign, the shares that are at least (`above`) and at most
 * (`below`) the sum of z as it is. Exact for n up to 30; z finite. */
void sign_flip_exact(const double *z, size_t n, double *above, double *below);

/* P-values of the mean of d[n] against the value `at`: above, small when the mean is shown to be
 * larger. n >= 1, d finite. Values that all equal `at` give 1 and 1. */
void sign_flip_p(const double *d, size_t n, double at, double *above, double *below);

/* The limits of the mean, each with error alpha: the values at which sign_flip_p() is alpha, beyond
 * 12 values by the saddlepoint. -INFINITY and INFINITY where 2^-n is above alpha. Errors:
 * STAT_TOO_FEW (n < 2), STAT_ZERO_VARIANCE, STAT_NOT_FINITE, STAT_OUT_OF_RANGE (alpha). */
enum stat_status sign_flip_limits(const double *d, size_t n, double alpha, double *lo,
				  double *hi) STAT_MUST_CHECK;

#endif
