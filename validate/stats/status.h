/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reasons why a statistic is undefined. An undefined result has a status; it is never 0 or a silent
 * NaN. Functions of this folder that can fail return a status, and their outputs are unspecified
 * unless it is STAT_OK. */
#pragma once

#include "common/std.h"

#define STAT_MUST_CHECK __attribute__((warn_unused_result))

enum stat_status {
	STAT_OK,
	STAT_TOO_FEW,		 /* fewer values than the statistic needs */
	/* the values are equal, so they have no spread */
	STAT_ZERO_VARIANCE,
	STAT_ZERO_REFERENCE,	 /* relative to a reference of 0 */
	STAT_NEGATIVE_REFERENCE, /* response times cannot be negative */
	STAT_NOT_FINITE,	 /* an infinity or a NaN among the data */
	STAT_NOT_PAIRED,	 /* replay and reference have different numbers of values */
	/* no outcome of this few values can reach the significance level */
	STAT_TOO_FEW_FOR_ALPHA,
	STAT_NOT_APPLICABLE,	 /* by design, for example the F ratio with a single reference */
	STAT_UNBOUNDED,		 /* an interval that is the whole line */
	/* an argument outside its domain: a probability of 2, the logarithm of 0 */
	STAT_OUT_OF_RANGE,
	STAT_NOT_CONVERGED,	 /* a numerical method gave up */
	STAT_NOT_ASSESSED,	 /* not requested, or its data were not recorded */
	STAT_N_STATUSES
};

/* Returns a word for data files: "too_few". */
const char *stat_status_name(enum stat_status s);

/* A group of values, borrowed. */
struct values {
	const double *x;
	size_t n;
};

/* Returns STAT_NOT_FINITE if any of x[n] is NaN or infinite, otherwise STAT_OK. */
enum stat_status sample_check(const double *x, size_t n) STAT_MUST_CHECK;
/* Like sample_check, for two samples; STAT_TOO_FEW if either is empty. */
enum stat_status samples_check(const double *x, size_t n, const double *y,
			       size_t m) STAT_MUST_CHECK;
