/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The number of active requests over time: how long each level lasted, and the level that each
 * request finds at its start.
 *
 * Request k is active on [begin, end). If an end and a start have the same time, the end comes
 * first; starts keep the order of the trace. A request counts itself. A request of length zero
 * finds a level but adds neither time nor a level. A request without an end (TIME_NONE) stays
 * active until the last instant of the trace. Exact: whole nanoseconds. Source: metrology paper,
 * figure 5. Time: O(n log m), m the largest level. Memory: 8 m bytes, 16 m while it grows. */
#pragma once

#include "capture/trace.h"

struct concurrency {
	/* start of the first request; time up to which levels have been counted */
	int64_t first_ns, last_ns;
	uint64_t n;
	size_t n_unfinished; /* active requests without an end */
	/* end[n_ends]: heap of the ends of active requests, the earliest first */
	int64_t *end;
	size_t n_ends, end_cap;
	size_t max_level;            /* higher levels are counted here */
	int64_t *ns_at_level;        /* [max_level + 1] */
	uint64_t *requests_at_level; /* [max_level + 1] */
	size_t highest;              /* highest level reached, at most max_level */
};

void concurrency_init(struct concurrency *c, size_t max_level);
void concurrency_release(struct concurrency *c);

/* Adds a request. Requests are in the order of their starts; those with equal starts keep the order
 * of the trace. *found (may be NULL) is set to the level that the request finds. Errors:
 * EINVAL for a start before the previous start, or an end before the start. */
int concurrency_add(struct concurrency *c, int64_t begin_ns, int64_t end_ns, size_t *found,
		    struct err *e);

/* Counts the time until the last end. Afterwards the sum of ns_at_level is last_ns - first_ns. */
void concurrency_finish(struct concurrency *c);
