/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subcommands: one file and one row each; main.c holds the table. */
#ifndef COMMANDS_COMMANDS_H
#define COMMANDS_COMMANDS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/err.h"
#include "common/options.h"

struct baseline;
struct campaign_options;
struct protocol;
struct report_form;

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
	/* argv[0] is the subcommand's name. Returns an exit status; a failure's story is in `e` and
	 * main prints it. */
	int (*run)(int argc, char **argv, struct err *e);
};

extern const struct command *const commands[]; /* NULL-terminated */

extern const struct command cmd_baseline, cmd_compare, cmd_history, cmd_pool;
extern const struct command cmd_import, cmd_export, cmd_slice;
extern const struct command cmd_capture, cmd_run, cmd_report, cmd_stats, cmd_metrics,
    cmd_microbench;
extern const struct command cmd_replay, cmd_deps, cmd_info, cmd_init, cmd_judge, cmd_doctor,
    cmd_selftest, cmd_version, cmd_volume;

/* What --help of a subcommand prints on stdout: its usage (`synopsis` is what follows "validate
 * NAME", one line for each form), what it does (`about`, lines as they are to be printed, or NULL)
 * and its options (`table` or NULL). The test of the manual and shell completion read the options
 * from here. */
void command_help(const struct command *c, const char *synopsis, const char *about,
		  const struct option_spec *table);

/* The common start of a subcommand: parses argv by `table` (options_parse), printing help where
 * asked. Returns -1 to go on, else the exit status to return: EXIT_OK after help, EXIT_USAGE with
 * the story in `e` for a wrong option or fewer than `min_positional` or more than `max_positional`
 * positionals. */
int command_parse(const struct command *c, const char *synopsis, const char *about,
		  const struct option_spec *table, void *config, int argc, char **argv,
		  int min_positional, int max_positional, int *n_positional, struct err *e);

/* Lines on a terminal: texts of others (names and messages from traces, results, devices),
 * counts. */
/* Prints at most n bytes of s, on one line: control characters become blanks, and no workflow
 * command of a CI service remains (escape_line). */
void shown_print(FILE *out, const char *s, size_t n);

/* Prints `label`, how many and what: `one` of one, `more` of another number; "note  3 requests had
 * not completed at the end". Prints nothing where there are none. */
void count_line(const char *label, uint64_t n, const char *one, const char *more);

/* As baseline_open. Prints a warning on standard error where the baseline has no digest. */
int baseline_input(struct baseline *b, const char *path, struct err *e);

/* What the commands that end in a verdict share: a campaign, its analysis and its report. */
/* "results-NAME-DATE-TIME"; the caller frees. */
char *run_default_dir(const char *name);

/* The devices that may be overwritten are named on the command line (`device`, separated by commas;
 * NULL none) and in the protocol. Returns an exit status. */
int run_consent(const struct protocol *p, const char *device, struct err *e);

/* Runs the campaign (`o` but for self, which is found out), writes its report and prints one form
 * of it. Returns an exit status: that of the verdict, or EXIT_FAILED with the story in `e`. */
int run_campaign(const struct protocol *p, const struct campaign_options *o,
		 const struct report_form *form, struct err *e);

#endif
