/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A queue of requests. The start of a request decides its place; its end may be read much later.
 * Requests leave the queue in the order of insertion. An unfinished request delays later requests,
 * up to a limit. */
#pragma once

#include "capture/trace.h"

/* limit of delayed records (6 MiB); beyond it, the first unfinished record loses its place */
#define QUEUE_WAITING_MAX (1u << 16)

struct record_queue {
	struct trace_record *v; /* v[head..n) */
	size_t head, n, cap, n_given;
	uint64_t first; /* ticket of v[head] */
};

/* Release frees the queue. Reset removes all records. */
void record_queue_release(struct record_queue *q);
void record_queue_reset(struct record_queue *q);

/* Appends a record, which is finished if its commit is TRACE_COMMIT and unfinished if it is 0.
 * Returns its ticket. */
uint64_t record_queue_add(struct record_queue *q, const struct trace_record *r);
/* The unfinished record of a ticket. The caller completes it in place and sets its commit. NULL:
 * the record has lost its place, and the caller adds a new record. */
struct trace_record *record_queue_at(struct record_queue *q, uint64_t ticket);
/* Removes an unfinished record. */
void record_queue_drop(struct record_queue *q, uint64_t ticket);

/* Takes the finished records at the front: *r[*n], valid until the next call of any function of
 * this file. *n may be 0. */
void record_queue_take(struct record_queue *q, const struct trace_record **r, size_t *n);
