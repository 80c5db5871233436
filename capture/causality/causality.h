/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of parallel applications. They contain the causes of each node's waits: computation, and
 * other nodes.
 *
 * A node is a thread that makes requests on the application's files, or for whose messages such
 * threads wait. The trace of an application is one trace of all its nodes. Its requests and their
 * times are from a run without delays. Between the requests of a node are these records:
 *
 * compute: length: ns of computation before the node's next request; offset: additional ns blocked;
 *	    flags: enum compute_kind (trace.h)
 * wait: length: number of the node waited for, before its next request
 * signal: length: number of the node that may continue, after its last request
 *
 * The k-th wait of node b for node a matches the k-th signal of a to b. These records have the pid
 * and tid of their node; begin and end are the instant of the record (compute: its interval).
 * Between two requests of a node, its signals come first, then its computation with the waits. A
 * wait at a position inside a computation divides the computation into two records.
 * COMPUTE_EXTERNAL follows the waits. The metadata (extra_json) contain:
 *
 * "causality": {"nodes": [{"node": 0, "pid": 11, "tid": 11, "rank": 0, "host": "name"}, ...],
 * "period": 1, "throttled": [0, 1, ...], "runs": 9, "compute": "blocking-calls" | "throttled",
 * "clock": "cpu" | "wall", "predicted_ns": 1233, "application_ns": 1234, "tracing_ns": 5678}
 *
 * Only the nodes with their numbers, pids and tids are mandatory. rank -1: not in an MPI job.
 * application_ns: from the first begin to the last end of the run without delays; tracing_ns: of
 * all runs together.
 *
 * Source: parallel-trace paper, sections 3 and 4, figures 3, 5, 6 and 7. */
#pragma once

#include "capture/trace.h"
#include "common/u64_map.h"

#define CAUSALITY_MAX_NODES 4096

struct causality_node {
	/* 0 ... n - 1, in the order of ranks; threads of a rank in the order of their first
	 * request */
	uint32_t number;
	uint32_t pid, tid;
	int32_t rank;	 /* -1: not in an MPI job */
	const char *host; /* NULL unknown */
	/* The node makes no requests. In the runs of a capture its messages (preload/causes.h)
	 * take their place; the merged trace omits them. */
	bool sends;
};

/* Facts of a trace about its nodes. n_nodes 0: not the trace of a parallel application. If the
 * caller makes the facts, all members except node[] may be zero. */
struct causality_facts {
	struct causality_node *node; /* node[n_nodes], by number, owned */
	uint32_t n_nodes;
	uint64_t period; /* every period-th request was delayed; 0: no request was delayed */
	/* throttled[n_throttled], ascending, owned: nodes that were delayed in a separate run */
	uint32_t *throttled;
	uint32_t n_throttled;
	uint32_t n_runs;
	/* compute comes from the think times of the delayed node; otherwise, from think times
	 * without blocking calls */
	bool by_throttling;
	bool cpu_time;	    /* compute is CPU time; otherwise, wall-clock time */
	int64_t application_ns, tracing_ns; /* 0: unknown */
	int64_t predicted_ns; /* of a predicted replay; 0: unknown */
	struct json_t *kept;	/* owns the strings of facts that were read; NULL otherwise */
	struct u64_map of_thread; /* node number of each (pid, tid), or empty */
};

/* Errors: EINVAL: "causality" is malformed; the message has the reason. Without "causality",
 * n_nodes is 0. */
int causality_facts_read(struct causality_facts *f, const struct trace_meta *m, struct err *e);
/* `f` may be all zero. Does not free node[].host if it is borrowed. */
void causality_facts_release(struct causality_facts *f);
/* Returns extra_json of the metadata (NULL: none so far) with the facts added. The caller frees.
 * NULL: extra_json is not a JSON object. */
char *causality_facts_text(const struct causality_facts *f, const char *extra_json);
/* The node of a record's thread, or -1. */
int64_t causality_node_of(const struct causality_facts *f, uint32_t pid, uint32_t tid);

/* An observed dependency: while a request of `signaller` was held, `waiter_request` was the first
 * request of `waiter` that had not begun. */
struct causality_edge {
	uint32_t signaller, waiter;	 /* node numbers */
	/* numbers of requests, counted from 0 in each node: `waiter_request` must not begin before
	 * `signaller_request` has ended */
	uint64_t signaller_request, waiter_request;
	/* part of the computation before `waiter_request` that the waiter had done at that instant;
	 * COMPUTED_ALL also if unknown */
	uint32_t computed_ppm;
	/* Position of the signaller when the waiter continued: number of requests that the
	 * signaller had ended after `signaller_request`, and the part of its next computation that
	 * was done; 0 also if unknown. */
	uint64_t n_later;
	uint32_t signalled_ppm;
	/* the waiter was not seen to wait in a call: it only did not continue for a long time */
	bool uncertain;
};
#define COMPUTED_ALL 1000000u

/* One run of the application: its requests and compute records as a trace, and the observed edges.
 * The "causality" of the trace maps threads to nodes, with the same numbers in all runs. Records
 * that are not requests of a node, such as page faults and calls of other threads, do not count in
 * edges, and are omitted from the base run.
 *
 * A compute record of a run has further members, in ns. rvalue: CPU time and timed sleep of the
 * computation; intended_ns: the timed sleep; dispatch_ns: the part of `offset` that was spent off
 * the CPU in polling calls. TIME_NONE: none. Its flags are CAUSE_GOES_ON (preload/causes.h) or
 * 0. */
struct causality_run {
	const char *trace; /* path */
	int64_t throttled; /* the node that was delayed; -1: none */
	const struct causality_edge *edge; /* edge[n_edges] */
	uint64_t n_edges;
	uint64_t n_implied; /* edges that were removed because others imply them */
	/* Above 0: this is the last run of a merge and has no trace. Its edges go to and from this
	 * number of further nodes (joins.h), which have the numbers after those of the nodes. */
	uint32_t n_joins;
};

/* Removes edges that a later edge of the same run implies: the waiter waited at the same place when
 * a later request of the signaller was held. edge[n]: in the order in which the requests were held.
 * Returns the number of edges that are left. */
uint64_t causality_edges_reduce(struct causality_edge *edge, uint64_t n);

struct causality_merge_counts {
	/* n_edges_left: edges after removing redundant edges */
	uint64_t n_requests, n_edges_seen, n_edges_left;
	/* nodes of the trace; of these, nodes without requests, which others wait for */
	uint32_t n_nodes, n_senders;
	uint64_t n_barriers;
	uint64_t n_left_out; /* number of records of the base run that are not requests of a node */
	uint64_t n_programs_unseen; /* programs whose calls may be missing (unseen.h) */
	/* number of edges whose signals are directly after the held requests, because their later
	 * positions contradicted other edges */
	uint64_t n_early;
	/* time of all nodes in which they waited for something that is not a node */
	int64_t external_ns;
	/* Time of all nodes in waiting calls that no dependency explains. It does not count as
	 * external, because a dependency may have been missed: not every request was delayed. And
	 * its longest part: node, request after it, ns. */
	int64_t unexplained_ns, longest_ns;
	uint32_t longest_node;
	uint64_t longest_request;
	/* Predicted execution time of a replay: each node takes its own time in the base run, and
	 * waits for its signals. */
	int64_t predicted_ns;
};

/* Merges the runs of one application. run[0] is the run without delays (base run). Its requests and
 * times are kept. Computation also comes from the base run, because the execution time of a replay
 * is compared with that run. (A median over the runs would be computed for each request, and the
 * sum of medians is not the median of the sums.) With facts->by_throttling, the computation of a
 * delayed node comes from the run in which it was delayed: there it is the slowest node and waits
 * for no other node. Redundant edges are removed. The other edges are checked as by
 * causality_check. Memory grows with the edges, not with the requests. Errors: EILSEQ: the requests
 * of a node differ between runs; the message has the node, the runs, the request and the
 * difference; ELOOP: a cycle; EINVAL: an edge of an unknown node or request; of reading and
 * writing. */
int causality_merge(const struct causality_run *run, uint32_t n_runs,
		    const struct causality_facts *facts, const char *output,
		    struct causality_merge_counts *counts, struct err *e);

/* Checks that a replay can end: each wait has a signal, and waits and program order form no cycle.
 * Errors: ENOENT: a wait without a signal; EINVAL: a signal without a wait (a merge produces none);
 * ELOOP: a cycle. Messages name nodes and requests. */
int causality_check(struct trace *t, struct err *e);
