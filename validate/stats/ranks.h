/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two samples by ranks: Mann-Whitney, Hodges-Lehmann, Vargha-Delaney.
 *
 * U_x = #(x > r) + 1/2 #(x = r) over all pairs. Asymptotic: z = (|U - nm/2| - 1/2)/sigma,
 * sigma^2 = nm/12 [(N+1) - sum(t^3 - t)/(N(N-1))] over groups of t ties. Exact: 2 P(U >= max(U, nm
 * - U)), capped at 1, by the recurrence P(n,m,u) = n/(n+m) P(n-1,m,u-m) + m/(n+m) P(n,m-1,u); only
 * without ties. A12 = U/(nm); shift: median of all x_i - r_j. Not a test of medians unless the
 * shapes agree. Source: Mann and Whitney (1947); Hodges and Lehmann (1963); Vargha and Delaney
 * (2000). */
#pragma once

#include "validate/stats/status.h"

/* All functions: ref[m], rep[n]. Errors: STAT_TOO_FEW (an empty sample), STAT_NOT_FINITE. */
enum stat_status mann_whitney_u(const double *ref, size_t m, const double *rep, size_t n,
				double *u) STAT_MUST_CHECK;
/* Errors: also STAT_ZERO_VARIANCE: all values are tied. */
enum stat_status mann_whitney_p(const double *ref, size_t m, const double *rep, size_t n,
				double *p) STAT_MUST_CHECK;
/* Errors: also STAT_NOT_APPLICABLE with ties, STAT_OUT_OF_RANGE for nm > 10000. */
enum stat_status mann_whitney_p_exact(const double *ref, size_t m, const double *rep, size_t n,
				      double *p) STAT_MUST_CHECK;
/* Computes the smallest two-sided P-value of n and m values without ties, 2/C(n+m, n): 4 and 4
 * values suffice for 0.05. */
enum stat_status mann_whitney_least_p(double m, double n, double *p) STAT_MUST_CHECK;
enum stat_status vargha_delaney(const double *ref, size_t m, const double *rep, size_t n,
				double *a12) STAT_MUST_CHECK;
enum stat_status hodges_lehmann(const double *ref, size_t m, const double *rep, size_t n,
				double *shift) STAT_MUST_CHECK;
