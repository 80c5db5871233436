/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of parallel applications with the causes of each node's waits: computation, and other
 * nodes.
 *
 * A node is a thread that makes requests on the application's files. The trace of an application is
 * one trace of all its nodes. Its requests and their times are those of a run without delays.
 * Between them, in the order of each node, are:
 *
 * compute: length: ns of computation before the node's next request; offset: ns blocked besides;
 *	    flags: enum compute_kind (trace.h)
 * wait: length: number of the node waited for, before its next request
 * signal: length: number of the node that may continue, after its last request
 *
 * The k-th wait of node b for node a matches the k-th signal of a to b. These records have the pid
 * and tid of their node; begin and end are the instant of the record (compute: its interval).
 * Between two requests of a node are first its signals, then computation with the waits at their
 * positions in it: computation before and after a wait is two records. COMPUTE_EXTERNAL follows the
 * waits. The metadata (extra_json) have:
 *
 * "causality": {"nodes": [{"node": 0, "pid": 11, "tid": 11, "rank": 0, "host": "name"}, ...],
 * "period": 1, "throttled": [0, 1, ...], "runs": 9, "compute": "blocking-calls" | "throttled",
 * "clock": "cpu" | "wall", "predicted_ns": 1233, "application_ns": 1234, "tracing_ns": 5678}
 *
 * Only the nodes with numbers, pids and tids are mandatory. rank -1: not in an MPI job.
 * application_ns: from the first begin to the last end of the run without delays; tracing_ns: of
 * all runs together.
 *
 * Source: parallel-trace paper, sections 3 and 4, figures 3, 5, 6 and 7. */
#pragma once

#include "capture/trace.h"

#define CAUSALITY_MAX_NODES 4096

struct causality_node {
	/* 0 ... n - 1: in the order of ranks, threads of a rank in the order of their first request
	 */
	uint32_t number;
	uint32_t pid, tid;
	int32_t rank;	 /* -1: not in an MPI job */
	const char *host; /* NULL unknown */
};

/* A trace's facts about its nodes. n_nodes 0: not a trace of a parallel application. For facts that
 * are made, not read, all members except node[] may be zero. */
struct causality_facts {
	struct causality_node *node; /* node[n_nodes], by number, owned */
	uint32_t n_nodes;
	uint64_t period;	     /* every period-th request was delayed; 0: none */
	/* throttled[n_throttled], ascending, owned: nodes that were delayed in a run of their own
	 */
	uint32_t *throttled;
	uint32_t n_throttled;
	uint32_t n_runs;
	/* compute comes from the think times of the delayed node; otherwise from think times
	 * without blocking calls */
	bool by_throttling;
	bool cpu_time;	    /* compute is CPU time; otherwise wall clock time */
	int64_t application_ns, tracing_ns; /* 0: unknown */
	int64_t predicted_ns; /* of a predicted replay; 0: unknown */
	struct json_t *kept;	/* owns the strings of facts that were read; otherwise NULL */
	uint32_t *by_thread;	/* node numbers sorted by (pid, tid), or NULL */
};

/* Errors: EINVAL if "causality" is malformed, with the reason. Without "causality", n_nodes is 0.
 */
int causality_facts_read(struct causality_facts *f, const struct trace_meta *m, struct err *e);
/* An all-zero struct is fine; borrowed node[].host stays. */
void causality_facts_release(struct causality_facts *f);
/* extra_json of the metadata (NULL: none so far) with the facts added. The caller frees. NULL:
 * extra_json is not a JSON object. */
char *causality_facts_text(const struct causality_facts *f, const char *extra_json);
/* The node of a record's thread, or -1. */
int64_t causality_node_of(const struct causality_facts *f, uint32_t pid, uint32_t tid);

/* An observed dependency: the first request of `waiter` that had not begun when a request of
 * `signaller` was held. */
struct causality_edge {
	uint32_t signaller, waiter;	 /* node numbers */
	/* counted from 0 in each node: `waiter_request` must not begin before `signaller_request`
	 * has ended */
	uint64_t signaller_request, waiter_request;
	/* part of the computation before `waiter_request` that the waiter had done by then;
	 * COMPUTED_ALL also if it is unknown */
	uint32_t computed_ppm;
	/* when the waiter continued: the number of requests after `signaller_request` that the
	 * signaller had ended, and the part done of its next computation; 0 also if unknown */
	uint64_t n_later;
	uint32_t signalled_ppm;
};
#define COMPUTED_ALL 1000000u

/* One run of the application: its requests and compute records as a trace, and the observed edges.
 * The "causality" of the trace maps threads to nodes, with equal numbers in all runs. Records that
 * are not requests of a node, such as page faults and calls of other threads, do not count in
 * edges, and are omitted from the base run.
 *
 * A compute record of a run has in addition, in ns: rvalue: its computation in CPU time and timed
 * sleep; intended_ns: its timed sleep; dispatch_ns: the part of `offset` off the CPU in calls that
 * poll. TIME_NONE: none. Its flags are CAUSE_GOES_ON (preload/causes.h) or 0. */
struct causality_run {
	const char *trace; /* path */
	int64_t throttled; /* the node that was delayed; -1: none */
	const struct causality_edge *edge; /* edge[n_edges] */
	uint64_t n_edges;
};

struct causality_merge_counts {
	uint64_t n_requests, n_edges_seen, n_edges_left; /* left: after removing redundant edges */
	uint64_t n_barriers;
	uint64_t n_left_out; /* records of the base run that are not requests of a node */
	/* edges whose signals stand directly after the held requests, because their later positions
	 * contradicted other edges */
	uint64_t n_early;
	int64_t external_ns; /* of all nodes, waiting for something that is not a node */
	/* Time in waiting calls that no dependency explains, of all nodes. It is not external,
	 * because a dependency may have been missed: not every request was delayed. And the longest
	 * one: node, request after it, ns. */
	int64_t unexplained_ns, longest_ns;
	uint32_t longest_node;
	uint64_t longest_request;
	/* The predicted running time of a replay: each node takes its own time in the base run, and
	 * waits for its signals. */
	int64_t predicted_ns;
};

/* Merges the runs of one application. run[0] is the run without delays, whose requests and times
 * are kept. Compute is the base run's, because a replay is compared with its running time (a median
 * over the runs would be taken per request, and their sum is not the median of the sums). With
 * facts->by_throttling, compute of a delayed node comes from its own run, in which it is the
 * slowest and waits for no other node. Redundant edges are removed; the rest is checked as by
 * causality_check. Memory grows with the edges, not with the requests. Errors: EILSEQ if the
 * requests of a node differ between runs, naming the node, the runs, the request and the
 * difference; ELOOP for a cycle; EINVAL for an edge of an unknown node or request; of reading and
 * writing. */
int causality_merge(const struct causality_run *run, uint32_t n_runs,
		    const struct causality_facts *facts, const char *output,
		    struct causality_merge_counts *counts, struct err *e);

/* Checks that a replay can end: each wait has a signal, and waits and program order form no cycle.
 * Errors: ENOENT for a wait without a signal; EINVAL for a signal without a wait (a merge leaves
 * none); ELOOP for a cycle; each names nodes and requests. */
int causality_check(struct trace *t, struct err *e);
