/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One table describes a configuration: its command-line options, its keys in a protocol file, its
 * help and its man page. A row names a field of a plain struct; the struct is filled with defaults
 * first. */
#pragma once

#include "common/std.h"

enum option_type {	/* and the field's C type */
	OPT_FLAG,	/* bool; --name, --no-name, or name = yes|no in a protocol */
	OPT_STRING,	/* const char *, borrowed from argv or the protocol */
	OPT_UINT,	/* uint64_t */
	OPT_INT,	/* int64_t */
	OPT_DOUBLE,	/* double */
	OPT_SIZE,	/* uint64_t, bytes (units.h) */
	OPT_DURATION,	/* int64_t, ns (units.h) */
	OPT_RATIO,	/* double, "10%" is 0.1 */
	OPT_CHOICE,	/* int, index into choices */
	OPT_LIST,	/* struct option_list: an option that may come several times */
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
	/* one line, lower case, no full stop; the default in words at its end */
	const char *help;
	const char *const *choices; /* OPT_CHOICE: NULL-terminated */
	/* help: heading above this row; NULL: the row continues the group above */
	const char *group;
	/* numbers: allowed range, both 0 for none; max below min: no upper limit */
	double min, max;
	/* OPT_CLI_ONLY: no key of a protocol (file names, -o); OPT_NONE */
	unsigned int flags;
};
/* A row: OPTION(UINT, "depth", offsetof(struct config, depth), .arg = "N", .help = "...") */
#define OPTION(kind, option, field, ...)                                                           \
	{.name = option, .type = OPT_##kind, .offset = field, __VA_ARGS__}
#define OPT_CLI_ONLY 1u
/* numbers: "none" is a value too: NaN, -1 of signed types, the largest number of unsigned ones */
#define OPT_NONE 2u
/* choices: the first stands for "not given" and is not a value */
#define OPT_UNSET 4u

/* Sets one field from text. Errors: EINVAL/ERANGE with name and value; ENOENT for an unknown name,
 * with the nearest known one in the message. On an error the field is unchanged. */
int options_set(const struct option_spec *table, void *config, const char *name, const char *value,
		struct err *e);

const struct option_spec *options_find(const struct option_spec *table, const char *name);

/* The row whose name is nearest to a mistyped one, or NULL (nearest_name in units.h). For callers
 * with a message of their own, as for a key that only the command line has. */
const struct option_spec *options_nearest(const struct option_spec *table, const char *name);

/* Parses argv[1..argc-1]: "--name value", "--name=value", "-n value", "-nvalue"; flags may be
 * joined ("-vq"); "--" ends options. Positionals are moved to the front: argv[1..*n_positional].
 * "--help" and "-h" (unless the table has an "h") make it return 1 at once; the caller prints.
 * Errors: as options_set; the message names the option as "--name". */
int options_parse(const struct option_spec *table, void *config, int argc, char **argv,
		  int *n_positional, struct err *e);

/* As options_parse for command lines that end in the command of another program: takes at most
 * `max_positional` positionals, and leaves the next one and all behind it, or behind "--", in
 * order: argv[*command..argc-1], with *command = argc if there is none. With max_positional 0 it
 * stops at the first word that is no option. */
int options_parse_command(const struct option_spec *table, void *config, int argc, char **argv,
			  int max_positional, int *n_positional, int *command, struct err *e);

#define HELP_WIDTH 80

/* A line of --help: `left`, then `right` in its own column, broken before HELP_WIDTH. */
void help_row(FILE *out, const char *left, const char *right);

/* The options part of --help: aligned, wrapped at HELP_WIDTH columns, choices listed. A row with a
 * group begins with a blank line and the heading. */
void options_help(const struct option_spec *table, FILE *out);

/* --- a configuration as JSON and as a command line ------------------------ */

/* The options that a protocol can set, by name: numbers in bytes and ns, choices by name. New
 * reference; NULL: no memory. */
struct json_t *options_to_json(const struct option_spec *table, const void *config);

/* Appends " --name value" for every row in which `config` differs from `standard`; rows of the
 * command line only (OPT_CLI_ONLY) where `with_cli_only`. */
void options_command(struct strbuf *out, const struct option_spec *table, const void *config,
		     const void *standard, bool with_cli_only);

/* The first row of `table` in which `config` differs from `standard`; NULL: none. */
const struct option_spec *options_changed(const struct option_spec *table, const void *config,
					  const void *standard);

/* Appends a word quoted for a shell, in single quotes if it needs any. */
void shell_word(struct strbuf *out, const char *word);
