/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands in options and protocols: words with placeholders in braces, run without a shell. */
#pragma once

#include "common/std.h"

struct words_list {
	char **v; /* v[n], followed by NULL; owned */
	size_t n, cap;
};

/* Adds a copy of `word`. */
void words_list_add(struct words_list *w, const char *word);
void words_list_take(struct words_list *w, char *word); /* takes ownership */
void words_list_addf(struct words_list *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Adds the words of the argument list, up to a NULL. */
void words_list_add_all(struct words_list *w, ...) __attribute__((sentinel));
void words_list_release(struct words_list *w);

/* Splits at commas and trims blanks. Commas inside double quotes, (...) and [...] do not split. The
 * items keep their brackets. On error, the list is empty. Errors: EINVAL: an empty item. */
int words_split(struct words_list *w, const char *text, struct err *e);

/* Parses a JSON list such as ["a", "b c"], or words with blanks between them: a b "c d". A word
 * that contains blanks is in double quotes, where \" and \\ are escapes. Errors: EINVAL: bad
 * syntax, or no word. */
int words_parse(struct words_list *w, const char *text, struct err *e);

/* The same for the value of an option or key. The whole command may be in double quotes, because a
 * protocol splits values at commas outside of quotes. */
int words_parse_value(struct words_list *w, const char *text, struct err *e);

struct placeholder {
	char *name, *value; /* owned */
};
struct placeholders {
	struct placeholder *v;
	size_t n, cap;
};

/* Sets the value of a name, and adds the name if it is new. */
void placeholders_set(struct placeholders *p, const char *name, const char *value);
/* Returns NULL for an unknown name. */
const char *placeholders_get(const struct placeholders *p, const char *name);
void placeholders_release(struct placeholders *p);

/* Replaces {name} in `word`. "{{" stands for a brace; so does a brace that no name follows. Errors:
 * EINVAL: unknown name; the message suggests the nearest name. The caller frees *out. */
int placeholders_replace(const struct placeholders *p, const char *word, char **out, struct err *e);
