/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything that is computed from columns of replicate results: of each sample, of a sample's
 * sessions, and of a replay against a reference. Results are lists of named estimates
 * (validate/stats/named.h has the same names for most), so that text, JSON and tests read the same
 * numbers; what the answer is made of stands beside as a struct.
 *
 * Independent values are assumed unless the plan says time_ordered. Then tests of means and of
 * spread are made on 25 batch means of each sample (the batch is the replicate), the bootstrap
 * draws blocks, and bounds on distributions use effective numbers; descriptions and distances are
 * of the values themselves. */
#ifndef VALIDATE_COLUMNS_COMPARISON_H
#define VALIDATE_COLUMNS_COMPARISON_H

#include <stdbool.h>

#include "validate/columns/estimates.h"
#include "validate/stats/moments.h"
#include "validate/stats/resample.h"

#define BATCHES 25u
#define BATCHES_LEAST_N (2 * BATCHES) /* values that batch means need */

struct comparison_plan {
	double alpha; /* 0.05: intervals have 1 - alpha */
	double limit_bias_pct, limit_precision;
	bool paired, time_ordered;
	size_t block;		     /* values a block of the bootstrap; 0: found from the data */
	double clock_halfwidth;	     /* of the budget, unit of the data */
	uint64_t n_resamples, seed;  /* n_resamples 0: no bootstrap */
	bool monte_carlo;            /* check the budget by simulation */
};

struct column_sample {
	struct values x; /* borrowed, in the order given */
	double *sorted;	 /* owned */
	enum stat_status status; /* of the moments: STAT_TOO_FEW for one value, which has a mean */
	struct sample_moments m;
	struct values unit;	      /* what tests use: x, or batch means */
	double *batch;		      /* owned or NULL */
	enum stat_status unit_status; /* of unit_m, STAT_TOO_FEW where there are no batches */
	struct sample_moments unit_m;
	double n_effective; /* of independent values; n unless time_ordered */
	size_t block;	    /* for the bootstrap, 1: single values */
	double lag1;	    /* autocorrelation; 0 where undefined */
	struct estimates estimates;
};

/* x is borrowed until column_sample_release. Never fails: what cannot be computed says so in its
 * estimate. */
void column_sample_describe(struct column_sample *s, struct values x,
			    const struct comparison_plan *plan);
void column_sample_release(struct column_sample *s);

/* One-way layout of a sample's sessions (ISO 5725-2), what is a straggler or an outlier among them.
 */
void sessions_describe(const struct values *group, size_t n_groups, struct estimates *out);

struct answer { /* an estimate with its interval */
	enum stat_status status;
	double value, lo, hi; /* lo..hi: 1 - alpha */
	/* 1 - 2 alpha, allowing for dependence: decides whether a limit is met */
	double inner_lo, inner_hi;
	double p;		   /* two-sided, against 0 (bias) or 1 (precision) */
	double p_beyond;	   /* one-sided, that it is beyond the limit: what rejects */
};

enum decision_word { DECIDED_ACCEPT, DECIDED_REJECT, DECIDED_INCONCLUSIVE };
extern const char *const decided_names[]; /* "accept", "reject", "inconclusive" */

struct comparison {
	const struct column_sample *ref, *rep;
	bool paired;
	struct answer bias, precision; /* bias in % of the reference; precision: sigma_x/sigma_r */
	/* reject: before the correction for many tests */
	enum decision_word bias_decision, precision_decision;
	struct estimates estimates;
};

/* Both samples borrowed until comparison_release. With plan->paired and different numbers, what
 * needs pairs has STAT_NOT_PAIRED. */
void comparison_compute(struct comparison *c, const struct column_sample *ref,
			const struct column_sample *rep, const struct comparison_plan *plan);
void comparison_release(struct comparison *c);

/* The verdict over all comparisons: trusted where all components of all are accepted; not trusted
 * where a rejection's P-value, adjusted by Holm over all rejection tests, is at most 0.01; else
 * inconclusive. A component without a result is inconclusive, and leaves the family. reject[i] says
 * for each component (bias, precision of each) whether its rejection stands; may be NULL. */
enum decision_word comparisons_judge(const struct comparison *c, size_t n, bool *reject);

#endif
