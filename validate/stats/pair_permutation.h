/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Precision ratio of pairs without a distribution: permutation of the labels within pairs.
 *
 * Hypothesis: sigma_x = limit sigma_r, and x/limit and r have, but for their location, the same
 * distribution within each pair, of whatever shape. Then u_i = (x_i - median x)/limit and v_i = r_i
 * - median r may be swapped in any of the n pairs, and all 2^n outcomes are equally likely.
 * Statistic: sum u_i^2 - sum v_i^2, which a swap changes by the sign of z_i = u_i^2 - v_i^2. P =
 * share of the outcomes at least as extreme, the one that was observed among them, so it is never
 * 0: exact up to PAIR_PERMUTATION_EXACT pairs, by a saddlepoint beyond (stats/sign_flip.h).
 *
 * A normal theory (pitman_morgan.h) takes one value far off for scatter; here it counts for one
 * pair: with one such pair P is about a half. The smallest P is 2^-n: 0.001 of 10 pairs, 1e-6
 * of 20. About the means, which a value far off moves, the size of the test at 0.05 and n = 20 was
 * up to 0.10 (normal with outliers, exponential); about the medians 0.04 to 0.053 of all
 * distributions tried. Source: Pitman (1937); Good, Permutation, parametric and bootstrap tests of
 * hypotheses; Phipson and Smyth (2010) for the added one. */
#ifndef VALIDATE_STATS_PAIR_PERMUTATION_H
#define VALIDATE_STATS_PAIR_PERMUTATION_H

#include "validate/stats/status.h"

#define PAIR_PERMUTATION_EXACT 30u

/* P against sigma_x <= limit sigma_r (`above`, small when x scatters more than the limit allows)
 * and against sigma_x >= limit sigma_r (`below`). ref[n], rep[n]; limit > 0. Errors: STAT_TOO_FEW
 * (n < 3), STAT_ZERO_VARIANCE (both constant), STAT_NOT_FINITE, STAT_OUT_OF_RANGE. */
enum stat_status pair_permutation_p(const double *ref, const double *rep, size_t n, double limit,
				    double *p_above, double *p_below) STAT_MUST_CHECK;

#endif
