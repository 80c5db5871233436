/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout of a content file, little-endian (doc/formats/content.md). Private to capture/content.
 */
#pragma once

#include "capture/content/content.h"

#define CONTENT_MAGIC UINT64_C(0x31544e4f43534c56) /* "VLSCONT1" */

struct content_header {
	uint64_t magic;
	uint8_t name[CONTENT_NAME_BYTES];
	uint64_t n_requests, n_references, n_blocks;
	uint64_t n_bytes, n_stored_bytes;
	/* offset of the tables after the blocks: content_block[n_blocks],
	 * content_request[n_requests], uint32_t[n_references] */
	uint64_t tables_at;
	uint32_t tables_crc; /* CRC-32C of the three tables */
	uint32_t header_crc; /* CRC-32C of the preceding bytes of the header */
};

struct content_block {
	uint64_t at; /* offset in the file */
	uint32_t n_bytes;
	uint32_t crc;
};

struct content_request {
	uint64_t seq;
	uint64_t first; /* index of its first reference to a block */
	uint64_t n_bytes;
};

_Static_assert(sizeof(struct content_header) == 80 && sizeof(struct content_block) == 16 &&
		   sizeof(struct content_request) == 24,
	       "no gaps");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "written as it lies in memory");
