/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/block/buffers.h"

#define MOST_READ_BYTES ((size_t)256 << 20)
#define CONTENT_BYTES ((size_t)16 << 20) /* more than the longest write, so that neighbours differ */

static size_t aligned(uint64_t n_bytes)
{
	return (size_t)(n_bytes + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
}

int buffers_init(struct block_buffers *b, uint32_t n_slots, uint64_t max_length, const struct vm_region *content, struct err *e)
{
	size_t longest = aligned(max_length ? max_length : 1), room = longest * n_slots;
	*b = (struct block_buffers){.read_stride = longest, .content = content};
	if (room > MOST_READ_BYTES)
		room = MOST_READ_BYTES > longest ? MOST_READ_BYTES : longest;
	int ret = vm_alloc(&b->reads, room, "the buffers of reads", e);
	if (ret)
		return ret;
	b->read_room = (b->reads.n_bytes - longest) / BUFFER_ALIGN * BUFFER_ALIGN + BUFFER_ALIGN;
	b->content_room = content->n_bytes > longest ? content->n_bytes - longest + BUFFER_ALIGN : BUFFER_ALIGN;
	return 0;
}

void buffers_release(struct block_buffers *b)
{
	vm_free(&b->reads);
}

int content_init(struct vm_region *r, uint64_t max_length, uint64_t seed, struct err *e)
{
	int ret = vm_alloc(r, aligned(max_length) + CONTENT_BYTES, "the content of writes", e);
	if (!ret)
		vm_fill_random(r, seed);
	return ret;
}
