/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report.json against doc/report-schema.json, with a checker of the few keywords that the schema
 * uses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/reports/fixture.c"
#include "tests/unit/reports/golden.h"

#include "reports/forms.h"

static bool is_type(const json_t *v, const char *type)
{
	return (!strcmp(type, "object") && json_is_object(v)) ||
	       (!strcmp(type, "array") && json_is_array(v)) ||
	       (!strcmp(type, "string") && json_is_string(v)) ||
	       (!strcmp(type, "integer") && json_is_integer(v)) ||
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
	    cmocka_unit_test(every_fixture_fits_the_schema),
	    cmocka_unit_test(the_checker_can_fail),
	    cmocka_unit_test(numbers_are_those_of_the_analysis),
	    cmocka_unit_test(undefined_numbers_say_why),
	    cmocka_unit_test(the_same_analysis_gives_the_same_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
