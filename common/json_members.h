/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members of a JSON object and the fields of a struct that hold them: a table that reading and
 * writing share. Reading checks every value. Members that are not in the table are ignored. */
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
	MEMBER_GROUP,    /* members `of` in the same object: present together or not at all */
};

struct json_member {
	const char *name; /* NULL in the last row of a table; not of a group */
	const char *old_name; /* read if `name` is absent: files of earlier versions; or NULL */
	enum member_kind kind;
	size_t offset; /* of the field. Fields of an object count from here */
	const struct json_member *of;
	/* Bytes of a text; of an object in an array. */
	size_t size;
	/* null is NaN in a real, UINT64_MAX in a count, 0 in a hash, NULL in a string. */
	bool nullable;

	/* An array: its length, or the largest one if a field holds the length. */
	size_t n;
	/* Offset of that field, uint64_t, plus 1; 0: the length is n. Reading sets it and requires
	 * an element, or (`known`) requires this length. */
	size_t length_at;
	bool known;
	bool may_be_empty;
	/* The field is a pointer: reading allocates the array or object; the caller frees. */
	bool allocated;

	/* Presence; without these a member is required. */
	/* Offset in the outermost struct of a bool, plus 1: written if true; reading sets it, or
	 * (`known`) obeys it. */
	size_t flag_at;
	/* Written if the value (of a group: that of member `key`; of an object: its first) is above
	 * 0, true, not empty, not NULL; a ratio if it is finite, a hash if it is not 0. Reading
	 * leaves the field of an absent member as it is. */
	bool if_set;
	bool may_be_absent; /* always written; not in files of earlier versions */
	size_t key;
};

#define MEMBER_AT(s, kind_, field) .kind = MEMBER_##kind_, .offset = offsetof(struct s, field)
/* A member with the name of its field. */
#define MEMBER(s, kind_, field, ...) {.name = #field, MEMBER_AT(s, kind_, field), __VA_ARGS__}
/* A member with another name. */
#define MEMBER_AS(name_, s, kind_, field, ...)                                                     \
	{.name = name_, MEMBER_AT(s, kind_, field), __VA_ARGS__}
#define MEMBER_FLAG(s, field) .flag_at = offsetof(struct s, field) + 1
#define MEMBER_LENGTH(s, field) .length_at = offsetof(struct s, field) + 1

/* Reads the members of `o` into *s, whose other fields stay. Errors: EINVAL with the name of the
 * member. Allocated fields that were read before an error stay. */
int json_members_get(void *s, const struct json_member *table, const json_t *o, struct err *e);

/* Adds the members of *s to `o`, in the order of the table. Errors: -1: no memory, or a value that
 * JSON does not have (NaN). */
int json_members_put(json_t *o, const void *s, const struct json_member *table);
