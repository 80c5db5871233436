/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/std.h"

#include <assert.h>

char strbuf_empty[1]; /* text of all buffers without memory (cap 0); never written */

/* Makes room for `extra` more bytes and the NUL. */
static void make_room(struct strbuf *b, size_t extra)
{
	size_t need = extra > SIZE_MAX - 1 - b->len ? SIZE_MAX : b->len + extra + 1;
	if (need <= b->cap)
		return;
	size_t cap = b->cap <= SIZE_MAX / 2 ? b->cap * 2 : need;
	if (cap < 32)
		cap = 32;
	if (cap < need)
		cap = need;
	b->s = xrealloc(b->cap ? b->s : NULL, cap);
	b->cap = cap;
}

void strbuf_add(struct strbuf *b, const void *data, size_t len)
{
	make_room(b, len);
	if (len)
		memcpy(b->s + b->len, data, len);
	b->len += len;
	b->s[b->len] = 0;
}

void strbuf_vaddf(struct strbuf *b, const char *fmt, va_list ap)
{
	va_list again;
	va_copy(again, ap);
	const size_t room = b->cap ? b->cap - b->len : 0;
	int len = vsnprintf(room ? b->s + b->len : NULL, room, fmt, ap);
	assert(len >= 0); /* vsnprintf() fails only for an invalid format */
	if ((size_t)len >= room) {
		make_room(b, (size_t)len);
		vsnprintf(b->s + b->len, (size_t)len + 1, fmt, again);
	}
	va_end(again);
	b->len += (size_t)len;
}

void strbuf_addf(struct strbuf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	strbuf_vaddf(b, fmt, ap);
	va_end(ap);
}

void strbuf_addwords(struct strbuf *b, char *const *words)
{
	for (char *const *w = words; w && *w; w++) {
		if (w > words)
			strbuf_addch(b, ' ');
		strbuf_addstr(b, *w);
	}
}

char *xasprintf(const char *fmt, ...)
{
	char *s;
	va_list ap;
	va_start(ap, fmt);
	int len = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (len < 0)
		out_of_memory(strlen(fmt));
	return s;
}

void phrase_vadd(char *phrase, size_t size, const char *fmt, va_list ap)
{
	static const char ellipsis[] = "...";
	size_t used = strlen(phrase);
	int len = vsnprintf(phrase + used, size - used, fmt, ap);
	if (len < 0 || (size_t)len < size - used)
		return;
	size_t end = size - sizeof ellipsis;
	/* do not cut inside a UTF-8 sequence */
	while (end && ((unsigned char)phrase[end] & 0xc0) == 0x80)
		end--;
	memcpy(phrase + end, ellipsis, sizeof ellipsis);
}

void phrase_add(char *phrase, size_t size, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	phrase_vadd(phrase, size, fmt, ap);
	va_end(ap);
}
