/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where requests read to and write from. Reads have a buffer for each place in flight as long as that is not too much memory; beyond
 * that they share, as nobody looks at what was read. Writes take random content, at another place for each request; it is never
 * written to while it is on its way, so all workers share it. Every page is present, huge where the kernel grants it. */
#ifndef REPLAY_BLOCK_BUFFERS_H
#define REPLAY_BLOCK_BUFFERS_H

#include <stdint.h>

#include "common/err.h"
#include "common/vm.h"

#define BUFFER_ALIGN ((size_t)4096)

struct block_buffers { /* of one worker */
	struct vm_region reads;
	size_t read_stride, read_room; /* from slot to slot; bytes in which a buffer may begin */
	const struct vm_region *content;
	size_t content_room;
};

/* Errors: ENOMEM. Ownership: buffers_release; `content` is borrowed. */
int buffers_init(struct block_buffers *b, uint32_t n_slots, uint64_t max_length, const struct vm_region *content, struct err *e);
void buffers_release(struct block_buffers *b); /* an all-zero one is fine */
/* Random content for all workers, for writes up to that long. Errors: ENOMEM. Ownership: vm_free. */
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
