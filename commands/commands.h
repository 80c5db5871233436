/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subcommands: one file and one row each; main.c holds the table. */
#ifndef COMMANDS_COMMANDS_H
#define COMMANDS_COMMANDS_H

#include "common/err.h"
#include "common/options.h"

/* DESIGN: exit statuses scripts may rely on. */
enum exit_status {
	EXIT_OK = 0,	       /* done; where there is a verdict: trusted */
	EXIT_NOT_TRUSTED = 1,
	EXIT_USAGE = 2,
	EXIT_FAILED = 3,
	EXIT_INCONCLUSIVE = 4,
	EXIT_NOT_COMPARABLE = 5,
	EXIT_REFUSED = 6, /* for safety */
};

struct command {
	const char *name, *help; /* help: one line for the list */
	/* argv[0] is the subcommand's name. Returns an exit status; a failure's story is in `e` and main prints it. */
	int (*run)(int argc, char **argv, struct err *e);
};

extern const struct command *const commands[]; /* NULL-terminated */

extern const struct command cmd_baseline, cmd_compare, cmd_history, cmd_pool;
extern const struct command cmd_import, cmd_export, cmd_slice;
extern const struct command cmd_capture, cmd_run, cmd_report, cmd_stats, cmd_metrics, cmd_microbench;
extern const struct command cmd_replay, cmd_deps, cmd_info, cmd_init, cmd_judge, cmd_doctor, cmd_selftest, cmd_version, cmd_volume;

/* What --help of a subcommand prints on stdout: its usage (`synopsis` is what follows "validate NAME", one line for each
 * form), what it does (`about`, lines as they are to be printed, or NULL) and its options (`table` or NULL). The test of
 * the manual and shell completion read the options from here. */
void command_help(const struct command *c, const char *synopsis, const char *about, const struct option_spec *table);

/* The common start of a subcommand: parses argv by `table` (options_parse), printing help where asked. Returns -1 to go on,
 * else the exit status to return: EXIT_OK after help, EXIT_USAGE with the story in `e` for a wrong option or fewer than
 * `min_positional` or more than `max_positional` positionals. */
int command_parse(const struct command *c, const char *synopsis, const char *about, const struct option_spec *table,
		  void *config, int argc, char **argv, int min_positional, int max_positional, int *n_positional,
		  struct err *e);

#endif
