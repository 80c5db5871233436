/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace file's layout on disk, version 1; doc/formats/trace.md is its description for others.
 *Private to capture/.
 *
 *	file header | block | block | ... | END block
 *
 * Everything begins at a multiple of 64 bytes; numbers are little-endian. A block is a header of 64
 *bytes and its payload, padded with zeros to the next multiple of 64. Blocks are appended, never
 *moved. The one block being filled (always the last one, always RECORDS, never compressed) is OPEN:
 *its header says how many bytes it may take, and what it holds is told by the commit words of the
 *records themselves. It is SEALED by writing its header again, with count, lengths and checksum: 64
 *bytes inside one page, which a killed writer has written or not.
 *
 * Each block header carries its own offset and the file's nonce, so that after damage the next
 *block can be searched for without taking a trace inside a trace, or a moved block, for one of
 *ours. */
#ifndef CAPTURE_TRACE_FORMAT_H
#define CAPTURE_TRACE_FORMAT_H

#include <stdint.h>

#include "capture/trace.h"

#define FILE_MAGIC "\x89VTRACE\n" /* 8 bytes: no text file begins so */
#define FILE_VERSION 1u
#define FILE_BYTE_ORDER 0x01020304u

struct file_header {
	uint8_t magic[8];
	uint32_t version;
	uint32_t byte_order;   /* reads as 0x04030201 where the writer was of the other kind */
	uint32_t header_bytes; /* of this header: 64 */
	uint32_t record_bytes; /* 96 */
	uint64_t nonce;	       /* random, in every block of this file */
	uint8_t reserved[28];
	uint32_t crc; /* CRC-32C of the 60 bytes before */
};
_Static_assert(sizeof(struct file_header) == 64, "part of the file format");

#define BLOCK_MAGIC 0x4b4c4256u /* "VBLK" */
#define BLOCK_ALIGN 64u

enum block_kind {
	BLOCK_META = 1,	   /* payload: JSON */
	BLOCK_OBJECTS = 2, /* struct object_item, each with its name */
	BLOCK_HEAP = 3,	   /* uint32_t length, then the bytes, padded to 8; again and again */
	BLOCK_RECORDS = 4, /* struct trace_record */
	BLOCK_END = 5,	   /* struct end_payload */
};

enum block_commit {
	BLOCK_OPEN = 0x4e45504fu,   /* "OPEN" */
	BLOCK_SEALED = 0x4c414553u, /* "SEAL" */
};

#define BLOCK_ZSTD 1u /* flags: the payload is one zstd frame */

struct block_header {
	uint32_t magic;
	uint16_t kind;
	uint16_t flags;
	/* META: 1; OBJECTS, HEAP: items; RECORDS: records, 0 while open; END: 1 */
	uint32_t count;
	uint32_t payload_crc; /* CRC-32C of the stored bytes; 0 while open */
	uint64_t stored_len;  /* bytes in the file, without the padding; 0 while open */
	/* bytes when decompressed; while open: the most it may come to hold */
	uint64_t raw_len;
	/* META: revision; OBJECTS: first id; HEAP: first unit of 8 bytes; RECORDS: first index */
	uint64_t first;
	uint64_t offset;      /* of this header in the file */
	uint64_t nonce;
	uint32_t crc;	 /* CRC-32C of the other 60 bytes: 56 before, 4 behind */
	uint32_t commit; /* enum block_commit */
};
_Static_assert(sizeof(struct block_header) == 64, "part of the file format");

struct object_item {
	uint16_t kind;	   /* enum object_kind */
	uint16_t reserved; /* 0 */
	/* of the name, without the NUL that follows it; padded with zeros to a multiple of 8 */
	uint32_t len;
};

struct end_payload {
	uint64_t n_records, n_objects, n_heap_units, n_blocks; /* before this block */
	uint64_t meta_offset;				       /* of the last META block */
	uint64_t reserved[3];
};
_Static_assert(sizeof(struct end_payload) == 64, "part of the file format");

/* What a writer makes. */
/* 96 KiB stay in the cache from checksum to use; 4096 read 10 % slower */
#define RECORDS_PER_BLOCK 1024u
#define OBJECTS_FLUSH_BYTES (1u << 20)
#define HEAP_FLUSH_BYTES (1u << 20)

/* What a reader accepts, whatever a header says: bounds its memory. */
#define RAW_LEN_MAX (64u << 20)
#define META_LEN_MAX (16u << 20) /* JSON may take fifty times its length in memory */
#define NAME_LEN_MAX 65535u
#define HEAP_ITEM_MAX (16u << 20)

static inline uint64_t align_up(uint64_t x, uint64_t to)
{
	return (x + to - 1) / to * to;
}

uint32_t block_header_crc(const struct block_header *h); /* trace_blocks.c */

#endif
