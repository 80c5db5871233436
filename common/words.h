/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands as protocols tell them: words, with placeholders in braces. No shell is involved. */
#ifndef COMMON_WORDS_H
#define COMMON_WORDS_H

#include <stddef.h>

#include "common/err.h"

struct words_list {
	char **v; /* v[n], NULL behind the last; owned */
	size_t n, cap;
};

void words_list_add(struct words_list *w, const char *word);
void words_list_release(struct words_list *w);

/* ["a", "b c"] with the escapes of JSON, or a b "c d" with blanks between and double quotes around
 * what holds them (\" and \\ inside). Errors: EINVAL, with what is wrong; no word at all. */
int words_parse(struct words_list *w, const char *text, struct err *e);

struct placeholder {
	char *name, *value; /* owned */
};
struct placeholders {
	struct placeholder *v;
	size_t n, cap;
};

/* Replaces the value where the name is there already. */
void placeholders_set(struct placeholders *p, const char *name, const char *value);
/* NULL: there is none */
const char *placeholders_get(const struct placeholders *p, const char *name);
void placeholders_release(struct placeholders *p);

/* Replaces {name} in `word`; {{ is a brace, and a brace that no name follows stays what it is.
 * Errors: EINVAL for an unknown name, with the nearest one. The caller frees *out. */
int placeholders_replace(const struct placeholders *p, const char *word, char **out, struct err *e);

#endif
