/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Precision ratio rho = sigma_x/sigma_r of pairs: confidence limits and tests.
 *
 * Formula: x and r have equal variances exactly when x+r and x-r are uncorrelated. With a =
 * (s_x/s_r)/rho0 and c the correlation of x and r, the correlation R of x/rho0 + r and x/rho0 - r
 * gives, for the hypothesis rho = rho0 and with n-2 degrees of freedom,
 *     t = R sqrt((n-2)/(1-R^2)) = (a - 1/a)/2 sqrt((n-2)/(1-c^2)).
 * Inverted, with T = t^2 of the level, w = s_x^2/s_r^2 and K = 1 + 2(1-c^2)T/(n-2), it gives limits
 * of rho^2: w (K -+ sqrt(K^2-1)). They are exact for pairs from a bivariate normal distribution;
 * use logarithms. Source: Pitman (1939), Morgan (1939). */
#pragma once

#include "validate/stats/serial.h"

struct pitman_morgan {
	size_t n;
	double ratio;	    /* s_x/s_r */
	double correlation; /* of x and r */
};

/* Computes the statistic. Errors: STAT_NOT_PAIRED (n != m), STAT_TOO_FEW (n < 3),
 * STAT_ZERO_VARIANCE (one sample is constant, or an exact linear function of the other, so that the
 * limits have no width), STAT_NOT_FINITE. */
enum stat_status pitman_morgan(const double *ref, size_t m, const double *rep, size_t n,
			       struct pitman_morgan *pm) STAT_MUST_CHECK;

/* Computes one-sided limits of rho, each with error alpha (0.05 gives the 95 % limits). Together
 * they are a 1 - 2 alpha interval. */
enum stat_status pitman_morgan_limits(const struct pitman_morgan *pm, double alpha, double *lower,
				      double *upper) STAT_MUST_CHECK;

/* Computes P-values of the one-sided tests against rho = limit > 0: above is small if rho > limit
 * is shown, below if rho < limit is shown. below <= alpha exactly if the upper limit is at most
 * `limit`. */
enum stat_status pitman_morgan_p(const struct pitman_morgan *pm, double limit, double *p_above,
				 double *p_below) STAT_MUST_CHECK;

/* Like pitman_morgan_limits, with the caller's degrees of freedom > 0: fewer than n - 2 if pairs
 * depend on earlier pairs. */
enum stat_status pitman_morgan_limits_of(const struct pitman_morgan *pm, double dof, double alpha,
					 double *lower, double *upper) STAT_MUST_CHECK;
enum stat_status pitman_morgan_p_of(const struct pitman_morgan *pm, double dof, double limit,
				    double *p_above, double *p_below) STAT_MUST_CHECK;

/* Estimates how the two factors of R depend on the order of the pairs: factor[0] is x/limit + r,
 * factor[1] the residual of x/limit - r about a straight line over it, as for the slope of a
 * regression. At the limit the line explains nothing. Far from it, pairs that share the machine's
 * drift scatter alike. The dependence of R is serial_product() of both. Errors: those of
 * serial_dependence(); STAT_OUT_OF_RANGE (limit). */
enum stat_status pitman_morgan_serial(const double *ref, const double *rep, size_t n, double limit,
				      struct serial factor[2]) STAT_MUST_CHECK;
