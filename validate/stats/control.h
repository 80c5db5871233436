/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Control charts, which detect a shift of a quantity that should stay constant.
 *
 * CUSUM: C+_i = max(0, C+ + z_i - k), C-_i = max(0, C- - z_i - k), from 0; a signal if either
 * exceeds h. Average run length by Siegmund: 1/(1/A(shift - k) + 1/A(-shift - k)), A(D) =
 * (exp(-2Db) + 2Db - 1)/(2D^2), A(0) = b^2, b = h + 1.166. Individuals and moving range: centre -+
 * 3 MR/d2, d2 = 2/sqrt pi; upper limit of a moving range MR (1 + 3 d3/d2), d3 = sqrt(2 - 4/pi).
 * EWMA: E_i = lambda z_i + (1 - lambda) E_{i-1}, from 0, limits l sqrt(lambda/(2 - lambda) (1 - (1
 * - lambda)^{2i})). c4 = sqrt(2/(n-1)) Gamma(n/2)/Gamma((n-1)/2); d2(n) = integral of 1 - Phi^n -
 * (1 - Phi)^n. Source: ISO 7870; Page (1954); Siegmund (1985); Montgomery, Statistical quality
 * control. */
#pragma once

#include "validate/stats/status.h"

struct cusum {
	double plus, minus;
};
/* Computes at[n], a point for each value. Errors: STAT_NOT_FINITE. */
enum stat_status cusum(const double *z, size_t n, double k, struct cusum *at) STAT_MUST_CHECK;
/* 1-based, 0: none. */
size_t cusum_first_signal(const struct cusum *at, size_t n, double h);
enum stat_status cusum_run_length(double h, double k, double shift, double *arl) STAT_MUST_CHECK;

struct individuals_chart {
	double center, mr_bar, sigma, upper, lower, mr_upper;
	size_t n_out; /* number of values outside lower..upper */
};
/* Computes limits from the first `base` values (at least 2). Errors: STAT_TOO_FEW,
 * STAT_NOT_FINITE. */
enum stat_status individuals_chart(const double *x, size_t n, size_t base,
				   struct individuals_chart *c) STAT_MUST_CHECK;

/* 0 < lambda <= 1. */
enum stat_status ewma(const double *z, size_t n, double lambda, double *at) STAT_MUST_CHECK;
double ewma_limit(size_t i, double lambda, double l); /* i is 1-based */

enum stat_status chart_c4(double n, double *c4) STAT_MUST_CHECK;
enum stat_status chart_d2(unsigned int n, double *d2) STAT_MUST_CHECK;
