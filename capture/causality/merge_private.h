/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of a merge. Private to capture/causality. */
#pragma once

#include "capture/causality/links.h"
#include "capture/causality/requests.h"

/* Places of a request: its waits come before it and its signals after it, each in up to so many
 * groups with computation between them. */
#define PLACE_GROUPS 256u
#define PLACE_BEFORE(request, group) ((request) * 2 * PLACE_GROUPS + (group))
#define PLACE_AFTER(request, group) (PLACE_BEFORE(request, PLACE_GROUPS) + (group))

/* Makes links of the edges of all runs, and removes for each pair of nodes those that another edge
 * of the pair implies. A signal stands where the waiter continued; with early[edge], counted
 * through all runs, it stands directly after the held request. Errors: EINVAL for an unknown node
 * or request, naming the run; ENOMEM. */
int edges_gather(struct causality_links *l, const struct causality_run *run, uint32_t n_runs,
		 uint32_t n_nodes, const uint64_t *n_requests, const bool *early, struct err *e);

/* merge_late.c: sets early[edge] for each signal after whose place the waiting node had continued
 * in the base run; *n: such signals that were not early before. Errors: of reading. */
int late_signals_find(const char *base, const struct causality_links *l, bool *early, size_t *n,
		      struct err *e);

/* Computation of delayed nodes by request, kept in an unnamed file. */
struct computes {
	struct compute *v; /* NULL: the base run's is used */
	size_t n_bytes;
	/* first[node]: index of its requests + 1 entries; UINT64_MAX: the base run's is used */
	uint64_t *first;
};
struct compute {
	int64_t ns; /* -1 none */
	int64_t slept_ns;
	uint64_t blocked_ns;
};

/* Errors: of reading; of the system, for the file in `dir`. Ownership: computes_release. */
int computes_gather(struct computes *c, const struct causality_run *run, uint32_t n_runs,
		    const uint64_t *n_requests, uint32_t n_nodes, const char *dir, struct err *e);
void computes_release(struct computes *c);

/* merge_external.c: the time of a compute record outside of waiting calls, by the wall clock; 0 if
 * unknown. */
int64_t merge_elapsed(const struct trace_record *r);
/* The part of a computation's blocked time, in ns, that no wait explains. `r` is a compute record
 * of the base run. wait[n]: the links of the waits before its request, sent_ns[]: when their
 * signals were sent. `polled`: the node may also have waited outside of waiting calls. */
int64_t merge_unexplained(const struct trace_record *r, const struct causality_links *l,
			  const size_t *wait, size_t n, const int64_t *sent_ns, bool polled);

/* merge_barriers.c: barriers with records of their own: two for each of n nodes instead of n - 1
 * signals and waits. */
struct merge_barriers {
	uint32_t *number; /* number[l->n]: of the link's barrier, from 1; 0: none */
	/* [l->n]: an earlier link of the same node and barrier has the record */
	bool *again_wait, *again_signal;
};
/* Places are those of the records. Errors: as causality_links_walk. Ownership:
 * merge_barriers_release, also after an error. */
int merge_barriers_find(struct merge_barriers *m, const struct causality_links *l,
			const size_t *by_wait, const size_t *by_signal, struct err *e);
void merge_barriers_release(struct merge_barriers *m); /* all-zero is fine */

/* Writes the base run with waits and signals, and counts. Changes the places of `l` to those of the
 * records. Errors: of reading and writing. */
int merge_write(const struct causality_run *base, struct causality_links *l,
		const struct computes *c, const struct causality_facts *facts, const char *output,
		struct causality_merge_counts *counts, struct err *e);
