/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/text.h"

static void test_valid(void **state)
{
	(void)state;
	static const struct {
		const char *s;
		size_t len, valid;
	} rows[] = {
	    {"", 0, 0},
	    {"plain\ttext\r\n", 12, 12},
	    {"a\0b", 3, 1},
	    {"a\x7f", 2, 1},
	    {"a\x1b", 2, 1},
	    {"\xc2\xb5s", 3, 3},        /* micro sign */
	    {"\xe2\x82\xac", 3, 3},     /* euro sign */
	    {"\xf0\x9f\x98\x80", 4, 4}, /* beyond the first plane */
	    {"\xf4\x8f\xbf\xbf", 4, 4}, /* the last code point */
	    {"\xf4\x90\x80\x80", 4, 0}, /* behind it */
	    {"x\xc0\x80", 3, 1},        /* overlong forms */
	    {"x\xe0\x80\x80", 4, 1},
	    {"x\xf0\x80\x80\x80", 5, 1},
	    {"x\xed\xa0\x80", 4, 1}, /* a surrogate */
	    {"x\x80", 2, 1},         /* no beginning */
	    {"x\xe2\x82", 3, 1},     /* cut */
	    {"x\xe2\x82y", 4, 1},
	    {"\xff", 1, 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(text_valid_length(rows[i].s, rows[i].len), rows[i].valid);
}

static void test_line(void **state)
{
	(void)state;
	char s[] = "one\ntwo\t\x1b[31m \xc2\xb5 \xff\xfe \n \n";
	text_make_line(s);
	assert_string_equal(s, "one;two ?[31m \xc2\xb5 ??");
	char cut[] = "x\xe2\x82";
	text_make_line(cut);
	assert_string_equal(cut, "x??");
	char empty[] = "";
	text_make_line(empty);
	assert_string_equal(empty, "");
}

static void test_json(void **state)
{
	(void)state;
	json_t *o = text_to_json("\xc2\xb5");
	assert_string_equal(json_string_value(o), "\xc2\xb5");
	json_decref(o);
	o = text_to_json("/tmp/\xff");
	assert_string_equal(json_string_value(o), "/tmp/?");
	json_decref(o);
	o = text_to_json(NULL);
	assert_true(json_is_null(o));
	json_decref(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_valid),
	    cmocka_unit_test(test_line),
	    cmocka_unit_test(test_json),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
