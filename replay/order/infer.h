/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which request may have depended on which, from times alone: what a block-level trace does not
 * tell.
 *
 * A request depends on those that ended at least a threshold before it began: what overlaps in
 * time, or follows faster than the program could have, is independent; everything else may be a
 * dependency, and is kept as one, for to miss one lets a replay issue a request too early. With
 * [begin, end + threshold) as the request's interval, this is an interval order. Number the
 * requests in the order of their ends (rank; equal ends in issue order): all that r depends on are
 * the ranks below hi, the number of ends up to begin - threshold. Let m be the one of them that
 * began last. Those that m depends on are left out for r, because they follow; they are the ranks
 * below m's own hi. So the reduced parents are the ranks [lo, hi), exactly the transitive
 * reduction, and two numbers a request hold them however many they are.
 *
 * Requests are fed in issue order (by begin); memory is bounded by those whose interval is open.
 * Source: hfplayer paper, section 3.1 (overlap, short think time, redundant dependencies). */
#ifndef REPLAY_INFER_H
#define REPLAY_INFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define INFER_THRESHOLD_NS 10000 /* the paper's, for a trace taken in a storage controller */

struct infer_parents {
	uint64_t lo, hi; /* ranks [lo, hi) */
};

struct infer_summary {
	uint64_t n_requests, n_endless; /* endless: end unknown; nothing depends on them */
	uint64_t n_edges;		/* reduced parents of all requests */
	uint64_t n_roots;		/* requests without parents */
	uint64_t n_parents_max;
	uint64_t longest_chain; /* requests, each depending on the one before */
	/* Open intervals when a request is issued, itself included: requests none of which depends
	 * on another. The largest such number is the fewest chains that hold all requests
	 * (Dilworth), and what a replay has in flight at most. */
	uint64_t width_max;
	double width_mean;
	int64_t span_ns;	       /* first begin to last end (or begin) */
	int64_t first_begin_ns;
	double service_ns;	       /* sum of response times */
	/* First begin to last begin if requests took no time: think times alone, those without
	 * parents at their traced times. */
	int64_t think_ns;
};

struct infer_node;
struct infer_open;
struct infer_best;

struct infer {
	int64_t threshold_ns;
	/* Told when the rank of a request is known: in the order of ranks, and at the latest in
	 * infer_finish. NULL: not wanted. `request`: the how-manieth that was fed. */
	void (*ended)(void *ctx, uint64_t request, uint64_t rank);
	void *ctx;
	struct infer_summary sum;

	/* private */
	struct infer_node *heap; /* of the open intervals, by end */
	size_t n_open, cap;
	struct infer_open *open; /* open[cap] */
	uint32_t unused;	 /* first unused place of open */
	struct infer_best *best; /* a queue: who decides the issue without service times */
	size_t best_from, best_n, best_cap;
	uint64_t hi, lo, depth;
	int64_t last_begin_ns, last_end_ns;
	int64_t last_issue_ns;
	double width_sum;
};

void infer_init(struct infer *f, int64_t threshold_ns); /* threshold >= 0 */
/* The next request: its begin no earlier than the one's before, its end (TIME_NONE: unknown) no
 * earlier than its begin. Errors: EINVAL where they are; E2BIG beyond 2^26 open intervals or 2^38
 * requests; ENOMEM. */
int infer_feed(struct infer *f, int64_t begin_ns, int64_t end_ns, struct infer_parents *parents,
	       struct err *e);
/* No more requests: the remaining ranks are told, the summary is complete. */
void infer_finish(struct infer *f);
void infer_release(struct infer *f); /* an all-zero one is fine */

#endif
