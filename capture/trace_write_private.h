/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace being written: its state, and the steps that its files share. Private to capture/. */
#ifndef CAPTURE_TRACE_WRITE_PRIVATE_H
#define CAPTURE_TRACE_WRITE_PRIVATE_H

#include <sys/uio.h>
#include <zstd.h>

#include "capture/object_table.h"
#include "capture/trace_format.h"
#include "capture/trace_private.h"

struct trace_writer {
	int fd;
	char *path;	 /* how messages name it */
	char *file;	 /* where it is written, or is to be when it is whole */
	/* where it is until then, beside the file that it replaces; NULL: at `file` */
	char *temporary;
	bool created, whole;
	struct trace_write_options options;
	int failed; /* errno of the first failed write: nothing is written after it */
	uint64_t nonce;
	uint64_t end; /* where the block being filled, or the next one, begins */

	struct trace_record *record;  /* [RECORDS_PER_BLOCK], the block being filled */
	uint32_t n_filled, n_in_file; /* records of it; of those, already in the file */
	uint32_t crc;                 /* of those in the file */

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

/* All of v[n] at `offset` of the file. An error is remembered: nothing is written after it. `v` is
 * used up. */
int writer_put(struct trace_writer *w, struct iovec *v, int n, uint64_t offset, struct err *e);

/* A header for a block at the end of the file; lengths, count and checksums are the caller's. */
struct block_header writer_header(const struct trace_writer *w, enum block_kind kind,
				  enum block_commit commit);
/* Appends a whole, sealed block. */
int writer_put_block(struct trace_writer *w, enum block_kind kind, uint32_t count, uint64_t first,
		     const void *data, size_t len, struct err *e);

/* Ends the block of records being filled, whatever it holds; writes what records to come may refer
 * to. */
int writer_end_records(struct trace_writer *w, struct err *e);
int writer_put_objects(struct trace_writer *w, struct err *e);
int writer_put_heap(struct trace_writer *w, struct err *e);

#endif
