/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An INI file as sections and keys with line numbers, read by inih. Cases that inih accepts without
 * a message are errors here: truncated lines, repeated sections and keys, keys outside a section,
 * bytes that are not text. The caller interprets the keys.
 *
 *   [kind]                      one of its kind
 *   [kind name]                 several, distinguished by name (letters, digits and . _ -)
 *   key = value ; comment       '-' and '_' in keys are equal; '#' and ';' begin comment lines
 *     more of the value         an indented line continues a value that ended with a comma */
#pragma once

#include "common/std.h"

struct ini_key {
	char *name;        /* with '-' for '_' */
	char *value;       /* trimmed, never empty */
	unsigned int line; /* first line of the key */
};

struct ini_section {
	char *kind, *name; /* name NULL for [kind] */
	unsigned int line;
	struct ini_key *key;
	size_t n_keys, cap_keys;
};

struct ini_file {
	struct ini_section *section; /* in file order */
	size_t n_sections, cap_sections;
};

/* Reads a file. Errors: EINVAL with "path:line: reason"; EFBIG above 1 MiB; from the system, with
 * the path. Ownership: ini_file_release(). */
int ini_file_read(struct ini_file *f, const char *path, struct err *e);
/* Like ini_file_read(), from a text; `path` is for messages. */
int ini_text_read(struct ini_file *f, const char *path, const struct strbuf *text, struct err *e);
void ini_file_release(struct ini_file *f);

/* NULL: no such key */
const struct ini_key *ini_key_find(const struct ini_section *s, const char *name);
