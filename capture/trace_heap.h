/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the side heap block of a reference, in memory that does not grow with the trace. Private to
 * capture/. */
#pragma once

#include "capture/trace_blocks.h"

struct heap_index_entry {
	uint64_t first_unit, offset;
};

/* The index has every stride-th heap block; the search walks to the others from there. */
struct heap_index {
	struct heap_index_entry *entry;
	size_t n;
	uint64_t n_seen, stride;
	uint64_t end; /* offset after the last block seen */
	struct window window;
	unsigned char *raw; /* a decompressed block */
	size_t raw_cap;
	uint64_t shown_offset; /* of the block in `data`, 0 none */
	const unsigned char *data;
	uint64_t shown_first, shown_len;
};

/* Adds a good heap block; calls are in file order. Errors: ENOMEM. */
int heap_index_add(struct heap_index *x, const struct trace_block *b, struct err *e);

/* The item at `ref`: *data[*len], borrowed until the next call, or unchanged if no block seen so
 * far holds it. Returns 0. Errors: of reading; ENOMEM; EIO if a good block has become bad. */
int heap_index_get(struct heap_index *x, const struct block_file *f, uint32_t ref,
		   const void **data, size_t *len, struct err *e);
