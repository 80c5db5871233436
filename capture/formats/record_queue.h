/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A queue of requests between their begin, which decides their place, and their end, which may be
 * read much later. Requests leave in the order of insertion; an unfinished request delays the later
 * ones, up to a limit. */
#pragma once

#include "capture/trace.h"

/* delayed records: 6 MiB. Beyond the limit the first unfinished record loses its place */
#define QUEUE_WAITING_MAX (1u << 16)

struct record_queue {
	struct trace_record *v; /* v[head..n) */
	size_t head, n, cap, n_given;
	uint64_t first; /* ticket of v[head] */
};

void record_queue_release(struct record_queue *q);
void record_queue_reset(struct record_queue *q);

/* Appends a record: finished if its commit is TRACE_COMMIT, unfinished if it is 0. Returns its
 * ticket. */
uint64_t record_queue_add(struct record_queue *q, const struct trace_record *r);
/* The unfinished record, to be completed in place (set its commit). NULL: it has lost its place,
 * and the caller adds a new record. */
struct trace_record *record_queue_at(struct record_queue *q, uint64_t ticket);
/* Removes an unfinished record. */
void record_queue_drop(struct record_queue *q, uint64_t ticket);

/* The finished records at the front: *r[*n], borrowed until the next call of any function here; *n
 * may be 0. */
void record_queue_take(struct record_queue *q, const struct trace_record **r, size_t *n);
