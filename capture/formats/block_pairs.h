/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs events of the block layer to requests: the issue (D) with the completion (C); with --queue,
 * the queueing (Q) with the completion. Follows merges, requeues, splits and partial completions
 * between them. */
#pragma once

#include "capture/formats/foreign.h"

enum pair_event_kind {
	EVENT_OTHER,
	EVENT_QUEUE,
	EVENT_MERGE,
	EVENT_ISSUE,
	EVENT_REQUEUE,
	EVENT_COMPLETE
};

struct pair_event {
	enum pair_event_kind kind;
	enum trace_op op; /* OP_INVALID: neither read, write, flush nor discard */
	int64_t ns;
	uint64_t sector, bytes;
	uint32_t device, object, pid;
	uint32_t flags; /* enum block_flag of capture/kernel/block_requests.h */
	int error;
};

struct block_waiting {
	uint64_t sector; /* first sector that is not completed */
	uint64_t bytes, done_bytes; /* total; completed part */
	uint64_t ticket;
	uint32_t device, pid;
	int64_t queue_ns, issue_ns; /* TIME_NONE: the event is missing */
	uint16_t op, error;	    /* error: errno of the completed part */
	bool has_ticket;
	uint32_t next; /* next request of the list; 0: end */
};

/* 8 MiB; if more requests are in flight, completions were lost */
#define BLOCK_WAITING_MAX (1u << 17)
#define BLOCK_FLUSHES_MAX 256u /* limit for one device; each hardware queue may have one flush */
#define BLOCK_LISTS 8192u

struct block_pairs {
	struct block_waiting *waiting; /* waiting[n], waiting[0] unused */
	uint32_t n, cap, n_waiting, free; /* `free`: list of unused elements */
	uint32_t head[BLOCK_LISTS]; /* lists by device and sector, each in order of arrival */
	bool by_queue;
};

void block_pairs_release(struct block_pairs *p);
void block_pairs_reset(struct block_pairs *p);
/* The operation of an event with RWBS letters ("W", "RA", "FWS", "D", ...). Sets *flags. */
enum trace_op block_event_op(const char *rwbs, size_t len, uint64_t n_sectors, uint32_t *flags);
/* Adds the next event in order of time. Errors: as foreign_add. */
int block_pairs_take(struct block_pairs *p, struct foreign *f, const struct pair_event *v,
		     struct err *e);
/* Adds the requests that are still in flight to the trace, without an end. */
void block_pairs_end(struct block_pairs *p, struct foreign *f);
