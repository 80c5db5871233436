/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/profile/object_uses.h"

#include <stdbool.h>
#include <stdlib.h>

#include "common/xalloc.h"

static struct object_use *slots_make(size_t n)
{
	struct object_use *slot = xcalloc(n, sizeof *slot);
	for (size_t i = 0; i < n; i++)
		slot[i].object = OBJECT_NONE;
	return slot;
}

void object_uses_init(struct object_uses *o)
{
	*o = (struct object_uses){.n_slots = 64};
	o->slot = slots_make(o->n_slots);
}

void object_uses_release(struct object_uses *o)
{
	free(o->slot);
	o->slot = NULL;
	o->last = NULL;
}

static struct object_use *slot_of(const struct object_uses *o, uint32_t object)
{
	size_t i = (object * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (o->n_slots - 1);
	while (o->slot[i].object != OBJECT_NONE && o->slot[i].object != object)
		i = (i + 1) & (o->n_slots - 1);
	return &o->slot[i];
}

static void grow(struct object_uses *o)
{
	struct object_use *old = o->slot;
	size_t n_old = o->n_slots;
	o->n_slots *= 2;
	o->slot = slots_make(o->n_slots);
	for (size_t i = 0; i < n_old; i++)
		if (old[i].object != OBJECT_NONE)
			*slot_of(o, old[i].object) = old[i];
	free(old);
}

struct object_use *object_uses_find(struct object_uses *o, uint32_t object)
{
	struct object_use *s = slot_of(o, object);
	if (s->object == object)
		return s;
	if (o->n_objects == OBJECT_USES_MAX)
		return NULL;
	if (2 * o->n_objects >= o->n_slots) {
		grow(o);
		s = slot_of(o, object);
	}
	o->n_objects++;
	s->object = object;
	s->place = ACCESS_PLACE_INIT;
	return s;
}

static bool is_before(const struct object_use *a, const struct object_use *b)
{
	uint64_t x = a->bytes_read + a->bytes_written, y = b->bytes_read + b->bytes_written;
	if (x != y)
		return x > y;
	return a->n != b->n ? a->n > b->n : a->object < b->object;
}

size_t object_uses_top(const struct object_uses *o, struct object_use *top, size_t k)
{
	size_t n = 0;
	for (size_t i = 0; i < o->n_slots; i++) {
		const struct object_use *u = &o->slot[i];
		if (u->object == OBJECT_NONE || (n == k && !is_before(u, &top[n - 1])))
			continue;
		size_t at = n < k ? n++ : n - 1;
		for (; at > 0 && is_before(u, &top[at - 1]); at--)
			top[at] = top[at - 1];
		top[at] = *u;
	}
	return n;
}
