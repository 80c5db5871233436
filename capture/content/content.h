/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the requests of a trace wrote, in a file beside it: TRACE.content. It is data of whoever was
 * captured, so it is kept only where that is asked for, and readable by its owner alone.
 *
 * Content is cut into blocks of 4096 bytes from the beginning of each request; the last one is
 * shorter. Equal blocks are stored once: by their SHA-256 (FIPS 180-4; by libgcrypt). The layout:
 * doc/formats/content.md. */
#ifndef CAPTURE_CONTENT_H
#define CAPTURE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define CONTENT_SUFFIX ".content"
#define CONTENT_BLOCK 4096u
#define CONTENT_NAME_BYTES 16 /* by which a trace and its content know each other */

struct content_facts {
	uint64_t n_requests, n_bytes; /* with content, and how much they wrote */
	uint64_t n_blocks, n_stored_bytes; /* different blocks, and what they take */
	uint8_t name[CONTENT_NAME_BYTES]; /* random */
};

/* --- writing ------------------------------------------------------------- */

struct content_writer;

/* Writes to a file of another name beside PATH until it is whole (common/file_beside.h). Errors: of
 * the system. Ownership: _close or _abort. */
int content_writer_open(struct content_writer **w, const char *path, struct err *e);
/* Stores a block of 1 to 4096 bytes, or finds an equal one: *number is which. Errors: of the
 * system; E2BIG for more than 2^32 - 1 blocks. */
int content_writer_block(struct content_writer *w, const void *bytes, uint32_t n, uint32_t *number,
			 struct err *e);
/* Request `seq` of the trace, greater than all before, wrote block[n_blocks], of which all but the
 * last have 4096 bytes. Errors: ENOMEM; EINVAL. */
int content_writer_request(struct content_writer *w, uint64_t seq, const uint32_t *block,
			   size_t n_blocks, struct err *e);
/* The file is whole, under its other name still: what is at PATH stays until _close, or for good.
 * `facts` may be NULL. Errors: of the system. */
int content_writer_finish(struct content_writer *w, struct content_facts *facts, struct err *e);
/* Puts it in its place, finished where it is not yet. Frees also when it fails. Errors: of the
 * system. */
int content_writer_close(struct content_writer *w, struct content_facts *facts, struct err *e);
void content_writer_abort(struct content_writer *w); /* NULL is fine */

/* --- reading ------------------------------------------------------------- */

struct content;

/* A file from strangers: whatever does not fit together is refused, naming it. Errors: of the
 * system; EINVAL. Ownership: content_close. */
int content_open(struct content **c, const char *path, struct err *e);
void content_close(struct content *c); /* NULL is fine */
const struct content_facts *content_facts(const struct content *c);
int content_descriptor(const struct content *c); /* of the file; borrowed */
/* The request with this number in the trace: its place, for content_read, and how many bytes it
 * wrote; false where nothing is kept of it. */
bool content_find(const struct content *c, uint64_t seq, uint64_t *place, uint64_t *n_bytes);
/* Bytes [from, from + n) of the request at `place`, which it has. May be called by several threads
 * at once. Errors: of the system; EIO where a block is not what was stored. */
int content_read(const struct content *c, uint64_t place, uint64_t from, void *to, size_t n,
		 struct err *e);

#endif
