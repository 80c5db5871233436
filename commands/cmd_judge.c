/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate judge: judges replayers for one trace with a generated protocol. */

#include <ctype.h>

#include "commands/commands.h"
#include "commands/judge_options.h"
#include "common/options.h"
#include "common/units.h"
#include "reports/escape.h"
#include "reports/forms.h"
#include "validate/campaign/campaign.h"
#include "validate/campaign/chances.h"

static const struct option_spec judge_options[] = {
	JUDGE_TRACE_ROWS(
	    "replayer to judge: an engine of \"validate replay --list-engines\", with options "
	    "after a colon: event:order=fs,timing=think. Repeat the option for several replayers "
	    "(default: every replayer that can replay the trace, see the manual page)",
	    ""),
	OPTION(UINT, "replicates", JUDGE_FIELD(replicates), .group = "Campaign and output",
	       .arg = "N", .min = 2, .max = 10000,
	       .help = "number of replays with each replayer, not counting the warm-up; with "
	       "--rerun, also the number of runs of the command (default: 10, and 20 with "
	       "--rerun)"),
	JUDGE_OUTPUT_ROWS("judge"),
	{.name = NULL},
};

static const char synopsis[] =
    "[--rerun] [--with REPLAYER]... [--dir DIR | --device DEV --destructive] [options] TRACE";
static const char about[] =
	"Replays TRACE several times with each replayer, in random order and from the\n"
	"same initial state. Then judges the replayers. The reference is one of these:\n"
	"\n"
	"--rerun: new runs of the captured command, between the replays.\n"
	"Otherwise: the recording. It may have been made on another day, under another\n"
	"load or on other storage. If the times of the replays differ from the\n"
	"recording, the verdict is therefore inconclusive (status 4), and the report adds\n"
	"\"differs from the recording\". An engine of validate also replays the trace, as\n"
	"a control.\n"
	"\n"
	"The command makes a protocol, prints it, and stores it in the results directory.\n"
	"\"validate run\" can run this protocol again.\n"
	"\n"
	"Exit status: 0 every replayer is trusted, 1 a replayer is not trusted, 2 wrong\n"
	"usage, 3 failed, 4 inconclusive, 6 refused for safety.";

/* ns; overhead of a run in addition to its requests, measured with some files */
#define OVERHEAD_NS 3e8

/* Warns before the start about properties that cannot be judged. */
static void responses_warn(const struct judged *j)
{
	if (j->n_ended)
		return;
	fprintf(stderr,
		"validate: %s: none of its %" PRIu64 " request%s has a response time%s. Only "
		"order, issue times, execution time and fidelity can be judged. These properties "
		"do not suffice to call a replayer trusted. To judge response times, record the "
		"program itself: \"validate capture app\" (files), or \"validate capture block\" "
		"(a device)\n",
		j->path, j->n, j->n == 1 ? "" : "s", j->is_iolog ? " (a fio iolog has none)" : "");
}

/* Appends the command in shell syntax, and `base`, for display. Replaces control characters, so
 * that a trace cannot hide its command. */
static void rerun_show(struct strbuf *command, struct strbuf *base, const struct rerun *r)
{
	SCOPED_STRBUF words = STRBUF_INIT;
	for (size_t i = 0; i < r->command.n; i++) {
		strbuf_addstr(&words, i ? " " : "");
		shell_word(&words, r->command.argv[i]);
	}
	escape_line(command, words.s);
	escape_line(base, r->base);
}

/* Prints the command that runs again and its directory, or how to run it again. */
static void rerun_print(const struct judge_config *c, const struct judged *j,
		       const struct strbuf *script)
{
	SCOPED_STRBUF command = STRBUF_INIT, base = STRBUF_INIT;
	if (!j->no_rerun.code)
		rerun_show(&command, &base, &j->rerun);
	if (c->rerun)
		printf("Runs this command again in a fresh copy of %s. Each run repeats the "
		       "effects of the command outside the copy (other files, network):\n  "
		       "%s\n\n", base.s, command.s);
	else if (command.len)
		printf("The reference is the recording. --rerun runs the captured command again "
			"instead: %s\n\n", command.s);
	for (const char *line = script->s; c->rerun && c->dry_run && *line;) {
		const size_t len = strcspn(line, "\n");
		SCOPED_FREE char *one = xasprintf("%.*s", (int)len, line);
		SCOPED_STRBUF shown = STRBUF_INIT;
		escape_line(&shown, one);
		puts(shown.s);
		line += len + (line[len] == '\n');
	}
}

/* Asks the user at the terminal whether the captured command may run. */
static bool rerun_ask(const struct judge_config *c, const struct judged *j)
{
	SCOPED_STRBUF command = STRBUF_INIT, base = STRBUF_INIT;
	char answer[16] = "";
	if (c->rerun || c->quiet || c->dry_run || j->no_rerun.code || !isatty(STDIN_FILENO) ||
	    !isatty(STDERR_FILENO))
		return c->rerun;
	rerun_show(&command, &base, &j->rerun);
	fprintf(stderr,
		"Run this command of the trace again between the replays, in a fresh copy of "
		"%s?\n  "
		"%s\n[y/N] ",
		base.s, command.s);
	return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

static int rerun_check(const struct judge_config *c, const struct judged *j, struct err *e)
{
	struct stat st;
	if (!c->rerun)
		return c->files ? err_set(e, EINVAL, "--files needs --rerun") : 0;
	if (j->no_rerun.code)
		return err_set(e, EINVAL, "%s", j->no_rerun.msg);
	if (j->level == LEVEL_BLOCK)
		return err_set(e, EINVAL, "--rerun needs a trace of calls on files; for a device "
					  "use \"validate run\" with a workload of type program");
	if (c->files && (stat(c->files, &st) < 0 || !S_ISDIR(st.st_mode)))
		return err_set(e, EINVAL, "--files %s: there is no such directory", c->files);
	return 0;
}

/* The name in [replayer NAME] at the beginning of `line`, not terminated; NULL for another line. */
static const char *replayer_name(const char *line, size_t *len)
{
	static const char section[] = "[replayer ";
	if (strncmp(line, section, strlen(section)))
		return NULL;
	*len = strcspn(line + strlen(section), "]\n");
	return line + strlen(section);
}

/* The protocol is a temporary file. So the message names the option from which the line comes,
 * instead of the line. */
static void option_name(struct err *e, const char *path, const char *protocol)
{
	size_t n = 0;
	if (strncmp(e->msg, path, strlen(path)))
		return;
	char *end = e->msg + strlen(path) + 1;
	/* "PATH:LINE: MESSAGE" or "PATH: MESSAGE" */
	unsigned long line = isdigit((unsigned char)*end) ? strtoul(end, &end, 10) : 0;
	const char *text = end + strspn(end, ": "), *name = replayer_name(text, &n);
	if (name) {
		text = name + n + strspn(name + n, "]: ");
	} else {
		for (const char *at = protocol; at && line--; at = at ? at + 1 : NULL) {
			name = *at == '[' ? replayer_name(at, &n) : name;
			at = strchr(at, '\n');
		}
	}
	const int code = e->code;
	SCOPED_FREE char *message = xstrdup(text);
	if (name)
		err_set(e, -code, "--with %.*s: %s", (int)n, name, message);
	else
		err_set(e, -code, "%s", message);
}

static int protocol_run(const struct judge_config *c, const struct judged *j,
			const struct report_form *form, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT, script = STRBUF_INIT;
	SCOPED(protocol_release) struct protocol p = {0};
	SCOPED_FREE char *name = xasprintf("%s-%s", c->claim ? "claim" : "judge", j->name);
	char *path = NULL, *dir = NULL, *files = c->files ? realpath(c->files, NULL) : NULL;
	int status =
	    rerun_check(c, j, e) || judge_protocol_make(&text, c, j, e) ? EXIT_USAGE : EXIT_OK;
	if (status == EXIT_OK && c->rerun)
		rerun_script(&script, &j->rerun, files);
	if (status == EXIT_OK &&
	    judge_protocol_write(&text, c->rerun ? &script : NULL, name, &path, e))
		status = EXIT_FAILED;
	if (status == EXIT_OK &&
	    (protocol_read(&p, path, e) || replayers_find(&p, e) || chances_check(&p, e))) {
		option_name(e, path, text.s);
		status = EXIT_USAGE;
	}
	if (status == EXIT_OK)
		responses_warn(j);
	if (status == EXIT_OK && (!c->quiet || c->dry_run)) {
		printf("%s\n", text.s);
		rerun_print(c, j, &script);
		/* prints the number of runs and the expected time */
		const uint64_t n_runs = protocol_n_runs(&p);
		printf("Trace: %" PRIu64 " request%s in %s\nCampaign: %" PRIu64
		       " runs, about %s (each run: duration of the trace, plus %s of other "
		       "work)\n\n",
		       j->n, j->n == 1 ? "" : "s", duration_text((double)j->lasts_ns).s, n_runs,
		       duration_text((double)n_runs * ((double)j->lasts_ns + OVERHEAD_NS)).s,
		       duration_text(OVERHEAD_NS).s);
		fflush(stdout);
	}
	if (status == EXIT_OK)
		status = run_consent(&p, c->destructive ? c->device : NULL, e);
	dir = c->output ? xstrdup(c->output) : run_default_dir(p.name);
	if (status == EXIT_OK && c->dry_run)
		status = run_possible(&p, dir, e);
	else if (status == EXIT_OK)
		status = run_campaign(&p, &(struct campaign_options){.dir = dir, .quiet = c->quiet},
				      form, e);
	judge_protocol_remove(path);
	FREE_EACH(files, dir);
	return status;
}

int judge_trace(struct judge_config *c, const char *path, struct err *e)
{
	const struct report_form *form;
	SCOPED(judged_release) struct judged j = {0};
	if (report_form_choose(c->format, &form, e) < 0)
		return EXIT_USAGE;
	if (judged_read(&j, path, e))
		return EXIT_FAILED;
	const bool block = j.level == LEVEL_BLOCK;
	if (block ? !c->device : c->device != NULL)
		return command_fail(
		    EXIT_USAGE, e, EINVAL,
		    block ? "--device is missing: %s is a trace of a device's requests"
			  : "--device: %s is a trace of calls on files: use --dir",
		    path);
	if (block && !c->destructive)
		return command_fail(
		    EXIT_USAGE, e, EINVAL,
		    "--destructive is missing: the replays can overwrite the content of %s",
		    c->device);
	c->rerun = j.rerun_wanted = rerun_ask(c, &j);
	return protocol_run(c, &j, form, e);
}

static int judge_run(int argc, char **argv, struct err *e)
{
	struct judge_config c = {.format = "terminal"};
	int n_positional;
	const int status = command_parse(&cmd_judge, synopsis, about, judge_options, &c, argc, argv,
					 1, 1, &n_positional, e);
	return status >= 0 ? status : judge_trace(&c, argv[1], e);
}

const struct command cmd_judge = {"judge", "judge replayers by replays of one trace", judge_run};
