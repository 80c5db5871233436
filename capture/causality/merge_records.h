/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of a merge's output. Private to merge_write.c and merge_records.c. */
#pragma once

#include "capture/causality/merge_private.h"
#include "capture/causality/work_private.h"

#define NODE_OMITTED UINT32_MAX

struct merge_node {
	uint64_t place;	  /* place in the node's records, counted as in causality_links_read() */
	uint16_t last_op; /* operation of its last record */
	/* Position in the base run: time outside waiting calls since its last request; total time
	 * so far, except waits for other nodes. */
	int64_t at_ns, own_ns;
	struct links_range at;
	uint64_t n_requests, n_parts; /* requests written; compute records since the last request */
	bool owes;	    /* the signals after its last request are still due, at due_ns */
	int64_t due_ns;
	int64_t external_ns; /* before its next request, after its waits */
	/* part of the time before its next request in which it may have waited for a CPU, not for a
	 * cause */
	int64_t contended_ns;
	int64_t last_ns;    /* time of its last record */
};

struct merge_job {
	struct requests q;
	struct trace_writer *to;
	struct causality_links *l;
	const struct computes *c;
	const struct causality_facts *facts;
	struct causality_merge_counts *counts;
	bool complete; /* each request of each node was delayed, so no dependency is missing */
	struct links_order order;
	/* The first pass writes nothing. It sets the places of the links to those of their records,
	 * and sent_ns[l->n]: when each signal was sent in the base run. */
	bool first_pass;
	int64_t *sent_ns;
	/* own_ns of the nodes at each link */
	struct work_amount *at_wait, *at_signal;
	struct merge_barriers barriers;
	struct merge_node *node;
	uint32_t *number; /* number[n_nodes]: in the output; NODE_OMITTED */
	struct due *due; /* merge_records.c: a heap by ns */
	size_t n_due, cap_due;
	uint32_t n_objects;
	uint64_t seq;
	struct trace_record out[1024];
	size_t n_out;
};

/* Writes the base run from its current record on, with the causes of each node's waits. Errors: of
 * reading and writing. */
int merge_records_write(struct merge_job *j, struct err *e);
