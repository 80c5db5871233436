/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The replayers of a campaign beside each other: a row for each, the best first. */
#ifndef VALIDATE_ANALYSIS_LEAGUE_H
#define VALIDATE_ANALYSIS_LEAGUE_H

#include "validate/analysis/analysis.h"

#define LEAGUE_NO_CELL SIZE_MAX
#define LEAGUE_MOST_LIMITS                                                                         \
	10 /* a component counts for no more in the mean: one must not outweigh all others */

enum league_quantity { /* relative bias; deviation of the execution time, and of the mean number in
			  flight; distance of the concurrency CDFs; share of reordered requests;
			  issue error, 99th percentile, ns */
		       LEAGUE_BIAS,
		       LEAGUE_EXECUTION_TIME,
		       LEAGUE_IN_FLIGHT,
		       LEAGUE_CONCURRENCY,
		       LEAGUE_REORDERED,
		       LEAGUE_ISSUE_ERROR,
		       LEAGUE_N
};
/* of one case */
const struct estimate *league_estimate(const struct cell *c, enum league_quantity q);

struct league_row {
	size_t replayer;
	bool absent;	 /* not found on the machine: nothing below holds */
	bool judged;	 /* it has a case; else it has failed in all, or was never run */
	size_t n_cells, n_trusted, n_not_trusted, n_inconclusive;
	uint64_t n_failed; /* of its runs */
	enum verdict verdict; /* worst of its cases: that in which it is trusted least decides */
	/* the case in which that is largest, LEAGUE_NO_CELL where none has it */
	size_t worst[LEAGUE_N];
	bool differs; /* in some undecided case it differs from a recording (leaning.h) */
	double mean_bias; /* of the sizes of the bias over its cases; NaN none */
	/* Mean over the judged components of all its cases: size of the deviation as a multiple of
	 * the limit, at most LEAGUE_MOST_LIMITS each; NaN none */
	double deviation;
	uint64_t n_infidelities; /* lost, extra and mismatched requests of all runs */
	double cpu_per_request_ns; /* of the whole process, mean over its runs; NaN unknown */
};

/* Fills a->league[a->n_league], a row for each replayer: by verdict (trusted, inconclusive, not
 * trusted, nothing known, not found), then by the share of its cases that are trusted, then by the
 * share of its cases that are not rejected, then by the mean deviation of all components.
 * Ownership: free(a->league). */
void league_compute(struct analysis *a);

#endif
