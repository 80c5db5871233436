/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the blocks of a trace file one at a time through a small mapped window, and detects damage.
 * Private to capture/. */
#pragma once

#include <sys/mman.h>
#include <zstd.h>

#include "capture/trace_format.h"

struct window { /* a mapped piece of the file */
	unsigned char *map;
	uint64_t offset;
	size_t len;
};

struct block_file {
	int fd;
	char *path;
	uint64_t size;
	uint64_t nonce;
};

/* Maps a piece of the file that contains bytes [offset, offset + len), which must be inside the
 * file. Errors: EIO if the file cannot be read or was truncated; ENOMEM. */
int window_move(struct window *w, const struct block_file *f, uint64_t offset, size_t len,
		struct err *e);
/* Makes these bytes readable at *p. The previous pointer into the window becomes invalid. Errors:
 * as window_move. */
static inline int window_show(struct window *w, const struct block_file *f, uint64_t offset,
			      size_t len, const void **p, struct err *e)
{
	const bool shown = w->map && offset >= w->offset && offset + len <= w->offset + w->len;
	int ret = shown ? 0 : window_move(w, f, offset, len, e);
	if (!ret)
		*p = w->map + (offset - w->offset);
	return ret;
}
static inline void window_release(struct window *w)
{
	if (w->map)
		munmap(w->map, w->len);
	*w = (struct window){0};
}

enum block_state {
	BLOCK_WHOLE,   /* header good, payload inside the file */
	BLOCK_CUT,     /* the file ends inside the header or payload */
	BLOCK_DAMAGED, /* bad header; `why` has the reason */
};

struct trace_block {
	struct block_header h;
	/* offset of the next block; after a damaged block: of the next good block, or the end of
	 * the file */
	uint64_t next;
	uint64_t available; /* bytes of payload inside the file */
	const char *why;
};

/* Reads the block header at `offset`. If it is damaged, finds the next good block. Returns 0 or a
 * negative errno. */
int block_look(const struct block_file *f, struct window *w, uint64_t offset, struct trace_block *b,
	       enum block_state *state, struct err *e);

/* A window, and the content of a block that was decompressed. All zero: nothing is shown. */
struct block_view {
	struct window window;
	void *raw;
	size_t raw_cap;
	ZSTD_DCtx *zstd;
};

/* Checks the checksum and the padding of a complete block, and gets its content, valid until the
 * next use of the view. *why: NULL, or a text that states the fault. */
int block_load(const struct block_file *f, struct block_view *v, const struct trace_block *b,
	       const void **p, const char **why, struct err *e);
void block_view_release(struct block_view *v);
