/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Infers dependencies between requests from their times, because a block-level trace contains no
 * dependencies.
 *
 * A request depends on all requests that ended at least a threshold before it began. Requests that
 * overlap in time, or follow faster than a program could react, are independent. All other pairs
 * are kept as dependencies, because a missed dependency lets a replay issue a request too early.
 * With [begin, end + threshold) as the interval of a request, this is an interval order. Number the
 * requests in the order of their ends (rank; equal ends in issue order). Request r depends on the
 * ranks below hi, the number of ends up to begin - threshold. Let m be the request of these ranks
 * that began last. The dependencies of m, the ranks below m's own hi, are implied and are left out.
 * So the reduced parents are the ranks [lo, hi): exactly the transitive reduction, in two numbers
 * per request.
 *
 * Requests are added in issue order (by start). Memory is bounded by the number of open intervals.
 * Source: hfplayer paper, section 3.1 (overlap, short think time, redundant dependencies). */
#pragma once

#include "common/std.h"

#define INFER_THRESHOLD_NS 10000 /* value of the paper, for a trace of a storage controller */

struct infer_parents {
	uint64_t lo, hi; /* ranks [lo, hi) */
};

struct infer_summary {
	/* endless: requests whose end is unknown; no request depends on them */
	uint64_t n_requests, n_endless;
	uint64_t n_edges;		/* reduced parents of all requests */
	uint64_t n_roots;		/* requests without parents */
	uint64_t n_parents_max;
	/* largest number of requests of which each depends on the previous one */
	uint64_t longest_chain;
	/* Number of independent requests: open intervals when a request is issued, including its
	 * own. The maximum is the smallest number of chains that contain all requests (Dilworth),
	 * and the largest number in flight in a replay. */
	uint64_t width_max;
	double width_mean;
	int64_t span_ns;	       /* first start to last end (or start) */
	int64_t first_begin_ns;
	double service_ns;	       /* sum of response times */
	/* Time from the first start to the last start if requests took no time: only think times
	 * count. Requests without parents have their traced times. */
	int64_t think_ns;
};

struct infer_open;
struct infer_best;

struct infer {
	int64_t threshold_ns;
	/* Called in the order of ranks when the rank of a request is known, at the latest by
	 * infer_finish. NULL: not used. `request`: its number in the order of infer_feed, from
	 * 0. */
	void (*ended)(void *ctx, uint64_t request, uint64_t rank);
	void *ctx;
	struct infer_summary sum;

	/* private */
	struct infer_open *open; /* heap open[n_open]: open intervals, earliest end first */
	size_t n_open, cap;
	/* best[best_from..best_n): queue that gives the largest shift of the parents */
	struct infer_best *best;
	size_t best_from, best_n, best_cap;
	uint64_t hi, lo, depth;
	int64_t last_begin_ns, last_end_ns;
	int64_t last_issue_ns;
	double width_sum;
};

void infer_init(struct infer *f, int64_t threshold_ns); /* threshold >= 0 */
/* Adds the next request in the order of starts; end_ns TIME_NONE: unknown. Errors: EINVAL if it
 * begins before the previous request or ends before it begins; E2BIG for more than 2^26 open
 * intervals. */
int infer_feed(struct infer *f, int64_t begin_ns, int64_t end_ns, struct infer_parents *parents,
	       struct err *e);
/* Reports the remaining ranks and completes the summary. Call it after the last request. */
void infer_finish(struct infer *f);
void infer_release(struct infer *f); /* a zeroed struct is fine */
