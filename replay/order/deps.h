/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of the dependencies that an order policy derives from a trace: their number and kind,
 * and how much concurrency they permit. Nothing is replayed. */
#pragma once

#include "replay/order/order.h"

struct deps_summary {
	uint64_t n_requests, n_threads, n_files;
	/* number of waits between threads for a start and for an end, after reduction */
	uint64_t n_begun, n_ended;
	uint64_t n_waiting; /* number of requests that wait for another thread */
	uint64_t n_waits_max; /* waits of one request */
	/* number of pairs of threads in which one thread waits for the other */
	uint64_t n_pairs;
	/* traced times of requests whose end is known. critical_ns: critical path, the shortest
	 * execution in this order with the traced service times and threads, without pauses */
	int64_t span_ns, service_ns, critical_ns;
	double mean_concurrency; /* service / span; NaN if the span is 0 */
	/* service / critical path: the largest mean concurrency that the order permits; NaN if the
	 * path is 0 */
	double parallelism;
};

struct deps {
	struct trace *trace;
	struct load load;
	struct slots slots;
	struct edges edges;
	uint32_t *first; /* first[n_threads]: index in `of` of a thread's first request */
	uint32_t *of;	 /* of[n]: request index, ordered by thread and by index in the thread */
	enum replay_order order;
	struct deps_summary summary;
};

/* Reads TRACE and derives the order. Errors: of reading; EINVAL for a block-level trace, or with
 * the record that cannot be replayed; ENOMEM. Ownership: deps_release. */
int deps_read(struct deps *d, const char *path, enum replay_order order, unsigned int fs_rules,
	      struct err *e);
void deps_release(struct deps *d); /* a zeroed struct is fine */

/* Returns the request for which an edge waits: an index into load.request. */
static inline uint32_t deps_source(const struct deps *d, const struct edge *g)
{
	return d->of[d->first[g->thread] + (g->threshold - 1) / 2];
}
