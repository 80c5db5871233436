/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/u64_map.h"

#include <sys/random.h>

static void cells_grow(struct u64_map *m)
{
	struct u64_map old = *m;
	uint64_t n_cells = old.cell ? (old.mask + 1) * 2 : 64;
	if (!old.cell && getrandom(&m->salt, sizeof m->salt, GRND_NONBLOCK) != sizeof m->salt)
		m->salt = (uint64_t)(uintptr_t)m;
	m->mask = n_cells - 1;
	m->cell = xcalloc(n_cells, sizeof *m->cell);
	for (uint64_t i = 0; old.cell && i <= old.mask; i++)
		if (old.cell[i].used)
			*u64_map_probe(m, old.cell[i].key) = old.cell[i];
	free(old.cell);
}

uint32_t *u64_map_at(struct u64_map *m, uint64_t key, uint32_t initial)
{
	if (!m->cell || m->n * 2 > m->mask)
		cells_grow(m);
	else if (GROW_MOVES(m->n))
		m->cell = xreallocarray(m->cell, m->mask + 1, sizeof *m->cell);
	struct u64_map_cell *c = u64_map_probe(m, key);
	if (!c->used) {
		*c = (struct u64_map_cell){.key = key, .value = initial, .used = true};
		m->n++;
	}
	return &c->value;
}
