/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Content to write with a chosen compressibility and duplication, for storage that compresses or
 * deduplicates.
 *
 * Blocks have 4096 bytes. In each sector of 512 bytes the first part is random and the rest zeros,
 * so that a compressor of blocks or whole files saves the chosen share. A duplicate is one of 16
 * blocks that are the same in all files; every other block differs from all others. */
#pragma once

#include "common/std.h"

#define PAYLOAD_BLOCK 4096u
#define PAYLOAD_DUPLICATES 16u

struct payload {
	double compressible, duplicates; /* shares, 0 to 1; compressible 1 is all zeros */
};

/* The bytes [offset, offset + len) of the content of `key`, a function of `p` and these alone. */
void payload_make(const struct payload *p, uint64_t key, uint64_t offset, void *to, size_t len);
