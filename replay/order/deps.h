/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dependencies that an order policy derives from a trace, to be looked at: how many there are,
 * of what kind, and how much of the trace's concurrency they leave. Nothing is replayed. */
#ifndef REPLAY_DEPS_H
#define REPLAY_DEPS_H

#include <stdint.h>

#include "capture/trace.h"
#include "common/err.h"
#include "replay/load/load.h"
#include "replay/order/order.h"
#include "replay/options/config.h"
#include "replay/load/slots.h"

struct deps_summary {
	uint64_t n_requests, n_threads, n_files;
	/* waits between threads, the redundant ones left out: on the begin and on the end of a
	 * request */
	uint64_t n_begun, n_ended;
	uint64_t n_waiting; /* requests that wait for another thread */
	uint64_t n_waits_max; /* waits of one request */
	uint64_t n_pairs;     /* pairs of threads (who waits, for whom) */
	/* Traced times, over the requests whose end is known. Critical path: the shortest execution
	 * under this order with the traced service times, no pauses, and as many threads as the
	 * trace has. */
	int64_t span_ns, service_ns, critical_ns;
	double mean_concurrency; /* service / span, as traced; NaN where the span is 0 */
	/* service / critical path: what the order allows at most; NaN where it is 0 */
	double parallelism;
};

struct deps {
	struct trace *trace;
	struct load load;
	struct slots slots;
	struct edges edges;
	uint32_t *first; /* first[n_threads]: where a thread's requests begin in `of` */
	uint32_t *of;	 /* of[n]: request index, by (thread, index) */
	enum replay_order order;
	struct deps_summary summary;
};

/* Reads TRACE and derives the order. Errors: of reading; EINVAL for a block-level trace or what
 * cannot be replayed, naming the record; ENOMEM. Ownership: deps_release. */
int deps_read(struct deps *d, const char *path, enum replay_order order, unsigned int fs_rules,
	      struct err *e);
void deps_release(struct deps *d); /* an all-zero one is fine */

/* The request that a wait is for: index into load.request. */
static inline uint32_t deps_source(const struct deps *d, const struct edge *g)
{
	return d->of[d->first[g->thread] + (g->threshold - 1) / 2];
}

#endif
