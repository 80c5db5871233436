/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text that is written member by member and element by element equals the text of the whole
 * value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/strbuf.h"
#include "reports/json/json_report.h"
#include "reports/json/json_value.h"

static json_t *element(const struct analysis *a, size_t i)
{
	(void)a;
	return json_pack("{s:I, s:s, s:[f, {}, []], s:{s:n}}", "i", (json_int_t)i, "text",
			 "two\nlines, \"quoted\", ä", "list", 1.0 / 3, "o", "none");
}

/* Ends `out`, stores its bytes in *text, and frees everything else. */
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

/* The output contains no command of a CI service, and the value is unchanged. */
static void no_command_begins_in_a_string(void **state)
{
	(void)state;
	static const char *const texts[] = {"##[error]x", "a ##vso[task.x]", "###[x", "##[##[##vso["};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		json_t *whole = json_pack("{s:s, s:[[s]]}", "a", texts[i], "b", texts[i]);
		struct strbuf document = STRBUF_INIT;
		char *text = NULL;
		size_t len = 0;
		FILE *out = open_memstream(&text, &len);
		assert_non_null(out);
		json_text_member(out, true, "a", json_object_get(whole, "a"));
		json_text_member(out, false, "b", json_object_get(whole, "b"));
		fputs("\n}", out);
		assert_int_equal(fclose(out), 0);
		json_add_document(&document, json_incref(whole));
		const char *const forms[] = {text, document.s};
		for (size_t k = 0; k < 2; k++) {
			assert_null(strstr(forms[k], "##["));
			assert_null(strstr(forms[k], "##vso["));
			json_t *again = json_loads(forms[k], 0, NULL);
			assert_true(json_equal(again, whole));
			json_decref(again);
		}
		free(text);
		strbuf_release(&document);
		json_decref(whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_are_the_whole),
					   cmocka_unit_test(no_command_begins_in_a_string)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
