/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cleans text from files and child processes before it is written as JSON or to a terminal. */
#pragma once

#include <jansson.h>

#include "common/std.h"

/* Length of the longest prefix of s[len] that is valid text: UTF-8 without NUL, control characters
 * (except tab, newline and return), overlong forms and surrogates. Source: RFC 3629. */
size_t text_valid_length(const char *s, size_t len);

/* Changes s (NUL-terminated) in place to one printable line: invalid bytes become "?", newlines
 * become ";", trailing blanks are removed. */
void text_make_line(char *s);

/* The first object of an array whose member `key` is this text; NULL: there is none. */
json_t *json_with_text(const json_t *list, const char *key, const char *text);

/* JSON string of s with "?" for invalid bytes, which jansson refuses. Paths may contain any bytes.
 * NULL gives null. */
json_t *text_to_json_cleaned(const char *s);
static inline json_t *text_to_json(const char *s)
{
	json_t *o = s ? json_string(s) : json_null();
	return o ? o : text_to_json_cleaned(s);
}
