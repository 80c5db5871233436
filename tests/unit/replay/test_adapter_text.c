/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands, placeholders, the option `times` and numbers, as protocols and unknown programs write
 * them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/words.h"
#include "replay/engines/adapters/times.h"

static void words_of_both_kinds(void **state)
{
	static const struct {
		const char *text, *word[4];
	} good[] = {
		{"a b", {"a", "b"}},
		{"  one  ", {"one"}},
		{"a \"b c\" d", {"a", "b c", "d"}},
		{"x\"y z\" \"\"", {"xy z", ""}},
		{"\"q\\\"\\\\\"", {"q\"\\"}},
		{"[\"a\", \"b c\", \"\"]", {"a", "b c", ""}},
		{" [\"{trace}\\n\"]", {"{trace}\n"}},
	};
	static const char *const bad[] = {"",   "   ",        "a \"b",     "[\"a\"",
					  "[]", "[\"a\", 5]", "[\"a\"] b", "[null]"};
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct words_list w;
		size_t n = 0;
		assert_int_equal(words_parse(&w, good[i].text, NULL), 0);
		for (; n < 4 && good[i].word[n]; n++)
			assert_string_equal(w.v[n], good[i].word[n]);
		assert_int_equal(w.n, n);
		assert_null(w.v[w.n]);
		words_list_release(&w);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct words_list w;
		assert_int_equal(words_parse(&w, bad[i], NULL), -EINVAL);
		assert_null(w.v);
	}
}

/* Quotes around a whole command only keep its commas. */
static void a_value_in_quotes_is_a_command(void **state)
{
	static const char *const text[] = {"mpirun -n {n}", "\"mpirun -n {n}\"", "[\"mpirun\", \"-n\", \"{n}\"]"};
	struct words_list w;
	(void)state;
	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		assert_int_equal(words_parse_value(&w, text[i], NULL), 0);
		assert_int_equal(w.n, 3);
		assert_string_equal(w.v[2], "{n}");
		words_list_release(&w);
	}
	assert_int_equal(words_parse_value(&w, "[\"a program\"]", NULL), 0);
	assert_int_equal(w.n, 1);
	words_list_release(&w);
	assert_int_equal(words_parse_value(&w, "\"a \\\"b\"", NULL), -EINVAL);
	assert_null(w.v);
}

static void words_of_a_program(void **state)
{
	(void)state;
	struct words_list w = {0};
	words_list_add_all(&w, "replay", "--quiet", (const char *)NULL);
	words_list_addf(&w, "--n=%d", 5);
	assert_int_equal(w.n, 3);
	assert_string_equal(w.v[1], "--quiet");
	assert_string_equal(w.v[2], "--n=5");
	assert_null(w.v[3]);
	words_list_release(&w);
}

static void placeholders_in_words(void **state)
{
	static const struct {
		const char *word, *is;
	} good[] = {{"{trace}", "/t"}, {"--in={trace}:{n_1}", "--in=/t:5"}, {"{{trace}", "{trace}"},
		    {"{}{ x }{X}", "{}{ x }{X}"}, {"{trace", "{trace"}, {"", ""}};
	struct placeholders p = {NULL, 0, 0};
	struct err e = ERR_INIT;
	char *out;
	(void)state;
	placeholders_set(&p, "trace", "/other");
	placeholders_set(&p, "n_1", "5");
	placeholders_set(&p, "trace", "/t");
	assert_int_equal(p.n, 2);
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_int_equal(placeholders_replace(&p, good[i].word, &out, NULL), 0);
		assert_string_equal(out, good[i].is);
		free(out);
	}
	assert_int_equal(placeholders_replace(&p, "x{trase}", &out, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "did you mean \"trace\"?"));
	assert_null(out);
	placeholders_release(&p);
}

static void numbers(void **state)
{
	static const struct {
		const char *text;
		unsigned int digits;
		int64_t is;
		const char *rest;
	} good[] = {
		{"0", 9, 0, ""},	{"1.25", 6, 1250000, ""},  {"12.3456789", 3, 12345, ""}, {"-1.5", 3, -1500, ""},
		{".5", 9, 500000000, ""}, {"7;x", 0, 7, ";x"},	    {"1e3", 3, 1000000, ""},	  {"2.5E-3", 9, 2500000, ""},
		{"9223372036854775807", 0, INT64_MAX, ""}, {"3us", 3, 3000, "us"}, {"1e", 0, 1, "e"}, {"+4", 1, 40, ""},
	};
	static const char *const bad[] = {"",      "nan",
					  "NaN",   "-nan",
					  "inf",   "-Infinity",
					  "x",     "-",
					  ".",     "9223372036854775808",
					  "1e400", "99999999999999999999"};
	const char *end;
	int64_t v;
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_int_equal(adapter_number(good[i].text, good[i].digits, &v, &end, NULL), 0);
		assert_int_equal(v, good[i].is);
		assert_string_equal(end, good[i].rest);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(adapter_number(bad[i], 3, &v, &end, NULL), -EBADMSG);
	/* as ns it does not fit */
	assert_int_equal(adapter_number("9300000000", 9, &v, &end, NULL), -EBADMSG);
}

static void times_of_options(void **state)
{
	static const struct adapter some = {.name = "some", .times = ADAPTER_PRELOAD | ADAPTER_BLOCK, .usual = ADAPTER_BLOCK};
	static const char *const bad[] = {"selv",
					  "self",
					  "preload:csv(begin=1,end=2)",
					  "self:csv(begin=1)",
					  "self:csv(begin=1,end=2,took=3)",
					  "self:csv(begin=0,end=2)",
					  "self:csv(begin=1,end=2,op=3)",
					  "self:csv(begin=1,end=2,unit=h)",
					  "self:csv(begin=1,end=2,sep=|)",
					  "self:csv(begin=1,end=2",
					  "self:csv()",
					  "self:x",
					  "self:csv(begin=1001,end=2)",
					  "self:csv(begin=1,end=2,unit-offset=0)",
					  "self:csv(begin)",
					  "self:csv(begin=1,end=2,comment=ab)"};
	struct times_how t;
	(void)state;
	assert_int_equal(times_parse(&t, NULL, &some, NULL), 0);
	assert_int_equal(t.how, ADAPTER_BLOCK);
	assert_int_equal(times_parse(&t, "preload", &some, NULL), 0);
	assert_int_equal(t.how, ADAPTER_PRELOAD);
	assert_int_equal(times_parse(&t, "none", &some, NULL), 0); /* every adapter permits it */
	assert_int_equal(t.how, ADAPTER_UNTIMED);
	assert_string_equal(times_name(t.how), "none");
	assert_string_equal(times_name(ADAPTER_BLOCK), "block");
	assert_int_equal(times_parse(&t, "none:csv(begin=1,end=2)", &some, NULL), -EINVAL);
	assert_int_equal(times_parse(&t,
				     "self:csv(begin=3, "
				     "took=4,unit=ms,sep=blank,header=2,op=5,offset=6,length=7,"
				     "unit-offset=512,comment=#,first=1)",
				     &some, NULL),
			 0);
	assert_true(t.has_form && t.how == ADAPTER_SELF);
	assert_int_equal(t.form.column[TIMES_BEGIN], 3);
	assert_int_equal(t.form.column[TIMES_TOOK], 4);
	assert_int_equal(t.form.column[TIMES_LENGTH], 7);
	assert_int_equal(t.form.unit, 6);
	assert_int_equal(t.form.unit_bytes, 512);
	assert_int_equal(t.form.n_header, 2);
	assert_int_equal(t.form.first_seq, 1);
	assert_true(t.form.separator == ' ' && t.form.comment == '#');
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err e = ERR_INIT;
		assert_int_equal(times_parse(&t, bad[i], &some, &e), -EINVAL);
		assert_non_null(strstr(e.msg, "times"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_both_kinds),
		cmocka_unit_test(a_value_in_quotes_is_a_command),
	    cmocka_unit_test(words_of_a_program),
		cmocka_unit_test(placeholders_in_words),
		cmocka_unit_test(numbers),
		cmocka_unit_test(times_of_options),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
