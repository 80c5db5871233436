/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of a cell that make pairs, and single numbers of them that the analysis judges by: for
 * what else is computed of a campaign, so that it speaks of the same runs. */
#ifndef VALIDATE_ANALYSIS_PAIRS_H
#define VALIDATE_ANALYSIS_PAIRS_H

#include "validate/analysis/analysis.h"

/* In block order: x[i] and r[i] are of the same block (or r[i] is the recording that x[i] replayed,
 * where the trace is the reference). */
struct pairs {
	const struct run **x, **r; /* owned arrays of borrowed runs */
	size_t n;
	bool shared; /* some of r[] are the same run */
	/* every replay that succeeded, those without a reference too; owned array */
	const struct run **replay;
	size_t n_replays;
};

/* Fills the pairs from blocks 1..n_blocks, and adds to the cell's counts of blocks, pairs and
 * failures. */
void pairs_collect(struct pairs *p, struct cell *c, const struct results *r, unsigned int n_blocks);
void pairs_release(struct pairs *p);

/* Threads that make the requests of a run: the level of a built-in workload, the nodes of a
 * parallel application; of what was captured from elsewhere 1 where never more than one request was
 * in flight, else NaN: not known. */
double run_n_threads(const struct scenario *scenario, const struct run_summary *s);
/* The same where each makes one request at a time; NaN where more were in flight. */
double run_n_lanes(const struct scenario *scenario, const struct run_summary *s);
/* Mean number of requests in flight over a run, NaN without any time. */
double run_in_flight(const struct run_summary *s);
/* The largest number that was in flight for any time, or found by any request; NaN for none. */
double run_in_flight_max(const struct run_summary *s);
/* The largest difference of the distributions of the number in flight, by time: 0 alike, 1 apart;
 * NaN where one has no time. */
double run_concurrency_distance(const struct run_summary *x, const struct run_summary *r);
/* What a replay's order is judged by: as [accept] says, or as the replayer promises. */
const struct reorder_summary *run_order(const struct protocol *p, const struct replayer *replayer,
					const struct run_summary *s);

#endif
