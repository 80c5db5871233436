/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "common/strbuf.h"
#include "reports/json/json_value.h"

#define FLAGS (JSON_INDENT(1) | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY)

static int piece_take(const char *text, size_t len, void *context)
{
	return strbuf_add(context, text, len), 0;
}

/* No text of JSON has a newline but between its parts. */
static void value_add(FILE *out, const json_t *value, unsigned int depth)
{
	struct strbuf text = STRBUF_INIT;
	json_dump_callback(value, piece_take, &text, FLAGS);
	for (size_t at = 0, end; at < text.len; at = end) {
		const char *newline = memchr(text.s + at, '\n', text.len - at);
		end = newline ? (size_t)(newline - text.s) + 1 : text.len;
		fwrite(text.s + at, 1, end - at, out);
		for (unsigned int i = 0; newline && i < depth; i++)
			putc_unlocked(' ', out);
	}
	strbuf_release(&text);
}

static void key_add(FILE *out, bool first, const char *key)
{
	fprintf(out, "%s\n \"%s\": ", first ? "{" : ",", key);
}

void json_text_member(FILE *out, bool first, const char *key, const json_t *value)
{
	key_add(out, first, key);
	value_add(out, value, 1);
}

void json_text_array(FILE *out, bool first, const char *key, size_t n, json_t *(*element)(const struct analysis *a, size_t i),
		     const struct analysis *a)
{
	key_add(out, first, key);
	putc_unlocked('[', out);
	for (size_t i = 0; i < n; i++) {
		json_t *o = element(a, i);
		fputs(i ? ",\n  " : "\n  ", out);
		value_add(out, o, 2);
		json_decref(o);
	}
	fputs(n ? "\n ]" : "]", out);
}
