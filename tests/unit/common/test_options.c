/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/options.h"

struct config {
	bool verbose, quiet;
	const char *output;
	uint64_t count, block;
	int64_t shift, pause;
	double factor, limit;
	int order, as;
};

static const char *const orders[] = {"temporal", "fs", "thread", "none", NULL};
static const char *const operations[] = {"not given", "read", "write", NULL};

#define AT(field) .offset = offsetof(struct config, field)
static const struct option_spec table[] = {
	{.name = "verbose", .letter = 'v', .type = OPT_FLAG, AT(verbose), .help = "say more"},
	{.name = "quiet", .letter = 'q', .type = OPT_FLAG, AT(quiet), .help = "say less"},
	{.name = "output", .letter = 'o', .type = OPT_STRING, AT(output), .arg = "FILE", .help = "where to"},
	{.name = "count", .letter = 'n', .type = OPT_UINT, AT(count), .arg = "N", .help = "how many (default 1)",
	 .min = 1, .max = 100},
	{.name = "shift", .type = OPT_INT, AT(shift), .arg = "N", .help = "by how much", .min = -5, .max = 5},
	{.name = "block-size", .letter = 'b', .type = OPT_SIZE, AT(block), .arg = "SIZE", .help = "of one request",
	 .min = 512, .max = 1 << 20},
	{.name = "pause", .type = OPT_DURATION, AT(pause), .arg = "TIME",
	 .help = "between two requests of a thread, which is long enough a text to be wrapped to the next line of it (default 0)"},
	{.name = "factor", .type = OPT_DOUBLE, AT(factor), .arg = "X", .help = "of the speed", .min = 0.5, .max = INFINITY},
	{.name = "limit", .type = OPT_RATIO, AT(limit), .arg = "RATIO", .help = "allowed", .min = 0, .max = 1},
	{.name = "order", .type = OPT_CHOICE, AT(order), .arg = "ORDER", .help = "which order", .choices = orders},
	{.name = "as", .type = OPT_CHOICE, AT(as), .arg = "OP", .help = "operation", .choices = operations,
	 .flags = OPT_UNSET},
	{.name = "at-least", .type = OPT_UINT, AT(count), .arg = "N", .help = "with no upper limit", .min = 3},
	{.name = NULL},
};

#define ARGS(...)                                                                                                      \
	char *argv[] = {"prog", __VA_ARGS__, NULL};                                                                    \
	int argc = sizeof argv / sizeof *argv - 1, n = -1;                                                             \
	struct config c = {.count = 1};                                                                                \
	struct err e = ERR_INIT

static void all_ways_of_writing(void **state)
{
	(void)state;
	ARGS("--output", "a", "one", "--count=7", "-v", "-b4K", "two", "--pause", "10us", "--order", "fs", "--limit=5%", "-n", "9",
	     "--factor", "1e3", "--shift=-3", "-", "--", "--count", "-v");
	assert_int_equal(options_parse(table, &c, argc, argv, &n, &e), 0);
	assert_int_equal(n, 5);
	assert_string_equal(argv[1], "one");
	assert_string_equal(argv[2], "two");
	assert_string_equal(argv[3], "-");
	assert_string_equal(argv[4], "--count");
	assert_string_equal(argv[5], "-v");
	assert_string_equal(c.output, "a");
	assert_int_equal(c.count, 9);
	assert_int_equal(c.block, 4096);
	assert_int_equal(c.pause, 10000);
	assert_int_equal(c.order, 1);
	assert_true(c.limit == 0.05 && c.factor == 1000);
	assert_int_equal(c.shift, -3);
	assert_true(c.verbose && !c.quiet);
}

static void flags(void **state)
{
	(void)state;
	{
		ARGS("-vq", "--no-verbose");
		assert_int_equal(options_parse(table, &c, argc, argv, &n, &e), 0);
		assert_true(!c.verbose && c.quiet);
		assert_int_equal(n, 0);
	}
	{
		ARGS("-vofile", "--quiet=no");
		assert_int_equal(options_parse(table, &c, argc, argv, &n, &e), 0);
		assert_true(c.verbose && !c.quiet);
		assert_string_equal(c.output, "file");
	}
	{
		ARGS("--no-output", "x");
		assert_int_equal(options_parse(table, &c, argc, argv, &n, &e), -ENOENT);
	}
}

static void help_is_recognised(void **state)
{
	(void)state;
	{
		ARGS("-v", "--help", "--nonsense");
		assert_int_equal(options_parse(table, &c, argc, argv, &n, &e), 1);
	}
	{
		ARGS("-h");
		assert_int_equal(options_parse(table, &c, argc, argv, &n, &e), 1);
	}
	{
		ARGS("--output", "--help"); /* a value may look like an option */
		assert_int_equal(options_parse(table, &c, argc, argv, &n, &e), 0);
		assert_string_equal(c.output, "--help");
	}
}

static void errors_name_what_is_wrong(void **state)
{
	(void)state;
	static const struct {
		const char *words[3], *msg;
		int code;
	} bad[] = {
	    {{"--cuont", "3"}, "unknown option --cuont (did you mean --count?)", ENOENT},
	    {{"--xyzzy"}, "unknown option --xyzzy (--help lists the options)", ENOENT},
	    {{"--help=x"}, "unknown option --help (--help lists the options)", ENOENT},
	    {{"--"}, "", 0},
	    {{"-x"}, "unknown option -x (--help lists the options)", ENOENT},
	    {{"-vx"}, "unknown option -x (--help lists the options)", ENOENT},
	    {{"--count"}, "--count needs a value (N)", EINVAL},
	    {{"-n"}, "--count needs a value (N)", EINVAL},
	    {{"--count", "many"}, "--count: \"many\" is not a whole number of 0 or more", EINVAL},
	    {{"--count=0"}, "--count: \"0\" is out of range: expected 1 to 100", ERANGE},
	    {{"-n101"}, "--count: \"101\" is out of range: expected 1 to 100", ERANGE},
	    {{"--shift", "-6"}, "--shift: \"-6\" is out of range: expected -5 to 5", ERANGE},
	    {{"-b", "2M"},
	     "--block-size: \"2M\" is out of range: expected 512 B to 1 MiB",
	     ERANGE},
	    {{"--factor=0"}, "--factor: \"0\" is out of range: expected 0.5 or more", ERANGE},
	    {{"--at-least=2"}, "--at-least: \"2\" is out of range: expected 3 or more", ERANGE},
	    {{"--limit=101%"}, "--limit: \"101%\" is out of range: expected 0 to 1", ERANGE},
	    {{"--order", "sf"},
	     "--order: \"sf\" is not one of temporal, fs, thread, none (did you mean \"fs\"?)",
	     EINVAL},
	    {{"--order", "?"}, "--order: \"?\" is not one of temporal, fs, thread, none", EINVAL},
	    {{"--verbose=maybe"}, "--verbose: \"maybe\" is neither yes nor no", EINVAL},
	    {{"--no-verbose=no"}, "--no-verbose takes no value", EINVAL},
	    {{"--pause", "10"},
	     "--pause: \"10\" has no unit: expected a duration such as 10us, 1.5ms, 200ms, 2s, "
	     "5min or 1h",
	     EINVAL},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		int argc = 1;
		char *argv[4] = {"prog"};
		for (; argc < 4 && bad[i].words[argc - 1]; argc++)
			argv[argc] = (char *)(uintptr_t)bad[i].words[argc - 1];
		struct config c = {.count = 1}, before = c;
		struct err e = ERR_INIT;
		int n;
		assert_int_equal(options_parse(table, &c, argc, argv, &n, &e), -bad[i].code);
		assert_string_equal(e.msg, bad[i].msg);
		if (bad[i].code && strcmp(bad[i].words[0], "-vx"))
			assert_memory_equal(&c, &before, sizeof c);
	}
}

static void values_without_range_are_free(void **state)
{
	(void)state;
	ARGS("--at-least", "18446744073709551615", "--factor", "1e300", "--pause", "100h");
	assert_int_equal(options_parse(table, &c, argc, argv, &n, &e), 0);
	assert_int_equal(c.count, UINT64_MAX);
}

static void keys_of_a_protocol(void **state)
{
	(void)state;
	struct config c = {0};
	struct err e = ERR_INIT;
	assert_int_equal(options_set(table, &c, "verbose", "yes", &e), 0);
	assert_int_equal(options_set(table, &c, "block-size", "8 KiB", &e), 0);
	assert_true(c.verbose);
	assert_int_equal(c.block, 8192);
	assert_int_equal(options_set(table, &c, "block_size", "1", &e), -ENOENT);
	assert_string_equal(e.msg, "unknown key \"block_size\" (did you mean \"block-size\"?)");
	assert_int_equal(options_set(table, &c, "qqqqq", "1", &e), -ENOENT);
	assert_string_equal(e.msg, "unknown key \"qqqqq\"");
	assert_int_equal(options_set(table, &c, "block-size", "1", &e), -ERANGE);
	assert_string_equal(e.msg, "block-size: \"1\" is out of range: expected 512 B to 1 MiB");
	assert_int_equal(c.block, 8192);
	assert_null(options_find(table, "block"));
	assert_ptr_equal(options_find(table, "quiet"), &table[1]);
	assert_ptr_equal(options_nearest(table, "quite"), &table[1]);
	assert_null(options_nearest(table, "zzzzzzz"));
}

static void words_of_a_command_are_no_options(void **state)
{
	(void)state;
	int command;
	{
		ARGS("-v", "-o", "f", "--", "ls", "-l", "--", "x");
		assert_int_equal(options_parse_command(table, &c, argc, argv, 0, &n, &command, &e),
				 0);
		assert_int_equal(n, 0);
		assert_int_equal(command, 5);
		assert_string_equal(argv[command], "ls");
		assert_string_equal(argv[command + 2], "--");
	}
	{
		/* without "--" the command begins at the first word */
		ARGS("-v", "ls", "-v", "--count", "x");
		assert_int_equal(options_parse_command(table, &c, argc, argv, 0, &n, &command, &e),
				 0);
		assert_int_equal(command, 2);
		assert_int_equal(c.count, 1);
	}
	{
		ARGS("dev", "-v", "--", "ls");
		assert_int_equal(options_parse_command(table, &c, argc, argv, 1, &n, &command, &e),
				 0);
		assert_int_equal(n, 1);
		assert_string_equal(argv[1], "dev");
		assert_int_equal(command, 4);
		assert_true(c.verbose);
	}
	{
		ARGS("dev", "-v", "ls", "-q");
		assert_int_equal(options_parse_command(table, &c, argc, argv, 1, &n, &command, &e),
				 0);
		assert_int_equal(n, 1);
		assert_int_equal(command, 3);
		assert_true(c.verbose && !c.quiet);
	}
	{
		ARGS("-v");
		assert_int_equal(options_parse_command(table, &c, argc, argv, 1, &n, &command, &e),
				 0);
		assert_int_equal(command, argc);
		assert_int_equal(n, 0);
	}
	{
		ARGS("--");
		assert_int_equal(options_parse_command(table, &c, argc, argv, 1, &n, &command, &e),
				 0);
		assert_int_equal(command, argc);
	}
}

static void no_arguments_at_all(void **state)
{
	(void)state;
	struct config c = {0};
	int n = -1;
	char *argv[] = {"prog", NULL};
	assert_int_equal(options_parse(table, &c, 1, argv, &n, NULL), 0);
	assert_int_equal(n, 0);
}

/* the first choice of such an option is not a value */
static void a_choice_without_default(void **state)
{
	(void)state;
	struct config c = {0};
	struct err e = ERR_INIT;
	assert_int_equal(options_set(table, &c, "as", "write", &e), 0);
	assert_int_equal(c.as, 2);
	assert_int_equal(options_set(table, &c, "as", "not given", &e), -EINVAL);
	assert_string_equal(e.msg, "as: \"not given\" is not one of read, write");
	assert_int_equal(c.as, 2);
}

static void help_lists_every_option_within_80_columns(void **state)
{
	(void)state;
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	options_help(table, f);
	assert_int_equal(fclose(f), 0);
	for (const struct option_spec *o = table; o->name; o++) {
		char option[64];
		snprintf(option, sizeof option, "--%s", o->name);
		assert_non_null(strstr(text, option));
	}
	assert_non_null(strstr(text, "  -v, --verbose             say more\n"));
	assert_non_null(strstr(text, "  -b, --block-size SIZE     of one request\n"));
	assert_non_null(
	    strstr(text, "      --order ORDER         which order; one of: temporal, fs, thread, none\n"));
	assert_non_null(strstr(text, "      --as OP               operation; one of: read, write\n"));
	/* a long option name has its help on the next line */
	assert_non_null(strstr(text, "\n                            "));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		assert_true(strlen(line) <= HELP_WIDTH);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_ways_of_writing),
		cmocka_unit_test(flags),
		cmocka_unit_test(help_is_recognised),
		cmocka_unit_test(errors_name_what_is_wrong),
		cmocka_unit_test(values_without_range_are_free),
		cmocka_unit_test(keys_of_a_protocol),
		cmocka_unit_test(words_of_a_command_are_no_options),
		cmocka_unit_test(no_arguments_at_all),
		cmocka_unit_test(a_choice_without_default),
		cmocka_unit_test(help_lists_every_option_within_80_columns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
