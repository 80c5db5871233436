/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of a cell that form pairs, and the numbers of a run by which the analysis judges. Other
 * computations use them as well, so that they use the same runs. */
#pragma once

#include "validate/evidence/cell.h"

/* Pairs in block order. x[i] and r[i] belong to the same block. If the trace is the reference, r[i]
 * is the recording that x[i] replayed. */
struct pairs {
	const struct run **x, **r; /* owned arrays of borrowed runs */
	size_t n;
	bool shared; /* some r[] are the same run */
	bool verdicts_only; /* struct results */
	/* every successful replay, also those without a reference; owned array */
	const struct run **replay;
	size_t n_replays;
	/* requests lost by failed replays that made none: sum, and largest number of a run */
	uint64_t n_lost, n_lost_most;
};

/* Returns a + b, at most UINT64_MAX. */
static inline uint64_t sum_cut(uint64_t a, uint64_t b)
{
	uint64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* Collects the pairs of blocks 1..n_blocks. Adds to the cell's counts of blocks, pairs and
 * failures. Ownership: pairs_release. */
void pairs_collect(struct pairs *p, struct cell *c, const struct results *r, unsigned int n_blocks);
void pairs_release(struct pairs *p);

/* Number of threads that make the requests of a run: the level of a built-in workload, or the nodes
 * of a parallel application. For other captured programs: 1 if at most one request was in flight;
 * otherwise NaN, unknown. */
double run_n_threads(const struct scenario *scenario, const struct run_summary *s);
/* Like run_n_threads(), if each thread makes one request at a time; NaN if more requests were in
 * flight. */
double run_n_lanes(const struct scenario *scenario, const struct run_summary *s);
/* Time of the threads of a run, without the pauses of a run in slices. It needs the facts. NaN if
 * the number of threads is unknown. */
double run_thread_ns(const struct scenario *scenario, const struct run_summary *s);
/* Sum of the times in flight of all requests, in ns. Unlike the response times, it includes the
 * requests around a switch of slices. */
double run_request_ns(const struct run_summary *s);
/* Mean number of requests in flight over a run; NaN for a run without duration. */
double run_in_flight(const struct run_summary *s);
/* Largest number in flight, by time or by request; NaN: none. */
double run_in_flight_max(const struct run_summary *s);
