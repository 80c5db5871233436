/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/plan/lanes.h"

#include "common/heap.h"
#include "common/sort.h"

struct lane_life { /* of a thread */
	int64_t begin_ns, end_ns;
	uint32_t thread;
};

static struct lane_life *lives_find(const struct load *l)
{
	struct lane_life *life = xcalloc((size_t)l->n_threads + 1, sizeof *life);
	for (uint32_t i = 0; i < l->n_threads; i++)
		life[i] = (struct lane_life){INT64_MAX, INT64_MIN, i};
	for (uint32_t i = 0; i < l->n; i++) {
		const struct load_request *r = &l->request[i];
		struct lane_life *x = &life[r->thread];
		x->begin_ns = r->begin_ns < x->begin_ns ? r->begin_ns : x->begin_ns;
		const int64_t end_ns = load_end_ns(l, r);
		x->end_ns = end_ns > x->end_ns ? end_ns : x->end_ns;
	}
	return life;
}

ORDER_BY(compare_begin, struct lane_life, begin_ns, thread)

/* Lanes in the order in which they become free: a heap of (end, lane). */
static bool free_before(const void *a, const void *b, const void *context)
{
	const struct lane_life *x = a, *y = b;
	(void)context;
	return x->end_ns != y->end_ns ? x->end_ns < y->end_ns : x->thread < y->thread;
}

static const struct heap_type lanes_free = {sizeof(struct lane_life), free_before, NULL};

/* In the order of their begins, each thread gets the lane that has been free for the longest time,
 * or a new lane. */
static uint32_t join(const struct lane_life *life, uint32_t n_threads, uint32_t *lane)
{
	SCOPED_FREE struct lane_life *heap = xcalloc((size_t)n_threads + 1, sizeof *heap);
	uint32_t n = 0;
	for (uint32_t i = 0; i < n_threads; i++) {
		struct lane_life x = life[i];
		const bool any = n && heap[0].end_ns <= x.begin_ns;
		const uint32_t taken = any ? heap[0].thread : n;
		lane[x.thread] = taken;
		x.thread = taken; /* in the heap: the lane */
		if (any) {
			heap[0] = x;
			heap_sift_down(&lanes_free, heap, n, 0);
		} else {
			heap[n] = x;
			heap_sift_up(&lanes_free, heap, n++);
		}
	}
	return n;
}

/* Numbers the lanes in the order of their first threads. */
static void renumber(uint32_t *lane, uint32_t n_threads, uint32_t n)
{
	uint32_t *new_number = xcalloc((size_t)n + 1, sizeof *new_number), next = 0;
	for (uint32_t i = 0; i < n; i++)
		new_number[i] = NONE32;
	for (uint32_t i = 0; i < n_threads; i++) {
		uint32_t *number = &new_number[lane[i]];
		*number = *number == NONE32 ? next++ : *number;
		lane[i] = *number;
	}
	free(new_number);
}

void lanes_assign(struct lanes *out, const struct load *l, bool joins)
{
	const size_t n = (size_t)l->n_threads + 1;
	SCOPED_FREE struct lane_life *life = lives_find(l);
	*out = (struct lanes){.lane = xcalloc(n, sizeof *out->lane),
			      .base = xcalloc(n, sizeof *out->base),
			      .n_requests = xcalloc(n, sizeof *out->n_requests),
			      .n = l->n_threads};
	qsort(life, l->n_threads, sizeof *life, compare_begin);
	for (uint32_t i = 0; i < l->n_threads; i++)
		out->lane[i] = i;
	if (joins)
		out->n = join(life, l->n_threads, out->lane);
	out->joined = out->n < l->n_threads;
	renumber(out->lane, l->n_threads, out->n);
	for (uint32_t i = 0; i < l->n_threads; i++) {
		const uint32_t thread = life[i].thread, lane = out->lane[thread];
		out->base[thread] = out->n_requests[lane];
		out->n_requests[lane] += l->thread[thread].n_requests;
	}
}

void lanes_release(struct lanes *x)
{
	FREE_EACH(x->lane, x->base, x->n_requests);
	*x = (struct lanes){.lane = NULL};
}
