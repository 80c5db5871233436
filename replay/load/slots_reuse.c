/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges slots whose instances follow each other. Source: Joukov, Wong and Zadok (FAST 2005),
 * section 2.3. */

#include "replay/load/slots.h"
#include "common/u64_map.h"

/* state of a slot during the walk: without a request yet; opened, and later closed, by one thread
 * alone; any other state */
enum slot_life { LIFE_NONE, LIFE_OPEN, LIFE_CLOSED, LIFE_OTHER };

struct reuse {
	struct slots *s;
	struct load *l;
	uint8_t *life;	      /* life[s->n] */
	uint16_t *thread;     /* thread[s->n] */
	/* as[s->n]: the slot that takes over the instance of this slot: itself, or an earlier
	 * slot */
	uint32_t *as;
	/* next[s->n]: list of free slots with the same thread, path, flags and mode; 0: end */
	uint32_t *next;
	/* open_mode: (flags, mode) -> number; path_mode: (path, open_mode) -> number; free:
	 * (thread, path_mode) -> first free slot */
	struct u64_map open_mode, path_mode, free;
	uint32_t n_open_modes, n_path_modes;
};

static bool is_close_call(const struct load_request *r)
{
	return r->op == OP_CLOSE && r->rvalue >= 0 && !r->skipped;
}

static bool is_open_call(const struct load_request *r)
{
	return r->op == OP_OPEN && r->rvalue >= 0 && !r->skipped;
}

static enum slot_life life_after(const struct reuse *x, const struct load_request *r)
{
	switch ((enum slot_life)x->life[r->slot]) {
	case LIFE_NONE:
		return is_open_call(r) ? LIFE_OPEN : LIFE_OTHER;
	case LIFE_OPEN:
		if (r->thread != x->thread[r->slot] || r->op == OP_OPEN ||
		    (r->op == OP_FCNTL && r->flags == F_SETFL))
			return LIFE_OTHER;
		return is_close_call(r) ? LIFE_CLOSED : LIFE_OPEN;
	default:
		return LIFE_OTHER;
	}
}

/* Excludes slots that other slots depend on: copies, heirs, mappings, streams, and instances that
 * were replaced without a close. */
static void others_exclude(struct reuse *x)
{
	const struct slots *s = x->s;
	for (uint32_t i = 0; i < s->n; i++) {
		const struct slot *b = &s->slot[i];
		if (!i || b->at_setup || b->inherited || b->heir || b->replaces || b->stream ||
		    b->directory || b->skipped || b->origin != i)
			x->life[i] = x->life[b->origin] = LIFE_OTHER;
		if (b->replaces)
			x->life[b->replaces] = LIFE_OTHER;
	}
	for (uint32_t i = 0; i < s->n_maps; i++)
		x->life[s->map[i].slot] = LIFE_OTHER;
	for (uint32_t i = 1; i < x->l->n_more; i++)
		x->life[x->l->more[i].slot] = LIFE_OTHER;
}

/* Returns the first free slot of the same thread, path, flags and mode. */
static uint32_t *free_of(struct reuse *x, uint32_t slot)
{
	const struct slot *b = &x->s->slot[slot];
	const uint32_t open_mode =
	    *u64_map_at(&x->open_mode, u64_pair(b->flags, b->mode), x->n_open_modes);
	x->n_open_modes += open_mode == x->n_open_modes;
	const uint32_t path_mode =
	    *u64_map_at(&x->path_mode, u64_pair(b->file, open_mode), x->n_path_modes);
	x->n_path_modes += path_mode == x->n_path_modes;
	return u64_map_at(&x->free, u64_pair(x->thread[slot], path_mode), 0);
}

/* Joins instances in the order of requests, which the replay keeps within each thread. */
static void instances_join(struct reuse *x)
{
	struct load *l = x->l;
	for (uint32_t i = 0; i < l->n; i++) {
		struct load_request *r = &l->request[i];
		if (x->life[r->slot] != LIFE_CLOSED)
			continue;
		if (!is_open_call(r) && !is_close_call(r))
			continue;
		uint32_t *first = free_of(x, r->slot), *as = &x->as[r->slot];
		if (is_open_call(r) && *first) {
			*as = *first;
			*first = x->next[*as];
		} else if (is_close_call(r)) {
			x->next[*as] = *first;
			*first = *as;
		}
	}
}

/* Renumbers the remaining slots without gaps. */
static void slots_renumber(struct reuse *x)
{
	struct slots *s = x->s;
	struct load *l = x->l;
	uint32_t n = 0, *number = x->next;
	for (uint32_t i = 0; i < s->n; i++)
		number[i] = x->as[i] == i ? n++ : number[x->as[i]];
	for (uint32_t i = 0; i < s->n; i++) {
		if (x->as[i] != i)
			continue;
		struct slot *b = &s->slot[number[i]];
		*b = s->slot[i];
		b->origin = number[b->origin];
		b->heir = number[b->heir];
		b->next_heir = number[b->next_heir];
		b->source = number[b->source];
		b->earlier = number[b->earlier];
		b->replaces = number[b->replaces];
	}
	for (uint32_t i = 0; i < l->n; i++)
		l->request[i].slot = number[l->request[i].slot];
	for (uint32_t i = 1; i < l->n_more; i++)
		l->more[i].slot = number[l->more[i].slot];
	for (uint32_t i = 0; i < s->n_maps; i++)
		s->map[i].slot = number[s->map[i].slot];
	s->n = s->cap = n;
	s->slot = xreallocarray(s->slot, n, sizeof *s->slot);
}

void slots_reuse(struct slots *s, struct load *l)
{
	struct reuse x = {.s = s, .l = l};
	bool any = false;
	x.life = xcalloc((size_t)s->n + 1, sizeof *x.life);
	x.thread = xcalloc((size_t)s->n + 1, sizeof *x.thread);
	others_exclude(&x);
	for (uint32_t i = 0; i < l->n; i++) {
		const struct load_request *r = &l->request[i];
		if (r->skipped && r->op != OP_OPEN && r->op != OP_CLOSE)
			continue; /* no call is made */
		x.life[r->slot] = (uint8_t)life_after(&x, r);
		x.thread[r->slot] = r->thread;
	}
	for (uint32_t i = 0; i < s->n; i++)
		any |= x.life[i] == LIFE_CLOSED;
	if (any) {
		x.as = xmalloc((size_t)s->n * sizeof *x.as);
		x.next = xcalloc((size_t)s->n, sizeof *x.next);
		for (uint32_t i = 0; i < s->n; i++)
			x.as[i] = i;
		instances_join(&x);
		slots_renumber(&x);
	}
	U64_MAPS_RELEASE(&x.open_mode, &x.path_mode, &x.free);
	FREE_EACH(x.life, x.thread, x.as, x.next);
}
