/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Agreement between laboratories (machines, or one machine at different times) that ran the same
 * protocol.
 *
 * The result of a pair of runs is x/r, the replay's value over that of the program in the same
 * block, so that laboratories of different speed are comparable. For each case (a scenario and a
 * replayer) the laboratories are the groups of a precision study. It gives the repeatability s_r
 * within a laboratory, s_L between laboratories, the reproducibility s_R, and the limits r = 2.8
 * s_r and R = 2.8 s_R. The difference of two results of one laboratory exceeds r once in twenty,
 * and that of two laboratories exceeds R once in twenty. Outliers are named, not removed. Source:
 * ISO 5725-2, 7.2 to 7.4 (Mandel's h and k, Cochran, Grubbs); stats/precision_study.h,
 * stats/group_classes.h. */
#pragma once

#include "validate/compare/baseline.h"

enum pool_measure {
	POOL_MEAN, POOL_MEDIAN, POOL_P90, POOL_P99, POOL_EXECUTION_TIME, POOL_MEASURE_N,
};
/* Names: "mean", "median", "p90", "p99", "execution-time", NULL. */
extern const char *const pool_measure_names[];

struct pool_group { /* results of one laboratory in a case */
	size_t laboratory; /* index */
	size_t n;
	/* of x/r - 1; sd NaN if undefined */
	double mean, sd;
	struct outlier_finding h, k; /* with the status of the case if it is not STAT_OK */
};

struct pool_case {
	char *scenario, *replayer; /* owned */
	/* status of all following members; STAT_TOO_FEW: fewer than two laboratories have two
	 * results */
	enum stat_status status;
	struct pool_group *group;  /* [n_groups] laboratories with at least two results each */
	size_t n_groups, n_results;
	double mean;		   /* mean of the laboratories' means of x/r - 1 */
	double s_r, s_L, s_R;	   /* standard deviations of x/r */
	double s_R_lo95, s_R_hi95;
	double r_limit, R_limit;
	/* `group` is an index into group[] */
	struct outlier_finding cochran, grubbs_max, grubbs_min, double_high, double_low;
};

struct pool_laboratory {
	/* name of the host; if hosts are not unique, the path of the baseline; owned */
	char *name;
	const struct baseline *baseline; /* borrowed */
	/* number of cases with some statistic that marks the laboratory as an outlier */
	size_t n_outlying;
	size_t n_straggling;
	size_t n_cases; /* cases with its results */
};

struct pool_missing { /* a case that some laboratories lack */
	size_t laboratory;
	char *scenario, *replayer; /* owned */
};

enum pool_warning_kind {
	POOL_OTHER_REQUESTS, /* n of `of` scenarios, the first is `what`: the campaigns determined
				the number of requests */
	POOL_OTHER_PROGRAM,  /* of the replayer `what` */
	POOL_OTHER_VERSION,  /* of this program */
	POOL_COPY,	     /* the same response times in n of `of` cases */
	POOL_OTHER_SPEED,    /* the program's response times in x are `factor` times the others' */
};

/* A difference between two laboratories that does not prevent the study. Texts are borrowed. */
struct pool_warning {
	enum pool_warning_kind kind;
	const struct pool_laboratory *x, *y; /* y: NULL for POOL_OTHER_SPEED */
	const char *what;
	const char *x_version, *y_version; /* of the replayer; NULL: unknown */
	size_t n, of;
	double factor;
};

struct pool {
	enum pool_measure measure;
	struct pool_laboratory *laboratory;
	size_t n_laboratories;
	struct pool_case *one; /* in the order of the first laboratory that has the case */
	size_t n_cases, cap_cases;
	struct pool_missing *missing;
	size_t n_missing, cap_missing;
	/* the difference between the measurements that `allow` permitted; NULL none; owned */
	char *difference;
	struct pool_warning *warning; /* [n_warnings]; owned */
	size_t n_warnings;
};

/* Pools n baselines. Errors: EINVAL for fewer than two baselines, or a repeated baseline; EPROTO,
 * unless `allow`, if conditions, settings of a replayer or requests differ, with the first
 * difference (pool_alike.h). Ownership: pool_release(); the baselines must outlive it. */
int pool_make(struct pool *p, const struct baseline *b, size_t n, enum pool_measure measure,
	      bool allow, struct err *e);
void pool_release(struct pool *p);
