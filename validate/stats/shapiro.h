/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shapiro-Wilk test of normality, 3 <= n <= 5000. Shown beside the F test; no decision depends on
 * it.
 *
 * Formula: W = (sum a_i x_(i))^2/sum (x - mean)^2, a from normal scores m_i = Phi^-1((i - 3/8)/(n +
 * 1/4)) with polynomial corrections of the outermost one or two; ln(1 - W) (n >= 12) or -ln(gamma -
 * ln(1 - W)) is then nearly normal. Source: Royston, Remark AS R94 (1995), including the
 * constants. */
#pragma once

#include "validate/stats/status.h"

/* Computes W and its P-value. Errors: STAT_TOO_FEW (n < 3), STAT_OUT_OF_RANGE (n > 5000),
 * STAT_ZERO_VARIANCE, STAT_NOT_FINITE. */
enum stat_status shapiro_wilk(const double *x, size_t n, double *w, double *p) STAT_MUST_CHECK;
