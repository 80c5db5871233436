/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ratio of independent means with Fieller's interval, and equivalence by two one-sided tests.
 *
 * Fieller: A = mean_r^2 - t^2 s_r^2/m, B = mean_r mean_x, C = mean_x^2 - t^2 s_x^2/n, t at Welch's
 * degrees of freedom; limits (B -+ sqrt(B^2 - AC))/A. If A <= 0, the reference mean does not differ
 * from 0 and the interval is unbounded. TOST: d = mean_x - mean_r, margin theta; p = max(P(T >
 * (d+theta)/SE), P(T < (d-theta)/SE)). Source: Fieller (1954); Schuirmann (1987). */
#pragma once

#include "validate/stats/status.h"

/* Computes Fieller's interval. Errors: STAT_UNBOUNDED, STAT_ZERO_REFERENCE, and those of
 * welch_test. */
enum stat_status fieller_interval(const double *ref, size_t m, const double *rep, size_t n,
				  double conf, double *lo, double *hi) STAT_MUST_CHECK;

struct equivalence {
	double p_lower, p_upper, p; /* p is the larger */
};

/* Makes the two one-sided tests (TOST) with a margin of margin_pct of |mean_r|. Errors: those of
 * welch_test; STAT_OUT_OF_RANGE for a margin <= 0. */
enum stat_status equivalence_test(const double *ref, size_t m, const double *rep, size_t n,
				  double margin_pct, struct equivalence *e) STAT_MUST_CHECK;

/* Computes the 1 - 2 alpha interval of the difference, in % of mean_r: it is inside the margins
 * exactly when p <= alpha. */
enum stat_status equivalence_interval_pct(const double *ref, size_t m, const double *rep, size_t n,
					  double alpha, double *lo, double *hi) STAT_MUST_CHECK;
