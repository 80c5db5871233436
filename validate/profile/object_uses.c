/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/profile/object_uses.h"

#include "common/sort.h"

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

static int by_bytes(const void *a, const void *b)
{
	const struct object_use *u = a, *v = b;
	const uint64_t x = u->bytes_read + u->bytes_written, y = v->bytes_read + v->bytes_written;
	if (x != y)
		return x > y ? -1 : 1;
	if (u->n != v->n)
		return u->n > v->n ? -1 : 1;
	return order_u32(&u->object, &v->object);
}

size_t object_uses_top(const struct object_uses *o, struct object_use *top, size_t k)
{
	return sort_top(top, k, o->use, o->n_objects, sizeof *top, by_bytes);
}
