/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distinct objects of a trace: id to (kind, name), and back for whoever assigns the ids. Grows
 * with the number of distinct objects only. Entries stay where they are until release, so that
 * borrowed pointers stay good. Private to capture/. */
#ifndef CAPTURE_OBJECT_TABLE_H
#define CAPTURE_OBJECT_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "capture/trace.h"
#include "common/err.h"

struct object_run { /* ids first .. first + n - 1 */
	uint32_t first, n, cap;
	struct trace_object *v;
};

struct object_table {
	/* ascending, apart; more than a few only where blocks were damaged or objects came late */
	struct object_run *run;
	size_t n_runs, cap_runs;
	uint32_t n; /* highest id + 1 */
	struct name_chunk *names;
	uint32_t *slot; /* open addressing by hash: id + 1, 0 empty; built by interning only */
	size_t n_slots;
	struct object_recent *recent; /* those interned last, by a cheap hash */
};

void object_table_init(struct object_table *t);
void object_table_release(struct object_table *t);

/* Adds the object with the next or a later id (a gap stays unknown). `name` need not be
 * NUL-terminated and is copied. Errors: ENOMEM; EINVAL for an id at or below one present; EOVERFLOW
 * for OBJECT_NONE. */
int object_table_add(struct object_table *t, uint32_t id, enum object_kind kind, const char *name,
		     size_t len, struct err *e);
/* NULL for unknown */
const struct trace_object *object_table_get(const struct object_table *t, uint32_t id);

/* The id of (kind, name), added with the next id where it is new. Only for tables without gaps.
 * Errors: as add. */
int object_table_intern(struct object_table *t, enum object_kind kind, const char *name,
			uint32_t *id, struct err *e);
/* The same of name[len], which need not be NUL-terminated and holds no NUL. */
int object_table_intern_bytes(struct object_table *t, enum object_kind kind, const char *name,
			      size_t len, uint32_t *id, struct err *e);

#endif
