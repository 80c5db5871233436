/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests on their way from their beginning, which gives them their place, to their end, which may
 * be read much later. They come out in the order they were put in; one that is not finished holds
 * back those behind it, up to a limit. */
#ifndef CAPTURE_FORMATS_RECORD_QUEUE_H
#define CAPTURE_FORMATS_RECORD_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/trace.h"

/* records held back: 6 MiB. Beyond it the first unfinished one loses its place */
#define QUEUE_WAITING_MAX (1u << 16)

struct record_queue {
	struct trace_record *v; /* v[head..n) */
	size_t head, n, cap, n_given;
	uint64_t first; /* ticket of v[head] */
};

void record_queue_release(struct record_queue *q);
void record_queue_reset(struct record_queue *q);

/* Puts a record at the end: finished where its commit is TRACE_COMMIT, unfinished where that is 0.
 * Returns its ticket.
 */
uint64_t record_queue_add(struct record_queue *q, const struct trace_record *r);
/* The unfinished record, to be completed in place (set its commit); NULL where it has lost its
 * place: then add it anew.
 */
struct trace_record *record_queue_at(struct record_queue *q, uint64_t ticket);
/* Takes an unfinished record out. */
void record_queue_drop(struct record_queue *q, uint64_t ticket);

/* The finished ones at the front: *r[*n], borrowed until the next call of any function here; *n may
 * be 0. */
void record_queue_take(struct record_queue *q, const struct trace_record **r, size_t *n);

#endif
