/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/app/app_objects.h"

#include <stdlib.h>
#include <string.h>

#include "common/fnv1a.h"
#include "common/xalloc.h"

void objects_init(struct objects *o)
{
	*o = (struct objects){.n = 1, .cap = 16, .n_slots = 2 * OBJECTS_MAX};
	o->object = xcalloc(o->cap, sizeof *o->object);
	o->slot = xcalloc(o->n_slots, sizeof *o->slot);
}

void objects_release(struct objects *o)
{
	for (size_t i = 0; i < o->n; i++)
		free(o->object[i].path);
	free(o->object);
	free(o->slot);
}

static uint64_t hash(const char *s, size_t len)
{
	const uint64_t h = fnv1a(FNV1A_START, s, len);
	return h ^ h >> 29;
}

static bool is_path(const struct object *x, const char *path, size_t len)
{
	return !strncmp(x->path, path, len) && !x->path[len];
}

uint32_t objects_number(struct objects *o, const char *path, size_t len)
{
	size_t at = hash(path, len) & (o->n_slots - 1);
	while (o->slot[at] && !is_path(&o->object[o->slot[at]], path, len))
		at = (at + 1) & (o->n_slots - 1);
	if (o->slot[at])
		return o->slot[at];
	if (o->n >= OBJECTS_MAX)
		return 0;
	GROW(o->object, o->n, o->cap);
	struct object *x = &o->object[o->n];
	*x = (struct object){.path = xcalloc(1, len + 1)};
	memcpy(x->path, path, len);
	if (!code_scan_is_known(x->path))
		code_scan_file(x->path, &x->found);
	return o->slot[at] = (uint32_t)o->n++;
}
