/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses and prints sizes, durations, percentages and lists, for the command line and protocols. */
#pragma once

#include "common/std.h"

/* All functions parse the whole text; blanks around it are allowed. Messages quote the text and
 * state the expected form. Errors: EINVAL (not a number, unknown unit), ERANGE (too large, or a
 * fraction of the smallest unit). */

/* Result in bytes. Examples: "4096", "4K", "4KiB", "1.5M", "10GB". K, M, G, T and KiB, MiB, ... are
 * powers of 1024; kB, MB, GB, TB are powers of 1000. */
int parse_size(const char *text, uint64_t *bytes, struct err *e);
/* Result in ns, at most 73 years. Examples: "10us", "1.5ms", "200 ms", "2s", "5min", "1h", "0".
 * Refuses a bare number other than 0, because the unit is missing. */
int parse_duration(const char *text, int64_t *ns, struct err *e);
/* "10%" and "0.1" both give 0.1. */
int parse_ratio(const char *text, double *ratio, struct err *e);
int parse_uint(const char *text, uint64_t *value, struct err *e);
int parse_int(const char *text, int64_t *value, struct err *e);
int parse_double(const char *text, double *value, struct err *e); /* finite numbers only */
int parse_bool(const char *text, int *value, struct err *e); /* yes no true false on off 1 0 */

/* A short text, returned by value for the arguments of printf(): duration_text(ns).s */
struct short_text {
	char s[100];
};
/* The shortest readable text: "4 KiB", "1.5 MiB"; "513 ns", "20.7 us", "1.23 s". The text is
 * ASCII. */
struct short_text size_text(uint64_t bytes);
struct short_text count_text(uint64_t n); /* 1,234,567 */
struct short_text duration_text(double ns);
/* The same, appended to `out`. */
void format_size(struct strbuf *out, uint64_t bytes);
void format_count(struct strbuf *out, uint64_t n);
void format_duration(struct strbuf *out, double ns);

/* Whether the word is in the NULL-terminated list. NULL is an empty list. */
bool word_in(const char *word, const char *const *list);

/* The entry of `names` (NULL-terminated) nearest to `word` by edit distance (a transposition counts
 * as one edit). NULL: no entry is near enough to be a typing error. */
const char *nearest_name(const char *word, const char *const *names);

/* Refuses an unknown name: sets the text of `fmt`, followed by ' (did you mean "NEAREST"?)', or by
 * `otherwise` (NULL: all names) if no entry of `names` is near. Returns -code. */
int name_refuse(struct err *e, int code, const char *name, const char *const *names,
		const char *otherwise, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* The names in a NULL-terminated table of pointers to structs that begin with their name. The list
 * is NULL-terminated. The caller frees the list only. */
const char **names_of(const void *table);
