/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the mapping of a munmap, msync, madvise or mremap by its traced address. */
#include <sys/mman.h>

#include "replay/load/slots_private.h"

/* the smallest page size; with larger pages some repeated touches are not recognised */
#define TOUCH_BYTES 4096u

static struct mapped_ranges *maps_of(struct finder *f, const struct load_request *r)
{
	uint32_t process = process_of(f, r);
	return &f->maps[process];
}

static struct mapped_range *map_at(struct mapped_ranges *l, uint64_t address, uint64_t n_bytes)
{
	uint64_t end = address + (n_bytes ? n_bytes : 1);
	for (uint32_t i = l->n; i-- > 0;)
		if (l->item[i].from < end && address < l->item[i].to)
			return &l->item[i];
	return NULL;
}

static void piece_add(struct mapped_ranges *l, struct mapped_range m)
{
	APPEND(l->item, l->n, l->cap, m);
}

static void range_clear(struct mapped_ranges *l, uint64_t from, uint64_t to)
{
	for (uint32_t i = 0; i < l->n;) {
		struct mapped_range was = l->item[i];
		if (from >= was.to || was.from >= to) {
			i++;
			continue;
		}
		l->item[i] = l->item[--l->n];
		if (was.from < from)
			piece_add(l, (struct mapped_range){was.from, from, was.at, was.map});
		if (to < was.to)
			piece_add(l, (struct mapped_range){to, was.to, was.at + (to - was.from),
							   was.map});
		if (was.from < from || to < was.to)
			/* the remaining pieces are at the end of the list and outside the range */
			i = 0;
	}
}

static void map_add(struct finder *f, struct load_request *r)
{
	struct slots *s = f->s;
	struct load_more *m = load_more(f->l, r);
	uint64_t from = (uint64_t)r->rvalue;
	GROW(s->map, s->n_maps, s->maps_cap);
	s->map[s->n_maps] = (struct slot_map){.slot = r->slot,
					      .n_bytes = r->length,
					      .offset = r->offset,
					      .process = process_of(f, r),
					      .writable = r->flags >> 29 & PROT_WRITE,
					      .request = (uint32_t)(r - f->l->request)};
	m->map = s->n_maps++;
	if (r->rvalue < 0)
		return;
	range_clear(maps_of(f, r), from, load_end_of(from, r->length));
	piece_add(maps_of(f, r),
		  (struct mapped_range){from, load_end_of(from, r->length), 0, m->map});
}

/* Handles mremap. `length` is the new length; the trace lacks the old length. */
static void map_move(struct finder *f, const struct load_request *r, const struct mapped_range *old)
{
	struct mapped_range moved = *old;
	uint64_t from = (uint64_t)r->rvalue;
	if (r->rvalue < 0)
		return;
	range_clear(maps_of(f, r), moved.from, moved.to);
	range_clear(maps_of(f, r), from, load_end_of(from, r->length));
	piece_add(maps_of(f, r),
		  (struct mapped_range){from, load_end_of(from, r->length), moved.at, moved.map});
}

void map_follow(struct finder *f, struct load_request *r)
{
	struct load_more *m = load_more(f->l, r);
	if (r->op == OP_MMAP) {
		map_add(f, r);
		return;
	}
	const struct mapped_range *old = map_at(maps_of(f, r), r->offset, r->length);
	if (!old || r->offset < old->from) {
		r->skipped = SKIP_MISSING;
		return;
	}
	m->map = old->map;
	m->from = old->at + (r->offset - old->from);
	r->slot = f->s->map[old->map].slot;
	if (r->op == OP_MREMAP)
		map_move(f, r, old);
	else if (r->op == OP_MUNMAP && r->rvalue == 0)
		range_clear(maps_of(f, r), r->offset, load_end_of(r->offset, r->length));
}

/* Whether the event repeats the previous one. An access can cause several events: the kernel looks
 * for pages to map, reads a page, and looks again. */
static bool touched_again(struct finder *f, const struct load_request *r, uint32_t map,
			  uint64_t page)
{
	struct last_touch *t = &f->touch[r->thread];
	const bool writes = r->flags & PAGE_WRITTEN,
		   again = t->any && t->map == map && t->page == page && (t->written || !writes);
	*t = (struct last_touch){map, page, true, writes || (again && t->written)};
	return again;
}

/* Returns the latest mapping of the file in this process that contains the page and permits the
 * access. */
static const struct mapped_range *map_of_page(struct finder *f, const struct load_request *r)
{
	const struct mapped_ranges *l = maps_of(f, r);
	const struct slots *s = f->s;
	for (uint32_t i = l->n; i-- > 0;) {
		const struct mapped_range *piece = &l->item[i];
		const struct slot_map *map = &s->map[piece->map];
		const uint64_t from = map->offset + piece->at;
		if (s->slot[map->slot].file == r->name && r->offset >= from &&
		    r->offset - from < piece->to - piece->from &&
		    (map->writable || !(r->flags & PAGE_WRITTEN)))
			return piece;
	}
	return NULL;
}

/* Handles a page fault. Its record has either an address, or only the file and the pages that the
 * kernel examined. */
void touch_follow(struct finder *f, struct load_request *r)
{
	struct load_more *m = load_more(f->l, r);
	const bool at_address = r->rvalue >= PAGE_ADDRESS_MIN;
	r->name = name_of_request(f, r);
	r->skipped = SKIP_KERNEL;
	if (r->name == NONE32 || !m)
		return;
	const struct mapped_range *piece =
	    at_address ? map_at(maps_of(f, r), (uint64_t)r->rvalue, 1) : map_of_page(f, r);
	if (!piece)
		return;
	struct slot_map *map = &f->s->map[piece->map];
	if (r->flags & PAGE_WRITTEN && !map->writable) { /* mprotect is no request */
		map->writable = true;
		f->l->request[map->request].flags |= (uint32_t)PROT_WRITE << 29;
	}
	m->map = piece->map;
	m->from =
	    at_address ? piece->at + ((uint64_t)r->rvalue - piece->from) : r->offset - map->offset;
	if (touched_again(f, r, m->map, m->from / TOUCH_BYTES))
		return;
	r->slot = map->slot;
	r->offset = map->offset + m->from;
	r->length = 1;
	r->skipped = SKIP_NONE;
}
