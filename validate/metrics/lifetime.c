/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/lifetime.h"

#include "capture/trace.h"
#include "common/heap.h"

static const struct heap_type by_end = {sizeof(struct lifetime_request), heap_int64_before, NULL};

void lifetime_release(struct lifetime *l)
{
	free(l->heap);
	memset(l, 0, sizeof *l);
}

static void go_on(struct lifetime *l, int64_t until_ns)
{
	l->area += (__int128)(l->n + l->n_unfinished) * (until_ns - l->now_ns);
	l->now_ns = until_ns;
}

/* Completes the request with the earliest end. */
static void end_earliest(struct lifetime *l)
{
	struct lifetime_request *h = l->heap, first = h[0];
	go_on(l, first.end_ns);
	double x = (double)(l->area - first.area_before) / (double)(first.end_ns - first.begin_ns);
	double y = x - l->lost_digits, t = l->sum + y;
	l->lost_digits = (t - l->sum) - y;
	l->sum = t;
	l->n_defined++;
	h[0] = h[--l->n];
	heap_sift_down(&by_end, h, l->n, 0);
}

void lifetime_add(struct lifetime *l, int64_t begin_ns, int64_t end_ns)
{
	while (l->n && l->heap[0].end_ns <= begin_ns)
		end_earliest(l);
	if (!l->n && !l->n_unfinished)
		l->now_ns = begin_ns;
	go_on(l, begin_ns);
	if (end_ns == begin_ns)
		return;
	if (end_ns == TIME_NONE) {
		l->n_unfinished++;
		return;
	}
	APPEND(l->heap, l->n, l->cap, (struct lifetime_request){end_ns, begin_ns, l->area});
	heap_sift_up(&by_end, l->heap, l->n - 1);
}

double lifetime_finish(struct lifetime *l)
{
	while (l->n)
		end_earliest(l);
	return l->n_defined ? l->sum / (double)l->n_defined : NAN;
}
