/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of parallel applications with what makes each node wait: computing, and the other nodes.
 *
 * A node is a thread that makes requests on the application's files. The trace of an application is
 *one trace of all its nodes. Its requests, with their times, are those of a run in which nothing
 *was delayed. Between them, in the order of each node, are
 *
 *	compute	length: ns of computing before the node's next request; offset: ns that it was
 *blocked besides wait	length: number of the node it waits for, before its next request signal
 *length: number of the node it lets go on, after its last request
 *
 * The k-th wait of node b for node a is answered by the k-th signal of a to b. They have the pid
 *and tid of their node; begin and end are the instant that they stand at (compute: its interval).
 *Between two requests of a node stand first its signals, then computing with its waits where in the
 *computing they were met: computing before and after a wait are two records. In the metadata
 *(extra_json) stands
 *
 *	"causality": {"nodes": [{"node": 0, "pid": 11, "tid": 11, "rank": 0, "host": "name"}, ...],
 *rank -1: of no MPI job "period": 1, "throttled": [0, 1, ...], "runs": 9, "compute":
 *"blocking-calls" | "throttled", "clock": "cpu" | "wall", "application_ns": 1234, "tracing_ns":
 *5678}
 *
 * of which only the nodes with their numbers, pids and tids must be there. application_ns: from the
 *first begin to the last end of the run in which nothing was delayed; tracing_ns: of all runs
 *together.
 *
 * Source: parallel-trace paper, sections 3 and 4, figures 3, 5, 6 and 7. */
#ifndef CAPTURE_CAUSALITY_H
#define CAPTURE_CAUSALITY_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/trace.h"
#include "common/err.h"

#define CAUSALITY_MAX_NODES 4096

struct causality_node {
	/* 0 ... n - 1: ranks in their order, the threads of one in the order of their first request
	 */
	uint32_t number;
	uint32_t pid, tid;
	int32_t rank;	 /* -1: of no MPI job */
	const char *host; /* NULL unknown */
};

/* What a trace says of its nodes. n_nodes 0: it is of no parallel application. All zero but for
 * node[] is fine where facts are made, not read. */
struct causality_facts {
	struct causality_node *node; /* node[n_nodes], by number, owned */
	uint32_t n_nodes;
	uint64_t period;	     /* each period-th request was delayed; 0: none */
	/* throttled[n_throttled], ascending, owned: nodes that were delayed, each in a run */
	uint32_t *throttled;
	uint32_t n_throttled;
	uint32_t n_runs;
	/* how compute was found: think times of the delayed node; else think times without blocking
	 * calls */
	bool by_throttling;
	bool cpu_time;	    /* compute is time on the processor; else of the clock */
	int64_t application_ns, tracing_ns; /* 0: unknown */
	struct json_t *kept;	/* what was read holds its strings; NULL else */
	uint32_t *by_thread;	/* numbers in the order of (pid, tid); NULL else */
};

/* Errors: EINVAL where "causality" cannot be understood, with what is wrong. No "causality" is no
 * error: n_nodes 0. */
int causality_facts_read(struct causality_facts *f, const struct trace_meta *m, struct err *e);
/* an all-zero one is fine; what is borrowed in node[].host stays */
void causality_facts_release(struct causality_facts *f);
/* The metadata's extra_json (NULL: none so far) with the facts in it. The caller frees. NULL:
 * extra_json is no JSON object. */
char *causality_facts_text(const struct causality_facts *f, const char *extra_json);
/* The node of a record's thread, or -1. */
int64_t causality_node_of(const struct causality_facts *f, uint32_t pid, uint32_t tid);

/* One dependency that was seen: the first request of `waiter` that had not begun when `signaller`'s
 * was held back. */
struct causality_edge {
	uint32_t signaller, waiter;	 /* node numbers */
	/* counted from 0 in each node: `waiter_request` must not begin before `signaller_request`
	 * has ended */
	uint64_t signaller_request, waiter_request;
	/* how much of the computing before `waiter_request` the waiter had done by then;
	 * COMPUTED_ALL also where that cannot be told */
	uint32_t computed_ppm;
	/* when the waiter went on: how many requests behind `signaller_request` the signaller had
	 * ended, and how much it had done by then of the computing before its next; 0 also where
	 * that is not known */
	uint64_t n_later;
	uint32_t signalled_ppm;
};
#define COMPUTED_ALL 1000000u

/* One run of the application: its requests (and compute records) as a trace, and the edges that it
 * showed. The trace says by its own "causality" which of its threads are which nodes; they have the
 * same numbers in all runs. What is no request of a node, as a page fault, or a call of a thread
 * that is no node, is not counted in edges, and of the base run it is left out. */
struct causality_run {
	const char *trace; /* path */
	int64_t throttled; /* the node that was delayed; -1: none */
	const struct causality_edge *edge; /* edge[n_edges] */
	uint64_t n_edges;
};

struct causality_merge_counts {
	uint64_t n_requests, n_edges_seen, n_edges_left; /* after the redundant ones were removed */
	uint64_t n_barriers;
	uint64_t n_left_out; /* records of the base run that are no request of a node */
	/* edges whose signals stand right behind the requests that were held back, for where the
	 * waiters went on they contradicted others */
	uint64_t n_early;
};

/* Merges the runs of one application: run[0] is the one without delays, whose requests and times
 * these become. Compute is the base run's, whose running time a replay is held against (a median
 * over the runs would be of each request, and their sum is not the median of the sums);
 * facts->by_throttling: of a node that was delayed, that run's, where it is the slowest and waits
 * for nobody. Redundant edges are removed, and what is left is checked as causality_check does.
 * Memory grows with the edges, and not with the requests. Errors: EILSEQ where the requests of a
 * node differ between runs, naming the node, the runs, the request and how it differs; ELOOP for a
 * cycle; EINVAL for an edge of a node or request that is not there; of reading and writing. */
int causality_merge(const struct causality_run *run, uint32_t n_runs,
		    const struct causality_facts *facts, const char *output,
		    struct causality_merge_counts *counts, struct err *e);

/* Whether a replay can end: each wait has its signal, and no cycle of waits and program order.
 * Errors: ENOENT for a wait without a signal, EINVAL for a signal that nobody waits for (which a
 * merge never leaves), ELOOP for a cycle; each names nodes and requests. */
int causality_check(struct trace *t, struct err *e);

#endif
