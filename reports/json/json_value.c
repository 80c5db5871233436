/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/json/json_value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/csv_args.h"
#include "common/strbuf.h"
#include "reports/escape.h"

json_t *json_text(const char *s)
{
	if (!s)
		return json_null();
	struct strbuf clean = STRBUF_INIT;
	escape_text(&clean, s);
	json_t *v = json_stringn(clean.s, clean.len);
	strbuf_release(&clean);
	return v;
}

json_t *json_name(const char *s)
{
	json_t *plain = s ? json_string(s) : json_null();
	if (plain)
		return plain;
	struct strbuf out = STRBUF_INIT;
	for (size_t left = strlen(s), n; left; s += n, left -= n) {
		n = utf8_char_len((const unsigned char *)s, left);
		if (n)
			strbuf_add(&out, s, n);
		else
			strbuf_addf(&out, "\\x%02x", (unsigned char)*s);
		n = n ? n : 1;
	}
	plain = json_string(out.s);
	strbuf_release(&out);
	return plain;
}

json_t *json_finite(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

void json_print(json_t *o)
{
	json_dumpf(o, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(o);
}

void json_add_document(struct strbuf *out, json_t *o)
{
	char *text = json_dumps(o, JSON_INDENT(1));
	strbuf_addf(out, "%s\n", text ? text : "");
	free(text);
	json_decref(o);
}

static void set_status(json_t *object, const char *key, const char *status)
{
	char name[80];
	snprintf(name, sizeof name, "%s_status", key);
	json_object_set_new(object, key, json_null());
	json_object_set_new(object, name, json_string(status));
}

void json_set_number(json_t *object, const char *key, double x)
{
	if (isfinite(x))
		json_object_set_new(object, key, json_real(x));
	else
		set_status(object, key, isnan(x) ? "undefined" : x > 0 ? "infinite" : "-infinite");
}

void json_set_status_number(json_t *object, const char *key, enum stat_status s, double x)
{
	if (s == STAT_OK)
		json_set_number(object, key, x);
	else
		set_status(object, key, stat_status_name(s));
}

void json_set_text(json_t *object, const char *key, const char *s)
{
	json_object_set_new(object, key, json_text(s));
}

void json_set_count(json_t *object, const char *key, uint64_t n)
{
	json_object_set_new(object, key, n <= INT64_MAX ? json_integer((json_int_t)n) : json_real((double)n));
}

void json_set_estimate(json_t *object, const char *key, const struct estimate *e)
{
	json_t *o = json_object();
	json_set_text(o, "status", stat_status_name(e->status));
	if (e->status != STAT_OK) {
		json_object_set_new(o, "value", json_null());
	} else {
		json_set_number(o, "value", e->value);
		json_set_number(o, "lo90", e->lo90);
		json_set_number(o, "hi90", e->hi90);
		json_set_number(o, "lo95", e->lo95);
		json_set_number(o, "hi95", e->hi95);
		json_set_number(o, "df", e->df);
	}
	json_object_set_new(object, key, o);
}

void json_set_sample(json_t *object, const char *key, const struct sample *s)
{
	json_t *o = json_object(), *values = json_array();
	json_set_count(o, "n", s->n);
	json_set_text(o, "status", stat_status_name(s->status));
	json_set_number(o, "mean", s->mean);
	json_set_status_number(o, "sd", s->status, s->sd);
	json_set_status_number(o, "cv", s->status, s->cv);
	json_set_status_number(o, "sem", s->status, s->sem);
	json_set_number(o, "median", s->median);
	json_set_number(o, "min", s->min);
	json_set_number(o, "max", s->max);
	for (size_t i = 0; i < s->n; i++)
		json_array_append_new(values, json_finite(s->x[i]));
	json_object_set_new(o, "values", values);
	json_object_set_new(object, key, o);
}
