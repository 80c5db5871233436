/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts events of the block layer to requests.
 *
 * A request is a command that the device received. It begins at its issue (D) and ends at its
 * completion (C). Issue and completion are paired by position and direction; equal requests are
 * paired first in, first out. A bio is a submission. It begins when it is queued (Q), is dispatched
 * when the first request that covers a part of it is issued, and ends when it has completed as a
 * whole, after splits and merges.
 *
 * Requests are output in the order of their starts. Memory grows with the number of requests in
 * flight and of requests that wait for their events. */
#pragma once

#include "common/std.h"
#include "common/block/direction.h"

enum block_event_kind { BLOCK_QUEUE, BLOCK_ISSUE, BLOCK_COMPLETE, BLOCK_REQUEUE };

/* Flags in record.flags of a block-level trace. */
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
	uint64_t sector; /* number of a sector of 512 bytes */
	uint32_t n_sectors;
	enum block_direction direction;
	uint32_t flags; /* enum block_flag */
	int32_t pid;
	int error; /* errno of a completion; 0: success */
};

/* Direction and flags from the kernel's letters ("RA", "WS", "FF", "FWFSM"), at most n letters. */
enum block_direction block_rwbs(const char *rwbs, size_t n, uint32_t *flags);

struct block_request {
	int64_t begin_ns, dispatch_ns, end_ns; /* TIME_NONE (trace.h): unknown */
	uint64_t sector;
	uint32_t n_sectors;
	enum block_direction direction;
	uint32_t flags;
	int32_t pid;
	int error;
};

struct block_counts {
	/* requests in the output; requests without a completion */
	uint64_t n_requests, n_unfinished;
	/* completions without a start, usually of requests in flight at the start of the capture */
	uint64_t n_unpaired;
	uint64_t n_requeued;
};

struct block_requests;

/* `bios`: output bios, otherwise requests. `take` is called for each of them in the order of their
 * starts; a value other than 0 ends the work. Ownership: block_requests_close. */
struct block_requests *
block_requests_open(bool bios, int (*take)(void *context, const struct block_request *r),
		    void *context);
/* Adds an event. Events must be added in order of time. Returns the value of `take`. */
int block_requests_add(struct block_requests *q, const struct block_event *v);
/* Outputs the requests in flight, without an end. */
int block_requests_finish(struct block_requests *q, struct block_counts *n);
void block_requests_close(struct block_requests *q);
