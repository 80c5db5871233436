/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash table from 64-bit keys to 32-bit values, mostly indices of an array: (pid, tid) to thread,
 * (pid, fd) to slot. The caller hashes longer keys to 64 bits and compares the element found. Keys
 * are mixed with a random salt, so that no trace can cause collisions on purpose. Grows as needed
 * (xalloc.h). */
#pragma once

#include "common/std.h"

struct u64_map {
	struct u64_map_cell *cell; /* cell[mask + 1], NULL while empty */
	uint64_t mask, n, salt;
};

/* The value of `key`; a new key gets `initial`. Borrowed until the next call. */
uint32_t *u64_map_at(struct u64_map *m, uint64_t key, uint32_t initial);
/* NULL: no such key. */
uint32_t *u64_map_find(const struct u64_map *m, uint64_t key);
void u64_map_release(struct u64_map *m); /* an all-zero one is an empty map */

static inline uint64_t u64_pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}
