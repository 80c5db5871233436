/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the block layer's events to requests.
 *
 * A request is what the device was given: it begins when it is issued (D) and ends when all of it
 * has completed (C); the two are paired by device position and direction, first in first out among
 * equals. A bio is what was asked for: it begins when it is queued (Q), is dispatched when the
 * first request that covers part of it is issued, and ends when all of it has completed, in however
 * many requests it was split or with whatever else it was merged.
 *
 * Pure: events in, requests out, in the order of their begins. Memory grows with what is open, and
 * with what must wait behind something that is. */
#ifndef CAPTURE_KERNEL_BLOCK_REQUESTS_H
#define CAPTURE_KERNEL_BLOCK_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/block/direction.h"

enum block_event_kind { BLOCK_QUEUE, BLOCK_ISSUE, BLOCK_COMPLETE, BLOCK_REQUEUE };

/* record.flags of a block-level trace */
enum block_flag {
	BLOCK_SYNC = 1,
	BLOCK_META = 2,
	BLOCK_AHEAD = 4,
	BLOCK_FUA = 8,
	BLOCK_PREFLUSH = 16
};

struct block_event {
	enum block_event_kind kind;
	int64_t ns;
	uint64_t sector; /* of 512 bytes */
	uint32_t n_sectors;
	enum block_direction direction;
	uint32_t flags; /* enum block_flag */
	int32_t pid;
	int error; /* of a completion: errno, 0 on success */
};

/* Direction and flags from the kernel's letters ("RA", "WS", "FF", "FWFSM"), at most n of them. */
enum block_direction block_rwbs(const char *rwbs, size_t n, uint32_t *flags);

struct block_request {
	int64_t begin_ns, dispatch_ns, end_ns; /* TIME_NONE (trace.h) where it was not seen */
	uint64_t sector;
	uint32_t n_sectors;
	enum block_direction direction;
	uint32_t flags;
	int32_t pid;
	int error;
};

struct block_counts {
	uint64_t n_requests, n_unfinished; /* given out; of them, not seen to complete */
	/* completions of what was not seen to begin: most often under way when the capture began */
	uint64_t n_unpaired;
	uint64_t n_requeued;
};

struct block_requests;

/* `bios`: a request is a bio rather than what the device was given. `take` is called for each, in
 * the order of their begins; a value other than 0 ends the work. Ownership: block_requests_close.
 */
struct block_requests *
block_requests_open(bool bios, int (*take)(void *context, const struct block_request *r),
		    void *context);
/* Events in the order of their times. Returns what `take` returned. */
int block_requests_add(struct block_requests *q, const struct block_event *v);
/* Gives out what is still open, without an end. */
int block_requests_finish(struct block_requests *q, struct block_counts *n);
void block_requests_close(struct block_requests *q);

#endif
