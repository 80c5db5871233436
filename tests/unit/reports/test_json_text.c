/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is written member by member and element by element is the text of the whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/json/json_value.h"

static json_t *element(const struct analysis *a, size_t i)
{
	(void)a;
	return json_pack("{s:I, s:s, s:[f, {}, []], s:{s:n}}", "i", (json_int_t)i, "text", "two\nlines, \"quoted\", ä", "list", 1.0 / 3, "o", "none");
}

/* Ends `out`, whose bytes *text will be, and frees all. */
static void expect_whole(FILE *out, char **text, json_t *whole)
{
	fputs("\n}", out);
	assert_int_equal(fclose(out), 0);
	char *wanted = json_dumps(whole, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	assert_string_equal(*text, wanted);
	free(wanted);
	free(*text);
	json_decref(whole);
}

static void pieces_are_the_whole(void **state)
{
	(void)state;
	for (size_t n = 0; n < 3; n++) {
		json_t *whole = json_object(), *list = json_array(), *first = element(NULL, 9);
		char *text = NULL;
		size_t len = 0;
		FILE *out = open_memstream(&text, &len);
		assert_non_null(out);
		for (size_t i = 0; i < n; i++)
			json_array_append_new(list, element(NULL, i));
		json_object_set_new(whole, "first", first);
		json_object_set_new(whole, "number", json_real(0.1));
		json_object_set_new(whole, "list", list);
		json_text_member(out, true, "first", first);
		json_text_member(out, false, "number", json_object_get(whole, "number"));
		json_text_array(out, false, "list", n, element, NULL);
		expect_whole(out, &text, whole);
	}
}

static const double numbers[] = {0,    -0.0,   1,     0.1,     -1.5,   147392.24050000001, 1e15,     1e16,     1e17, 1e22,
				 1e-5, 1.5e-7, 1e300, -1e-300, 5e-324, NAN,		   INFINITY, -INFINITY};
static const int64_t integers[] = {0, 1, -1, 10, 1700000000000000000, INT64_MAX, INT64_MIN};
static const uint64_t counts[] = {0, 9, 1000, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
static const char *const texts[] = {"", "plain text", "\"quoted\" \\", "two\nlines", "\x7f", "r\xc3\xa4ume", "\xff", "\x1b[31m", NULL};
#define AT(array, i) array[(i) % (sizeof array / sizeof *array)]

static void element_add(struct strbuf *out, const struct analysis *a, size_t i)
{
	(void)a;
	json_text_number(out, "number", AT(numbers, i));
	json_text_integer(out, "integer", AT(integers, i));
	json_text_count(out, "count", AT(counts, i));
	json_text_text(out, "text", AT(texts, i));
	json_text_end(out);
}

static void elements_as_text_are_those_of_the_library(void **state)
{
	enum { N = 200 };
	json_t *whole = json_object(), *list = json_array();
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	(void)state;
	for (size_t i = 0; i < N; i++) {
		json_t *o = json_object();
		json_set_number(o, "number", AT(numbers, i));
		json_object_set_new(o, "integer", json_integer(AT(integers, i)));
		json_set_count(o, "count", AT(counts, i));
		json_set_text(o, "text", AT(texts, i));
		json_array_append_new(list, o);
	}
	json_object_set_new(whole, "list", list);
	json_text_array_by(out, true, "list", N, element_add, NULL);
	expect_whole(out, &text, whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_are_the_whole), cmocka_unit_test(elements_as_text_are_those_of_the_library)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
