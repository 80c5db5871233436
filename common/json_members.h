/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of the members of a JSON object and the fields of a struct that hold them. Reading and
 * writing share the table. Reading checks every value. Members that are not in the table are
 * ignored. */
#pragma once

#include <jansson.h>

#include "common/std.h"

enum member_kind {
	MEMBER_COUNT,    /* uint64_t, up to 2^63 - 1 */
	MEMBER_WHOLE,    /* uint32_t */
	MEMBER_DURATION, /* int64_t, 0 or more */
	MEMBER_INTEGER,  /* int64_t */
	MEMBER_REAL,     /* double, finite */
	MEMBER_POSITIVE, /* double, finite, 0 or more */
	MEMBER_RATIO,    /* double, 0 to 1 */
	MEMBER_BOOL,     /* bool */
	MEMBER_HASH,     /* uint64_t as 16 hexadecimal digits */
	MEMBER_TEXT,     /* char[size], not empty */
	MEMBER_DIGITS,   /* char[size]: size - 1 hexadecimal digits */
	MEMBER_STRING,   /* char *, allocated; read as one printable line (text.h) */
	MEMBER_OBJECT,   /* an object with the members `of` */
	MEMBER_GROUP,    /* members `of` in the same object: either all are present, or none */
	MEMBER_OTHER,    /* a value of `type`, for `get` and `put`; NULL: for the caller */
};

struct json_member {
	const char *name; /* NULL in the last row of a table; not used for a group */
	/* name in files of earlier versions, read if `name` is absent; or NULL */
	const char *old_name;
	enum member_kind kind;
	size_t offset; /* offset of the field; for an object, the base of its fields' offsets */
	const struct json_member *of;
	/* Size of a text in bytes, or of an element of an array of objects. */
	size_t size;
	/* null means NaN in a real, UINT64_MAX in a count, 0 in a hash, NULL in a string. */
	bool nullable;

	/* For an array: its length, or its largest length if a field holds the length. */
	size_t n;
	/* Offset of that field (uint64_t) plus 1; 0: the length is n. Reading sets the field and
	 * requires at least one element, or (`known`) requires this length. */
	size_t length_at;
	bool known;
	bool may_be_empty;
	/* The field is a pointer. Reading allocates the array or object, and the caller frees
	 * it. */
	bool allocated;

	/* Presence. Without the next members, a member is required. */
	/* Offset of a bool in the outermost struct, plus 1. Writing: the member is written if the
	 * bool is true. Reading sets the bool, or (`known`) expects the member if it is true. */
	size_t flag_at;
	/* Written if the value is above 0, true, not empty and not NULL; a ratio if it is finite, a
	 * hash if it is not 0. The value of a group is that of member `key`, the value of an object
	 * is its first member. If the member is absent, reading does not change the field. */
	bool if_set;
	bool may_be_absent; /* always written, but absent in files of earlier versions */
	size_t key;

	/* MEMBER_OTHER: `s` is the struct of this table. The value is NULL if it is absent. */
	int (*get)(void *s, const json_t *value, void *outermost, struct err *e);
	json_t *(*put)(const void *s, const void *outermost); /* a new reference */
	/* For a schema: the meaning, the possible values of a text or integer (NULL-terminated),
	 * and the type of a MEMBER_OTHER ("string", "array of array of number|null"). */
	const char *about;
	const char *const *words;
	const char *type;
};

#define MEMBER_AT(s, kind_, field) .kind = MEMBER_##kind_, .offset = offsetof(struct s, field)
/* A member with the name of its field. */
#define MEMBER(s, kind_, field, ...) {.name = #field, MEMBER_AT(s, kind_, field), __VA_ARGS__}
/* A member with another name. */
#define MEMBER_AS(name_, s, kind_, field, ...)                                                     \
	{.name = name_, MEMBER_AT(s, kind_, field), __VA_ARGS__}
#define MEMBER_FLAG(s, field) .flag_at = offsetof(struct s, field) + 1
#define MEMBER_LENGTH(s, field) .length_at = offsetof(struct s, field) + 1

/* Reads the members of `o` into *s. Other fields of *s do not change. Errors: EINVAL with the name
 * of the member. Fields that were allocated before an error stay allocated. */
int json_members_get(void *s, const struct json_member *table, const json_t *o, struct err *e);

/* Adds the members of *s to `o` in the order of the table. Errors: -1: no memory, or a value that
 * JSON cannot express (NaN). */
int json_members_put(json_t *o, const void *s, const struct json_member *table);
