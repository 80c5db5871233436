/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stragglers and outliers among the groups of a precision study. They are marked, not removed.
 *
 * A statistic beyond its 1 % critical value is an outlier, a statistic between 5 % and 1 % a
 * straggler. The tests follow the order of ISO 5725-2: Cochran's test of the largest variance;
 * Grubbs' test of the largest and the smallest group mean; if neither is an outlier, the double
 * test of the two largest and the two smallest means together, where small values are suspect.
 * Mandel's h and k have separate critical values. If group sizes differ, the most common size is
 * used as n in critical values. The critical values of the double test have no closed form: they
 * are quantiles of the smaller of the high and the low statistic in 4,000,000 simulated samples for
 * each p = 4..40, with a standard error below 0.0002. Source: ISO 5725-2, 7.3. */
#pragma once

#include "validate/stats/precision_study.h"

enum outlier_class { OUTLIER_NONE, OUTLIER_STRAGGLER, OUTLIER_OUTLIER };
extern const char *const outlier_class_names[]; /* "none", "straggler", "outlier" */

struct outlier_finding {
	enum stat_status status; /* why no class could be given */
	double statistic, critical_5, critical_1;
	enum outlier_class class;
	size_t group; /* from 0: the suspect group; of two groups the more extreme */
};

struct group_classes {
	size_t n_groups, commonest_n;
	struct outlier_finding cochran, grubbs_max, grubbs_min, double_high, double_low;
	struct outlier_finding *h, *k; /* [n_groups], owned: group_classes_release */
};

/* Classifies the groups. Errors: STAT_TOO_FEW (fewer than 2 groups, or a group with fewer than 2
 * values), STAT_NOT_FINITE. A finding that cannot be classified has its own status. */
enum stat_status group_classes(const struct values *groups, size_t n_groups,
			       struct group_classes *c) STAT_MUST_CHECK;
void group_classes_release(struct group_classes *c);

/* Returns the most common group size; of equally common sizes the largest. */
size_t group_commonest_size(const struct values *groups, size_t n_groups);

/* Returns the critical value for alpha 0.05 or 0.01, p = 4..40 groups. Errors: STAT_OUT_OF_RANGE,
 * STAT_TOO_FEW (p < 4). */
enum stat_status grubbs_double_critical(double alpha, size_t p, double *g) STAT_MUST_CHECK;
