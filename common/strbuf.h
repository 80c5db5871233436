/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing string, always NUL-terminated. Ends the program if there is no memory (xalloc.h). */
#pragma once

#include <stdarg.h>

#include "common/xalloc.h"

struct strbuf {
	char *s;    /* owned; "" and not allocated while cap is 0 */
	size_t len; /* bytes before the NUL */
	size_t cap;
};

extern char strbuf_empty[];
#define STRBUF_INIT { strbuf_empty, 0, 0 }
/* A local string that is released at the end of its scope: SCOPED_STRBUF text = STRBUF_INIT; */
#define SCOPED_STRBUF SCOPED(strbuf_release) struct strbuf

void strbuf_init(struct strbuf *b);
void strbuf_release(struct strbuf *b);
void strbuf_reset(struct strbuf *b); /* length 0, memory kept */
void strbuf_add(struct strbuf *b, const void *data, size_t len);
void strbuf_addstr(struct strbuf *b, const char *s);
void strbuf_addch(struct strbuf *b, char c);
void strbuf_addf(struct strbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *b, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0), nonnull(2)));
/* `words`: NULL-terminated, joined by blanks; NULL: none */
void strbuf_addwords(struct strbuf *b, char *const *words);
/* Gives up the string; the caller frees it. */
char *strbuf_detach(struct strbuf *b);

/* Appends to the sentence in phrase[size]. A sentence that does not fit is cut between UTF-8
 * characters and ends in "...". */
void phrase_add(char *phrase, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void phrase_vadd(char *phrase, size_t size, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));
