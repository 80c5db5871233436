/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON of a known shape: what is read is what jansson reads, to the last bit, and what that refuses is not read. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "common/json_scan.h"

static struct json_scan scan_of(const char *text)
{
	struct json_scan s = {text, text + strlen(text), false};
	json_scan_text(&s, "[");
	return s;
}

/* One number, alone in an array; `taken`: it has to be read, too. */
static void check_number(const char *number, bool taken)
{
	char text[200];
	snprintf(text, sizeof text, "[%s]", number);
	struct json_scan s = scan_of(text);
	double x = -1;
	json_scan_real(&s, &x);
	json_scan_text(&s, "]");
	json_t *o = json_loads(text, 0, NULL);
	const json_t *item = json_array_get(o, 0);
	if (taken == s.failed)
		fail_msg("%s is %sread", number, taken ? "not " : "");
	if (!s.failed) {
		const double must = json_number_value(item);
		assert_true(json_is_number(item));
		if (memcmp(&x, &must, sizeof x))
			fail_msg("%s is read as %.17g, not %.17g", number, x, must);
	}
	s = scan_of(text);
	int64_t i = -1;
	json_scan_integer(&s, &i);
	if (taken && s.failed == json_is_integer(item))
		fail_msg("%s is %sread as a whole number", number, s.failed ? "not " : "");
	if (!s.failed)
		assert_true(i == json_integer_value(item));
	json_decref(o);
}

static void numbers_are_those_of_the_library(void **state)
{
	static const char *const good[] = {
	    "0", "1", "-1", "10", "9007199254740993", "9223372036854775807", "-9223372036854775807", "0.0", "-0.0", "0.5", "1.0", "123.0",
	    "0.1", "0.3", "1e5", "1E5", "1e+5", "1e-5", "1.5e22", "1.5e23", "1e-22", "1e-23", "4.9e-324", "2.2250738585072014e-308",
	    "1.7976931348623157e308", "147392.24050000001", "43136.996972090084", "9007199254740993.0", "0.20000000000000001",
	    "123456789012345678901234567890.0", "0.00000000000000000000000000012345678901234567890", "1e-999", "5.0e-10", "8.5", "100000.000001"};
	static const char *const bad[] = {"", "-", "+1", "01", "-01", "00", ".5", "1.", "1.e5", "1e", "1e+", "1e5.0", "0x10", "nan", "NaN", "inf",
					  "Infinity", "-Infinity", "1e999", "-1e999", "9223372036854775808", "99999999999999999999", "1 ", " 1", "1,2",
					  "true", "\"1\"", "-0"};
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		check_number(good[i], true);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		check_number(bad[i], false);
}

static void printed_numbers_come_back(void **state)
{
	uint64_t random = 88172645463325252ull;
	char text[60];
	(void)state;
	for (int i = 0; i < 200000; i++) {
		double x;
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		memcpy(&x, &random, sizeof x);
		if (!isfinite(x))
			continue;
		const int digits = 1 + i % 17;
		snprintf(text, sizeof text, i % 3 ? "%.*e" : "%.*f", digits, i % 3 && i % 2 ? x : ldexp(x, -ilogb(x) + i % 60));
		check_number(text, isfinite(strtod(text, NULL))); /* the largest one rounds up */
	}
}

static void members_stand_in_their_order(void **state)
{
	struct json_scan s = {0};
	uint64_t a = 0, b[3] = {0};
	double c[2] = {0};
	char word[4];
	bool yes = false;
	static const char text[] = "{\"a\":7,\"b\":[1,2,3],\"c\":[0.5,2],\"d\":[],\"word\":\"abc\",\"long\":\"a longer one\",\"yes\":true}";
	(void)state;
	s = (struct json_scan){text, text + sizeof text - 1, false};
	json_scan_text(&s, "{");
	json_scan_member(&s, "a");
	json_scan_count(&s, &a);
	assert_false(json_scan_member_if(&s, "c"));
	json_scan_member(&s, "b");
	assert_int_equal(json_scan_n_items(&s), 3);
	json_scan_counts(&s, b, 3);
	assert_true(json_scan_member_if(&s, "c"));
	json_scan_reals(&s, c, 2);
	json_scan_member(&s, "d");
	assert_int_equal(json_scan_n_items(&s), 0);
	json_scan_counts(&s, b, 0);
	json_scan_member(&s, "word");
	json_scan_string(&s, word, sizeof word);
	json_scan_member(&s, "long");
	json_scan_string(&s, NULL, 0);
	json_scan_member(&s, "yes");
	json_scan_bool(&s, &yes);
	json_scan_text(&s, "}");
	assert_false(s.failed);
	assert_ptr_equal(s.at, s.end);
	assert_true(a == 7 && b[0] == 1 && b[2] == 3 && c[0] == 0.5 && c[1] == 2 && yes);
	assert_string_equal(word, "abc");
}

static void what_is_of_another_shape_fails(void **state)
{
	static const char *const texts[] = {"[1,2,", "[1,2", "[1", "[", "[1,2,3,4]", "[1,2]", "[1, 2,3]", "[1,2,-3]", "[1,2,3.0]", "[1,2,x]",
					    "[[1,2,3]]", "{1,2,3}"};
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct json_scan s = {texts[i], texts[i] + strlen(texts[i]), false};
		uint64_t x[3];
		json_scan_counts(&s, x, 3);
		if (!s.failed)
			fail_msg("%s is read as three counts", texts[i]);
		const struct json_scan before = s;
		json_scan_member(&s, "a"); /* nothing more is done */
		json_scan_counts(&s, x, 3);
		assert_ptr_equal(s.at, before.at);
	}
	static const char *const words[] = {"\"abcd\"", "\"a\\n\"", "\"a\xc3\xa4\"", "\"a\tb\"", "\"abc", "abc\"", "\""};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		struct json_scan s = {words[i], words[i] + strlen(words[i]), false};
		char word[4];
		json_scan_string(&s, word, sizeof word);
		if (!s.failed)
			fail_msg("%s is read as a word", words[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numbers_are_those_of_the_library),
	    cmocka_unit_test(printed_numbers_come_back),
	    cmocka_unit_test(members_stand_in_their_order),
	    cmocka_unit_test(what_is_of_another_shape_fails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
