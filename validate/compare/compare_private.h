/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of a comparison; not included elsewhere. */
#pragma once

#include "validate/compare/compare.h"
#include "validate/stats/paired_mean.h"

/* compare_check.c: finds differences, and whether they refuse the comparison. Errors: EINVAL for an
 * unknown name in `allow`. */
int differences_find(struct campaign_change *c, const struct compare_options *o, struct err *e);
/* Whether both are of one campaign, so that they have the same blocks. */
bool is_same_campaign(const struct baseline *a, const struct baseline *b);
/* Whether two texts of the sides are equal. If one side has hidden hosts and paths
 * (baseline_redact), only what is known is compared. */
bool text_is_same(const struct campaign_change *c, const char *was, const char *is);

/* compare_aspects.c: computes all aspects of all cases, with tests, and with words before Holm's
 * correction. */
void aspects_compute(struct campaign_change *c, bool words_only);

/* compare_means.c: the difference of two groups, or the mean difference of pairs. */
struct shift {
	enum stat_status status;
	double value;
	double *d; /* differences of pairs, in block order; NULL: groups. Owned */
	/* for pairs, mean[0] is the mean of d; for groups, the means of old and new, with borrowed
	 * values. se 0: all values are equal */
	struct paired_mean mean[2];
};
/* Ownership: shift_release(). */
void shift_of_groups(struct shift *s, const double *was, size_t n_was, const double *is,
		     size_t n_is);
void shift_of_pairs(struct shift *s, const double *was, const double *is, size_t n);
void shift_release(struct shift *s);
/* Shares the dependence estimates of n cases. Before this call, each shift has its own estimate. */
void shifts_pool(struct shift *s, size_t n);
/* Returns 1 if the mean is significantly above 0 (at 1 %), -1 if it is below, otherwise 0. */
int shift_side(const double *x, size_t n, double span);
/* P-values against limits lo < 0 < hi in the scale of the shift: beyond the nearer limit
 * (one-sided); within both; within both, for independent values; no change (two-sided). span: of
 * looks after every replicate (stats/multiplicity.h), 0 for one look. */
struct shift_p {
	double beyond, same, same_alone, difference;
};
struct shift_p shift_test(const struct shift *s, double lo, double hi, double span);
/* Returns the number of pairs that decide with a chance of about 80 % at the present mean and
 * scatter; 0 for groups. level: of the word "same". */
double shift_needed(const struct shift *s, double hi, double level);
/* Finds limits with total error alpha, for independent values and one look. NaN: unknown; infinite:
 * too few pairs. */
void shift_limits(const struct shift *s, double alpha, double *lo, double *hi);

/* compare_recordings.c: for campaigns with single references (baseline.h), reduces was[*n_was] and
 * is[*n_is], values of the runs of `a` and `b`, to a mean for each recording. Changes nothing if
 * both have the same recordings. Errors: STAT_TOO_FEW recordings. */
enum stat_status recordings_average(double *was, size_t *n_was, const struct baseline_case *a,
				    double *is, size_t *n_is, const struct baseline_case *b);

/* compare_spread.c: compares the standard deviations of two groups by their ratio. */
void spread_compare(struct aspect_change *a, const double *was, size_t n_was, const double *is,
		    size_t n_is, bool paired, double span);
/* Compares two standard uncertainties by their ratio and degrees of freedom. */
void uncertainty_compare(struct aspect_change *a, double was, double df_was, double is,
			 double df_is, double span);

/* compare_counts.c: compares lost, extra and mismatched requests of the runs. A failed run counts
 * as if it had lost all requests. */
void counts_compare(struct aspect_change *a, const struct baseline_case *was,
		    const struct baseline_case *is, double span);

/* Adds a reason to an aspect. */
void reason_add(struct aspect_change *a, struct change_reason reason);
