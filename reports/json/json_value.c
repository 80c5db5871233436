/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/json/json_value.h"

#include "capture/csv_args.h"
#include "reports/escape.h"

json_t *json_text(const char *s)
{
	if (!s)
		return json_null();
	SCOPED_STRBUF clean = STRBUF_INIT;
	escape_text(&clean, s);
	return json_stringn(clean.s, clean.len);
}

json_t *json_name(const char *s)
{
	json_t *plain = s ? json_string(s) : json_null();
	if (plain)
		return plain;
	SCOPED_STRBUF out = STRBUF_INIT;
	for (size_t left = strlen(s), n; left; s += n, left -= n) {
		n = utf8_char_len((const unsigned char *)s, left);
		if (n)
			strbuf_add(&out, s, n);
		else
			strbuf_addf(&out, "\\x%02x", (unsigned char)*s);
		n = n ? n : 1;
	}
	return json_string(out.s);
}

json_t *json_finite(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

char *json_shown(const json_t *value, size_t digits)
{
	if (json_is_null(value))
		return xstrdup("not available");
	char *text = json_is_string(value)
			 ? xstrdup(json_string_value(value))
			 : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT |
					     JSON_REAL_PRECISION(digits));
	return text ? text : xstrdup("");
}

void json_add_shown(struct strbuf *out, const char *text, size_t len)
{
	const char *from = text, *const end = text + len;
	for (const char *at = text; (at = memchr(at, '[', (size_t)(end - at))); at++)
		if ((at - text >= 2 && !memcmp(at - 2, "##", 2)) ||
		    (at - text >= 5 && !memcmp(at - 5, "##vso", 5))) {
			strbuf_add(out, from, (size_t)(at - from));
			strbuf_addstr(out, "\\u005b");
			from = at + 1;
		}
	strbuf_add(out, from, (size_t)(end - from));
}

static void document_add(struct strbuf *out, json_t *o, size_t flags)
{
	SCOPED_FREE char *text = json_dumps(o, flags);
	if (text)
		json_add_shown(out, text, strlen(text));
	strbuf_addch(out, '\n');
	json_decref(o);
}

void json_print(json_t *o)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	document_add(&text, o, JSON_INDENT(2));
	fputs(text.s, stdout);
}

void json_add_document(struct strbuf *out, json_t *o)
{
	document_add(out, o, JSON_INDENT(1));
}

static void add_field(json_t *object, const struct json_field *f)
{
	const char *status = f->status;
	if (f->kind == JSON_NUMBER && !status && !isfinite(f->number))
		status = isnan(f->number) ? "undefined" : f->number > 0 ? "infinite" : "-infinite";
	json_t *value = f->kind == JSON_VALUE  ? f->value
			: f->kind == JSON_TEXT ? json_text(f->text)
			: f->kind == JSON_NUMBER ? status ? json_null() : json_real(f->number)
			: f->count <= INT64_MAX ? json_integer((json_int_t)f->count)
						: json_real((double)f->count);
	json_object_set_new(object, f->key, value);
	if (status) {
		char name[80];
		snprintf(name, sizeof name, "%s_status", f->key);
		json_object_set_new(object, name, json_string(status));
	}
}

json_t *json_add_fields(json_t *object, const struct json_field *f)
{
	for (; f->key; f++)
		add_field(object, f);
	return object;
}
