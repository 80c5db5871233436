/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Re-randomisation test of a mean over all 2^n sign vectors of the n deviations from a supposed
 * mean.
 *
 * If the order within each pair is drawn at random, the deviation of a pair from a constant effect
 * has a random sign, whatever disturbances the machine adds and however they depend on each other.
 * P is the share of the sign vectors with a sum at least as extreme as the observed one, which is
 * included: the smallest P is 2^-n. Exact up to SIGN_FLIP_EXACT values (sums of two halves, sorted
 * and counted against each other). Beyond that: saddlepoint approximation of Lugannani and Rice for
 * the cumulant generating function K(t) = sum ln cosh(t z_i), with an error of a few percent of P
 * (at most 15 % in the tests, with outliers). Source: Pitman (1937); Hartigan (1969) for the
 * limits; Robinson (1982) for the saddlepoint. */
#ifndef VALIDATE_STATS_SIGN_FLIP_H
#define VALIDATE_STATS_SIGN_FLIP_H

#include "validate/stats/status.h"

#define SIGN_FLIP_EXACT 20u

/* Shares of the 2^n sums of +-z[n] that are at least (`above`) and at most (`below`) the sum of z.
 * Exact for n up to 30; z finite. */
void sign_flip_exact(const double *z, size_t n, double *above, double *below);

/* P-values of the mean of d[n] against the value `at`: above is small if the mean is shown to be
 * larger. n >= 1, d finite. Both are 1 if all values equal `at`. */
void sign_flip_p(const double *d, size_t n, double at, double *above, double *below);

/* Limits of the mean with error alpha each: the values at which sign_flip_p() is alpha, by the
 * saddlepoint beyond 12 values. -INFINITY and INFINITY if 2^-n exceeds alpha. Errors: STAT_TOO_FEW
 * (n < 2), STAT_ZERO_VARIANCE, STAT_NOT_FINITE, STAT_OUT_OF_RANGE (alpha). */
enum stat_status sign_flip_limits(const double *d, size_t n, double alpha, double *lo,
				  double *hi) STAT_MUST_CHECK;

#endif
