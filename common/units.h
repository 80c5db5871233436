/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses and prints sizes, durations, percentages and lists, for the command line and protocols. */
#pragma once

#include "common/std.h"

/* All parse the whole text (blanks around it are allowed); messages quote the text and name the
 * expected form. Errors: EINVAL (not a number, unknown unit), ERANGE (too large, or a fraction of
 * the smallest unit). */

/* "4096", "4K", "4KiB", "1.5M", "10GB": K, M, G, T and KiB... are powers of 1024, kB, MB, GB, TB of
 * 1000. Bytes. */
int parse_size(const char *text, uint64_t *bytes, struct err *e);
/* "10us", "1.5ms", "200 ms", "2s", "5min", "1h", "0". A bare number other than 0 is refused: the
 * unit is missing. ns, at most 73 years. */
int parse_duration(const char *text, int64_t *ns, struct err *e);
/* "10%" or "0.1", giving 0.1. */
int parse_ratio(const char *text, double *ratio, struct err *e);
int parse_uint(const char *text, uint64_t *value, struct err *e);
int parse_int(const char *text, int64_t *value, struct err *e);
int parse_double(const char *text, double *value, struct err *e); /* finite only */
int parse_bool(const char *text, int *value, struct err *e); /* yes no true false on off 1 0 */

/* A short text by value, for the arguments of a printf: duration_text(ns).s */
struct short_text {
	char s[100];
};
/* Shortest text that reads well: "4 KiB", "1.5 MiB"; "513 ns", "20.7 us", "1.23 s". `us` is ASCII.
 */
struct short_text size_text(uint64_t bytes);
struct short_text count_text(uint64_t n); /* 1,234,567 */
struct short_text duration_text(double ns);
/* The same, appended. */
void format_size(struct strbuf *out, uint64_t bytes);
void format_count(struct strbuf *out, uint64_t n);
void format_duration(struct strbuf *out, double ns);

/* Splits at commas and trims blanks; commas inside double quotes, (...) and [...] do not split.
 * Brackets stay as they are, quotes included. The caller frees items[] with list_free. Errors:
 * EINVAL: an empty item. */
int split_list(const char *text, char ***items, size_t *n, struct err *e);
void list_free(char **items, size_t n);

/* Whether the word is in the NULL-terminated list; a list may be NULL. */
bool word_in(const char *word, const char *const *list);

/* The entry of `names` (NULL-terminated) nearest to `word` by edit distance (transposition counts
 * one), or NULL if none is near enough to be a typing error. */
const char *nearest_name(const char *word, const char *const *names);

/* Refuses an unknown name: sets the text of `fmt` and behind it ' (did you mean "NEAREST"?)', or
 * `otherwise` if none of `names` is near. Returns -code. */
int name_refuse(struct err *e, int code, const char *name, const char *const *names,
		const char *otherwise, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* The names of a NULL-terminated table of pointers to structs that begin with their name,
 * NULL-terminated. The caller frees the list. */
const char **names_of(const void *table);
