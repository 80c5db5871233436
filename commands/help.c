/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"

void command_help(const struct command *c, const char *synopsis, const char *about, const struct option_spec *table)
{
	const char *lead = "Usage:";
	do {
		size_t len = strcspn(synopsis, "\n");
		printf("%s validate %s%s%.*s\n", lead, c->name, len ? " " : "", (int)len, synopsis);
		synopsis += len + (synopsis[len] == '\n');
		lead = "      ";
	} while (*synopsis);
	printf("\n%s\n", about ? about : c->help);
	if (table && table->name) {
		printf("\nOptions:\n");
		options_help(table, stdout);
	}
	printf("%s  -h, --help%*sprint this and end\n", table && table->name ? "" : "\nOptions:\n", 16, "");
}

int command_parse(const struct command *c, const char *synopsis, const char *about, const struct option_spec *table,
		  void *config, int argc, char **argv, int min_positional, int max_positional, int *n_positional,
		  struct err *e)
{
	int ret = options_parse(table, config, argc, argv, n_positional, e);
	if (ret > 0) {
		command_help(c, synopsis, about, table);
		return EXIT_OK;
	}
	if (ret < 0)
		return EXIT_USAGE;
	const char *shown = *synopsis ? synopsis : "has no arguments";
	int shown_len = (int)strcspn(shown, "\n");
	if (*n_positional > max_positional) {
		err_set(e, EINVAL, "unexpected argument \"%s\": usage is validate %s %.*s", argv[max_positional + 1],
			c->name, shown_len, shown);
		return EXIT_USAGE;
	}
	if (*n_positional < min_positional) {
		err_set(e, EINVAL, "an argument is missing: usage is validate %s %.*s", c->name, shown_len, shown);
		return EXIT_USAGE;
	}
	return -1;
}
