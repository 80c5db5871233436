/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of columns of replicate results: of each sample, of a sample's sessions, and of a
 * replay against a reference. Results are lists of named estimates (most names are those of
 * validate/stats/named.h), so that text, JSON and tests read the same numbers. The answer is a
 * struct.
 *
 * Values are treated as independent unless the plan says time_ordered. In that case tests of means
 * and spread use 25 batch means of each sample (the batch is the replicate), the bootstrap draws
 * blocks, and bounds on distributions use effective numbers. Descriptions and distances always use
 * the values. */
#pragma once

#include "validate/columns/estimates.h"
#include "validate/stats/moments.h"
#include "validate/stats/resample.h"

#define BATCHES 25u
#define BATCHES_LEAST_N (2 * BATCHES) /* values that batch means need */

struct comparison_plan {
	double alpha; /* intervals have confidence 1 - alpha; default 0.05 */
	double limit_bias_pct, limit_precision;
	bool paired, time_ordered;
	/* number of values in a bootstrap block; 0: chosen from the data */
	size_t block;
	/* row of the budget for the clock, in the unit of the data */
	double clock_halfwidth;
	uint64_t n_resamples, seed;  /* n_resamples 0: no bootstrap */
	bool all;         /* also the estimates that only the complete list and JSON show */
	bool monte_carlo; /* check the budget by simulation */
};

struct column_sample {
	struct values x; /* borrowed, in the given order */
	double *sorted;	 /* owned */
	/* status of the moments; STAT_TOO_FEW for one value, which still has a mean */
	enum stat_status status;
	struct sample_moments m;
	struct values unit;	      /* values for tests: x, or batch means */
	double *batch;		      /* owned or NULL */
	/* status of unit_m; STAT_TOO_FEW without batches */
	enum stat_status unit_status;
	struct sample_moments unit_m;
	/* number of independent values; n unless time_ordered */
	double n_effective;
	size_t block;	    /* block length for the bootstrap; 1: single values */
	double lag1;	    /* autocorrelation; 0 if undefined */
	struct estimates estimates;
};

/* Describes x, which is borrowed until column_sample_release(). Does not fail: an estimate that
 * cannot be computed has a status. */
void column_sample_describe(struct column_sample *s, struct values x,
			    const struct comparison_plan *plan);
void column_sample_release(struct column_sample *s);

/* Describes the one-way layout of a sample's sessions (ISO 5725-2), with stragglers and
 * outliers. */
void sessions_describe(const struct values *group, size_t n_groups, struct estimates *out);

struct comparison_answer { /* an estimate with its interval */
	enum stat_status status;
	double value, lo, hi; /* lo..hi: 1 - alpha */
	/* confidence 1 - 2 alpha, with allowance for dependence: decides whether a limit is met */
	double inner_lo, inner_hi;
	double p;		   /* two-sided, against 0 (bias) or 1 (precision) */
	/* one-sided, of a value beyond the limit: used to reject */
	double p_beyond;
};

enum decision_word { DECIDED_ACCEPT, DECIDED_REJECT, DECIDED_INCONCLUSIVE };
extern const char *const decided_names[]; /* "accept", "reject", "inconclusive" */

struct comparison {
	const struct column_sample *ref, *rep;
	bool paired;
	struct comparison_answer bias,
	    precision; /* bias in % of the reference; precision: sigma_x/sigma_r */
	/* rejections are those before the correction for many tests */
	enum decision_word bias_decision, precision_decision;
	struct estimates estimates;
};

/* Compares two samples, which are borrowed until comparison_release(). With plan->paired and
 * unequal numbers, statistics of pairs have STAT_NOT_PAIRED. */
void comparison_compute(struct comparison *c, const struct column_sample *ref,
			const struct column_sample *rep, const struct comparison_plan *plan);
void comparison_release(struct comparison *c);

#define REJECTION_ERROR 0.01 /* total error of the rejections of all comparisons */

/* Returns the verdict over all comparisons. Trusted: all components of all comparisons are
 * accepted. Not trusted: the P-value of a rejection, after Holm's correction over all rejection
 * tests, is at most 0.01. Otherwise inconclusive. A component without a result is inconclusive, and
 * does not count as a test. reject[i] says for each component (bias and precision of each
 * comparison) whether its rejection remains; it may be NULL. */
enum decision_word comparisons_judge(const struct comparison *c, size_t n, bool *reject);
