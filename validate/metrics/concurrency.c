/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/concurrency.h"

#include "common/heap.h"

static const struct heap_type ends = {sizeof(int64_t), heap_int64_before, NULL};

void concurrency_init(struct concurrency *c, size_t max_level)
{
	*c = (struct concurrency){
	    .max_level = max_level,
	    .ns_at_level = xcalloc(max_level + 1, sizeof *c->ns_at_level),
	    .requests_at_level = xcalloc(max_level + 1, sizeof *c->requests_at_level)};
}

void concurrency_release(struct concurrency *c)
{
	FREE_EACH(c->end, c->ns_at_level, c->requests_at_level);
	memset(c, 0, sizeof *c);
}

static void level_account(struct concurrency *c, int64_t until_ns)
{
	size_t level = c->n_ends + c->n_unfinished;
	c->ns_at_level[level < c->max_level ? level : c->max_level] += until_ns - c->last_ns;
	c->last_ns = until_ns;
}

static void end_earliest(struct concurrency *c)
{
	level_account(c, c->end[0]);
	c->end[0] = c->end[--c->n_ends];
	heap_sift_down(&ends, c->end, c->n_ends, 0);
}

int concurrency_add(struct concurrency *c, int64_t begin_ns, int64_t end_ns, size_t *found,
		    struct err *e)
{
	while (c->n_ends && c->end[0] <= begin_ns)
		end_earliest(c);
	if (!c->n++)
		c->first_ns = c->last_ns = begin_ns;
	if (begin_ns < c->last_ns || (end_ns < begin_ns && end_ns != TIME_NONE))
		return err_set(e, EINVAL, "request from %lld ns to %lld ns: %s",
			       (long long)begin_ns, (long long)end_ns,
			       begin_ns < c->last_ns ? "it begins before the previous request "
						       "of the trace"
						     : "it ends before it begins");
	level_account(c, begin_ns);
	size_t level = c->n_ends + c->n_unfinished + 1;
	if (found)
		*found = level;
	level = level < c->max_level ? level : c->max_level;
	c->highest = level > c->highest ? level : c->highest;
	c->requests_at_level[level]++;
	c->n_unfinished += end_ns == TIME_NONE;
	if (end_ns == TIME_NONE || end_ns == begin_ns)
		return 0;
	APPEND(c->end, c->n_ends, c->end_cap, end_ns);
	heap_sift_up(&ends, c->end, c->n_ends - 1);
	return 0;
}

void concurrency_finish(struct concurrency *c)
{
	while (c->n_ends)
		end_earliest(c);
}
