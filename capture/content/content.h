/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data that the requests of a trace wrote, in a file beside the trace: TRACE.content. The data are
 * private to the captured user, so they are stored only on request, and only the owner can read the
 * file.
 *
 * The content of each request is cut into blocks of 4096 bytes; the last block may be shorter.
 * Blocks are stored once if the first 128 bits of their SHA-256 (FIPS 180-4; by libgcrypt) are
 * equal. doc/formats/content.md describes the layout. */
#pragma once

#include "common/std.h"

#define CONTENT_SUFFIX ".content"
#define CONTENT_BLOCK 4096u
#define CONTENT_NAME_BYTES 16 /* identifies the content of a trace */

struct content_facts {
	uint64_t n_requests, n_bytes; /* requests with content, and their bytes */
	/* number of different blocks, and their size in the file */
	uint64_t n_blocks, n_stored_bytes;
	uint8_t name[CONTENT_NAME_BYTES]; /* random */
};

/* --- writing ------------------------------------------------------------- */

struct content_writer;

/* Writes to a temporary file beside PATH until it is complete (common/file_beside.h). Errors: of
 * the system. Ownership: _close or _abort. */
int content_writer_open(struct content_writer **w, const char *path, struct err *e);
/* Stores a block of 1 to 4096 bytes, unless an equal block is stored already. *number: number of
 * the block. Errors: of the system; E2BIG: more than 2^32 - 1 blocks. */
int content_writer_block(struct content_writer *w, const void *bytes, uint32_t n, uint32_t *number,
			 struct err *e);
/* Stores that request `seq` of the trace wrote block[n_blocks]. `seq` must be above those of
 * earlier calls. All blocks except the last must have 4096 bytes. Errors: ENOMEM; EINVAL. */
int content_writer_request(struct content_writer *w, uint64_t seq, const uint32_t *block,
			   size_t n_blocks, struct err *e);
/* Completes the temporary file. A file at PATH remains until content_writer_close. `facts` may be
 * NULL. Errors: of the system. */
int content_writer_finish(struct content_writer *w, struct content_facts *facts, struct err *e);
/* Completes the file if necessary and renames it to PATH. Frees `w`, also after an error. Errors:
 * of the system. */
int content_writer_close(struct content_writer *w, struct content_facts *facts, struct err *e);
void content_writer_abort(struct content_writer *w); /* `w` may be NULL */

/* --- reading ------------------------------------------------------------- */

struct content;

/* Opens an untrusted file. Refuses inconsistent content and states the reason. Errors: of the
 * system; EINVAL. Ownership: content_close. */
int content_open(struct content **c, const char *path, struct err *e);
void content_close(struct content *c); /* `c` may be NULL */
const struct content_facts *content_facts(const struct content *c);
int content_descriptor(const struct content *c); /* descriptor of the file; borrowed */
/* Finds the content of request `seq`: its place, for content_read, and the number of bytes that it
 * wrote. False: its content is not stored. */
bool content_find(const struct content *c, uint64_t seq, uint64_t *place, uint64_t *n_bytes);
/* Reads bytes [from, from + n) of the request at `place`, which must exist. Thread-safe. Errors: of
 * the system; EIO if a block has changed. */
int content_read(const struct content *c, uint64_t place, uint64_t from, void *to, size_t n,
		 struct err *e);
