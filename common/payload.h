/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Content to write, of chosen compressibility and duplication: for storage that compresses or keeps
 * equal blocks once.
 *
 * A block is 4096 bytes, at a multiple of that. Of each sector of 512 bytes in it the first part is
 * random and the rest zeros, so that a compressor that looks at a block, or at a whole file, takes
 * off the chosen share. A duplicate is one of 16 blocks that are the same in all files; every other
 * block differs from all others. */
#ifndef COMMON_PAYLOAD_H
#define COMMON_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>

#define PAYLOAD_BLOCK 4096u
#define PAYLOAD_DUPLICATES 16u

struct payload {
	double compressible, duplicates; /* shares, 0 to 1; compressible 1 is all zeros */
};

/* The bytes [offset, offset + len) of what `key` stands for: a function of these and of `p` alone.
 */
void payload_make(const struct payload *p, uint64_t key, uint64_t offset, void *to, size_t len);

#endif
