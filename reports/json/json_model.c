/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/json/json_model.h"

#include "reports/json/json_value.h"

static void add_members(json_t *o, const struct model_at *at, const struct model_list *list);

static json_t *object_json(const struct model_at *at, const void *s)
{
	if (!s)
		return json_null();
	json_t *o = json_object();
	const size_t i = at->m->kind == MODEL_ARRAY ? at->i : at->m->index;
	const struct model_at of = {.a = at->a, .root = at->root, .s = s, .i = i, .up = at};
	add_members(o, &of, at->m->of);
	return o;
}

/* --- values -------------------------------------------------------------- */

static void add_real(json_t *o, const struct model_at *at)
{
	const struct model_member *m = at->m;
	const double x = model_real(at);
	const enum stat_status status = model_status(at) ? model_status(at)
					: isnan(x) ? m->if_nan : STAT_OK;
	if (m->plain || (status && m->quiet))
		json_add(o, J_VALUE(m->name, status ? json_null() : json_finite(x)));
	else if (m->whole && !status)
		json_add(o, J_COUNT(m->name, (uint64_t)x));
	else
		json_add(o, J_STATUS(m->name, status, x));
}

static json_t *reals_json(const struct model_at *at)
{
	json_t *all = json_array();
	const double *x = model_reals(at);
	for (size_t i = 0, n = model_length(at); i < n; i++)
		json_array_append_new(all, json_finite(x[i]));
	return all;
}

static json_t *texts_json(struct model_at at)
{
	SCOPED_STRBUF scratch = STRBUF_INIT;
	json_t *all = json_array();
	const size_t n = model_length(&at);
	at.scratch = &scratch;
	for (at.i = 0; at.i < n; at.i++) {
		strbuf_reset(&scratch);
		const char *text = model_text(&at);
		if (text)
			json_array_append_new(all, at.m->exact ? json_name(text) : json_text(text));
	}
	return all;
}

static json_t *settings_json(const struct model_at *at)
{
	json_t *o = json_object();
	const struct setting *s = model_settings(at);
	for (size_t i = 0, n = model_length(at); i < n; i++) {
		json_auto_t *key = json_text(s[i].key);
		json_add(o, J_TEXT(json_string_value(key), s[i].value));
	}
	return o;
}

static json_t *array_json(struct model_at at)
{
	json_t *all = json_array();
	const size_t n = model_length(&at);
	for (at.i = 0; at.i < n; at.i++) {
		const void *s = model_struct(&at);
		if (s)
			json_array_append_new(all, object_json(&at, s));
	}
	return all;
}

static json_t *text_json(struct model_at at)
{
	SCOPED_STRBUF scratch = STRBUF_INIT;
	at.scratch = &scratch;
	return at.m->exact ? json_name(model_text(&at)) : json_text(model_text(&at));
}

static struct json_field count_field(const struct model_at *at)
{
	const struct model_member *m = at->m;
	const uint64_t n = model_count(at);
	if (m->nullable && n == UINT64_MAX)
		return (struct json_field)J_VALUE(m->name, json_null());
	return m->digits ? (struct json_field)J_WHOLE(m->name, n)
			 : (struct json_field)J_COUNT(m->name, n);
}

static json_t *document_json(const struct model_at *at)
{
	if (at->m->json)
		return at->m->json(at);
	json_t *value = (json_t *)model_pointer(at);
	return value ? json_incref(value) : json_null();
}

static void add_member(json_t *o, const struct model_at *at)
{
	const char *name = at->m->name;
	struct model_at inlined;
	switch (at->m->kind) {
	case MODEL_REAL:
		add_real(o, at);
		break;
	case MODEL_U64:
	case MODEL_U32:
		json_add(o, count_field(at));
		break;
	case MODEL_I64:
		if (at->m->real_number)
			json_add(o, J_NUMBER(name, (double)model_integer(at)));
		else
			json_add(o, J_VALUE(name, at->m->nullable && model_integer(at) == INT64_MIN
							   ? json_null()
							   : json_integer(model_integer(at))));
		break;
	case MODEL_BOOL:
		json_add(o, J_VALUE(name, model_status(at) ? json_null()
							   : json_boolean(model_bool(at))));
		break;
	case MODEL_LETTER:
	case MODEL_CHARS:
	case MODEL_TEXT:
	case MODEL_WORD:
	case MODEL_STATUS:
		json_add(o, J_VALUE(name, text_json(*at)));
		break;
	case MODEL_TEXTS:
		json_add(o, J_VALUE(name, texts_json(*at)));
		break;
	case MODEL_REALS:
		json_add(o, J_VALUE(name, reals_json(at)));
		break;
	case MODEL_SETTINGS:
		json_add(o, J_VALUE(name, settings_json(at)));
		break;
	case MODEL_JSON:
		json_add(o, J_VALUE(name, document_json(at)));
		break;
	case MODEL_OBJECT:
		json_add(o, J_VALUE(name, object_json(at, model_struct(at))));
		break;
	case MODEL_ARRAY:
		json_add(o, J_VALUE(name, array_json(*at)));
		break;
	case MODEL_INLINE:
		inlined = *at;
		inlined.s = model_struct(at);
		add_members(o, &inlined, at->m->of);
		break;
	}
}

/* Adds the members of the struct at->s. */
static void add_members(json_t *o, const struct model_at *at, const struct model_list *list)
{
	struct model_at one = *at;
	for (one.m = list->member; one.m->name; one.m++)
		if (model_present(&one))
			add_member(o, &one);
}

json_t *json_model(const struct model_list *list, const void *s)
{
	json_t *o = json_object();
	add_members(o, &(const struct model_at){.root = s, .s = s}, list);
	return o;
}

/* --- text ---------------------------------------------------------------- */

#define FLAGS (JSON_INDENT(1) | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY)

struct buffer { /* reused for the next value */
	char *text;
	size_t size;
	struct strbuf shown;
};

static size_t value_dump(struct buffer *b, const json_t *value)
{
	size_t len = json_dumpb(value, b->text, b->size, FLAGS);
	if (len <= b->size)
		return len;
	b->size = 2 * len;
	b->text = xrealloc(b->text, b->size);
	return json_dumpb(value, b->text, b->size, FLAGS);
}

/* JSON text has newlines only between its parts. */
static void add_value(FILE *out, struct buffer *b, const json_t *value, unsigned int depth)
{
	const size_t len = value_dump(b, value);
	strbuf_reset(&b->shown);
	json_add_shown(&b->shown, b->text, len);
	for (size_t at = 0, end; at < b->shown.len; at = end) {
		const char *newline = memchr(b->shown.s + at, '\n', b->shown.len - at);
		end = newline ? (size_t)(newline - b->shown.s) + 1 : b->shown.len;
		fwrite(b->shown.s + at, 1, end - at, out);
		for (unsigned int i = 0; newline && i < depth; i++)
			putc_unlocked(' ', out);
	}
}

/* Long arrays are written element by element, so that memory stays small. */
static void add_array(FILE *out, struct buffer *b, struct model_at at)
{
	bool first = true;
	const size_t n = model_length(&at);
	putc_unlocked('[', out);
	for (at.i = 0; at.i < n; at.i++) {
		const void *s = model_struct(&at);
		if (!s)
			continue;
		json_auto_t *o = object_json(&at, s);
		fputs(first ? "\n  " : ",\n  ", out);
		first = false;
		add_value(out, b, o, 2);
	}
	fputs(first ? "]" : "\n ]", out);
}

/* The members of at->s. `before` is the text before the next one. */
static void add_text(FILE *out, struct buffer *b, struct model_at at, const struct model_list *list,
		     const char **before)
{
	for (at.m = list->member; at.m->name; at.m++) {
		if (!model_present(&at))
			continue;
		if (at.m->kind == MODEL_INLINE) {
			struct model_at of = at;
			of.s = model_struct(&at);
			add_text(out, b, of, at.m->of, before);
			continue;
		}
		if (at.m->kind == MODEL_ARRAY) {
			fprintf(out, "%s\n \"%s\": ", *before, at.m->name);
			add_array(out, b, at);
			*before = ",";
			continue;
		}
		json_auto_t *o = json_object();
		const char *key;
		json_t *value;
		add_member(o, &at);
		json_object_foreach(o, key, value)
		{
			fprintf(out, "%s\n \"%s\": ", *before, key);
			add_value(out, b, value, 1);
			*before = ",";
		}
	}
}

void json_model_write(FILE *out, const struct model_list *list, const struct analysis *a)
{
	struct buffer b = {.shown = STRBUF_INIT};
	const char *before = "{";
	const struct model_at at = {.a = a, .root = a, .s = a};
	add_text(out, &b, at, list, &before);
	fputs("\n}\n", out);
	free(b.text);
	strbuf_release(&b.shown);
}
