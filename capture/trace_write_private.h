/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a trace being written, and the interfaces between the writer's files. Private to
 * capture/. */
#pragma once

#include <sys/uio.h>
#include <zstd.h>

#include "capture/trace_format.h"
#include "capture/trace_private.h"

struct trace_writer {
	int fd;
	char *path;	 /* name for messages */
	char *file;	 /* final name */
	/* temporary name beside an existing file that is to be replaced; NULL: written at `file` */
	char *temporary;
	bool created, whole;
	struct trace_write_options options;
	int failed; /* errno of the first failed write: nothing is written after it */
	uint64_t nonce;
	uint64_t end; /* offset of the block being filled, or of the next block */

	struct trace_record *record;  /* [RECORDS_PER_BLOCK], the block being filled */
	uint32_t n_filled, n_in_file; /* records in it; records of it in the file */
	uint32_t crc;                 /* of the records in the file */

	struct object_table objects;
	uint32_t n_objects_in_file;
	unsigned char *heap; /* items not yet in the file */
	size_t heap_len, heap_cap;
	uint32_t n_heap_items;
	uint64_t n_heap_units; /* in the file */

	uint64_t n_records, n_blocks, n_metas, meta_offset;
	ZSTD_CCtx *zstd;
	void *compressed;
	size_t compressed_cap;
};

/* Writes v[n] at `offset` and modifies v. After an error nothing more is written. */
int writer_put(struct trace_writer *w, struct iovec *v, int n, uint64_t offset, struct err *e);

/* A header for a block at the end of the file; the caller sets lengths, count and checksums. */
struct block_header writer_header(const struct trace_writer *w, enum block_kind kind,
				  enum block_commit commit);
/* Appends a complete, sealed block. */
int writer_put_block(struct trace_writer *w, enum block_kind kind, uint32_t count, uint64_t first,
		     const void *data, size_t len, struct err *e);

/* Ends the block of records being filled; writes the objects and heap items that records refer to.
 */
int writer_end_records(struct trace_writer *w, struct err *e);
int writer_put_objects(struct trace_writer *w, struct err *e);
int writer_put_heap(struct trace_writer *w, struct err *e);
