/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/block/buffers.h"

#define MOST_READ_BYTES ((size_t)256 << 20)
/* more than the longest write, so that neighbours differ */
#define CONTENT_BYTES ((size_t)16 << 20)

static size_t aligned(uint64_t n_bytes)
{
	return (size_t)(n_bytes + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
}

int buffers_init(struct block_buffers *b, uint32_t n_slots, struct block_longest longest,
		 const struct vm_region *content, const struct vm_region *common, struct err *e)
{
	const size_t read = aligned(longest.read ? longest.read : 1),
		     write = aligned(longest.write ? longest.write : 1);
	size_t room = read * n_slots;
	int ret = 0;
	*b = (struct block_buffers){
	    .read_stride = read, .content = content, .is_common = longest.read > BUFFER_OWN_MAX};
	if (room > MOST_READ_BYTES)
		room = MOST_READ_BYTES;
	if (b->is_common)
		b->reads = *common;
	else
		ret = vm_alloc(&b->reads, room, "the buffers of reads", e);
	if (ret)
		return ret;
	b->read_room = (b->reads.n_bytes - read) / BUFFER_ALIGN * BUFFER_ALIGN + BUFFER_ALIGN;
	b->content_room =
	    content->n_bytes > write ? content->n_bytes - write + BUFFER_ALIGN : BUFFER_ALIGN;
	return 0;
}

void buffers_release(struct block_buffers *b)
{
	if (!b->is_common)
		vm_free(&b->reads);
}

int common_init(struct vm_region *r, uint64_t longest_read, struct err *e)
{
	const size_t longest = aligned(longest_read);
	*r = (struct vm_region){.base = NULL};
	if (longest_read <= BUFFER_OWN_MAX)
		return 0;
	return vm_alloc(r, longest > MOST_READ_BYTES ? longest : MOST_READ_BYTES,
			"the common buffer of reads", e);
}

int content_init(struct vm_region *r, uint64_t max_length, uint64_t seed, struct err *e)
{
	int ret = vm_alloc(r, aligned(max_length) + CONTENT_BYTES, "the content of writes", e);
	if (!ret)
		vm_fill_random(r, seed);
	return ret;
}
