/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distribution-free test of the precision ratio of pairs: permutation of the labels within pairs.
 *
 * Hypothesis: sigma_x = limit sigma_r, and x/limit and r have, apart from their location, the same
 * distribution within each pair. Then u_i = (x_i - median x)/limit and v_i = r_i - median r may be
 * swapped in any of the n pairs, and all 2^n outcomes are equally likely. Statistic: sum u_i^2 -
 * sum v_i^2; a swap changes the sign of z_i = u_i^2 - v_i^2. P is the share of the outcomes at
 * least as extreme, including the observed one, so it is never 0. It is exact up to
 * PAIR_PERMUTATION_EXACT pairs and beyond that a saddlepoint approximation (stats/sign_flip.h).
 *
 * Normal theory (pitman_morgan.h) mistakes one outlier for scatter. Here an outlier counts as one
 * pair, and P is then about 1/2. The smallest P is 2^-n: 0.001 for 10 pairs, 1e-6 for 20. An
 * outlier moves the means: about the means the size of the test at 0.05 and n = 20 was up to 0.10
 * (normal with outliers, exponential), about the medians 0.04 to 0.053 for all distributions tried.
 * Source: Pitman (1937); Good, Permutation, parametric and bootstrap tests of hypotheses; Phipson
 * and Smyth (2010) for the added one. */
#ifndef VALIDATE_STATS_PAIR_PERMUTATION_H
#define VALIDATE_STATS_PAIR_PERMUTATION_H

#include "validate/stats/status.h"

#define PAIR_PERMUTATION_EXACT 30u

/* P-values against sigma_x <= limit sigma_r (`above`, small if x scatters more than the limit
 * allows) and against sigma_x >= limit sigma_r (`below`). ref[n], rep[n]; limit > 0. Errors:
 * STAT_TOO_FEW (n < 3), STAT_ZERO_VARIANCE (both constant), STAT_NOT_FINITE, STAT_OUT_OF_RANGE. */
enum stat_status pair_permutation_p(const double *ref, const double *rep, size_t n, double limit,
				    double *p_above, double *p_below) STAT_MUST_CHECK;

#endif
