/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/trace_heap.h"
#include "common/sort.h"

#define INDEX_MAX 65536u /* entries: 1 MiB */

int heap_index_add(struct heap_index *x, const struct trace_block *b, struct err *e)
{
	if (b->h.offset < x->end)
		return 0; /* the block was indexed in an earlier pass */
	if (!x->entry) {
		x->entry = malloc(INDEX_MAX * sizeof *x->entry);
		x->stride = 1;
		if (!x->entry)
			return err_set(e, ENOMEM, "not enough memory for the index of names and "
						  "arguments");
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

/* Returns the error for an indexed block that was good before and is damaged now. */
static int change_error(const struct block_file *f, uint64_t offset, const char *why, struct err *e)
{
	return err_set(
	    e, EIO, "%s: the block of names and arguments at byte %llu changed while the trace was "
	    "read: %s",
	    f->path, (unsigned long long)offset, why);
}

/* Makes the content of a block readable. Returns 1, or 0 for a damaged block. The pass over the
 * trace reports damage. For an indexed block, damage is an error. */
static int block_show(struct heap_index *x, const struct block_file *f, const struct trace_block *b,
		      bool indexed, struct err *e)
{
	const void *p;
	const char *why;
	x->shown_offset = 0;
	int ret = block_load(f, &x->view, b, &p, &why, e);
	if (ret || why)
		return !ret && indexed ? change_error(f, b->h.offset, why, e) : ret;
	x->data = p;
	x->shown_offset = b->h.offset;
	x->shown_first = b->h.first;
	x->shown_len = b->h.raw_len;
	return 1;
}

/* Walks from an indexed block to the block that contains `unit`, and makes it readable. Returns 1,
 * or 0 if there is no such block. */
static int block_find(struct heap_index *x, const struct block_file *f, uint64_t unit,
		      struct err *e)
{
	size_t low = 0;
	x->shown_offset = 0; /* block_look() may move the window */
	BISECT(low, x->n, i, x->entry[i].first_unit <= unit)
	if (!low)
		return 0;
	struct trace_block b;
	const uint64_t from = x->entry[low - 1].offset;
	for (uint64_t offset = from; offset < x->end; offset = b.next) {
		enum block_state state;
		int ret = block_look(f, &x->view.window, offset, &b, &state, e);
		if (ret)
			return ret;
		const bool heap = state == BLOCK_WHOLE && b.h.kind == BLOCK_HEAP;
		if (!heap && offset == from)
			return change_error(f, offset, "the block is damaged, or the file was "
					    "changed", e);
		if (!heap)
			continue;
		if (b.h.first > unit)
			break;
		if (unit < b.h.first + b.h.raw_len / 8)
			return block_show(x, f, &b, offset == from, e);
	}
	return 0;
}

int heap_index_get(struct heap_index *x, const struct block_file *f, uint32_t ref,
		   const void **data, size_t *len, struct err *e)
{
	uint64_t unit = ref;
	if (!x->shown_offset || unit < x->shown_first ||
	    unit >= x->shown_first + x->shown_len / 8) {
		int ret = block_find(x, f, unit, e);
		if (ret != 1)
			return ret;
	}
	uint64_t at = (unit - x->shown_first) * 8, left = x->shown_len - at;
	uint32_t item_len;
	memcpy(&item_len, x->data + at, sizeof item_len);
	if (item_len > left - sizeof item_len)
		return 0;
	*data = x->data + at + sizeof item_len;
	*len = item_len;
	return 0;
}
