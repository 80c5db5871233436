/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of a merge. Private to capture/causality. */
#ifndef CAPTURE_CAUSALITY_MERGE_PRIVATE_H
#define CAPTURE_CAUSALITY_MERGE_PRIVATE_H

#include "capture/causality/links.h"
#include "capture/causality/requests.h"

/* A request's places: waits for it are before, and signals after it, each in up to so many groups
 * between which the node computes. */
#define PLACE_GROUPS 256u
#define PLACE_BEFORE(request, group) ((request) * 2 * PLACE_GROUPS + (group))
#define PLACE_AFTER(request, group) (PLACE_BEFORE(request, PLACE_GROUPS) + (group))

/* The edges of all runs as links, of each pair of nodes only those that no other of the same pair
 * implies. A signal stands where the waiter went on, that of early[edge], counted through all runs,
 * right behind the request that was held back. Errors: EINVAL for a node or a request that is not
 * there, naming the run; ENOMEM. */
int edges_gather(struct causality_links *l, const struct causality_run *run, uint32_t n_runs,
		 uint32_t n_nodes, const uint64_t *n_requests, const bool *early, struct err *e);

/* Compute of nodes that were delayed, request by request, kept in an unnamed file. */
struct computes {
	struct compute *v; /* NULL: the base run's is taken */
	size_t n_bytes;
	/* first[node]: its place in v[]; requests + 1 each. UINT64_MAX: the base run's is taken */
	uint64_t *first;
};
struct compute {
	int64_t ns; /* -1 none */
	uint64_t blocked_ns;
};

/* Errors: of reading; of the system, with `dir`, where the file goes. Ownership: computes_release.
 */
int computes_gather(struct computes *c, const struct causality_run *run, uint32_t n_runs,
		    const uint64_t *n_requests, uint32_t n_nodes, const char *dir, struct err *e);
void computes_release(struct computes *c);

/* Writes the base run with its waits and signals. Errors: of reading and writing. */
int merge_write(const struct causality_run *base, const struct causality_links *l,
		const struct computes *c, const struct causality_facts *facts, const char *output,
		uint64_t *n_left_out, struct err *e);

#endif
