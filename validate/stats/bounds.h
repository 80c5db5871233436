/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distribution-free bounds.
 *
 * Quantile by order statistics: with B ~ Bin(n, p), the lower rank is the smallest l >= 0 with P(B
 * <= l) > (1-conf)/2 (0: minus infinity); the upper rank is the (1+conf)/2-quantile of B, plus 1
 * (n+1: infinity); coverage P(l <= B <= u-1). Dvoretzky-Kiefer-Wolfowitz: |F_n - F| <=
 * sqrt(ln(2/alpha)/(2n)). Hoeffding: P(|mean - mu| >= t) <= 2 exp(-2nt^2/(b-a)^2). All bounds
 * assume independent values; for the requests of a single run use an effective number. Source:
 * David and Nagaraja, Order statistics; Massart (1990); Hoeffding (1963). */
#pragma once

#include "validate/stats/status.h"

struct order_interval {
	uint64_t lower, upper; /* ranks from 1; 0 or n+1 if the bound is infinite */
	double coverage;
};

/* Finds the ranks. Errors: STAT_TOO_FEW (n = 0), STAT_OUT_OF_RANGE. */
enum stat_status order_interval(uint64_t n, double p, double conf,
				struct order_interval *o) STAT_MUST_CHECK;
enum stat_status dkw_epsilon(double n, double alpha, double *epsilon) STAT_MUST_CHECK;
enum stat_status hoeffding_p(double n, double t, double a, double b, double *p) STAT_MUST_CHECK;

/* Order statistics that bound the p-quantile of the population of sorted[n]. lo_status and
 * hi_status are STAT_UNBOUNDED if the rank is 0 or n+1. 1 <= n_effective <= n: number of
 * independent values; ranks are computed for it and converted to n. Errors: those of
 * order_interval. */
struct quantile_bounds {
	enum stat_status lo_status, hi_status;
	double lo, hi, coverage;
};
enum stat_status quantile_bounds(const double *sorted, size_t n, double n_effective, double p,
				 double conf, struct quantile_bounds *b) STAT_MUST_CHECK;

/* Tests whether two distributions differ at alpha: bands of level alpha/2 with half-widths from the
 * effective numbers do not overlap, D > epsilon_r + epsilon_x. Conservative. excess = D -
 * (epsilon_r + epsilon_x). */
enum stat_status dkw_bands(double d, double n_ref, double n_rep, double alpha,
			   double *excess) STAT_MUST_CHECK;
