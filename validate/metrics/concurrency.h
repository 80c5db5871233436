/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The number of requests active at a time: how long each level lasted, and which level each request found.
 *
 * Request k is active on [begin, end). At equal times ends come before starts, starts in the order of the trace; a request finds
 * itself included. A request of length zero finds a level and adds no time and no level to others. One without an end
 * (TIME_NONE) stays active until the last instant of the trace. Exact: whole nanoseconds.
 * Source: metrology paper, figure 5; REORDER section 6. O(n log m), m the largest level; memory 8 m bytes. */
#ifndef VALIDATE_METRICS_CONCURRENCY_H
#define VALIDATE_METRICS_CONCURRENCY_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

struct concurrency { /* requests must come in the order of their begins, ties in the order of the trace */
	int64_t first_ns, last_ns; /* begin of the first; how far time is accounted for */
	uint64_t n;
	size_t level;	    /* active now */
	size_t n_unfinished; /* of them, without an end */
	int64_t *end;	    /* heap of the other ends, earliest first: [level - n_unfinished] */
	size_t end_cap;
	size_t max_level; /* what exceeds it is counted there */
	int64_t *ns_at_level;	     /* [max_level + 1] */
	uint64_t *requests_at_level; /* [max_level + 1] */
	size_t highest;	     /* level reached, at most max_level */
};

int concurrency_init(struct concurrency *c, size_t max_level, struct err *e);
void concurrency_release(struct concurrency *c);

/* A request begins; *found (may be NULL) is the level it finds. Its end must not lie before its begin.
 * Errors: ENOMEM; EINVAL for a begin before the one before it, or an end before the begin. */
int concurrency_add(struct concurrency *c, int64_t begin_ns, int64_t end_ns, size_t *found, struct err *e);

/* Accounts for the time until the last end. Afterwards ns_at_level sums to last_ns - first_ns. */
void concurrency_finish(struct concurrency *c);

/* Of requests held in memory, in any order. */
struct concurrency_levels {
	struct concurrency total;
	size_t *found;	  /* [n], level found by request i */
	double *lifetime; /* [n], time average of the level over request i's own life; NaN where it is empty or unfinished */
};
/* Errors: EINVAL for an end before its begin, ENODATA for n = 0. Ownership: concurrency_levels_release. */
int concurrency_levels(struct concurrency_levels *l, const int64_t *begin_ns, const int64_t *end_ns, size_t n,
		       struct err *e);
void concurrency_levels_release(struct concurrency_levels *l);

#endif
