/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing string, always NUL-terminated. Ends the program if there is no memory (xalloc.h). */
#pragma once

#include <stdarg.h>

#include "common/xalloc.h"

struct strbuf {
	char *s;    /* owned; "" and not allocated if cap is 0 */
	size_t len; /* bytes before the NUL */
	size_t cap;
};

extern char strbuf_empty[];
#define STRBUF_INIT { strbuf_empty, 0, 0 }
/* A local string that is released at the end of its scope. Example: SCOPED_STRBUF text =
 * STRBUF_INIT; */
#define SCOPED_STRBUF SCOPED(strbuf_release) struct strbuf

static inline void strbuf_init(struct strbuf *b)
{
	*b = (struct strbuf)STRBUF_INIT;
}

static inline void strbuf_release(struct strbuf *b)
{
	if (b->cap)
		free(b->s);
	strbuf_init(b);
}

/* Sets the length to 0, and keeps the memory. */
static inline void strbuf_reset(struct strbuf *b)
{
	b->len = 0;
	if (b->cap)
		b->s[0] = 0;
}

/* Returns the string, which the caller then owns and frees. The buffer becomes empty. */
static inline char *strbuf_detach(struct strbuf *b)
{
	char *s = b->cap ? b->s : xstrdup("");
	strbuf_init(b);
	return s;
}

/* Appends `len` bytes, which may include NULs. */
void strbuf_add(struct strbuf *b, const void *data, size_t len);
static inline void strbuf_addstr(struct strbuf *b, const char *s)
{
	strbuf_add(b, s, strlen(s));
}

static inline void strbuf_addch(struct strbuf *b, char c)
{
	strbuf_add(b, &c, 1);
}

/* Appends formatted text, as printf(). */
void strbuf_addf(struct strbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *b, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0), nonnull(2)));
/* appends `words` (NULL-terminated) with blanks between them; NULL: no words */
void strbuf_addwords(struct strbuf *b, char *const *words);
/* Appends to the sentence in phrase[size]. If it does not fit, the sentence is cut between UTF-8
 * characters and ends in "...". */
void phrase_add(char *phrase, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void phrase_vadd(char *phrase, size_t size, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));
