/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text from outside (files, children's messages) before it goes into JSON or onto a terminal. */
#ifndef VALIDATE_TEXT_H
#define VALIDATE_TEXT_H

#include <stddef.h>

#include <jansson.h>

/* Length of the beginning of s[len] that is UTF-8 text: no NUL, no control characters but tab,
 * newline and return, no overlong forms and no surrogates. Source: RFC 3629. */
size_t text_valid_length(const char *s, size_t len);

/* One printable line: what is no text becomes "?", newlines become ";", blanks at the end go. In
 * place; s is NUL-terminated. */
void text_make_line(char *s);

/* A JSON string of s with what is no text replaced by '?': jansson refuses such bytes, and paths
 * may hold any. NULL gives null. */
json_t *text_to_json(const char *s);

#endif
