/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of a merge. Private to capture/causality. */
#pragma once

#include "capture/causality/links.h"
#include "capture/causality/requests.h"

/* Places of a request: its waits precede it and its signals follow it. Both are in at most this
 * many groups with computation between them. */
#define PLACE_GROUPS 256u
#define PLACE_BEFORE(request, group) ((request) * 2 * PLACE_GROUPS + (group))
#define PLACE_AFTER(request, group) (PLACE_BEFORE(request, PLACE_GROUPS) + (group))

/* Makes links from the edges of all runs. For each pair of nodes, removes links that another edge
 * of the pair implies. A signal is placed where the waiter continued; with early[edge] (index over
 * all runs), directly after the held request. Errors: EINVAL: an unknown node or request; the
 * message names the run; ENOMEM. */
int edges_gather(struct causality_links *l, const struct causality_run *run, uint32_t n_runs,
		 uint32_t n_nodes, const uint64_t *n_requests, const bool *early, struct err *e);

/* Number of waits of a node for another node. A node of a join does not wait for itself. */
uint64_t merge_edges_count(const struct causality_links *l);

/* merge_late.c: sets early[edge] for each signal that is too late: in the base run, the waiting
 * node continued before the signal's place. *n: number of such signals that were not early before.
 * Errors: of reading. */
int late_signals_find(const char *base, const struct causality_links *l, bool *early, size_t *n,
		      struct err *e);

/* Computation of delayed nodes by request, kept in an unnamed file. */
struct computes {
	struct compute *v; /* NULL: the computation of the base run is used */
	size_t n_bytes;
	/* first[node]: index of the first of its n_requests + 1 entries; UINT64_MAX: the
	 * computation of the base run is used */
	uint64_t *first;
};
struct compute {
	int64_t ns; /* -1 none */
	int64_t slept_ns;
	uint64_t blocked_ns;
};

/* Errors: of reading; of the system, for a file beside `output`. Ownership: computes_release. */
int computes_gather(struct computes *c, const struct causality_run *run, uint32_t n_runs,
		    const uint64_t *n_requests, uint32_t n_nodes, const char *output,
		    struct err *e);
void computes_release(struct computes *c);

/* merge_external.c: wall-clock time of a compute record outside waiting calls; 0 if unknown. */
int64_t merge_elapsed(const struct trace_record *r);
/* The part of a computation's blocked time, in ns, that no wait explains. `r`: a compute record of
 * the base run; wait[n]: links of the waits before its request; sent_ns[]: when their signals were
 * sent. `polled`: the node may also have waited outside waiting calls. */
int64_t merge_unexplained(const struct trace_record *r, const struct causality_links *l,
			  const size_t *wait, size_t n, const int64_t *sent_ns, bool polled);

/* merge_barriers.c: barriers that get records: each of n nodes has two records instead of n - 1
 * signals and n - 1 waits. */
struct merge_barriers {
	uint32_t *number; /* number[l->n]: number of the link's barrier, from 1 on; 0: none */
	/* [l->n]: an earlier link of the same node and barrier already has the record */
	bool *again_wait, *again_signal;
};
/* Places must be those of the records. Errors: as causality_links_walk. Ownership:
 * merge_barriers_release, also after an error. */
int merge_barriers_find(struct merge_barriers *m, const struct causality_links *l,
			const size_t *by_wait, const size_t *by_signal, struct err *e);
void merge_barriers_release(struct merge_barriers *m); /* `m` may be all zero */

/* Writes the base run with waits and signals, and counts them. Changes the places in `l` to those
 * of the records. Errors: of reading and writing. */
int merge_write(const struct causality_run *base, struct causality_links *l,
		const struct computes *c, const struct causality_facts *facts, const char *output,
		struct causality_merge_counts *counts, struct err *e);
