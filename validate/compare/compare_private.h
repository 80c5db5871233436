/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of a comparison share; nothing outside includes this. */
#ifndef VALIDATE_COMPARE_PRIVATE_H
#define VALIDATE_COMPARE_PRIVATE_H

#include "validate/compare/compare.h"
#include "validate/stats/paired_mean.h"

/* compare_check.c: what differs, and whether it refuses. Errors: EINVAL (allow). */
int differences_find(struct campaign_change *c, const struct compare_options *o, struct err *e);
/* Whether both are of one campaign, so that blocks are the same. */
bool is_same_campaign(const struct baseline *a, const struct baseline *b);
/* Whether two texts of the sides are the same, as far as can be told where one of them had hosts
 * and paths hidden (baseline_redact). */
bool text_is_same(const struct campaign_change *c, const char *was, const char *is);
/* NULL: it has none of that name */
const struct baseline_scenario *scenario_find(const struct baseline *b, const char *name);

/* compare_aspects.c: all aspects of all cases, tests made, words before Holm. */
void aspects_compute(struct campaign_change *c, bool words_only);

/* compare_means.c: the difference of two groups, or the mean of pairs' differences. */
struct shift {
	enum stat_status status;
	double value;
	double *d; /* of pairs, in the order of the blocks; NULL: groups. Owned */
	struct paired_mean mean[2]; /* of pairs the first is of d; else of the old and of the new
				     * group, whose values are borrowed. se 0: all are alike */
};
/* Ownership: shift_release. */
void shift_of_groups(struct shift *s, const double *was, size_t n_was, const double *is,
		     size_t n_is);
void shift_of_pairs(struct shift *s, const double *was, const double *is, size_t n);
void shift_release(struct shift *s);
/* Lets n cases share what they show of dependence. Before, each knows its own. */
void shifts_pool(struct shift *s, size_t n);
/* 1 where the mean is shown to be above 0 at 1 %, -1 below, 0 neither. */
int shift_side(const double *x, size_t n, double span);
/* Against limits lo < 0 < hi in the scale of the shift, P of being beyond the nearer one
 * (one-sided); of being within both; within if values were known to be independent; of no change
 * (two-sided). span: of looks after every replicate (stats/multiplicity.h), 0 one look. */
struct shift_p {
	double beyond, same, same_alone, difference;
};
struct shift_p shift_test(const struct shift *s, double lo, double hi, double span);
/* Pairs that settle it with a chance of about 80 %, if mean and scatter are as they look; 0 for
 * groups. level: of the word "same". */
double shift_needed(const struct shift *s, double hi, double level);
/* Limits with error alpha in all, as if values were independent, of one look. NaN: not known;
 * infinite of few pairs. */
void shift_limits(const struct shift *s, double alpha, double *lo, double *hi);

/* compare_recordings.c: of two campaigns with single references (baseline.h), values was[*n_was]
 * and is[*n_is] of the runs of `a` and `b`: as they are where both have the same recordings, else a
 * mean for each recording. Errors: STAT_TOO_FEW recordings. */
enum stat_status recordings_average(double *was, size_t *n_was, const struct baseline_case *a,
				    double *is, size_t *n_is, const struct baseline_case *b);

/* compare_spread.c: ratio of the standard deviations of two groups. */
void spread_compare(struct aspect_change *a, const double *was, size_t n_was, const double *is,
		    size_t n_is, bool paired, double span);
/* Of two standard uncertainties with their degrees of freedom. */
void uncertainty_compare(struct aspect_change *a, double was, double df_was, double is,
			 double df_is, double span);

/* compare_counts.c: lost, extra and mismatched requests of the runs; those of runs that failed are
 * lost. */
void counts_compare(struct aspect_change *a, const struct baseline_case *was,
		    const struct baseline_case *is, double span);

/* Appends to a reason. */
void reason_add(struct aspect_change *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
