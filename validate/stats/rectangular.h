/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sum of n independent rectangular variables: the exact coverage interval that GUM's normal one is
 * compared with.
 *
 * P(X > x) = 1/n! sum over k < n-x of (-1)^k C(n,k) (n-x-k)^n for the sum X of n values uniform on
 * 0..1 (Irwin-Hall); in the upper tail this does not cancel. Source: Irwin (1927), Hall (1927);
 * JCGM 101, 9.2. */
#ifndef VALIDATE_STATS_RECTANGULAR_H
#define VALIDATE_STATS_RECTANGULAR_H

#include "validate/stats/status.h"

/* h with P(|S| <= h) = coverage, S the sum of n variables of mean 0 and standard deviation sd.
 * 1 <= n <= 20, 0 < coverage < 1.
 * Errors: STAT_OUT_OF_RANGE. */
enum stat_status rectangular_sum_halfwidth(unsigned int n, double sd, double coverage,
					   double *h) STAT_MUST_CHECK;

#endif
