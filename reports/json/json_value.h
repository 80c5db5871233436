/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes JSON objects from lists of members, and represents values that JSON itself lacks.
 *
 *   json_t *o = json_make(J_TEXT("name", s->name), J_COUNT("level", s->level));
 *   json_add(o, J_NUMBER("share", x), J_BOOL("complete", a->complete)); */
#pragma once

#include "common/json_count.h"
#include "validate/stats/status.h"

struct json_field { /* a member, made by the macros below */
	const char *key; /* NULL ends a list */
	enum { JSON_NUMBER, JSON_TEXT, JSON_COUNT, JSON_VALUE } kind;
	union {
		double number;
		const char *text;
		uint64_t count;
		json_t *value;
	};
	/* JSON_NUMBER: reason why the number is missing; NULL: there is a number */
	const char *status;
};

/* A number. If it is not finite, the value is null, and KEY_status is "undefined", "infinite" or
 * "-infinite". J_STATUS: null with that status, unless the status is STAT_OK. J_FINITE: null
 * without a status if the number is not finite. */
#define J_NUMBER(k, x) {.key = (k), .kind = JSON_NUMBER, .number = (x)}
#define J_STATUS(k, s, x) {.key = (k), .kind = JSON_NUMBER, .number = (x), .status = json_status(s)}
#define J_FINITE(k, x) J_VALUE(k, json_finite(x))
/* Text, cleaned as by json_text(). */
#define J_TEXT(k, s) {.key = (k), .kind = JSON_TEXT, .text = (s)}
/* A count. Above 2^63 - 1 J_COUNT gives a real, and J_WHOLE a string of digits. */
#define J_COUNT(k, n) {.key = (k), .kind = JSON_COUNT, .count = (n)}
#define J_WHOLE(k, n) J_VALUE(k, json_of_count(n))
#define J_INT(k, n) J_VALUE(k, json_integer(n))
#define J_BOOL(k, b) J_VALUE(k, json_boolean(b))
/* Any value; takes the reference. */
#define J_VALUE(k, v) {.key = (k), .kind = JSON_VALUE, .value = (v)}

/* json_add adds members to an object, json_make makes an object of members, and json_append appends
 * such an object to an array. */
#define json_add(object, ...) json_add_fields(object, (const struct json_field[]){__VA_ARGS__, {0}})
#define json_make(...) json_add(json_object(), __VA_ARGS__)
#define json_append(array, ...) json_array_append_new(array, json_make(__VA_ARGS__))
json_t *json_add_fields(json_t *object, const struct json_field *f); /* returns `object` */

static inline const char *json_status(enum stat_status s) /* NULL: STAT_OK */
{
	return s == STAT_OK ? NULL : stat_status_name(s);
}

/* Returns text in which bytes that are not valid UTF-8 are replaced; NULL gives null. The reference
 * is new, as from all functions below. */
json_t *json_text(const char *s);
/* Returns the text of a file name, in which bytes that are not UTF-8 become \xNN; NULL gives
 * null. */
json_t *json_name(const char *s);
json_t *json_finite(double x); /* null if it is not finite */

/* Returns the value on one line for people: a text as it is, null as "not available", numbers with
 * this number of digits. The caller frees it. */
char *json_shown(const json_t *value, size_t digits);
/* Appends len bytes of JSON. No string in `out` begins a command of a CI service ("##[error]",
 * "##vso[task]"): the bracket becomes the escape sequence \u005b, which has the same meaning. */
void json_add_shown(struct strbuf *out, const char *text, size_t len);
/* json_print prints the whole document, indented, to standard output, whose errors main checks.
 * json_add_document appends it to `out`. Both release `o`. */
void json_print(json_t *o);
void json_add_document(struct strbuf *out, json_t *o);
