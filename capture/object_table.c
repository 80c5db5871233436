/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/object_table.h"

#include "common/fnv1a.h"

#define CHUNK_MAX 65536u

struct object_chunk { /* memory for objects, each followed by its name */
	struct object_chunk *next;
	size_t used, cap;
	_Alignas(struct trace_object) char s[];
};

void object_table_release(struct object_table *t)
{
	u64_map_release(&t->by_name);
	free(t->entry);
	while (t->chunk) {
		struct object_chunk *next = t->chunk->next;
		free(t->chunk);
		t->chunk = next;
	}
	memset(t, 0, sizeof *t);
}

static struct trace_object *object_store(struct object_table *t, enum object_kind kind,
					 const char *name, size_t len)
{
	const size_t align = _Alignof(struct trace_object);
	const size_t n_bytes = (sizeof(struct trace_object) + len + align) / align * align;
	struct object_chunk *c = t->chunk;
	if (!c || c->cap - c->used < n_bytes) {
		/* Twice the previous chunk, up to a limit, so that a table with one name is
		 * small. */
		size_t cap = !c ? 256 : c->cap < CHUNK_MAX ? c->cap * 2 : CHUNK_MAX;
		cap = cap < n_bytes ? n_bytes : cap;
		c = xmalloc(sizeof *c + cap);
		*c = (struct object_chunk){.next = t->chunk, .cap = cap};
		t->chunk = c;
	}
	struct trace_object *o = (void *)(c->s + c->used);
	char *s = (char *)(o + 1);
	if (len)
		memcpy(s, name, len);
	s[len] = 0;
	*o = (struct trace_object){.kind = kind, .name = s};
	c->used += n_bytes;
	return o;
}

int object_table_add(struct object_table *t, uint32_t id, enum object_kind kind, const char *name,
		     size_t len, struct err *e)
{
	if (id == OBJECT_NONE)
		return err_set(e, EOVERFLOW, "too many objects: a trace has at most %u",
			       OBJECT_NONE - 1);
	if (id < t->n)
		return err_set(e, EINVAL, "the objects are not in order: object %u follows object "
					  "%u", id, t->n - 1);
	GROW(t->entry, t->n_entries, t->cap);
	t->entry[t->n_entries++] = (struct object_entry){id, object_store(t, kind, name, len)};
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
