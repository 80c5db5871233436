/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distances of two empirical distributions.
 *
 * Kolmogorov-Smirnov: D = max |F_x - F_r|, evaluated after all ties at a point. Asymptotic p = 2
 * sum (-1)^{j-1} exp(-2 j^2 l^2), l = D sqrt(nm/(n+m)). Exact: the share of lattice paths from
 * (0,0) to (n,m) that reach |i/n - j/m| >= D; ties are ignored, which is conservative. Wasserstein:
 * integral of |F_x - F_r|, in the unit of the data. Source: Hodges (1958) for the paths; Vallender
 * (1974). */
#pragma once

#include "validate/stats/status.h"

/* Computes D. Errors: STAT_TOO_FEW (an empty sample), STAT_NOT_FINITE. */
enum stat_status ks_distance(const double *ref, size_t m, const double *rep, size_t n,
			     double *d) STAT_MUST_CHECK;
enum stat_status ks_p_asymptotic(const double *ref, size_t m, const double *rep, size_t n,
				 double *p) STAT_MUST_CHECK;
enum stat_status ks_p_exact(const double *ref, size_t m, const double *rep, size_t n,
			    double *p) STAT_MUST_CHECK;
enum stat_status wasserstein(const double *ref, size_t m, const double *rep, size_t n,
			     double *w) STAT_MUST_CHECK;
