/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdbool.h>
#include <cmocka.h>

#include <string.h>

#include <jansson.h>

#include "common/options.h"

struct config {
	bool flag, other;
	uint64_t n;
	int64_t time_ns;
	double factor;
	int colour;
	const char *text, *where;
};

static const char *const colours[] = {"red", "green", NULL};
#define FIELD(name) offsetof(struct config, name)
static const struct option_spec table[] = {
	{.name = "flag", .type = OPT_FLAG, .offset = FIELD(flag), .help = "x"},
	{.name = "other", .type = OPT_FLAG, .offset = FIELD(other), .help = "x"},
	{.name = "n", .type = OPT_SIZE, .offset = FIELD(n), .help = "x"},
	{.name = "time", .type = OPT_DURATION, .offset = FIELD(time_ns), .help = "x"},
	{.name = "factor", .type = OPT_DOUBLE, .offset = FIELD(factor), .help = "x"},
	{.name = "colour", .type = OPT_CHOICE, .offset = FIELD(colour), .choices = colours, .help = "x"},
	{.name = "text", .type = OPT_STRING, .offset = FIELD(text), .help = "x"},
	{.name = "where", .type = OPT_STRING, .offset = FIELD(where), .help = "x", .flags = OPT_CLI_ONLY},
	{.name = NULL},
};
static const struct config standard = {.other = true, .n = 4096, .factor = 1};

static void check_command(const struct config *c, bool with_cli_only, const char *expected)
{
	struct strbuf s = STRBUF_INIT;
	options_command(&s, table, c, &standard, with_cli_only);
	assert_string_equal(s.s, expected);
	strbuf_release(&s);
}

static void the_command_states_differing_options(void **state)
{
	(void)state;
	struct config c = standard;
	check_command(&c, true, "");
	c = (struct config){.flag = true, .n = 512, .time_ns = 1500, .factor = 0.1, .colour = 1, .text = "it's", .where = "/a b"};
	check_command(&c, false,
		      " --flag --no-other --n 512 --time 1500ns --factor 0.10000000000000001 "
		      "--colour green --text 'it'\\''s'");
	c = standard;
	c.where = "/a b";
	check_command(&c, false, "");
	check_command(&c, true, " --where '/a b'");
}

/* Parsing the described command line gives the configuration again. */
static void command_makes_it_again(void **state)
{
	(void)state;
	struct config c = {.flag = true, .n = 123456789, .time_ns = 77, .factor = 1.0 / 3, .colour = 1, .text = "plain"}, again = standard;
	struct strbuf s = STRBUF_INIT;
	char *argv[32] = {(char *)(uintptr_t)"x"};
	int argc = 1, n;
	struct err e = ERR_INIT;
	options_command(&s, table, &c, &standard, true);
	for (char *word = strtok(s.s, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	assert_int_equal(options_parse(table, &again, argc, argv, &n, &e), 0);
	assert_true(again.flag == c.flag && again.other == c.other && again.n == c.n &&
		    again.time_ns == c.time_ns);
	assert_true(again.factor == c.factor && again.colour == c.colour);
	assert_string_equal(again.text, c.text);
	strbuf_release(&s);
}

static void json_has_all_settings(void **state)
{
	(void)state;
	json_t *o = options_to_json(table, &standard);
	assert_int_equal(json_object_size(o), 7);
	assert_true(json_is_false(json_object_get(o, "flag")));
	assert_int_equal(json_integer_value(json_object_get(o, "n")), 4096);
	assert_string_equal(json_string_value(json_object_get(o, "colour")), "red");
	assert_true(json_is_null(json_object_get(o, "text")));
	assert_null(json_object_get(o, "where"));
	json_decref(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_command_states_differing_options),
		cmocka_unit_test(command_makes_it_again),
		cmocka_unit_test(json_has_all_settings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
