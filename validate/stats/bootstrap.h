/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bootstrap of the mean with all n^n resamples (n <= 7). It uses no random numbers, so it checks a
 * random bootstrap exactly.
 *
 * z0 = Phi^-1((#less + 1/2 #equal)/n^n); a = sum (m. - m_i)^3/(6 [sum (m. - m_i)^2]^(3/2)) over
 * leave-one-out means m_i; alpha(p) = Phi(z0 + (z0 + z_p)/(1 - a (z0 + z_p))); limits are type-7
 * quantiles of the resample means. Source: Efron (1987), bias-corrected and accelerated. */
#pragma once

#include "validate/stats/status.h"

#define BOOTSTRAP_IDEAL_MAX_N 7u

struct bootstrap_ideal {
	size_t n_means;
	double *mean; /* all resample means, ascending, owned: bootstrap_ideal_release */
	double se;    /* about the sample mean, divisor n^n */
	/* number of resamples below the sample mean, and number within 1e-9 of it */
	double n_less, n_equal;
	double z0, acceleration;
};

/* Makes all resamples. Errors: STAT_TOO_FEW (n < 2), STAT_OUT_OF_RANGE (n > 7), STAT_ZERO_VARIANCE,
 * STAT_NOT_FINITE. After an error there is nothing to release. */
enum stat_status bootstrap_ideal(const double *x, size_t n,
				 struct bootstrap_ideal *b) STAT_MUST_CHECK;
void bootstrap_ideal_release(struct bootstrap_ideal *b);

enum stat_status bca_level(double z0, double acceleration, double p, double *level) STAT_MUST_CHECK;
enum stat_status jackknife_acceleration(const double *x, size_t n, double *a) STAT_MUST_CHECK;
