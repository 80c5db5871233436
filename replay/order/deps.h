/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of the dependencies that an order policy derives from a trace: their number and kind,
 * and how much concurrency they permit. Nothing is replayed. */
#pragma once

#include "replay/order/order.h"

struct deps_summary {
	uint64_t n_requests, n_threads, n_files;
	uint64_t n_begun, n_ended; /* waits between threads for a begin and for an end, reduced */
	uint64_t n_waiting; /* requests that wait for another thread */
	uint64_t n_waits_max; /* waits of one request */
	uint64_t n_pairs;     /* pairs of threads: one waits for the other */
	/* Traced times of requests whose end is known. Critical path: the shortest execution in
	 * this order with the traced service times and threads, without pauses */
	int64_t span_ns, service_ns, critical_ns;
	double mean_concurrency; /* service / span; NaN if the span is 0 */
	/* service / critical path: the largest that the order permits; NaN if the path is 0 */
	double parallelism;
};

struct deps {
	struct trace *trace;
	struct load load;
	struct slots slots;
	struct edges edges;
	uint32_t *first; /* first[n_threads]: first request of a thread in `of` */
	uint32_t *of;	 /* of[n]: request index, by (thread, index) */
	enum replay_order order;
	struct deps_summary summary;
};

/* Reads TRACE and derives the order. Errors: of reading; EINVAL for a block-level trace, or with
 * the record that cannot be replayed; ENOMEM. Ownership: deps_release. */
int deps_read(struct deps *d, const char *path, enum replay_order order, unsigned int fs_rules,
	      struct err *e);
void deps_release(struct deps *d); /* a zeroed struct is fine */

/* The request that an edge waits for: index into load.request. */
static inline uint32_t deps_source(const struct deps *d, const struct edge *g)
{
	return d->of[d->first[g->thread] + (g->threshold - 1) / 2];
}
