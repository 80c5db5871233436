/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The blocks of a trace file, one at a time, through a small mapped window; damage is found here.
 * Private to capture/.
 */
#ifndef CAPTURE_TRACE_BLOCKS_H
#define CAPTURE_TRACE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/trace_format.h"
#include "common/err.h"

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

/* Opens and checks the file header. Errors: of the system; EILSEQ where it is no trace of ours or
 * of another version, EBADMSG where its header is damaged. */
int block_file_open(struct block_file *f, const char *path, struct err *e);
void block_file_close(struct block_file *f);

/* Makes bytes [offset, offset + len) of the file readable at *p; they must be inside the file. What
 * the window showed before is gone. Errors: EIO where the file cannot be read there (also: it was
 * cut meanwhile), ENOMEM. */
int window_show(struct window *w, const struct block_file *f, uint64_t offset, size_t len,
		const void **p, struct err *e);
void window_release(struct window *w);

enum block_state {
	BLOCK_WHOLE,   /* header good, payload inside the file */
	BLOCK_CUT,     /* the file ends inside it: header or payload */
	BLOCK_DAMAGED, /* header bad, *why says how */
};

struct block {
	struct block_header h;
	/* where the next block begins; of a damaged one, where the next good one does, or the end
	 */
	uint64_t next;
	uint64_t available; /* bytes of payload inside the file */
	const char *why;
};

/* Looks at the block at `offset`, and on damage for the next one. 0 or a negative errno. */
int block_look(const struct block_file *f, struct window *w, uint64_t offset, struct block *b,
	       enum block_state *state, struct err *e);

/* The stored payload of a whole block, with its checksum and padding verified: *why is NULL, or
 * says what is wrong. */
int block_payload(const struct block_file *f, struct window *w, const struct block *b,
		  const void **p, const char **why, struct err *e);

#endif
