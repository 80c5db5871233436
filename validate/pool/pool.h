/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several laboratories (machines, or one at different times) that ran one protocol: how far do
 * their results agree?
 *
 * The result of a pair of runs is x/r, the replay's figure over that of the program run again in
 * the same block, so that laboratories of different speed can be put beside each other. For each
 * case (a scenario and a replayer) the laboratories are the groups of a precision study:
 * repeatability s_r within one, s_L between them, reproducibility s_R; limits r = 2.8 s_r and R
 * = 2.8 s_R, which two results of one laboratory, or of two, exceed once in twenty. Outliers are
 * named and never dropped. Source: ISO 5725-2, 7.2 to 7.4 (Mandel's h and k, Cochran, Grubbs);
 * stats/precision_study.h, stats/group_classes.h. */
#ifndef VALIDATE_POOL_H
#define VALIDATE_POOL_H

#include "validate/compare/baseline.h"
#include "validate/stats/group_classes.h"

enum pool_measure {
	POOL_MEAN,
	POOL_MEDIAN,
	POOL_P90,
	POOL_P99,
	POOL_EXECUTION_TIME,
	POOL_MEASURE_N
};
/* "mean", "median", "p90", "p99", "execution-time", NULL */
extern const char *const pool_measure_names[];

struct pool_group { /* one laboratory's results of a case */
	size_t laboratory; /* index */
	size_t n;
	double mean, sd;   /* of x/r - 1; sd NaN where it cannot be */
	struct outlier_finding h, k;
};

struct pool_case {
	char *scenario, *replayer; /* owned */
	/* of all below: STAT_TOO_FEW where fewer than two laboratories have two results each */
	enum stat_status status;
	struct pool_group *group;  /* [n_groups]; those with at least two results */
	size_t n_groups, n_results;
	double mean;		   /* of the laboratories' means, of x/r - 1 */
	double s_r, s_L, s_R;	   /* standard deviations of x/r */
	double r_limit, R_limit;
	/* `group` is an index into group[] */
	struct outlier_finding cochran, grubbs_max, grubbs_min, double_high, double_low;
};

struct pool_laboratory {
	char *name; /* the host where the names differ, else what it was read from; owned */
	const struct baseline *baseline; /* borrowed */
	size_t n_outlying; /* cases in which some statistic calls it an outlier */
	size_t n_straggling;
	size_t n_cases; /* it takes part in */
};

struct pool_missing { /* a case that not every laboratory has */
	size_t laboratory;
	char *scenario, *replayer; /* owned */
};

struct pool {
	enum pool_measure measure;
	struct pool_laboratory *laboratory;
	size_t n_laboratories;
	struct pool_case *one; /* in the order of the first laboratory that has it */
	size_t n_cases, cap_cases;
	struct pool_missing *missing;
	size_t n_missing, cap_missing;
	/* why the laboratories did not measure the same, where that was allowed; NULL; owned */
	char *difference;
	/* [n_warnings]: what else was not the same, and is no reason to refuse; owned */
	char **warning;
	size_t n_warnings;
};

/* Errors: EINVAL for fewer than two, or one twice; EPROTO where conditions, a replayer's settings
 * or the requests differ, naming the first that does, unless `allow` (pool_alike.h). Ownership:
 * pool_release; the baselines must outlive it. */
int pool_make(struct pool *p, const struct baseline *b, size_t n, enum pool_measure measure,
	      bool allow, struct err *e);
void pool_release(struct pool *p);

#endif
