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
#pragma once

#include "validate/stats/status.h"

#define SIGN_FLIP_EXACT 20u

/* Computes the shares of the 2^n sums of +-z[n] that are at least (`above`) and at most (`below`)
 * the sum of z. Exact for n up to 30; z must be finite. */
void sign_flip_exact(const double *z, size_t n, double *above, double *below);

/* Computes P-values of the mean of d[n] against the value `at`: above is small if the mean is shown
 * to be larger. n >= 1, d finite. Both are 1 if all values equal `at`. */
void sign_flip_p(const double *d, size_t n, double at, double *above, double *below);

/* Computes limits of the mean with error alpha each: the values at which sign_flip_p() is alpha, by
 * the saddlepoint for more than 12 values. -INFINITY and INFINITY if 2^-n exceeds alpha. Errors:
 * STAT_TOO_FEW (n < 2), STAT_ZERO_VARIANCE, STAT_NOT_FINITE, STAT_OUT_OF_RANGE (alpha). */
enum stat_status sign_flip_limits(const double *d, size_t n, double alpha, double *lo,
				  double *hi) STAT_MUST_CHECK;

/* --- precision ratio of pairs -------------------------------------------- */

/* Distribution-free test of the precision ratio of pairs: permutation of the labels within pairs.
 *
 * Hypothesis: sigma_x = limit sigma_r, and x/limit and r have, apart from their location, the same
 * distribution within each pair. Then u_i = (x_i - median x)/limit and v_i = r_i - median r may be
 * swapped in any of the n pairs, and all 2^n outcomes are equally likely. Statistic: sum u_i^2 -
 * sum v_i^2; a swap changes the sign of z_i = u_i^2 - v_i^2. P is the share of the outcomes at
 * least as extreme, including the observed one, so it is never 0. It is exact up to
 * PAIR_PERMUTATION_EXACT pairs and beyond that a saddlepoint approximation.
 *
 * Normal theory (pitman_morgan.h) mistakes one outlier for scatter. Here an outlier counts as one
 * pair, and P is then about 1/2. The smallest P is 2^-n: 0.001 for 10 pairs, 1e-6 for 20. An
 * outlier moves the means: about the means the size of the test at 0.05 and n = 20 was up to 0.10
 * (normal with outliers, exponential), about the medians 0.04 to 0.053 for all distributions tried.
 * Source: Pitman (1937); Good, Permutation, parametric and bootstrap tests of hypotheses; Phipson
 * and Smyth (2010) for the added one. */

#define PAIR_PERMUTATION_EXACT 30u

/* Computes P-values against sigma_x <= limit sigma_r (`above`, small if x scatters more than the
 * limit permits) and against sigma_x >= limit sigma_r (`below`). ref[n], rep[n]; limit > 0. Errors:
 * STAT_TOO_FEW (n < 3), STAT_ZERO_VARIANCE (both constant), STAT_NOT_FINITE, STAT_OUT_OF_RANGE. */
enum stat_status pair_permutation_p(const double *ref, const double *rep, size_t n, double limit,
				    double *p_above, double *p_below) STAT_MUST_CHECK;
