/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The schemas that are made from the lists of the model, and report.json against
 * doc/report-schema.json, with a checker of the few keywords that the schema uses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/reports/fixture.c"
#include "tests/unit/reports/golden.h"

#include "reports/forms.h"
#include "reports/json/json_value.h"
#include "reports/model.h"
#include "validate/compare/baseline_private.h"

/* --- the schema of the lists --------------------------------------------- */

static json_t *type_or_null(const char *type, bool nullable)
{
	return nullable ? json_pack("[ss]", type, "null") : json_string(type);
}

/* A reference to a definition that no list has; it is added. */
static json_t *builtin(const char *name, json_t *defs)
{
	static const struct {
		const char *name, *about, *type, *other_type;
	} row[] = {
	    {"number",
	     "A finite number, or null. For null, KEY_status beside it gives the reason: a status "
	     "word (see \"status\"), \"undefined\", \"infinite\" or \"-infinite\".",
	     "number", "null"},
	    {"finite", "A number; null if undefined.", "number", "null"},
	    {"count", NULL, "integer", NULL},
	    {"whole", "A whole number; a string of digits above 2^63 - 1.", "integer", "string"},
	    {"status", "Whether a value exists, and otherwise the reason.", "string", NULL}};
	size_t i = 0;
	while (strcmp(row[i].name, name))
		i++;
	json_t *o = json_object(), *words = json_array();
	if (row[i].about)
		json_object_set_new(o, "description", json_string(row[i].about));
	json_object_set_new(o, "type",
			    row[i].other_type ? json_pack("[ss]", row[i].type, row[i].other_type)
					      : json_string(row[i].type));
	for (int k = 0; k < STAT_N_STATUSES; k++)
		json_array_append_new(words, json_string(stat_status_name((enum stat_status)k)));
	if (!strcmp(name, "status"))
		json_object_set(o, "enum", words);
	json_decref(words);
	json_object_set_new(defs, name, o);
	return json_pack("{s:s+}", "$ref", "#/$defs/", name);
}

static json_t *schema_of(const struct model_list *list, bool nullable, json_t *defs);

/* A reference to the definition of a named list, which it adds; else the schema itself. */
static json_t *reference(const struct model_list *list, bool nullable, json_t *defs)
{
	if (!list->name)
		return schema_of(list, nullable, defs);
	SCOPED_FREE char *name = xasprintf("%s%s", list->name, nullable ? "_or_null" : "");
	if (!json_object_get(defs, name)) {
		json_object_set_new(defs, name, json_null()); /* its place */
		json_object_set_new(defs, name, schema_of(list, nullable, defs));
	}
	return json_pack("{s:s+}", "$ref", "#/$defs/", name);
}

static json_t *array_of(json_t *items)
{
	return json_pack("{s:s, s:o}", "type", "array", "items", items);
}

/* The types "a|b", "array of TYPES" or "object of TYPES". Objects with values of several types may
 * be nested once: their values have the other types. */
static json_t *types_schema(const char *types)
{
	if (!strncmp(types, "array of ", 9))
		return array_of(types_schema(types + 9));
	if (!strncmp(types, "object of ", 10))
		return json_pack("{s:s, s:o}", "type", "object", "additionalProperties",
				 types_schema(types + 10));
	SCOPED_FREE char *copy = xstrdup(types);
	json_t *all = json_array(), *others = json_array();
	for (char *rest = copy, *type; (type = strsep(&rest, "|"));) {
		json_array_append_new(all, json_string(type));
		if (strcmp(type, "object"))
			json_array_append_new(others, json_string(type));
	}
	const size_t n = json_array_size(others);
	json_t *o = json_pack("{s:O}", "type",
			      json_array_size(all) > 1 ? all : json_array_get(all, 0));
	if (n && n < json_array_size(all) && strcmp(types, "object|null"))
		json_object_set_new(o, "additionalProperties",
				    json_pack("{s:O}", "type",
					      n > 1 ? others : json_array_get(others, 0)));
	json_decref(all);
	json_decref(others);
	return o;
}

static json_t *json_schema(const struct model_member *m, json_t *defs)
{
	if (m->of && strcmp(m->type, "array"))
		return reference(m->of, true, defs);
	json_t *o = types_schema(m->type ? m->type : "object|null");
	const char *items = m->type && !strcmp(m->type, "array") ? "items" : "additionalProperties";
	if (m->items)
		json_object_set_new(o, items, types_schema(m->items));
	else if (m->of)
		json_object_set_new(o, "items", reference(m->of, false, defs));
	return o;
}

static json_t *text_schema(const struct model_member *m, bool nullable)
{
	json_t *o = json_pack("{s:o}", "type", type_or_null("string", nullable));
	json_t *words = json_array();
	for (size_t i = 0; m->words && m->words[i]; i++)
		json_array_append_new(words, json_string(m->words[i]));
	if (m->words && !nullable)
		json_object_set(o, "enum", words);
	json_decref(words);
	return o;
}

static json_t *value_schema(const struct model_member *m, json_t *defs)
{
	switch (m->kind) {
	case MODEL_REAL:
		return m->finite ? types_schema("number")
				 : builtin(m->plain ? "finite" : "number", defs);
	case MODEL_U64:
	case MODEL_U32:
	case MODEL_I64:
		if (m->count == model_fixed_count)
			return json_pack("{s:s, s:[i]}", "type", "integer", "enum", (int)m->n);
		if (m->nullable)
			return types_schema(m->digits ? "integer|string|null" : "integer|null");
		return builtin(m->digits ? "whole" : "count", defs);
	case MODEL_BOOL:
		return json_pack("{s:o}", "type", type_or_null("boolean", m->quiet));
	case MODEL_LETTER:
	case MODEL_CHARS:
	case MODEL_TEXT:
	case MODEL_WORD:
		return text_schema(m, m->nullable);
	case MODEL_STATUS:
		return builtin("status", defs);
	case MODEL_TEXTS:
		return array_of(text_schema(m, false));
	case MODEL_REALS:
		return array_of(json_pack("{s:o}", "type", type_or_null("number", true)));
	case MODEL_SETTINGS:
		return json_pack("{s:s, s:{s:o}}", "type", "object", "additionalProperties", "type",
				 type_or_null("string", true));
	case MODEL_JSON:
		return json_schema(m, defs);
	case MODEL_OBJECT:
		return reference(m->of, m->nullable, defs);
	case MODEL_ARRAY:
		return array_of(reference(m->of, false, defs));
	case MODEL_INLINE:
		break;
	}
	fail_msg("%s has no schema", m->name);
	return NULL;
}

static bool has_unit(const struct model_member *m)
{
	return m->kind == MODEL_REAL || m->kind == MODEL_REALS || m->kind == MODEL_U64 ||
	       m->kind == MODEL_I64 || m->of == &model_estimate || m->of == &model_sample;
}

/* Whether a member may have a status beside it. */
static bool has_status(const struct model_list *list)
{
	for (const struct model_member *m = list->member; m->name; m++)
		if ((m->kind == MODEL_REAL && !m->plain) || m->real_number ||
		    (m->kind == MODEL_INLINE && has_status(m->of)))
			return true;
	return false;
}

static void add_properties(json_t *properties, json_t *required, const struct model_list *list,
			   json_t *defs)
{
	for (const struct model_member *m = list->member; m->name; m++) {
		if (m->kind == MODEL_INLINE) {
			add_properties(properties, required, m->of, defs);
			continue;
		}
		json_t *o = json_object(), *value = value_schema(m, defs);
		const char *unit = table_unit(&(const struct table_column){.format = m->format});
		if (m->about)
			json_object_set_new(o, "description", json_string(m->about));
		if (has_unit(m) && *unit)
			json_object_set_new(o, "unit", json_string(unit));
		json_object_update(o, value);
		json_decref(value);
		assert_null(json_object_get(properties, m->name));
		json_object_set_new(properties, m->name, o);
		if (!m->present && !m->set_size)
			json_array_append_new(required, json_string(m->name));
	}
}

static json_t *schema_of(const struct model_list *list, bool nullable, json_t *defs)
{
	json_t *o = json_object(), *properties = json_object(), *required = json_array();
	if (list->about)
		json_object_set_new(o, "description", json_string(list->about));
	add_properties(properties, required, list, defs);
	json_object_set_new(o, "type", type_or_null("object", nullable));
	json_object_set_new(o, "properties", properties);
	json_object_set_new(o, "required", required);
	if (has_status(list))
		json_object_set_new(o, "patternProperties",
				    json_pack("{s:{s:s}}", "_status$", "type", "string"));
	json_object_set_new(o, "additionalProperties", json_false());
	return o;
}

/* --- the schema of a table of members ------------------------------------- */

static const char *member_type(const struct json_member *m)
{
	switch (m->kind) {
	case MEMBER_OTHER:
		return m->type;
	case MEMBER_BOOL:
		return "boolean";
	case MEMBER_HASH:
	case MEMBER_TEXT:
	case MEMBER_DIGITS:
	case MEMBER_STRING:
		return m->nullable ? "string|null" : "string";
	case MEMBER_REAL:
	case MEMBER_POSITIVE:
	case MEMBER_RATIO:
		return m->nullable ? "number|null" : "number";
	default:
		return m->nullable ? "integer|null" : "integer";
	}
}

static json_t *members_schema(const struct json_member *table)
{
	json_t *properties = json_object(), *required = json_array();
	for (const struct json_member *m = table; m->name; m++) {
		json_t *o = m->about ? json_pack("{s:s}", "description", m->about) : json_object();
		json_t *value = m->kind == MEMBER_OBJECT ? members_schema(m->of)
							 : types_schema(member_type(m));
		json_t *words = json_array();
		for (size_t i = 0; m->words && m->words[i]; i++)
			json_array_append_new(words, strcmp(member_type(m), "integer")
							 ? json_string(m->words[i])
							 : json_integer(atoll(m->words[i])));
		if (m->words)
			json_object_set(value, "enum", words);
		json_decref(words);
		value = m->n ? array_of(value) : value;
		json_object_update(o, value);
		json_decref(value);
		json_object_set_new(properties, m->name, o);
		if (!m->if_set && !m->may_be_absent && !m->flag_at)
			json_array_append_new(required, json_string(m->name));
	}
	return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties,
			 "required", required, "additionalProperties", 0);
}

/* Compares the schema of a document with doc/NAME-schema.json. */
static void check_document(const char *name, const char *title, json_t *document, json_t *defs)
{
	json_t *schema = json_pack("{s:s, s:s}", "$schema",
				   "https://json-schema.org/draft/2020-12/schema", "title", title);
	json_object_update(schema, document);
	if (defs)
		json_object_set_new(schema, "$defs", defs);
	json_decref(document);
	char *text = json_dumps(schema, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	char *line = xasprintf("%s\n", text);
	char *path = xasprintf("../../../doc/%s-schema.json", name);
	golden_check(path, line);
	free(path);
	free(line);
	free(text);
	json_decref(schema);
}

static void check_schema(const char *name, const char *title, const struct model_list *list)
{
	json_t *defs = json_object(), *o = schema_of(list, false, defs);
	check_document(name, title, o, defs);
}

static void the_schemas_are_those_of_the_model(void **state)
{
	(void)state;
	check_schema("report", "report.json of validate", &model_analysis);
	check_schema("pool", "validate pool", &model_pool_document);
	check_schema("compare", "Comparison of validate", &model_campaign_change);
	check_schema("info", "validate info --json", &model_info_document);
	check_schema("metrics", "validate metrics --json", &model_metrics_document);
	check_schema("history", "validate history", &model_history_study);
	check_schema("stats", "validate stats --json", &model_stats);
	check_schema("selftest-capture", "validate selftest capture --json",
		     &model_capture_document);
	json_t *members = members_schema(baseline_members);
	json_t *baseline = json_pack("{s:s}", "description",
				     "Data of a campaign that a later comparison needs. Times are "
				     "in ns, and relative quantities are ratios. An unknown value "
				     "is null.");
	json_object_update(baseline, members);
	json_decref(members);
	check_document("baseline", "Baseline of validate", baseline, NULL);
}

/* --- a checker ----------------------------------------------------------- */

static bool is_type(const json_t *v, const char *type)
{
	return (!strcmp(type, "object") && json_is_object(v)) ||
	       (!strcmp(type, "array") && json_is_array(v)) ||
	       (!strcmp(type, "string") && json_is_string(v)) ||
	       (!strcmp(type, "integer") &&
		(json_is_integer(v) ||
		 (json_is_real(v) && json_real_value(v) == floor(json_real_value(v))))) ||
	       (!strcmp(type, "number") && json_is_number(v)) ||
	       (!strcmp(type, "boolean") && json_is_boolean(v)) ||
	       (!strcmp(type, "null") && json_is_null(v));
}

static bool has_type(const json_t *v, const json_t *type)
{
	if (json_is_string(type))
		return is_type(v, json_string_value(type));
	for (size_t i = 0; i < json_array_size(type); i++)
		if (is_type(v, json_string_value(json_array_get(type, i))))
			return true;
	return false;
}

struct checker {
	const json_t *defs;
	size_t n_errors;
	char first[500];
};

static void complain(struct checker *k, const char *where, const char *what)
{
	if (!k->n_errors++)
		snprintf(k->first, sizeof k->first, "%s: %s", where, what);
}

static void check(struct checker *k, const json_t *schema, json_t *v, const char *where);

static bool ends_with_status(const char *key)
{
	size_t n = strlen(key);
	return n > 7 && !strcmp(key + n - 7, "_status");
}

static void check_object(struct checker *k, const json_t *schema, json_t *v, const char *where)
{
	const char *key;
	json_t *member;
	const json_t *properties = json_object_get(schema, "properties"),
		     *required = json_object_get(schema, "required");
	const json_t *other = json_object_get(schema, "additionalProperties");
	for (size_t i = 0; i < json_array_size(required); i++)
		if (!json_object_get(v, json_string_value(json_array_get(required, i))))
			complain(k, where, json_string_value(json_array_get(required, i)));
	json_object_foreach(v, key, member)
	{
		char *path = xasprintf("%s.%s", where, key);
		const json_t *rule = json_object_get(properties, key);
		if (rule)
			check(k, rule, member, path);
		else if (json_object_get(schema, "patternProperties") && ends_with_status(key))
			check(k,
			      json_object_get(json_object_get(schema, "patternProperties"),
					      "_status$"),
			      member, path);
		else if (json_is_object(other))
			check(k, other, member, path);
		else if (json_is_false(other))
			complain(k, path, "not in the schema");
		free(path);
	}
}

static void check(struct checker *k, const json_t *schema, json_t *v, const char *where)
{
	static const char prefix[] = "#/$defs/";
	const char *ref = json_string_value(json_object_get(schema, "$ref"));
	if (ref) {
		assert_int_equal(strncmp(ref, prefix, strlen(prefix)), 0);
		const json_t *target = json_object_get(k->defs, ref + strlen(prefix));
		assert_non_null(target);
		check(k, target, v, where);
	}
	const json_t *type = json_object_get(schema, "type"),
		     *values = json_object_get(schema, "enum");
	if (type && !has_type(v, type))
		complain(k, where, "wrong type");
	bool found = !values;
	for (size_t i = 0; i < json_array_size(values); i++)
		found |= json_equal(json_array_get(values, i), v);
	if (!found)
		complain(k, where, "not one of the values");
	if (json_is_object(v))
		check_object(k, schema, v, where);
	const json_t *items = json_object_get(schema, "items");
	for (size_t i = 0; items && i < json_array_size(v); i++) {
		char *path = xasprintf("%s[%zu]", where, i);
		check(k, items, json_array_get(v, i), path);
		free(path);
	}
}

/* Every number that is null has a sibling that states the reason. */
static void check_nulls(json_t *v)
{
	static const char *const may_be_null[] = {
	    "environment",   "target",   "dir",          "queue", "reason",
	    "replayer",      "scenario", "title",        "cpus",  "scheduler",
	    "first_failure", "value",    "gum_adequate", NULL};
	const char *key;
	json_t *member;
	size_t i;
	json_object_foreach(v, key, member)
	{
		char *status = xasprintf("%s_status", key);
		bool allowed = json_is_string(json_object_get(v, status));
		for (size_t k = 0; may_be_null[k]; k++)
			allowed |= !strcmp(may_be_null[k], key);
		if (json_is_null(member) && !allowed)
			fail_msg("%s is null without %s", key, status);
		free(status);
		if (strcmp(key, "environment"))
			check_nulls(member);
	}
	json_array_foreach(v, i, member) check_nulls(member);
}

static char *report_text(enum fixture_kind kind)
{
	struct fixture f;
	struct err e = ERR_INIT;
	char *text = NULL;
	size_t len = 0;
	fixture_make(&f, kind);
	FILE *out = open_memstream(&text, &len);
	assert_int_equal(report_form_find("json")->print(&f.analysis, out, &e), 0);
	fclose(out);
	fixture_release(&f);
	return text;
}

static json_t *report(enum fixture_kind kind)
{
	json_error_t error;
	char *text = report_text(kind);
	json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (!o)
		fail_msg("line %d: %s", error.line, error.text);
	free(text);
	return o;
}

static void every_fixture_fits_the_schema(void **state)
{
	(void)state;
	json_error_t error;
	json_t *schema = json_load_file("doc/report-schema.json", JSON_REJECT_DUPLICATES, &error);
	if (!schema)
		fail_msg("doc/report-schema.json:%d: %s", error.line, error.text);
	for (int kind = FIXTURE_QUICK; kind <= FIXTURE_TRUSTED; kind++) {
		struct checker k = {.defs = json_object_get(schema, "$defs")};
		json_t *o = report(kind);
		check(&k, schema, o, "report");
		if (k.n_errors)
			fail_msg("%zu errors, the first: %s", k.n_errors, k.first);
		check_nulls(o);
		json_decref(o);
	}
	json_decref(schema);
}

static void the_checker_can_fail(void **state)
{
	(void)state;
	json_error_t error;
	json_t *schema = json_load_file("doc/report-schema.json", 0, &error),
	       *o = report(FIXTURE_TRUSTED);
	json_t *cell = json_array_get(json_object_get(o, "cells"), 0);
	struct checker k = {.defs = json_object_get(schema, "$defs")};
	json_object_del(cell, "bias");
	json_object_set_new(cell, "verdict", json_string("fine"));
	json_object_set_new(cell, "surplus", json_null());
	json_object_set_new(json_object_get(cell, "execution_time"), "value", json_string("1"));
	check(&k, schema, o, "report");
	assert_int_equal(k.n_errors, 4);
	json_decref(o);
	json_decref(schema);
}

static void numbers_are_those_of_the_analysis(void **state)
{
	(void)state;
	struct fixture f;
	fixture_make(&f, FIXTURE_QUICK);
	json_t *o = report(FIXTURE_QUICK), *cells = json_object_get(o, "cells");
	assert_int_equal(json_array_size(cells), 16);
	for (size_t i = 0; i < 16; i++) {
		const json_t *c = json_array_get(cells, i);
		const json_t *bias = json_object_get(c, "bias"), *values;
		assert_true(json_real_value(json_object_get(bias, "value")) ==
			    f.analysis.cell[i].bias.value);
		values = json_object_get(json_object_get(json_object_get(c, "replay"), "mean_ns"),
					 "values");
		assert_true(json_real_value(json_array_get(values, 3)) ==
			    f.analysis.cell[i].x.x[3]);
	}
	assert_string_equal(json_string_value(json_object_get(o, "verdict")), "inconclusive");
	json_decref(o);
	fixture_release(&f);
}

static void undefined_numbers_say_why(void **state)
{
	(void)state;
	json_t *o = report(FIXTURE_AWKWARD);
	const json_t *c = json_array_get(json_object_get(o, "cells"), 0),
		     *d = json_array_get(json_object_get(o, "cells"), 1);
	assert_true(json_is_null(json_object_get(c, "correlation")));
	assert_string_equal(json_string_value(json_object_get(c, "correlation_status")),
			    "undefined");
	assert_string_equal(
	    json_string_value(json_object_get(json_object_get(c, "bias"), "status")),
	    "zero_reference");
	assert_string_equal(
	    json_string_value(json_object_get(json_object_get(d, "bias"), "value_status")),
	    "infinite");
	assert_string_equal(json_string_value(json_object_get(d, "precision_upper95_status")),
			    "infinite");
	json_decref(o);
}

/* Arrays are written element by element; the text is that of the whole value. */
static void pieces_are_the_whole(void **state)
{
	(void)state;
	static const enum fixture_kind kinds[] = {FIXTURE_QUICK, FIXTURE_EMPTY, FIXTURE_TRUSTED};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		char *text = report_text(kinds[i]);
		json_t *o = json_loads(text, 0, NULL);
		char *whole = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
		assert_int_equal(strlen(text), strlen(whole) + 1);
		assert_memory_equal(text, whole, strlen(whole));
		free(whole);
		free(text);
		json_decref(o);
	}
}

/* A document contains no command of a CI service, and its value is unchanged. A report contains
 * none either. */
static void no_command_begins_in_a_string(void **state)
{
	(void)state;
	static const char *const texts[] = {"##[error]x", "a ##vso[task.x]", "###[x",
					    "##[##[##vso["};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		json_t *whole = json_pack("{s:s, s:[[s]]}", "a", texts[i], "b", texts[i]);
		SCOPED_STRBUF document = STRBUF_INIT;
		struct fixture f;
		struct err e = ERR_INIT;
		char *text = NULL;
		size_t len = 0;
		json_add_document(&document, json_incref(whole));
		json_t *again = json_loads(document.s, 0, NULL);
		assert_true(json_equal(again, whole));
		json_decref(again);
		json_decref(whole);
		fixture_make(&f, FIXTURE_TRUSTED);
		free(f.results.protocol.scenario[0].name);
		f.results.protocol.scenario[0].name = xstrdup(texts[i]);
		FILE *out = open_memstream(&text, &len);
		assert_int_equal(report_form_find("json")->print(&f.analysis, out, &e), 0);
		fclose(out);
		fixture_release(&f);
		const char *const forms[] = {text, document.s};
		for (size_t k = 0; k < 2; k++) {
			assert_null(strstr(forms[k], "##["));
			assert_null(strstr(forms[k], "##vso["));
		}
		free(text);
	}
}

static void the_same_analysis_gives_the_same_text(void **state)
{
	(void)state;
	char *a = report_text(FIXTURE_AWKWARD), *b = report_text(FIXTURE_AWKWARD);
	assert_string_equal(a, b);
	free(a);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_schemas_are_those_of_the_model),
	    cmocka_unit_test(every_fixture_fits_the_schema),
	    cmocka_unit_test(the_checker_can_fail),
	    cmocka_unit_test(numbers_are_those_of_the_analysis),
	    cmocka_unit_test(undefined_numbers_say_why),
	    cmocka_unit_test(pieces_are_the_whole),
	    cmocka_unit_test(no_command_begins_in_a_string),
	    cmocka_unit_test(the_same_analysis_gives_the_same_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
