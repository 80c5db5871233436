/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Multiple tests: adjusts P-values so that comparing each with alpha keeps the error of the whole
 * family.
 *
 * Holm: adjusted p_(j) = max over l <= j of min(1, (k-l+1) p_(l)): the probability of any false
 * rejection among k tests is <= alpha. Benjamini-Hochberg: min over l >= j of min(1, k p_(l)/l):
 * limits the expected share of false rejections. The family is determined before the run. The
 * caller leaves out a test without a P-value, and the report counts it. Source: Holm (1979);
 * Benjamini and Hochberg (1995). */
#pragma once

#include "validate/stats/status.h"

/* Writes the adjusted P-values of p[n] to adjusted[n], in the order of p; both may be the same
 * array. n may be 0. Errors: STAT_NOT_FINITE, STAT_OUT_OF_RANGE (outside 0..1). */
enum stat_status adjust_holm(const double *p, size_t n, double *adjusted) STAT_MUST_CHECK;
enum stat_status adjust_benjamini_hochberg(const double *p, size_t n,
					   double *adjusted) STAT_MUST_CHECK;

/* --- looks at a growing campaign ----------------------------------------- */

/* Several looks at a growing campaign: the part of alpha that each planned look may spend.
 *
 * Lan-DeMets spending of O'Brien-Fleming type: cumulative alpha*(t) = 2 - 2 Phi(z_{1-alpha/2}/sqrt
 * t) at information share t (replicates at the look over replicates at the last look), alpha*(1) =
 * alpha. Early looks get very little.
 *
 * Conservative use: the test at look k has level alpha*(t_k) - alpha*(t_{k-1}). By the union bound
 * the error over all looks is at most alpha, for any dependence between looks and any test (t,
 * Pitman-Morgan, Clopper-Pearson, or Holm over many); joint normality is not assumed. The cost: at
 * the last of six looks (10, 14, 20, 28, 40, 60) the level is 0.033 instead of the 0.044 of exact
 * boundaries of a normal process. Source: Lan and DeMets (1983). */

/* Sets level[n_looks] from the numbers of replicates at the looks, ascending and positive. With one
 * look level[0] = alpha. Every level is positive. Errors: STAT_TOO_FEW (no look),
 * STAT_OUT_OF_RANGE. */
enum stat_status spending_levels(double alpha, const unsigned int *look, size_t n_looks,
				 double *level) STAT_MUST_CHECK;

/* Corrects a P-value for a look after every replicate. The maximum of the standardised deviates
 * over all looks is that of a Brownian motion between n_min and n_max replicates. With span =
 * ln(n_max/n_min) the probability that it ever exceeds z = Phi^-1(1 - p) is about p + z phi(z)
 * span/2, at most 1. One-sided: correct before doubling, and before multiplying by a number of
 * tests. span 0: returns p. Source: Siegmund (1985), chapter 4; James, James and Siegmund
 * (1987). */
double sequential_p(double p, double span);
/* Returns the nominal level of each look: the p for which sequential_p(p, span) is alpha. 0 < alpha
 * < 0.5. */
double sequential_level(double alpha, double span);
