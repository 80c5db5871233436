/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cleans text from files and child processes before it goes into JSON or to a terminal. */
#pragma once

#include <jansson.h>

#include "common/std.h"

/* Length of the prefix of s[len] that is UTF-8 text: no NUL, no control characters except tab,
 * newline and return, no overlong forms, no surrogates. Source: RFC 3629. */
size_t text_valid_length(const char *s, size_t len);

/* Makes s one printable line in place: invalid bytes become "?", newlines ";", trailing blanks are
 * removed. s is NUL-terminated. */
void text_make_line(char *s);

/* JSON string of s with '?' for invalid bytes: jansson refuses them, and paths may contain any.
 * NULL gives null. */
json_t *text_to_json_cleaned(const char *s);
static inline json_t *text_to_json(const char *s)
{
	json_t *o = s ? json_string(s) : json_null();
	return o ? o : text_to_json_cleaned(s);
}
