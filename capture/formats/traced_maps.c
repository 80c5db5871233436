/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that are mapped into each process: calls such as msync name only an address. */

#include "capture/formats/descriptors.h"
#include "common/xalloc.h"

#define MAPS_MAX 16384u /* bounds the memory that a trace can ask for; more are not followed */

void map_list_put(struct map_list *l)
{
	if (!l || --l->refs)
		return;
	*l->n_slots -= l->n;
	free(l->map);
	free(l);
}

/* The process's list, copied first if other processes share it. */
static struct map_list *list_unshare(struct traced_process *p)
{
	struct map_list *from = p->maps;
	if (from && from->refs == 1)
		return from;
	struct map_list *l = xcalloc(1, sizeof *l);
	l->refs = 1;
	l->n_slots = p->table->n_slots;
	if (from && from->n && traced_room_take(l->n_slots, from->n)) {
		l->map = xreallocarray(NULL, from->n, sizeof *l->map);
		memcpy(l->map, from->map, from->n * sizeof *l->map);
		l->n = l->cap = from->n;
	}
	map_list_put(from);
	return p->maps = l;
}

static struct traced_map *map_at(const struct map_list *l, uint64_t from, uint64_t to)
{
	for (size_t i = l ? l->n : 0; i-- > 0;)
		if (l->map[i].from < to && from < l->map[i].to)
			return &l->map[i];
	return NULL;
}

static void add(struct map_list *l, uint64_t from, uint64_t to, uint32_t object)
{
	if (l->n >= MAPS_MAX || !traced_room_take(l->n_slots, 1))
		return;
	GROW(l->map, l->n, l->cap);
	l->map[l->n++] = (struct traced_map){from, to, object};
}

static void cut(struct map_list *l, uint64_t from, uint64_t to)
{
	struct traced_map *m;
	while ((m = map_at(l, from, to))) {
		const struct traced_map was = *m;
		*m = l->map[--l->n];
		--*l->n_slots;
		if (was.from < from)
			add(l, was.from, from, was.object);
		if (to < was.to)
			add(l, to, was.to, was.object);
	}
}

uint32_t traced_map_find(const struct traced_process *p, uint64_t from, uint64_t len)
{
	uint64_t to;
	if (__builtin_add_overflow(from, len ? len : 1, &to))
		to = UINT64_MAX;
	const struct traced_map *m = map_at(p->maps, from, to);
	return m ? m->object : OBJECT_NONE;
}

void traced_map_set(struct traced_process *p, uint64_t from, uint64_t len, uint32_t object)
{
	uint64_t to;
	if (!len || __builtin_add_overflow(from, len, &to) ||
	    (object == OBJECT_NONE && !map_at(p->maps, from, to)))
		return;
	struct map_list *l = list_unshare(p);
	cut(l, from, to);
	if (object != OBJECT_NONE)
		add(l, from, to, object);
}
