/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "common/words.h"

static void sizes(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
		{"0", 0}, {"4096", 4096}, {"4K", 4096}, {"4k", 4096}, {"4KiB", 4096}, {" 4 KiB ", 4096}, {"4kB", 4000},
		{"1.5M", 1572864}, {"1.5MiB", 1572864}, {"1.5MB", 1500000}, {"10GB", 10000000000}, {"0.5K", 512},
		{".5K", 512}, {"2T", 2199023255552}, {"2TB", 2000000000000}, {"1.000", 1}, {"7B", 7},
		{"18446744073709551615", UINT64_MAX}, {"16777215T", 16777215ull << 40},
	};
	static const struct {
		const char *text;
		int code;
	} bad[] = {
		{"", EINVAL}, {" ", EINVAL}, {"K", EINVAL}, {"4X", EINVAL}, {"4 K B", EINVAL}, {"-4K", EINVAL},
		{"4KK", EINVAL}, {"0x10", EINVAL}, {"1e3", EINVAL}, {"1.2.3", EINVAL}, {"4K,", EINVAL}, {"nan", EINVAL},
		{"0.1K", ERANGE}, {"1.5", ERANGE}, {"1.5B", ERANGE}, {"18446744073709551616", ERANGE},
		{"16777216T", ERANGE}, {"99999999999999999999999999", ERANGE}, {"0.00000000000000000001T", ERANGE},
	};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		uint64_t v = 1234567;
		struct err e = ERR_INIT;
		assert_int_equal(parse_size(good[i].text, &v, &e), 0);
		assert_int_equal(v, good[i].bytes);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		uint64_t v = 1234567;
		struct err e = ERR_INIT;
		assert_int_equal(parse_size(bad[i].text, &v, &e), -bad[i].code);
		char quoted[64];
		snprintf(quoted, sizeof quoted, "\"%s\"", bad[i].text);
		assert_non_null(strstr(e.msg, quoted));
		assert_int_equal(v, 1234567);
	}
}

static void durations(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t ns;
	} good[] = {
		{"0", 0}, {"0.0", 0}, {"0s", 0}, {"7ns", 7}, {"10us", 10000}, {"10 \xc2\xb5s", 10000}, {"10\xce\xbcs", 10000},
		{"1.5ms", 1500000}, {"200 ms", 200000000}, {"2s", 2000000000}, {"5min", 300000000000},
		{"1h", 3600000000000}, {"1d", 86400000000000}, {"0.000000001s", 1}, {" 3 s ", 3000000000},
		{"26687d", 2305756800000000000},
	};
	static const struct {
		const char *text;
		int code;
	} bad[] = {
		{"", EINVAL}, {"10", EINVAL}, {"1.5", EINVAL}, {"us", EINVAL}, {"10m", EINVAL}, {"10 sec s", EINVAL},
		{"-1s", EINVAL}, {"+1s", EINVAL}, {"1e3us", EINVAL}, {"inf", EINVAL}, {"10US", EINVAL},
		{"0.5ns", ERANGE}, {"26688d", ERANGE}, {"300000d", ERANGE}, {"9223372036854775808ns", ERANGE},
		{"99999999999999999999999s", ERANGE}, {"99999999999999999999999", EINVAL},
	};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		int64_t v = -5;
		struct err e = ERR_INIT;
		assert_int_equal(parse_duration(good[i].text, &v, &e), 0);
		assert_int_equal(v, good[i].ns);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		int64_t v = -5;
		struct err e = ERR_INIT;
		assert_int_equal(parse_duration(bad[i].text, &v, &e), -bad[i].code);
		assert_non_null(strstr(e.msg, bad[i].text));
		assert_int_equal(v, -5);
	}
	struct err e = ERR_INIT;
	int64_t v;
	parse_duration("10", &v, &e);
	assert_non_null(strstr(e.msg, "has no unit"));
}

static void whole_numbers(void **state)
{
	(void)state;
	uint64_t u = 0;
	int64_t i = 0;
	assert_int_equal(parse_uint(" 18446744073709551615 ", &u, NULL), 0);
	assert_int_equal(u, UINT64_MAX);
	assert_int_equal(parse_uint("18446744073709551616", &u, NULL), -ERANGE);
	static const char *const no_uint[] = {"",    "-1",  "+1",  "1.0", "1.", ".",
					      "1e3", "0x1", "1 2", "abc", "1a"};
	for (size_t k = 0; k < sizeof no_uint / sizeof *no_uint; k++)
		assert_int_equal(parse_uint(no_uint[k], &u, NULL), -EINVAL);
	assert_int_equal(u, UINT64_MAX);

	assert_int_equal(parse_int("-9223372036854775808", &i, NULL), 0);
	assert_int_equal(i, INT64_MIN);
	assert_int_equal(parse_int("+9223372036854775807", &i, NULL), 0);
	assert_int_equal(i, INT64_MAX);
	assert_int_equal(parse_int("9223372036854775808", &i, NULL), -ERANGE);
	assert_int_equal(parse_int("-9223372036854775809", &i, NULL), -ERANGE);
	assert_int_equal(parse_int("-0", &i, NULL), 0);
	assert_int_equal(i, 0);
	static const char *const no_int[] = {"", "-", "+", "--1", "- 1", "1.5", "0x1", "1-"};
	for (size_t k = 0; k < sizeof no_int / sizeof *no_int; k++)
		assert_int_equal(parse_int(no_int[k], &i, NULL), -EINVAL);
}

static void real_numbers(void **state)
{
	(void)state;
	double v = 0;
	assert_int_equal(parse_double(" -1.25e-3 ", &v, NULL), 0);
	assert_true(v == -1.25e-3);
	assert_int_equal(parse_double("1e999", &v, NULL), -ERANGE);
	static const char *const bad[] = {"",      "nan", "inf", "-inf", "0x1p3", "1,5",
					  "1.5 2", "e5",  "--1", "1e",   "."};
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
		assert_int_equal(parse_double(bad[k], &v, NULL), -EINVAL);
	assert_true(v == -1.25e-3);

	assert_int_equal(parse_ratio("10%", &v, NULL), 0);
	assert_true(v == 0.1);
	assert_int_equal(parse_ratio(" 2.5 % ", &v, NULL), 0);
	assert_true(v == 0.025);
	assert_int_equal(parse_ratio("0.1", &v, NULL), 0);
	assert_true(v == 0.1);
	assert_int_equal(parse_ratio("-10%", &v, NULL), 0);
	assert_true(v == -0.1);
	static const char *const no_ratio[] = {"", "%", "10%%", "%10", "ten", "nan%", "10 percent"};
	for (size_t k = 0; k < sizeof no_ratio / sizeof *no_ratio; k++)
		assert_int_equal(parse_ratio(no_ratio[k], &v, NULL), -EINVAL);
}

static void yes_and_no(void **state)
{
	(void)state;
	static const char *const yes[] = {"yes", "true", "on", "1", " yes "}, *const no[] = {
										  "no", "false",
										  "off", "0"};
	static const char *const bad[] = {"", "y", "Yes please", "2", "yesno"};
	int v;
	for (size_t k = 0; k < 5; k++) {
		v = 9;
		assert_int_equal(parse_bool(yes[k], &v, NULL), 0);
		assert_int_equal(v, 1);
	}
	for (size_t k = 0; k < 4; k++) {
		v = 9;
		assert_int_equal(parse_bool(no[k], &v, NULL), 0);
		assert_int_equal(v, 0);
	}
	for (size_t k = 0; k < 5; k++)
		assert_int_equal(parse_bool(bad[k], &v, NULL), -EINVAL);
}

static void assert_format(void (*format)(struct strbuf *, double), double v, const char *expected)
{
	struct strbuf b = STRBUF_INIT;
	format(&b, v);
	assert_string_equal(b.s, expected);
	strbuf_release(&b);
}

static void size_of_double(struct strbuf *out, double v)
{
	format_size(out, (uint64_t)v);
}

static void count_of_double(struct strbuf *out, double v)
{
	format_count(out, (uint64_t)v);
}

static void printed_short(void **state)
{
	(void)state;
	assert_format(count_of_double, 0, "0");
	assert_format(count_of_double, 999, "999");
	assert_format(count_of_double, 1000, "1,000");
	assert_format(count_of_double, 1234567, "1,234,567");
	assert_format(count_of_double, 0x1p63, "9,223,372,036,854,775,808");

	assert_format(size_of_double, 0, "0 B");
	assert_format(size_of_double, 513, "513 B");
	assert_format(size_of_double, 1023, "1023 B");
	assert_format(size_of_double, 1024, "1 KiB");
	assert_format(size_of_double, 4096, "4 KiB");
	assert_format(size_of_double, 1572864, "1.5 MiB");
	assert_format(size_of_double, 1048575, "1 MiB");
	assert_format(size_of_double, 1e10, "9.31 GiB");
	assert_format(size_of_double, 1.5e19, "13 EiB");

	assert_format(format_duration, 0, "0 ns");
	assert_format(format_duration, 0.5, "0.5 ns");
	assert_format(format_duration, 513, "513 ns");
	assert_format(format_duration, 999.4, "999 ns");
	assert_format(format_duration, 999.9, "1 us");
	assert_format(format_duration, 20700, "20.7 us");
	assert_format(format_duration, -20700, "-20.7 us");
	assert_format(format_duration, 1.5e6, "1.5 ms");
	assert_format(format_duration, 1.234e9, "1.23 s");
	assert_format(format_duration, 90e9, "90 s");
	assert_format(format_duration, 119.6e9, "2 min 0 s");
	assert_format(format_duration, 312e9, "5 min 12 s");
	assert_format(format_duration, 3600e9 * 3 + 60e9 * 7, "3 h 7 min");
	assert_format(format_duration, NAN, "nan s");
	assert_format(format_duration, -INFINITY, "-inf s");
}

static void lists(void **state)
{
	(void)state;
	struct words_list items;
	assert_int_equal(words_split(&items, " 1, 2 ,\"a, b\", x y ,\"\"", NULL), 0);
	assert_int_equal(items.n, 5);
	assert_string_equal(items.v[0], "1");
	assert_string_equal(items.v[1], "2");
	assert_string_equal(items.v[2], "a, b");
	assert_string_equal(items.v[3], "x y");
	assert_string_equal(items.v[4], "");
	words_list_release(&items);
	assert_int_equal(words_split(&items, "\" a \"", NULL), 0);
	assert_int_equal(items.n, 1);
	assert_string_equal(items.v[0], " a ");
	words_list_release(&items);
	static const char *const bad[] = {"", "  ", ",", "1,", ",1", "1,,2", "1, ,2", "\"open"};
	for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
		struct err e = ERR_INIT;
		assert_int_equal(words_split(&items, bad[k], &e), -EINVAL);
		assert_null(items.v);
		assert_int_equal(items.n, 0);
		assert_true(e.msg[0] != 0);
	}
}

static void the_nearest_name(void **state)
{
	(void)state;
	static const char *const names[] = {"run",  "report",       "microbench", "replay",
					    "info", "min-duration", NULL};
	assert_string_equal(nearest_name("rnu", names), "run");
	assert_string_equal(nearest_name("reprot", names), "report");
	assert_string_equal(nearest_name("relpay", names), "replay");
	assert_string_equal(nearest_name("micro", names), "microbench");
	assert_string_equal(nearest_name("min_duration", names), "min-duration");
	assert_string_equal(nearest_name("minduration", names), "min-duration");
	assert_string_equal(nearest_name("INFO", names), "info");
	assert_null(nearest_name("zzz", names));
	assert_null(nearest_name("completely-else", names));
	assert_null(nearest_name("", names));
	char big[1000];
	memset(big, 'r', sizeof big - 1);
	big[sizeof big - 1] = 0;
	assert_null(nearest_name(big, names));
	static const char *const none[] = {NULL};
	assert_null(nearest_name("run", none));
}

static void refused_names(void **state)
{
	(void)state;
	static const struct row {
		const char *name;
		int value;
	} run = {"run", 1}, report = {"report", 2};
	static const struct row *const table[] = {&run, &report, NULL}, *const empty[] = {NULL};
	const char **names = names_of(table), **none = names_of(empty);
	assert_string_equal(names[0], "run");
	assert_string_equal(names[1], "report");
	assert_null(names[2]);
	assert_null(none[0]);

	assert_true(word_in("report", names));
	assert_false(word_in("repor", names));
	assert_false(word_in("run", none));
	assert_false(word_in("run", NULL));

	struct err e = ERR_INIT;
	assert_int_equal(name_refuse(&e, EINVAL, "rnu", names, "; see help", "no %s", "rnu"), -EINVAL);
	assert_string_equal(e.msg, "no rnu (did you mean \"run\"?)");
	assert_int_equal(name_refuse(&e, ENOENT, "zzz", names, "; see help", "no %s", "zzz"), -ENOENT);
	assert_string_equal(e.msg, "no zzz; see help");
	free(names);
	free(none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sizes),         cmocka_unit_test(durations),
	    cmocka_unit_test(whole_numbers), cmocka_unit_test(real_numbers),
	    cmocka_unit_test(yes_and_no),    cmocka_unit_test(printed_short),
	    cmocka_unit_test(lists),         cmocka_unit_test(the_nearest_name),
	    cmocka_unit_test(refused_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
