/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One table describes a configuration: its command-line options, its keys in a protocol file, its
 * help and its manual page. Each row names a field of a plain struct. The struct must contain the
 * defaults before options are parsed. */
#pragma once

#include "common/std.h"

enum option_type {	/* the comments give the type of the field in C */
	OPT_FLAG, /* bool; "--name" or "--no-name"; "name = yes" or "name = no" in a protocol */
	OPT_STRING,	/* const char *, borrowed from argv or the protocol */
	OPT_UINT,	/* uint64_t */
	OPT_INT,	/* int64_t */
	OPT_DOUBLE,	/* double */
	OPT_SIZE,	/* uint64_t, bytes (units.h) */
	OPT_DURATION,	/* int64_t, ns (units.h) */
	OPT_RATIO,	/* double, "10%" is 0.1 */
	OPT_CHOICE,	/* int, index into choices */
	OPT_LIST,	/* struct option_list: the option may be given several times */
};

struct option_list {
	const char *text[64]; /* text[n], borrowed */
	size_t n;
};

struct option_spec {
	const char *name; /* long name without dashes; NULL ends the table */
	char letter;	  /* short name, or 0 */
	enum option_type type;
	size_t offset;		    /* offsetof the field */
	/* name of the value in help: "N", "DIR"; NULL for flags */
	const char *arg;
	/* one line, lower case, no full stop at the end; states the default at its end */
	const char *help;
	const char *const *choices; /* OPT_CHOICE: NULL-terminated */
	/* heading in the help above this row; NULL: the row belongs to the group above */
	const char *group;
	/* numbers: allowed range; both 0: any number; max below min: no upper limit */
	double min, max;
	/* OPT_CLI_ONLY: not a key of a protocol (file names, -o); OPT_NONE */
	unsigned int flags;
};
/* A row: OPTION(UINT, "depth", offsetof(struct config, depth), .arg = "N", .help = "...") */
#define OPTION(kind, option, field, ...)                                                           \
	{.name = option, .type = OPT_##kind, .offset = field, __VA_ARGS__}
#define OPT_CLI_ONLY 1u
/* numbers: "none" is allowed. Its value is NaN, -1 for signed types, the largest number for
 * unsigned types */
#define OPT_NONE 2u
/* choices: the first choice means "not given", and users cannot select it */
#define OPT_UNSET 4u
/* strings: "-" is refused, because this option names an output that never goes to standard
 * output */
#define OPT_NOT_STDOUT 8u

/* Sets one field from text. Errors: EINVAL or ERANGE with name and value; ENOENT: unknown name; the
 * message suggests the nearest known name. After an error the field is unchanged. */
int options_set(const struct option_spec *table, void *config, const char *name, const char *value,
		struct err *e);

/* Sets one field from "KEY=VALUE", which is split at the equals sign. Errors: as options_set;
 * EINVAL: no equals sign. */
int options_set_item(const struct option_spec *table, void *config, char *item, struct err *e);

/* The row with this name, or NULL. */
const struct option_spec *options_find(const struct option_spec *table, const char *name);

/* The row with the name nearest to a mistyped name, or NULL (nearest_name in units.h). For callers
 * that write their own message, for example for a key that only the command line has. */
const struct option_spec *options_nearest(const struct option_spec *table, const char *name);

/* Parses argv[1..argc-1]: "--name value", "--name=value", "-n value", "-nvalue". Flags may be
 * joined ("-vq"). "--" ends the options. Positional arguments are moved to the front:
 * argv[1..*n_positional]. Returns 1 at once for "--help" and "-h" (unless the table has "h"); the
 * caller then prints the help. Errors: as options_set; the message names the option as "--name".
 *
 * `command`: for a command line that ends in the command of another program; NULL for others. At
 * most `max_positional` positional arguments are taken. The next positional argument, or the first
 * word after "--", begins the command. The command keeps its order in argv[*command..argc-1];
 * *command is argc if there is no command. With max_positional 0, the command begins at the first
 * word that is not an option. */
int options_parse_command(const struct option_spec *table, void *config, int argc, char **argv,
			  int max_positional, int *n_positional, int *command, struct err *e);

/* The same for other command lines. */
static inline int options_parse(const struct option_spec *table, void *config, int argc,
				char **argv, int *n_positional, struct err *e)
{
	return options_parse_command(table, config, argc, argv, INT_MAX, n_positional, NULL, e);
}

#define HELP_WIDTH 80

/* Prints a line of --help: `left`, then `right` in its own column, wrapped at HELP_WIDTH. */
void help_row(FILE *out, const char *left, const char *right);

/* Prints the options of --help: aligned, wrapped at HELP_WIDTH columns, with all choices. A row
 * with a group begins with a blank line and the heading. */
void options_help(const struct option_spec *table, FILE *out);

/* --- a configuration as JSON and as a command line ------------------------ */

/* The options that a protocol can set, by name: numbers in bytes and ns, choices as text. New
 * reference; NULL: no memory. */
struct json_t *options_to_json(const struct option_spec *table, const void *config);

/* Appends " --name value" for every row in which `config` differs from `standard`. Rows that only
 * the command line has (OPT_CLI_ONLY) are included if `with_cli_only`. */
void options_command(struct strbuf *out, const struct option_spec *table, const void *config,
		     const void *standard, bool with_cli_only);

/* The first row of `table` in which `config` differs from `standard`; NULL: none. */
const struct option_spec *options_changed(const struct option_spec *table, const void *config,
					  const void *standard);

/* Appends a word, in single quotes if a shell would change it otherwise. */
void shell_word(struct strbuf *out, const char *word);
