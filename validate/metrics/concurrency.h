/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The number of active requests over time: how long each level lasted, and the level that each
 * request finds at its begin.
 *
 * Request k is active on [begin, end). At equal times ends come before begins, and begins keep the
 * order of the trace. A request counts itself. A request of length zero finds a level but adds
 * neither time nor a level. A request without an end (TIME_NONE) stays active until the last
 * instant of the trace. Exact: whole nanoseconds. Source: metrology paper, figure 5. Time: O(n log
 * m), m the largest level. Memory: 8 m bytes, 16 m while growing. */
#pragma once

#include "capture/trace.h"

/* Requests are added in the order of their begins; ties keep the order of the trace. */
struct concurrency {
	/* begin of the first request; time up to which levels are counted */
	int64_t first_ns, last_ns;
	uint64_t n;
	size_t n_unfinished; /* active requests without an end */
	size_t n_ends;       /* active requests with an end */
	/* [n_ends] heap of their ends; end[0] is the earliest, INT64_MAX if there is none */
	int64_t *end;
	size_t end_cap;              /* at least 2 */
	size_t max_level;            /* higher levels are counted here */
	int64_t *ns_at_level;        /* [max_level + 1] */
	uint64_t *requests_at_level; /* [max_level + 1] */
	size_t highest;              /* highest level reached, at most max_level */
};

int concurrency_init(struct concurrency *c, size_t max_level, struct err *e);
void concurrency_release(struct concurrency *c);

/* Slow paths of concurrency_add: three ends or more; an invalid request. */
void concurrency_sift_down(struct concurrency *c);
int concurrency_push(struct concurrency *c, int64_t end_ns, struct err *e);
int concurrency_refuse(const struct concurrency *c, int64_t begin_ns, int64_t end_ns,
		       struct err *e);

static inline void concurrency_account(struct concurrency *c, int64_t until_ns)
{
	size_t level = c->n_ends + c->n_unfinished;
	c->ns_at_level[level < c->max_level ? level : c->max_level] += until_ns - c->last_ns;
	c->last_ns = until_ns;
}

static inline void concurrency_end_earliest(struct concurrency *c)
{
	concurrency_account(c, c->end[0]);
	c->n_ends--;
	if (c->n_ends <= 1)
		c->end[0] = c->n_ends ? c->end[1] : INT64_MAX;
	else
		concurrency_sift_down(c);
}

/* Adds a request. *found (may be NULL) is set to the level it finds. Errors: ENOMEM; EINVAL for a
 * begin before the previous begin, or an end before the begin. */
static inline int concurrency_add(struct concurrency *c, int64_t begin_ns, int64_t end_ns,
				  size_t *found, struct err *e)
{
	while (c->end[0] <= begin_ns && c->n_ends)
		concurrency_end_earliest(c);
	if (!c->n++)
		c->first_ns = c->last_ns = begin_ns;
	if (__builtin_expect(begin_ns < c->last_ns || (end_ns < begin_ns && end_ns != TIME_NONE),
			     0))
		return concurrency_refuse(c, begin_ns, end_ns, e);
	concurrency_account(c, begin_ns);
	size_t level = c->n_ends + c->n_unfinished + 1;
	if (found)
		*found = level;
	level = level < c->max_level ? level : c->max_level;
	c->highest = level > c->highest ? level : c->highest;
	c->requests_at_level[level]++;
	if (end_ns == begin_ns)
		return 0;
	if (__builtin_expect(end_ns == TIME_NONE, 0)) {
		c->n_unfinished++;
		return 0;
	}
	if (__builtin_expect(c->n_ends > 1, 0))
		return concurrency_push(c, end_ns, e);
	int64_t other = c->end[0]; /* INT64_MAX if there is none */
	c->end[0] = other < end_ns ? other : end_ns;
	c->end[1] = other < end_ns ? end_ns : other;
	c->n_ends++;
	return 0;
}

/* Adds n requests, begin_ns[i * stride] to end_ns[i * stride]. After an error the requests before
 * the failing request are added. */
int concurrency_add_run(struct concurrency *c, const int64_t *begin_ns, const int64_t *end_ns,
			size_t stride, size_t n, struct err *e);

/* Counts the time until the last end. Afterwards ns_at_level sums to last_ns - first_ns. */
void concurrency_finish(struct concurrency *c);
