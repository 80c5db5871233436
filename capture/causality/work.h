/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Totals of the trace of a parallel application: the work of its nodes, their waits, and a lower
 * bound of its execution time. */
#pragma once

#include "capture/causality/links.h"

struct causality_node_work {
	uint64_t n_requests, n_computes, n_signals, n_waits;
	int64_t request_ns; /* total time of requests with a known end */
	/* totals of compute records, by kind (trace.h) */
	int64_t compute_ns, asleep_ns, external_ns;
	/* start of its first request, end of its last request; TIME_NONE: none */
	int64_t first_ns, last_ns;
};

struct causality_work {
	struct causality_node_work *node; /* node[n_nodes], owned */
	struct causality_node_work all;
	uint32_t n_nodes;
	uint64_t n_implied; /* redundant waits, which other waits imply */
	uint64_t n_waiting; /* requests with waits before them */
	uint64_t n_pairs;   /* pairs of nodes of which one waits for the other, without barriers */
	/* Critical path: the shortest execution in which each node makes its computations and
	 * requests one after the other with the traced durations, and waits only for its signals.
	 * And the computation on this path. */
	int64_t critical_ns, critical_compute_ns;
	struct causality_links links;	    /* all links, by waiter and place */
	struct causality_barriers barriers; /* of these */
};

/* Reads all of `t`, from its beginning. Errors: as causality_check. Ownership:
 * causality_work_release, also after an error. */
int causality_work_read(struct causality_work *w, struct trace *t, const struct causality_facts *f,
			struct err *e);
void causality_work_release(struct causality_work *w);
