/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One-way layout: p groups of values, their sums of squares and F; Levene's and Brown-Forsythe's
 * tests of equal spread.
 *
 * Formula: SS_between = sum n_i (mean_i - mean)^2, SS_within = sum sum (x - mean_i)^2, MS by p-1
 * and N-p degrees of freedom, n0 = (N - sum n_i^2/N)/(p-1). All values are shifted by the first one
 * before any sum: with an offset of 1e12 F would otherwise be wrong in the third digit. Levene: z =
 * |x - mean of its group|, then F of the layout of z; Brown-Forsythe: the median instead of the
 * mean. Source: ISO 5725-2; Brown and Forsythe, Robust tests for the equality of variances (1974).
 */
#pragma once

#include "validate/stats/status.h"

struct anova {
	size_t n_groups, n_values;
	double grand_mean;
	double ss_between, ss_within, ms_between, ms_within;
	double df_between, df_within;
	double n0;		  /* equivalent group size of an unequal layout */
	/* STAT_ZERO_VARIANCE if ms_within is 0; f and p are then unset */
	enum stat_status f_status;
	double f, p;		  /* p = P(F(df_between, df_within) >= f) */
};

/* Computes the one-way layout of N values in p groups. Errors: STAT_TOO_FEW for fewer than two
 * groups, an empty group, or N = p; STAT_NOT_FINITE. */
enum stat_status anova_one_way(const struct values *groups, size_t n_groups,
			       struct anova *a) STAT_MUST_CHECK;

enum spread_centre { SPREAD_ABOUT_MEAN, SPREAD_ABOUT_MEDIAN };

struct spread_test {
	double w, p; /* W and P(F(groups-1, N-groups) >= W) */
};

/* Tests equal spread: Levene (mean) or Brown-Forsythe (median). Errors: those of anova_one_way, and
 * STAT_ZERO_VARIANCE. */
enum stat_status spread_test(const struct values *groups, size_t n_groups,
			     enum spread_centre centre, struct spread_test *out) STAT_MUST_CHECK;
