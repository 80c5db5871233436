/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking more than once: how much of alpha may be spent at each planned look.
 *
 * Lan-DeMets spending of O'Brien-Fleming type: cumulative alpha*(t) = 2 - 2 Phi(z_{1-alpha/2}/sqrt
 * t) at information share t (replicates at the look over replicates at the last), alpha*(1) =
 * alpha. Early looks get next to nothing.
 *
 * Used conservatively: the test at look k has level alpha*(t_k) - alpha*(t_{k-1}). By the union
 * bound the error over all looks is at most alpha, whatever the dependence between looks and
 * whatever the test (t, Pitman-Morgan, Clopper-Pearson, or Holm over many); no joint normality is
 * assumed. The price at the last of six looks (10, 14, 20, 28, 40, 60) is a level of 0.033 instead
 * of the 0.044 that exact boundaries of a normal process would allow. Source: Lan and DeMets
 * (1983). */
#ifndef VALIDATE_STATS_SPENDING_H
#define VALIDATE_STATS_SPENDING_H

#include "validate/stats/status.h"

/* level[n_looks] of the test at each look from the replicates at each, ascending and positive.
 * One look: level[0] = alpha. However early a look, its level is positive. Errors: STAT_TOO_FEW (no
 * look), STAT_OUT_OF_RANGE. */
enum stat_status spending_levels(double alpha, const unsigned int *look, size_t n_looks,
				 double *level) STAT_MUST_CHECK;

/* A P-value of a look at any time, of a test that may be made after every replicate. The largest of
 * the standardised deviates over all looks is that of a Brownian motion between n_min and n_max
 * replicates; with span = ln(n_max/n_min) the chance that it ever exceeds z = Phi^-1(1 - p) is
 * about p + z phi(z) span/2, at most 1. One-sided: correct before doubling, and before multiplying
 * by a number of tests. span 0: p itself. Source: Siegmund (1985), chapter 4; James, James and
 * Siegmund (1987). */
double sequential_p(double p, double span);
/* The p for which sequential_p(p, span) is alpha: the nominal level of each look. 0 < alpha < 0.5.
 */
double sequential_level(double alpha, double span);

#endif
