/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distinct objects of a trace, by id and by (kind, name). Its memory grows only with the number
 * of distinct objects. Objects never move, so borrowed pointers are valid until release. Private to
 * capture/. */
#pragma once

#include "capture/trace.h"
#include "common/u64_map.h"
#include "common/sort.h"

struct object_entry {
	uint32_t id;
	struct trace_object *object; /* owned */
};

struct object_table {
	struct object_entry *entry; /* entry[n_entries], by id; ids may have gaps */
	uint32_t n_entries, cap;
	uint32_t n; /* highest id + 1 */
	struct u64_map by_name; /* maps hashes of kind and name to ids; of object_table_intern */
};

void object_table_release(struct object_table *t);

/* Adds an object with the next id, or with a higher id, which leaves a gap. `name` is copied and
 * need not be NUL-terminated. Errors: EINVAL: the id is not above all existing ids; EOVERFLOW: the
 * id is OBJECT_NONE. */
int object_table_add(struct object_table *t, uint32_t id, enum object_kind kind, const char *name,
		     size_t len, struct err *e);
/* Returns NULL for an unknown id. */
static inline const struct trace_object *object_table_get(const struct object_table *t,
							  uint32_t id)
{
	uint32_t low = 0;
	if (id < t->n_entries && t->entry[id].id == id)
		return t->entry[id].object; /* there are no gaps before this id */
	BISECT(low, t->n_entries, i, t->entry[i].id < id)
	return low < t->n_entries && t->entry[low].id == id ? t->entry[low].object : NULL;
}

/* Returns in *id the id of (kind, name[len]). `name` need not be NUL-terminated and contains no
 * NUL. A new object gets the next id. Only for tables whose objects were all added by this
 * function. Errors: EOVERFLOW: the table is full. */
int object_table_intern(struct object_table *t, enum object_kind kind, const char *name, size_t len,
			uint32_t *id, struct err *e);
