/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Subcommands: each has a file and a row in the table; main.c contains the table. */
#pragma once

#include "common/options.h"

struct baseline;
struct campaign_options;
struct protocol;
struct report_form;

/* Exit statuses. They must not change, because scripts use them. */
enum exit_status {
	EXIT_OK = 0,	       /* done; with a verdict: trusted */
	EXIT_NOT_TRUSTED = 1,
	EXIT_USAGE = 2,
	EXIT_FAILED = 3,
	EXIT_INCONCLUSIVE = 4,
	EXIT_NOT_COMPARABLE = 5,
	EXIT_REFUSED = 6, /* refused for safety */
};

struct command {
	const char *name, *help; /* help: a line for the list of commands */
	/* argv[0] is the name of the subcommand. Returns an exit status. After a failure, main
	 * prints the message in `e`. */
	int (*run)(int argc, char **argv, struct err *e);
};

extern const struct command *const commands[]; /* NULL-terminated */

extern const struct command cmd_baseline, cmd_compare, cmd_history, cmd_pool;
extern const struct command cmd_import, cmd_export, cmd_slice;
extern const struct command cmd_capture, cmd_run, cmd_report, cmd_stats, cmd_metrics,
    cmd_microbench;
extern const struct command cmd_replay, cmd_deps, cmd_info, cmd_init, cmd_judge, cmd_claim,
    cmd_doctor, cmd_selftest, cmd_standard, cmd_version, cmd_volume;

/* Prints the --help of a subcommand: usage (`synopsis` is the text after "validate NAME", one line
 * per form), description (`about`, in lines, or NULL) and options (`table` or NULL). The test of
 * the manual pages and the shell completion read the options from this help. */
void command_help(const struct command *c, const char *synopsis, const char *about,
		  const struct option_spec *table);

/* Parses argv by `table` (options_parse) and prints the help on request. Returns -1 to continue,
 * otherwise an exit status: EXIT_OK after the help; EXIT_USAGE, with a message in `e`, for a wrong
 * option, or for fewer than `min_positional` or more than `max_positional` arguments. */
int command_parse(const struct command *c, const char *synopsis, const char *about,
		  const struct option_spec *table, void *config, int argc, char **argv,
		  int min_positional, int max_positional, int *n_positional, struct err *e);

/* Sets a message as err_set() does and returns `status`, an exit status. */
int command_fail(int status, struct err *e, int code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Returns the number of columns of the terminal on standard output; 0: there is no terminal. */
unsigned int terminal_columns(void);

/* Output of untrusted texts (names and messages from traces, results and devices) and of counts. */
/* Prints at most n bytes of s on one line. Control characters become blanks. Workflow commands of
 * CI services are made harmless (escape_line). */
void shown_print(FILE *out, const char *s, size_t n);

/* Prints `label`, the number and a text (`one` for 1, otherwise `more`), such as "note 3 requests
 * had not completed when the capture ended". Prints nothing for 0. */
void count_line(const char *label, uint64_t n, const char *one, const char *more);

/* As baseline_open, but prints a warning on standard error if the baseline has no digest. */
int baseline_input(struct baseline *b, const char *path, struct err *e);

/* Pools results directories, writes the report to `output` and prints one form of it. Returns the
 * exit status of the worst verdict; after a failure, that of "validate pool", with a message in
 * `e`. */
int pool_results(char *const *dir, size_t n, const char *output, const char *format, struct err *e);

/* "validate run --hosts": runs a protocol on each of several hosts and pools the results. */
struct run_hosts {
	const char *hosts, *launcher; /* launcher NULL: ssh */
	const char *protocol, *dir, *format;
	/* options of the campaign on a host; NULL: not given */
	const char *replicates, *device;
	int64_t budget_ns; /* 0: not given */
	bool resume, quiet;
};
/* Returns an exit status. */
int run_hosts(const struct run_hosts *r, struct err *e);

/* Shared by commands that give a verdict: campaign, analysis and report. */
/* "results-NAME-DATE-TIME". The caller frees it. */
char *run_default_dir(const char *name);

/* Checks that devices to be overwritten are named on the command line (`device`, separated by
 * commas; NULL: none) and in the protocol. Returns an exit status. */
int run_consent(const struct protocol *p, const char *device, struct err *e);

/* For --dry-run: checks what the protocol needs from the system. `dir`: results directory to be
 * made; NULL: it exists. Changes nothing. Returns an exit status. */
int run_possible(const struct protocol *p, const char *dir, struct err *e);

/* Runs the campaign, writes its report and prints one form of it. Sets the program path of `o`.
 * Returns the exit status of the verdict; EXIT_FAILED, with a message in `e`, after a failure. */
int run_campaign(const struct protocol *p, const struct campaign_options *o,
		 const struct report_form *form, struct err *e);
