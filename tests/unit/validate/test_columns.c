/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads columns from text and CSV, and reports errors with their place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "validate/columns/columns.h"

static int parse(struct columns *c, const char *text, const char *selector,
		 enum columns_header header, struct err *e)
{
	struct column_choice choice = {selector, false, NULL, false};
	err_clear(e);
	return columns_parse(c, "file", text, strlen(text), &choice, 1, header, e);
}

static void good(const char *text, const char *selector, size_t n, const double *x)
{
	struct columns c;
	struct err e = ERR_INIT;
	if (parse(&c, text, selector, COLUMNS_HEADER_AUTO, &e))
		fail_msg("%s: %s", text, e.msg);
	assert_int_equal(c.n, n);
	for (size_t i = 0; i < n; i++)
		assert_true(c.column[0].x[i] == x[i]);
	columns_release(&c);
}

static void bad(const char *text, const char *selector, const char *message)
{
	struct columns c;
	struct err e = ERR_INIT;
	if (!parse(&c, text, selector, COLUMNS_HEADER_AUTO, &e)) {
		columns_release(&c);
		fail_msg("taken: %s", text);
	}
	if (!strstr(e.msg, message))
		fail_msg("\"%s\" does not hold \"%s\"", e.msg, message);
}

#define N(...) sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__}

static void test_text(void **state)
{
	(void)state;
	good("1\n2\n3\n", NULL, N(1, 2, 3));
	good("1\n2\n3", NULL, N(1, 2, 3));
	good("# about\n\n  1.5e3 \r\n\t-2.5\n+3 # why\n", NULL, N(1500, -2.5, 3));
	good("1 10\n2 20\n", "2", N(10, 20));
	good("1\t10\n2\t20 x y\n", "2", N(10, 20));
	good("time size\n1 10\n2 20\n", "size", N(10, 20));
	good("time size\n1 10\n2 20\n", "1", N(1, 2));
	good("\xef\xbb\xbf" "1\n2\n", NULL, N(1, 2));
	good("a b\n1 x\n2 y\n", "a", N(1, 2));
}

static void test_csv(void **state)
{
	(void)state;
	good("t,u\n1,10\n2,20\n", "u", N(10, 20));
	good("t,u\n1,10\n2,20\n", "2", N(10, 20));
	good("1,10\n2,20\n", "2", N(10, 20));
	good("# c,d\n\nt,u\n# 5,6\n1,10\n\n2,20\n", "t", N(1, 2));
	good("\"t, s\",u\n1,10\n\"2\",20\n", "t, s", N(1, 2));
	good("\"a\nb\",u\nx,10\n\"# no\ncomment\",20\n", "u", N(10, 20));
	good("t;u\n1;10\n2;20\n", "u", N(10, 20));
	good("t,u\r\n1,10\r\n2,20\r\n", "u", N(10, 20));
	good("t,u\n 1 , 10 \n", "u", N(10));
	good("\"one\"\n1\n2\n", NULL, N(1, 2));
}

static void test_places(void **state)
{
	(void)state;
	bad("1\n2\nx\n", NULL, "file:3:1: \"x\" is not a number");
	bad("1O\n2\n", NULL, "file:1:1: \"1O\" is not a number");
	bad("1 2\n3\n", "2", "file:2: this line has 1 column, but the value is in column 2");
	bad("t,u\n1,\n", "u", "file:2:2: the cell is empty");
	bad("t,u\n1,2\n3\n", "u", "file:3: this line has 1 column");
	bad("1\nnan\n", NULL, "file:2:1: \"nan\" is not a number");
	bad("1\n-inf\n", NULL, "file:2:1: \"-inf\"");
	bad("1\n1e999\n", NULL, "file:2:1: \"1e999\" is too large");
	bad("1\n0x10\n", NULL, "file:2:1: \"0x10\"");
	bad("1\n1e\n", NULL, "\"1e\"");
	bad("1\n--1\n", NULL, "\"--1\"");
	bad("1\n1 000\n2,5\n", NULL, "file:3:1: \"2,5\"");
	bad("t,u\n1,2\n", "v", "file:1: no column \"v\": there are t, u");
	bad("1,2\n3,4\n", "v", "there is no header, and there are 2 columns");
	bad("1,2\n3,4\n", "3", "no column \"3\"");
	bad("1,2\n3,4\n", "0", "no column \"0\"");
	bad("t,u\n1,2\n", NULL, "file:1: the line has 2 columns: t, u: choose one "
				"with -C COLUMN, or several with -C COLUMN,COLUMN");
	bad("t,5\n1,2\n", "2", "this line may be a header");
	bad("", NULL, "no values");
	bad("# only\n\n", NULL, "no values");
	bad("t,u\n", "u", "no values");
	bad("t,u\n1,\"2\n", "u", "ends within quotes");
	bad("t,u\n1,\"2\"3\n", "u", "file:2");
	bad("t,u\n\"a\nb\",x\n", "u", "file:3:2: \"x\"");
	bad("1\n\x01\x02\n", NULL, "\"??\"");
}

static void test_headers_and_labels(void **state)
{
	struct columns c;
	struct err e = ERR_INIT;
	(void)state;
	assert_int_equal(parse(&c, "2019,x\n1,2\n", "1", COLUMNS_HEADER_YES, &e), 0);
	assert_string_equal(c.column[0].name, "2019");
	assert_int_equal(c.n, 1);
	columns_release(&c);
	assert_int_not_equal(parse(&c, "t,u\n1,2\n", "1", COLUMNS_HEADER_NO, &e), 0);
	struct column_choice choice[] = {{"us", false, NULL, false}, {"day", true, NULL, false}};
	const char *text = "day,us\nmon,1\n\"tue, 2\",2\nmon,3\n";
	assert_int_equal(
	    columns_parse(&c, "f", text, strlen(text), choice, 2, COLUMNS_HEADER_AUTO, &e), 0);
	assert_int_equal(c.n, 3);
	assert_string_equal(c.column[1].label[1], "tue, 2");
	assert_null(c.column[0].label);
	columns_release(&c);
	text = "day,us\nmon,1\ntue\n";
	struct column_choice turned[] = {{"day", true, NULL, false}, {"us", false, NULL, false}};
	assert_int_not_equal(
	    columns_parse(&c, "f", text, strlen(text), turned, 2, COLUMNS_HEADER_AUTO, &e), 0);
	assert_int_not_equal(columns_read(&c, "/no/such/file", choice, 1, COLUMNS_HEADER_AUTO, &e),
			     0);
	assert_non_null(strstr(e.msg, "/no/such/file"));
	assert_int_not_equal(columns_read(&c, "/", choice, 1, COLUMNS_HEADER_AUTO, &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text),
	    cmocka_unit_test(test_csv),
	    cmocka_unit_test(test_places),
	    cmocka_unit_test(test_headers_and_labels),
	};
	return cmocka_run_group_tests_name("columns", tests, NULL, NULL);
}
