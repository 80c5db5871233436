/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The uncertainty of the mean of dependent values.
 *
 * Batch means: b batches of floor(n/b) values, without the remaining values; sd of their means/sqrt
 * b. They may be used if their lag-1 is below 2/sqrt b. Geyer: tau = -1 + 2 sum Gamma_k, Gamma_k =
 * rho_2k + rho_2k+1 while positive (initial positive sequence), or their running minimum (initial
 * monotone sequence); effective number n/tau, standard error sd sqrt(tau/n). First-order
 * autoregression: n (1 - r_1)/(1 + r_1). Newey-West: sqrt((c_0 + 2 sum (1 - k/(L+1)) c_k)/n).
 * Source: Geyer (1992); Newey and West (1987); Law and Kelton for batch means. */
#pragma once

#include "validate/stats/status.h"

/* Errors of all functions below: STAT_TOO_FEW, STAT_ZERO_VARIANCE, STAT_NOT_FINITE,
 * STAT_OUT_OF_RANGE (batches < 2 or > n, lags >= n). */
enum stat_status batch_means(const double *x, size_t n, size_t batches, double *se,
			     double *lag1) STAT_MUST_CHECK;

struct geyer {
	size_t n_pairs;	    /* number of Gamma_k before the first that is not positive */
	double tau, tau_monotone;
	double se;	    /* by tau */
};
enum stat_status geyer_se(const double *x, size_t n, struct geyer *g) STAT_MUST_CHECK;
enum stat_status effective_number_ar1(const double *x, size_t n, double *ess) STAT_MUST_CHECK;
enum stat_status newey_west(const double *x, size_t n, size_t lags, double *se) STAT_MUST_CHECK;

/* Whether batch means may be used: |lag-1 autocorrelation of the batch means| < 2/sqrt(batches). */
bool batch_means_acceptable(size_t batches, double lag1);

/* Computes n/tau, at most n log10 n, because stronger negative correlation is implausible. Errors:
 * those of geyer_se(). */
enum stat_status effective_number_capped(const double *x, size_t n, double *ess) STAT_MUST_CHECK;
