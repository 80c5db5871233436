/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "reports/json/json_report.h"

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
