/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/profile/object_uses.h"

void object_uses_release(struct object_uses *o)
{
	free(o->use);
	u64_map_release(&o->use_of);
	o->use = NULL;
}

struct object_use *object_uses_at(struct object_uses *o, uint32_t object)
{
	const uint32_t *known = u64_map_find(&o->use_of, object);
	if (known)
		return &o->use[*known];
	if (o->n_objects == OBJECT_USES_MAX)
		return NULL;
	GROW(o->use, o->n_objects, o->cap_objects);
	u64_map_at(&o->use_of, object, (uint32_t)o->n_objects);
	struct object_use *u = &o->use[o->n_objects++];
	*u = (struct object_use){.object = object, .place = ACCESS_PLACE_INIT};
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
