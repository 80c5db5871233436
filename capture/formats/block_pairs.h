/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From events of the block layer to requests: an issue (D) with its completion (C), or with --queue
 * the queueing (Q) with it. What happens to a request meanwhile is followed: merges make it longer,
 * a requeue takes the issue back, a split has parts, and a completion of a part leaves the rest
 * under way. */
#ifndef CAPTURE_FORMATS_BLOCK_PAIRS_H
#define CAPTURE_FORMATS_BLOCK_PAIRS_H

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
	enum trace_op op; /* OP_INVALID: neither reads, writes, flushes nor discards data */
	int64_t ns;
	uint64_t sector, bytes;
	uint32_t device, object, pid;
	uint32_t flags; /* enum block_flag of capture/kernel/block_requests.h */
	int error;
};

struct block_waiting {
	uint64_t sector, bytes, ticket; /* sector: of what is not completed yet; bytes: of all */
	uint64_t done_bytes;
	uint32_t device, pid;
	int64_t queue_ns, issue_ns; /* TIME_NONE: not seen */
	uint16_t op, error; /* error: of a part that is completed */
	bool used, has_ticket;
};

#define BLOCK_WAITING_MAX (1u << 17) /* 8 MiB; more are not under way at once: they are lost ones */

#define BLOCK_FLUSHES_MAX 256u /* of all devices: several queues of one may each have theirs */

struct block_pairs {
	struct block_waiting *slot; /* open addressing by device and sector; of all but flushes */
	size_t n_slots, n_used;
	/* flush[n_flushes], in the order they were met: they have no sector to be told apart by */
	struct block_waiting flush[BLOCK_FLUSHES_MAX];
	size_t n_flushes;
	bool by_queue;
};

void block_pairs_release(struct block_pairs *p);
void block_pairs_reset(struct block_pairs *p);
/* The next event, in order of time. Errors: as foreign_add. */
int block_pairs_take(struct block_pairs *p, struct foreign *f, const struct pair_event *v,
		     struct err *e);
/* What is under way at the end stays without an end. */
void block_pairs_end(struct block_pairs *p, struct foreign *f);

#endif
