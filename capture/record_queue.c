/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/record_queue.h"

#define DROPPED UINT32_MAX /* commit of a record that was removed */

void record_queue_release(struct record_queue *q)
{
	free(q->v);
	memset(q, 0, sizeof *q);
}

void record_queue_reset(struct record_queue *q)
{
	q->head = q->n = q->n_given = 0;
	q->first = 0;
}

static void release_given(struct record_queue *q)
{
	q->head += q->n_given;
	q->first += q->n_given;
	q->n_given = 0;
}

uint64_t record_queue_add(struct record_queue *q, const struct trace_record *r)
{
	if (q->n_given)
		release_given(q);
	if (q->n == q->cap && q->head > q->cap / 2) {
		memmove(q->v, q->v + q->head, (q->n - q->head) * sizeof *q->v);
		q->n -= q->head;
		q->head = 0;
	}
	GROW(q->v, q->n, q->cap);
	q->v[q->n++] = *r;
	return q->first + (q->n - 1 - q->head);
}

struct trace_record *record_queue_at(struct record_queue *q, uint64_t ticket)
{
	if (ticket < q->first + q->n_given || ticket - q->first >= q->n - q->head)
		return NULL;
	struct trace_record *r = &q->v[q->head + (ticket - q->first)];
	return r->commit ? NULL : r;
}

void record_queue_drop(struct record_queue *q, uint64_t ticket)
{
	struct trace_record *r = record_queue_at(q, ticket);
	if (r)
		r->commit = DROPPED;
}

void record_queue_take(struct record_queue *q, const struct trace_record **r, size_t *n)
{
	release_given(q);
	while (q->head < q->n) {
		uint32_t commit = q->v[q->head].commit;
		if (commit != DROPPED && (commit || q->n - q->head <= QUEUE_WAITING_MAX))
			break;
		q->head++;
		q->first++;
	}
	size_t end = q->head;
	while (end < q->n && q->v[end].commit == TRACE_COMMIT)
		end++;
	*r = q->v ? q->v + q->head : NULL;
	*n = q->n_given = end - q->head;
	if (q->head == q->n)
		q->head = q->n = 0;
}
