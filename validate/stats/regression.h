/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Straight line by least squares, with lack of fit if x repeats: linearity over levels.
 *
 * b1 = S_xy/S_xx, b0 = mean_y - b1 mean_x, s = sqrt(SSE/(N-2)), se(b1) = s/sqrt(S_xx), se(b0) = s
 * sqrt(1/N + mean_x^2/S_xx). Lack of fit, L distinct x: SS_PE = sum over x of the squares about the
 * mean of that x (N-L degrees of freedom), SS_LF = SSE - SS_PE (L-2), F =
 * (SS_LF/(L-2))/(SS_PE/(N-L)). The first values of x and y are subtracted from all values. Source:
 * Draper and Smith, Applied regression analysis, chapters 1 and 2. */
#pragma once

#include "validate/stats/status.h"

struct regression {
	size_t n;
	double intercept, slope;
	double sse, r_squared;
	double residual_sd, se_intercept, se_slope; /* n - 2 degrees of freedom */
};

/* Fits the line. Errors: STAT_TOO_FEW (n < 3), STAT_ZERO_VARIANCE (all x equal, or all y equal:
 * r_squared undefined), STAT_NOT_FINITE. */
enum stat_status regression_fit(const double *x, const double *y, size_t n,
				struct regression *r) STAT_MUST_CHECK;

struct lack_of_fit {
	double ss_pure_error, ss_lack_of_fit;
	double df_lack_of_fit, df_pure_error;
	double f, p;
};

/* Tests the lack of fit. Errors: STAT_TOO_FEW (fewer than 3 distinct x, or no x repeats),
 * STAT_ZERO_VARIANCE (no pure error). */
enum stat_status lack_of_fit(const double *x, const double *y, size_t n,
			     struct lack_of_fit *l) STAT_MUST_CHECK;
