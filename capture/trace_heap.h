/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading the side heap: which block holds a reference, in memory that does not grow with the
 * trace. Private to capture/. */
#ifndef CAPTURE_TRACE_HEAP_H
#define CAPTURE_TRACE_HEAP_H

#include "capture/trace_blocks.h"

struct heap_index_entry {
	uint64_t first_unit, offset;
};

/* Every stride-th heap block is in the index; the others are found by walking on from there. */
struct heap_index {
	struct heap_index_entry *entry;
	size_t n;
	uint64_t n_seen, stride;
	uint64_t end; /* behind the last block seen */
	struct window window;
	unsigned char *raw; /* a decompressed block */
	size_t raw_cap;
	uint64_t shown_offset; /* of the block that `data` is of, 0 none */
	const unsigned char *data;
	uint64_t shown_first, shown_len;
};

void heap_index_release(struct heap_index *x);

/* Notes a good heap block, in file order. Errors: ENOMEM. */
int heap_index_add(struct heap_index *x, const struct block *b, struct err *e);

/* The item at `ref`: *data[*len], borrowed until the next call, left as they are where no block
 * seen so far holds it. Returns 0. Errors: of reading; ENOMEM; EIO where a block that was good is
 * no longer. */
int heap_index_get(struct heap_index *x, const struct block_file *f, uint32_t ref,
		   const void **data, size_t *len, struct err *e);

#endif
