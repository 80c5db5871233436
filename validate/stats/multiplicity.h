/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many tests at once: P-values adjusted so that comparing each with alpha holds the error of the
 * whole family.
 *
 * Holm: adjusted p_(j) = max over l <= j of min(1, (k-l+1) p_(l)): any false rejection among k has
 * probability <= alpha. Benjamini-Hochberg: min over l >= j of min(1, k p_(l)/l): the expected
 * share of false ones among the rejections. The family is fixed before the run; a test without a
 * p-value is left out by the caller, and counted in the report. Source: Holm (1979); Benjamini and
 * Hochberg (1995). */
#ifndef VALIDATE_STATS_MULTIPLICITY_H
#define VALIDATE_STATS_MULTIPLICITY_H

#include "validate/stats/status.h"

/* p[n] to adjusted[n], in the order given; the two may be the same array. n = 0 is fine.
 * Errors: STAT_NOT_FINITE, STAT_OUT_OF_RANGE (outside 0..1). */
enum stat_status adjust_holm(const double *p, size_t n, double *adjusted) STAT_MUST_CHECK;
enum stat_status adjust_benjamini_hochberg(const double *p, size_t n,
					   double *adjusted) STAT_MUST_CHECK;

#endif
