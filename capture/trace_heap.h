/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the side heap block of a reference. Its memory does not grow with the trace. Private to
 * capture/. */
#pragma once

#include "capture/trace_blocks.h"

struct heap_index_entry {
	uint64_t first_unit, offset;
};

/* The index contains every stride-th heap block. A search walks from there to the other blocks. */
struct heap_index {
	struct heap_index_entry *entry;
	size_t n;
	uint64_t n_seen, stride;
	uint64_t end; /* offset after the last indexed block */
	struct block_view view;
	uint64_t shown_offset; /* offset of the block in `data`; 0: none */
	const unsigned char *data;
	uint64_t shown_first, shown_len;
};

/* Adds a good heap block. Blocks must be added in file order. Errors: ENOMEM. */
int heap_index_add(struct heap_index *x, const struct trace_block *b, struct err *e);

/* Gets the item at `ref`: *data[*len], valid until the next call; unchanged if no known block
 * contains it. Returns 0. Errors: of reading; ENOMEM; EIO if a good block has become damaged. */
int heap_index_get(struct heap_index *x, const struct block_file *f, uint32_t ref,
		   const void **data, size_t *len, struct err *e);
