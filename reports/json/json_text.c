/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/strbuf.h"
#include "common/xalloc.h"
#include "reports/json/json_value.h"

#define FLAGS (JSON_INDENT(1) | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY)

struct buffer { /* used again for the next value */
	char *text;
	size_t size;
};

static size_t dump(struct buffer *b, const json_t *value)
{
	size_t len = json_dumpb(value, b->text, b->size, FLAGS);
	if (len <= b->size)
		return len;
	b->size = 2 * len;
	b->text = xrealloc(b->text, b->size);
	return json_dumpb(value, b->text, b->size, FLAGS);
}

/* No text of JSON has a newline but between its parts. */
static void value_add(FILE *out, struct buffer *b, const json_t *value, unsigned int depth)
{
	const size_t len = dump(b, value);
	for (size_t at = 0, end; at < len; at = end) {
		const char *newline = memchr(b->text + at, '\n', len - at);
		end = newline ? (size_t)(newline - b->text) + 1 : len;
		fwrite(b->text + at, 1, end - at, out);
		for (unsigned int i = 0; newline && i < depth; i++)
			putc_unlocked(' ', out);
	}
}

static void key_add(FILE *out, bool first, const char *key)
{
	fprintf(out, "%s\n \"%s\": ", first ? "{" : ",", key);
}

void json_text_member(FILE *out, bool first, const char *key, const json_t *value)
{
	struct buffer b = {0};
	key_add(out, first, key);
	value_add(out, &b, value, 1);
	free(b.text);
}

void json_text_array(FILE *out, bool first, const char *key, size_t n, json_t *(*element)(const struct analysis *a, size_t i),
		     const struct analysis *a)
{
	struct buffer b = {0};
	key_add(out, first, key);
	putc_unlocked('[', out);
	for (size_t i = 0; i < n; i++) {
		json_t *o = element(a, i);
		fputs(i ? ",\n  " : "\n  ", out);
		value_add(out, &b, o, 2);
		json_decref(o);
	}
	fputs(n ? "\n ]" : "]", out);
	free(b.text);
}

/* --- elements as text ----------------------------------------------------------------------------------------------- */

#define DEPTH "   " /* of a member of an element of an array of the outermost object */

void json_text_array_by(FILE *out, bool first, const char *key, size_t n, void (*add)(struct strbuf *out, const struct analysis *a, size_t i),
			const struct analysis *a)
{
	struct strbuf text = STRBUF_INIT;
	key_add(out, first, key);
	putc_unlocked('[', out);
	for (size_t i = 0; i < n; i++) {
		strbuf_reset(&text);
		strbuf_addstr(&text, i ? ",\n  {" : "\n  {");
		add(&text, a, i);
		fwrite(text.s, 1, text.len, out);
	}
	fputs(n ? "\n ]" : "]", out);
	strbuf_release(&text);
}

void json_text_end(struct strbuf *out)
{
	strbuf_addstr(out, "\n  }");
}

static void member_add(struct strbuf *out, const char *key)
{
	strbuf_addstr(out, out->s[out->len - 1] == '{' ? "\n" DEPTH "\"" : ",\n" DEPTH "\"");
	strbuf_addstr(out, key);
	strbuf_addstr(out, "\": ");
}

/* As the library writes it; `value` is dropped. */
static void library_add(struct strbuf *out, json_t *value)
{
	struct buffer b = {0};
	const size_t len = dump(&b, value);
	strbuf_add(out, b.text, len);
	free(b.text);
	json_decref(value);
}

void json_text_number(struct strbuf *out, const char *key, double x)
{
	char text[40];
	member_add(out, key);
	if (!isfinite(x)) {
		strbuf_addf(out, "null,\n" DEPTH "\"%s_status\": \"%s\"", key, isnan(x) ? "undefined" : x > 0 ? "infinite" : "-infinite");
		return;
	}
	snprintf(text, sizeof text, "%.17g", x);
	if (strchr(text, 'e')) {
		library_add(out, json_real(x));
		return;
	}
	strbuf_addstr(out, text);
	if (!strchr(text, '.'))
		strbuf_addstr(out, ".0");
}

static void digits_add(struct strbuf *out, uint64_t n)
{
	char text[24], *p = text + sizeof text;
	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	strbuf_add(out, p, (size_t)(text + sizeof text - p));
}

void json_text_integer(struct strbuf *out, const char *key, int64_t n)
{
	member_add(out, key);
	if (n < 0)
		strbuf_addch(out, '-');
	digits_add(out, n < 0 ? -(uint64_t)n : (uint64_t)n);
}

void json_text_count(struct strbuf *out, const char *key, uint64_t n)
{
	if (n <= INT64_MAX)
		json_text_integer(out, key, (int64_t)n);
	else
		json_text_number(out, key, (double)n);
}

static bool is_plain(const char *s)
{
	while (*s >= ' ' && *s <= '~' && *s != '"' && *s != '\\')
		s++;
	return !*s;
}

void json_text_text(struct strbuf *out, const char *key, const char *s)
{
	member_add(out, key);
	if (!s || !is_plain(s)) {
		library_add(out, json_text(s));
		return;
	}
	strbuf_addch(out, '"');
	strbuf_addstr(out, s);
	strbuf_addch(out, '"');
}
