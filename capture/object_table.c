/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/object_table.h"

#include "common/fnv1a.h"

void object_table_release(struct object_table *t)
{
	u64_map_release(&t->by_name);
	for (uint32_t i = 0; i < t->n_entries; i++)
		free(t->entry[i].object);
	free(t->entry);
	memset(t, 0, sizeof *t);
}

/* Allocates an object, followed by its name. */
static struct trace_object *object_make(enum object_kind kind, const char *name, size_t len)
{
	struct trace_object *o = xmalloc(sizeof *o + len + 1);
	char *s = (char *)(o + 1);
	if (len)
		memcpy(s, name, len);
	s[len] = 0;
	*o = (struct trace_object){.kind = kind, .name = s};
	return o;
}

int object_table_add(struct object_table *t, uint32_t id, enum object_kind kind, const char *name,
		     size_t len, struct err *e)
{
	if (id == OBJECT_NONE)
		return err_set(e, EOVERFLOW, "too many objects: a trace has at most %u",
			       OBJECT_NONE - 1);
	if (id < t->n)
		return err_set(e, EINVAL, "the numbers of the objects are not in "
			       "ascending order: object %u "
					  "comes after object %u", id, t->n - 1);
	GROW(t->entry, t->n_entries, t->cap);
	t->entry[t->n_entries++] = (struct object_entry){id, object_make(kind, name, len)};
	t->n = id + 1;
	return 0;
}

int object_table_intern(struct object_table *t, enum object_kind kind, const char *name, size_t len,
			uint32_t *id, struct err *e)
{
	for (uint64_t hash = fnv1a(FNV1A_START ^ (uint64_t)kind, name, len);; hash++) {
		*id = *u64_map_at(&t->by_name, hash, t->n);
		if (*id == t->n)
			return object_table_add(t, *id, kind, name, len, e);
		const struct trace_object *o = t->entry[*id].object;
		if (o->kind == kind && !strncmp(o->name, name, len) && !o->name[len])
			return 0;
	}
}
