/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mappings by their traced addresses: which of them a munmap, msync, madvise or mremap is about. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "capture/op.h"
#include "common/xalloc.h"
#include "replay/load/slots_private.h"

static struct map_list *maps_of(struct finder *f, const struct load_request *r)
{
	uint32_t process = process_of(f, r);
	return &f->maps[process];
}

static struct traced_map *map_at(struct map_list *l, uint64_t address, uint64_t n_bytes)
{
	uint64_t end = address + (n_bytes ? n_bytes : 1);
	for (uint32_t i = l->n; i-- > 0;)
		if (l->item[i].from < end && address < l->item[i].to)
			return &l->item[i];
	return NULL;
}

static void piece_add(struct map_list *l, struct traced_map m)
{
	GROW(l->item, l->n, l->cap);
	l->item[l->n++] = m;
}

static void range_clear(struct map_list *l, uint64_t from, uint64_t to)
{
	for (uint32_t i = 0; i < l->n;) {
		struct traced_map was = l->item[i];
		if (from >= was.to || was.from >= to) {
			i++;
			continue;
		}
		l->item[i] = l->item[--l->n];
		if (was.from < from)
			piece_add(l, (struct traced_map){was.from, from, was.at, was.map});
		if (to < was.to)
			piece_add(l, (struct traced_map){to, was.to, was.at + (to - was.from), was.map});
		if (was.from < from || to < was.to)
			i = 0; /* the pieces lie behind; they do not meet the range any more */
	}
}

static uint64_t end_of(uint64_t address, uint64_t n_bytes)
{
	return address + n_bytes < address ? UINT64_MAX : address + n_bytes;
}

static void mapped(struct finder *f, struct load_request *r)
{
	struct slots *s = f->s;
	struct load_more *m = load_more(f->l, r);
	uint64_t from = (uint64_t)r->rvalue;
	GROW(s->map, s->n_maps, s->maps_cap);
	s->map[s->n_maps] = (struct slot_map){r->slot, r->length};
	m->map = s->n_maps++;
	if (r->rvalue < 0)
		return;
	range_clear(maps_of(f, r), from, end_of(from, r->length));
	piece_add(maps_of(f, r), (struct traced_map){from, end_of(from, r->length), 0, m->map});
}

/* mremap: length is the new one; the old range is not told whole. */
static void remapped(struct finder *f, const struct load_request *r, const struct traced_map *old)
{
	struct traced_map moved = *old;
	uint64_t from = (uint64_t)r->rvalue;
	if (r->rvalue < 0)
		return;
	range_clear(maps_of(f, r), moved.from, moved.to);
	range_clear(maps_of(f, r), from, end_of(from, r->length));
	piece_add(maps_of(f, r), (struct traced_map){from, end_of(from, r->length), moved.at, moved.map});
}

void map_follow(struct finder *f, struct load_request *r)
{
	struct load_more *m = load_more(f->l, r);
	if (r->op == OP_MMAP) {
		mapped(f, r);
		return;
	}
	const struct traced_map *old = map_at(maps_of(f, r), r->offset, r->length);
	if (!old || r->offset < old->from) {
		r->passed = PASS_UNTOLD;
		return;
	}
	m->map = old->map;
	m->from = old->at + (r->offset - old->from);
	r->slot = f->s->map[old->map].slot;
	if (r->op == OP_MREMAP)
		remapped(f, r, old);
	else if (r->op == OP_MUNMAP && r->rvalue == 0)
		range_clear(maps_of(f, r), r->offset, end_of(r->offset, r->length));
}

void maps_release(struct finder *f)
{
	for (uint32_t i = 0; f->maps && i < f->s->n_processes; i++)
		free(f->maps[i].item);
	free(f->maps);
}
