/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout of a trace file on disk, version 1; doc/formats/trace.md is its public description.
 * Private to capture/.
 *
 * file header | block | block | ... | END block
 *
 * Everything begins at a multiple of 64 bytes; numbers are little-endian. A block is a header of 64
 * bytes and its payload, padded with zeros to the next multiple of 64. Blocks are appended and
 * never moved. The block that is being filled is OPEN: it is always the last block, contains
 * records, and is never compressed. Its header has the maximum size, and the commit words of its
 * records show which records are valid. The writer SEALs the block by writing its header again with
 * count, lengths and checksum. The header has 64 bytes inside one page, so a killed writer has
 * written the whole header or nothing.
 *
 * Each block header contains its own offset and the nonce of the file. So a search after damage
 * does not mistake a trace inside a trace, or a moved block, for a block of this file. */
#pragma once

#include "capture/trace.h"
#include "common/crc32c.h"

#define FILE_MAGIC "\x89VTRACE\n" /* 8 bytes; no text file begins with them */
#define FILE_VERSION 1u
#define FILE_BYTE_ORDER 0x01020304u

struct file_header {
	uint8_t magic[8];
	uint32_t version;
	uint32_t byte_order;   /* reads as 0x04030201 if the writer had the other byte order */
	uint32_t header_bytes; /* bytes of this header: 64 */
	uint32_t record_bytes; /* 96 */
	uint64_t nonce;	       /* random number, which every block of this file has */
	uint8_t reserved[28];
	uint32_t crc; /* CRC-32C of the 60 bytes before this member */
};
_Static_assert(sizeof(struct file_header) == 64, "part of the file format");

#define BLOCK_MAGIC 0x4b4c4256u /* "VBLK" */
#define BLOCK_ALIGN 64u

enum block_kind {
	BLOCK_META = 1,	   /* payload: JSON */
	BLOCK_OBJECTS = 2, /* struct object_item, each followed by its name */
	BLOCK_HEAP = 3,	   /* items: uint32_t length, then the bytes, padded to 8 */
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
	/* META: 1; OBJECTS, HEAP: number of items; RECORDS: number of records, 0 while open; END:
	 * 1 */
	uint32_t count;
	uint32_t payload_crc; /* CRC-32C of the stored bytes; 0 while open */
	uint64_t stored_len;  /* bytes in the file, without the padding; 0 while open */
	/* bytes after decompression; while the block is open: the maximum */
	uint64_t raw_len;
	/* META: revision; OBJECTS: first id; HEAP: first unit of 8 bytes; RECORDS: first index */
	uint64_t first;
	uint64_t offset;      /* offset of this header in the file */
	uint64_t nonce;
	/* CRC-32C of the other 60 bytes: 56 bytes before this member, 4 bytes after it */
	uint32_t crc;
	uint32_t commit; /* enum block_commit */
};
_Static_assert(sizeof(struct block_header) == 64, "part of the file format");

struct object_item {
	uint16_t kind;	   /* enum object_kind */
	uint16_t reserved; /* 0 */
	/* length of the name, without the NUL after it; the name is padded with zeros to a multiple
	 * of 8 */
	uint32_t len;
};

struct end_payload {
	uint64_t n_records, n_objects, n_heap_units, n_blocks; /* totals before this block */
	uint64_t meta_offset;				       /* offset of the last META block */
	uint64_t reserved[3];
};
_Static_assert(sizeof(struct end_payload) == 64, "part of the file format");

/* Sizes that the writer uses. 96 KiB of records remain in the CPU cache from the checksum to their
 * use. With 4096 records, reading was 10 % slower. */
#define RECORDS_PER_BLOCK 1024u
#define OBJECTS_FLUSH_BYTES (1u << 20)
#define HEAP_FLUSH_BYTES (1u << 20)

/* Limits of the reader, which limit its memory. */
#define RAW_LEN_MAX (64u << 20)
#define META_LEN_MAX (16u << 20) /* parsed JSON may need fifty times its length in memory */
#define NAME_LEN_MAX 65535u
#define HEAP_ITEM_MAX (16u << 20)

static inline uint64_t align_up(uint64_t x, uint64_t to)
{
	return (x + to - 1) / to * to;
}

static inline uint32_t block_header_crc(const struct block_header *h)
{
	const uint32_t crc = crc32c(0, h, offsetof(struct block_header, crc));
	return crc32c(crc, &h->commit, sizeof h->commit);
}
