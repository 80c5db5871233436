/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The replayers of a campaign in order, the best first: a row for each. */
#pragma once

#include "validate/evidence/cell.h"

#define LEAGUE_NO_CELL SIZE_MAX
/* largest deviation of a component that counts in the mean, as a multiple of its limit */
#define LEAGUE_MOST_LIMITS 10

/* relative bias; deviation of the execution time, and of the mean number in flight; distance of the
 * concurrency CDFs; share of reordered requests; 99th percentile of the issue error in ns */
enum league_quantity {
		       LEAGUE_BIAS,
		       LEAGUE_EXECUTION_TIME,
		       LEAGUE_IN_FLIGHT,
		       LEAGUE_CONCURRENCY,
		       LEAGUE_REORDERED,
		       LEAGUE_ISSUE_ERROR,
		       LEAGUE_N
};
/* The quantity in one case. */
const struct estimate *league_estimate(const struct cell *c, enum league_quantity q);

struct league_row {
	size_t replayer;
	bool absent;	 /* not found on the machine: the members below are not set */
	bool judged;	 /* it has a case; false: all runs failed, or no run was made */
	size_t n_cells, n_trusted, n_not_trusted, n_inconclusive;
	uint64_t n_failed; /* failed runs */
	enum verdict verdict; /* worst verdict of its cases */
	/* case with the largest value; LEAGUE_NO_CELL: none */
	size_t worst[LEAGUE_N];
	/* an inconclusive case differs from its recording (tendency.h) */
	bool differs;
	double mean_bias; /* mean |bias| over its cases; NaN none */
	/* Mean of |deviation| over limit, at most LEAGUE_MOST_LIMITS each, over the judged
	 * components of all its cases; NaN none. */
	double deviation;
	uint64_t n_infidelities; /* number of lost, extra and mismatched requests of all runs */
	double cpu_per_request_ns; /* CPU time of the processes / requests, all runs; NaN unknown */
};

/* Sets a->league[a->n_league], a row per replayer. Order: verdict (trusted, inconclusive, not
 * trusted, unknown, not found); share of trusted cases; share of cases that are not rejected; mean
 * deviation of all components. Ownership: free(a->league). */
void league_compute(struct analysis *a);
