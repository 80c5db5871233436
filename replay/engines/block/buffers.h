/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where requests read to and write from. Reads of a worker have a buffer for each place in flight
 * as long as that is not too much memory. Beyond that they share buffers: the data that a replay
 * reads are not used. Workers with reads above BUFFER_OWN_MAX share one region. Writes take random
 * content, at another place for each request; it is never written to while it is on its way, so all
 * workers share it. Every page is present, huge where the kernel grants it. */
#ifndef REPLAY_BLOCK_BUFFERS_H
#define REPLAY_BLOCK_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/vm.h"

#define BUFFER_ALIGN ((size_t)4096)

#define BUFFER_OWN_MAX ((size_t)64 << 20)

struct block_longest { /* requests, bytes */
	uint64_t read, write;
};

struct block_buffers { /* of one worker */
	struct vm_region reads;
	size_t read_stride, read_room; /* from slot to slot; bytes in which a buffer may begin */
	bool is_common; /* `reads` is all workers' */
	const struct vm_region *content;
	size_t content_room;
};

/* For a worker whose longest requests are these. `common` is at least as long as the longest read
 * above BUFFER_OWN_MAX. Errors: ENOMEM. Ownership: buffers_release; `content` and `common` are
 * borrowed. */
int buffers_init(struct block_buffers *b, uint32_t n_slots, struct block_longest longest,
		 const struct vm_region *content, const struct vm_region *common, struct err *e);
/* The region of reads above BUFFER_OWN_MAX, the longest of which is this; empty where there are
 * none. Errors: ENOMEM. Ownership: vm_free. */
int common_init(struct vm_region *r, uint64_t longest_read, struct err *e);
void buffers_release(struct block_buffers *b); /* an all-zero one is fine */
/* Random content for all workers, for writes up to that long. Errors: ENOMEM. Ownership: vm_free.
 */
int content_init(struct vm_region *r, uint64_t max_length, uint64_t seed, struct err *e);

static inline void *buffer_read(const struct block_buffers *b, uint32_t slot)
{
	return (char *)b->reads.base + slot * b->read_stride % b->read_room;
}

/* Request `k` of a worker. */
static inline void *buffer_content(const struct block_buffers *b, uint64_t k)
{
	return (char *)b->content->base + k * (7 * BUFFER_ALIGN) % b->content_room;
}

#endif
