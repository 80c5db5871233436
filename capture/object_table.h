/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distinct objects of a trace, by id and by (kind, name). Grows with the number of distinct
 * objects only. Entries never move, so borrowed pointers stay valid until release. Private to
 * capture/. */
#pragma once

#include "capture/trace.h"

struct object_run { /* ids first .. first + n - 1 */
	uint32_t first, n, cap;
	struct trace_object *v;
};

struct object_table {
	/* ascending and disjoint; more than one only if ids have gaps or the table grew */
	struct object_run *run;
	size_t n_runs, cap_runs;
	uint32_t n; /* highest id + 1 */
	struct name_chunk *names;
	uint32_t *slot; /* hash table with open addressing: id + 1, 0 empty; filled by interning */
	size_t n_slots;
	struct object_recent *recent; /* cache of interned names, by a cheap hash */
};

void object_table_release(struct object_table *t);

/* Adds an object with the next id, or a later one that leaves a gap. `name` need not be
 * NUL-terminated and is copied. Errors: ENOMEM; EINVAL for an id that is not above all present
 * ones; EOVERFLOW for OBJECT_NONE. */
int object_table_add(struct object_table *t, uint32_t id, enum object_kind kind, const char *name,
		     size_t len, struct err *e);
/* NULL for unknown */
const struct trace_object *object_table_get(const struct object_table *t, uint32_t id);

/* The id of (kind, name); a new object gets the next id. Only for tables without gaps. Errors: as
 * object_table_add. */
int object_table_intern(struct object_table *t, enum object_kind kind, const char *name,
			uint32_t *id, struct err *e);
/* The same for name[len], which need not be NUL-terminated and contains no NUL. */
int object_table_intern_bytes(struct object_table *t, enum object_kind kind, const char *name,
			      size_t len, uint32_t *id, struct err *e);
