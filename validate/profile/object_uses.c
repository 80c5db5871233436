/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/profile/object_uses.h"

#include <stdbool.h>
#include <stdlib.h>

#include "common/xalloc.h"

#define SPARSE 8 /* slots for each object: the first one looked at is the right one, nearly always */

void object_uses_init(struct object_uses *o)
{
	*o = (struct object_uses){.n_slots = 64 * SPARSE};
	o->slot = xcalloc(o->n_slots, sizeof *o->slot);
}

void object_uses_release(struct object_uses *o)
{
	free(o->slot);
	free(o->use);
	o->slot = NULL;
	o->use = NULL;
}

/* That of the object, or the free one where it belongs. */
static uint32_t *slot_of(const struct object_uses *o, uint32_t object)
{
	size_t i = object_uses_hash(object) & (o->n_slots - 1);
	while (o->slot[i] && o->use[o->slot[i] - 1].object != object)
		i = (i + 1) & (o->n_slots - 1);
	return &o->slot[i];
}

static void grow(struct object_uses *o)
{
	free(o->slot);
	o->n_slots *= 2;
	o->slot = xcalloc(o->n_slots, sizeof *o->slot);
	for (uint32_t k = 0; k < o->n_objects; k++)
		*slot_of(o, o->use[k].object) = k + 1;
}

struct object_use *object_uses_find(struct object_uses *o, uint32_t object)
{
	const uint32_t *slot = slot_of(o, object);
	if (*slot)
		return &o->use[*slot - 1];
	if (o->n_objects == OBJECT_USES_MAX)
		return NULL;
	if (SPARSE * o->n_objects >= o->n_slots)
		grow(o);
	GROW(o->use, o->n_objects, o->cap_objects);
	struct object_use *u = &o->use[o->n_objects++];
	*u = (struct object_use){.object = object, .place = ACCESS_PLACE_INIT};
	*slot_of(o, object) = (uint32_t)o->n_objects;
	return u;
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
	for (size_t i = 0; i < o->n_objects; i++) {
		const struct object_use *u = &o->use[i];
		if (n == k && !is_before(u, &top[n - 1]))
			continue;
		size_t at = n < k ? n++ : n - 1;
		for (; at > 0 && is_before(u, &top[at - 1]); at--)
			top[at] = top[at - 1];
		top[at] = *u;
	}
	return n;
}
