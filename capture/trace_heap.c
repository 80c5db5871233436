/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/trace_heap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define INDEX_MAX 65536u /* entries: 1 MiB */

void heap_index_release(struct heap_index *x)
{
	window_release(&x->window);
	free(x->entry);
	free(x->raw);
	*x = (struct heap_index){0};
}

int heap_index_add(struct heap_index *x, const struct block *b, struct err *e)
{
	if (b->h.offset < x->end)
		return 0; /* seen in an earlier pass */
	if (!x->entry) {
		x->entry = malloc(INDEX_MAX * sizeof *x->entry);
		x->stride = 1;
		if (!x->entry)
			return err_set(e, ENOMEM, "no memory for the index of the side heap");
	}
	if (x->n == INDEX_MAX) {
		for (size_t i = 0; i < INDEX_MAX / 2; i++)
			x->entry[i] = x->entry[2 * i];
		x->n = INDEX_MAX / 2;
		x->stride *= 2;
	}
	if (x->n_seen++ % x->stride == 0)
		x->entry[x->n++] = (struct heap_index_entry){b->h.first, b->h.offset};
	x->end = b->next;
	return 0;
}

/* Makes the block's content readable; a block that was good when it was indexed. */
static int show(struct heap_index *x, const struct block_file *f, const struct block *b)
{
	const void *p;
	const char *why;
	x->shown_offset = 0;
	if (block_payload(f, &x->window, b, &p, &why, NULL) || why)
		return -EBADMSG;
	if (b->h.flags & BLOCK_ZSTD) {
		if (b->h.raw_len > x->raw_cap) {
			unsigned char *raw = realloc(x->raw, b->h.raw_len);
			if (!raw)
				return -ENOMEM;
			x->raw = raw;
			x->raw_cap = b->h.raw_len;
		}
		if (ZSTD_decompress(x->raw, b->h.raw_len, p, b->h.stored_len) != b->h.raw_len)
			return -EBADMSG;
		p = x->raw;
	}
	x->data = p;
	x->shown_offset = b->h.offset;
	x->shown_first = b->h.first;
	x->shown_len = b->h.raw_len;
	return 0;
}

/* Walks from an indexed block to the one that holds `unit`, and shows it. */
static int find(struct heap_index *x, const struct block_file *f, uint64_t unit)
{
	size_t low = 0, high = x->n;
	x->shown_offset = 0; /* looking may move the window */
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (x->entry[mid].first_unit <= unit)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return -ENOENT;
	struct block b;
	for (uint64_t offset = x->entry[low - 1].offset; offset < x->end; offset = b.next) {
		enum block_state state;
		if (block_look(f, &x->window, offset, &b, &state, NULL))
			break;
		if (state != BLOCK_WHOLE || b.h.kind != BLOCK_HEAP)
			continue;
		if (b.h.first > unit)
			break;
		if (unit < b.h.first + b.h.raw_len / 8)
			return show(x, f, &b);
	}
	return -ENOENT;
}

const void *heap_index_get(struct heap_index *x, const struct block_file *f, uint32_t ref, size_t *len)
{
	uint64_t unit = ref;
	if (!x->shown_offset || unit < x->shown_first || unit >= x->shown_first + x->shown_len / 8)
		if (find(x, f, unit))
			return NULL;
	uint64_t at = (unit - x->shown_first) * 8, left = x->shown_len - at;
	uint32_t item_len;
	memcpy(&item_len, x->data + at, sizeof item_len);
	if (item_len > left - sizeof item_len)
		return NULL;
	*len = item_len;
	return x->data + at + sizeof item_len;
}
