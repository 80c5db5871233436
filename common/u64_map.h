/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash table from 64-bit keys to 32-bit values, mostly indices of an array: (pid, tid) to thread,
 * (pid, fd) to slot. For longer keys, the caller hashes the key to 64 bits and compares the element
 * that it finds. Keys are mixed with a random salt, so that no trace can cause collisions on
 * purpose. The table grows as needed (xalloc.h). */
#pragma once

#include "common/splitmix.h"

struct u64_map_cell {
	uint64_t key;
	uint32_t value;
	bool used;
};

struct u64_map {
	struct u64_map_cell *cell; /* cell[mask + 1], NULL while empty */
	uint64_t mask, n, salt;
};

/* The cell of `key`, or the free cell for a new key. The map must have cells. */
static inline struct u64_map_cell *u64_map_probe(const struct u64_map *m, uint64_t key)
{
	uint64_t i = splitmix_mix(key + m->salt) & m->mask;
	while (m->cell[i].used && m->cell[i].key != key)
		i = (i + 1) & m->mask;
	return &m->cell[i];
}

/* Pointer to the value of `key`; a new key gets `initial`. Valid until the next call. */
uint32_t *u64_map_at(struct u64_map *m, uint64_t key, uint32_t initial);

/* NULL: the key is not in the map. */
static inline uint32_t *u64_map_find(const struct u64_map *m, uint64_t key)
{
	struct u64_map_cell *c = m->cell ? u64_map_probe(m, key) : NULL;
	return c && c->used ? &c->value : NULL;
}

/* An all-zero map is empty and may be released. */
static inline void u64_map_release(struct u64_map *m)
{
	free(m->cell);
	*m = (struct u64_map){.cell = NULL};
}

/* Releases several maps. */
#define U64_MAPS_RELEASE(...)                                                                      \
	u64_maps_release((struct u64_map *[]){__VA_ARGS__},                                        \
			 sizeof(struct u64_map *[]){__VA_ARGS__} / sizeof(void *))
static inline void u64_maps_release(struct u64_map *const *map, size_t n)
{
	for (size_t i = 0; i < n; i++)
		u64_map_release(map[i]);
}

static inline uint64_t u64_pair(uint32_t high, uint32_t low)
{
	return (uint64_t)high << 32 | low;
}
