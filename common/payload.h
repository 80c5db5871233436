/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Written content with a chosen compressibility and duplication, for storage that compresses or
 * deduplicates.
 *
 * Blocks have 4096 bytes. In each sector of 512 bytes, the first part is random and the rest is
 * zero. So a compressor of blocks or of whole files saves the chosen share. A duplicate is one of
 * 16 blocks that are the same in all files. Every other block is unique. */
#pragma once

#include "common/std.h"

#define PAYLOAD_BLOCK 4096u
#define PAYLOAD_DUPLICATES 16u

struct payload {
	/* shares, 0 to 1; with compressible 1, all bytes are zero */
	double compressible, duplicates;
};

/* Writes the bytes [offset, offset + len) of the content of `key`. They depend on `p`, `key` and
 * the position only. */
void payload_make(const struct payload *p, uint64_t key, uint64_t offset, void *to, size_t len);
