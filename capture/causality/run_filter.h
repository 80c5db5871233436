/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run's capture leaves of the nodes: their requests on the application's files, each behind what was computed before it. */
#ifndef CAPTURE_CAUSALITY_RUN_FILTER_H
#define CAPTURE_CAUSALITY_RUN_FILTER_H

#include "capture/causality/causality.h"
#include "capture/causality/watch.h"

struct run_filter_counts {
	uint64_t n_requests;
	int64_t running_ns; /* from the first request's begin to the last one's end */
};

/* From the capture `from` to `to`, whose metadata gets `facts` (the nodes' pids and tids are those of this run). The library has written a compute
 * before each request that counts, whose length is CPU time; by the clock it is what passed without the calls that wait. What was computed
 * before the first request of all is left out: programs are being started then. Errors: of reading and writing; ENODATA where no request is left. */
int run_filter(const char *from, const char *to, const struct causality_facts *facts, bool compress, struct run_filter_counts *counts, struct err *e);

/* From the first begin of a request to the last end in any trace. Errors: of reading; ENODATA. */
int trace_running(const char *path, int64_t *running_ns, struct err *e);

/* The edges that waits (by instants, in order) stand for in a filtered trace: the first requests of both that begin behind the instant. number[] is
 * the node of each thread the waits speak of, or -1. Waits of nodes that make no request any more are none. The caller frees *edge.
 * n_computing: edges to nodes that were found computing. */
int waits_to_edges(const char *trace, const struct causality_facts *facts, const struct watch_wait *wait, uint64_t n_waits, const int64_t *number,
		   struct causality_edge **edge, uint64_t *n_edges, uint64_t *n_computing, struct err *e);

#endif
