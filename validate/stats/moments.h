/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mean and spread of a sample.
 *
 * Formula: the first value is subtracted from every value, then there are two passes: the mean,
 * then S = sum d^2 - (sum d)^2/n with d = x - mean, whose second term removes the rounding error of
 * the mean. sum x^2 - n mean^2 is never used. Source: Chan, Golub and LeVeque, Algorithms for
 * computing the sample variance (1983), corrected two-pass. */
#pragma once

#include "validate/stats/status.h"

struct sample_moments {
	size_t n;
	double mean, min, max;
	/* x[0], and mean - x[0] at full precision, for differences in the presence of a large
	 * offset */
	double first, from_first;
	/* STAT_OK for n >= 2 (even if the variance is 0), otherwise STAT_TOO_FEW, and the following
	 * members are not set */
	enum stat_status spread;
	double sum_sq;		 /* of the deviations from the mean */
	double variance, sd;	 /* divisor n - 1 */
	/* sd / sqrt(n): the standard uncertainty of the mean, with n - 1 degrees of freedom */
	double sem;
};

/* Computes the moments. Errors: STAT_TOO_FEW for n = 0, STAT_NOT_FINITE. A single value has a mean
 * but no spread. */
enum stat_status sample_moments(const double *x, size_t n,
				struct sample_moments *m) STAT_MUST_CHECK;

/* Like sample_moments, with the errors STAT_TOO_FEW for n < 2 and STAT_ZERO_VARIANCE if all values
 * are equal. */
enum stat_status sample_moments_spread(const double *x, size_t n,
				       struct sample_moments *m) STAT_MUST_CHECK;

/* Returns the mean without checks; NaN for n = 0. */
double plain_mean(const double *x, size_t n);

/* Computes the coefficient of variation, 100 sd/|mean|, in %. Errors: also STAT_ZERO_REFERENCE for
 * a mean of 0. */
enum stat_status sample_cv_pct(const struct sample_moments *m, double *cv_pct) STAT_MUST_CHECK;

/* Computes the skewness g1 = (sum d^3/n) / (sum d^2/n)^(3/2). Errors: those of
 * sample_moments_spread. */
enum stat_status sample_skewness(const double *x, size_t n, double *g1) STAT_MUST_CHECK;

/* Computes Pearson's correlation of pairs (x[i], y[i]). Errors: those of sample_moments_spread for
 * either sample. */
enum stat_status sample_correlation(const double *x, const double *y, size_t n,
				    double *c) STAT_MUST_CHECK;

/* Returns mean_x - mean_r without cancellation by a common offset. */
double moments_difference(const struct sample_moments *x, const struct sample_moments *r);
