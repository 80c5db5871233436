/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate init: prints a commented protocol to start from. */

#include "commands/commands.h"
#include "common/files.h"
#include "common/units.h"
#include "microbench/microbench.h"
#include "replay/replay.h"
#include "validate/protocol/protocol.h"

static const char synopsis[] = "[--full] [FILE]";
static const char about[] =
	"Writes a short protocol with comments to FILE and never overwrites a file. FILE\n"
	"is protocol.conf by default; - is standard output. --full adds every key with\n"
	"its meaning and default. The protocol can be run at once: \"validate run FILE\".";

#define COMMENT_WIDTH 110

/* Adds a comment, wrapped at COMMENT_WIDTH. */
static void comment_add(struct strbuf *out, const char *text)
{
	size_t at = 0;
	while (*text) {
		size_t len = strcspn(text, " ");
		if (at && at + 1 + len > COMMENT_WIDTH) {
			strbuf_addch(out, '\n');
			at = 0;
		}
		strbuf_addf(out, "%s%.*s", at ? " " : "; ", (int)len, text);
		at += len + (at ? 1 : 2);
		text += len;
		text += strspn(text, " ");
	}
	strbuf_addch(out, '\n');
}

/* Adds every protocol key of a table as a comment with its help. */
static void keys_add(struct strbuf *out, const struct option_spec *table, const char *const *but)
{
	for (; table->name; table++) {
		if (table->flags & OPT_CLI_ONLY || word_in(table->name, but))
			continue;
		SCOPED_STRBUF line = STRBUF_INIT;
		strbuf_addf(&line, "%s = %s%s - %s", table->name,
			    table->arg ? table->arg : "yes|no",
			    table->flags & OPT_NONE ? "|none" : "", table->help);
		for (size_t i = 0; table->type == OPT_CHOICE && table->choices[i]; i++)
			strbuf_addf(&line, "%s%s", i ? ", " : ": ", table->choices[i]);
		comment_add(out, line.s);
	}
}

static void names_add(struct strbuf *out)
{
	SCOPED_STRBUF line = STRBUF_INIT;
	strbuf_addstr(&line, "type: the workload;");
	for (const struct workload *const *w = workloads; *w; w++)
		strbuf_addf(&line, " %s (%s)%s", (*w)->name, (*w)->help, w[1] ? "," : "");
	comment_add(out, line.s);
}

static void engines_add(struct strbuf *out)
{
	SCOPED_STRBUF line = STRBUF_INIT;
	strbuf_addstr(&line, "engine:");
	for (const struct replay_engine *const *g = replay_engines; *g; g++)
		strbuf_addf(&line, " %s (%s),", (*g)->name, (*g)->help);
	strbuf_addstr(&line,
		" program (the program itself in place of the replayer, as a faultless replayer)");
	comment_add(out, line.s);
}

/* The default limits. */
static void limits_add(struct strbuf *out)
{
	for (int k = 0; k < COMPONENT_N; k++) {
		double limit = accept_limit(&accept_defaults, k);
		if (!isnan(limit) && accept_keys[k].type == OPT_RATIO)
			strbuf_addf(out, "%s = %.4g%%\n", accept_keys[k].name, 100 * limit);
		else if (!isnan(limit))
			strbuf_addf(out, "%s = %.4g\n", accept_keys[k].name, limit);
	}
	strbuf_addf(out, "execution-time-timed = %.4g%%\n",
		    100 * accept_defaults.execution_time_timed);
}

static void protocol_write(struct strbuf *out, bool full)
{
	static const char *const set_by_campaign[] = {"seed", "min-duration", NULL};
	strbuf_addf(
	    out,
	    "; A validation protocol: workloads to record, replayers that replay them, and "
	    "limits.\n"
	    "; Run it with: validate run FILE        First look: validate run FILE --dry-run\n"
	    ";\n"
	    "; Lists make a grid: \"level = 1,2\" makes two scenarios of a workload. A semicolon "
	    "begins a\n"
	    "; comment. %s\n"
	    "\n"
	    "[protocol]\n"
	    "title = A first protocol\n"
	    "replicates = 20\n"
	    "bank = 5\n",
	    full ? "Each section lists its keys as comments."
		 : "\"validate init --full\" lists every key.");
	if (full)
		keys_add(out, protocol_keys, NULL);
	strbuf_addstr(
	    out, "\n; The place of the workloads' files. dir = DIR selects another file system.\n"
		 "[target here]\n"
		 "cache = cold\n"
		 "cache-budget = 4M\n");
	if (full)
		keys_add(out, target_keys, NULL);
	strbuf_addstr(out,
		      "\n; A program. It takes a time stamp before and after each of its calls.\n"
		      "[workload reads]\n"
		      "type = random-read\n"
		      "level = 1,2\n"
		      "requests = 500\n"
		      "file-size = 16M\n");
	if (full) {
		names_add(out);
		keys_add(out, microbench_options, set_by_campaign);
	}
	strbuf_addstr(out, "\n; A replayer to judge.\n"
			   "[replayer event]\n"
			   "engine = event\n"
			   "order = temporal\n");
	if (full) {
		engines_add(out);
		comment_add(
		    out,
		    "workloads = NAME,... - replay only these sections or scenarios (default all)");
		comment_add(out, "mutant-workloads = NAME,... - the mutant acts only in these "
			"sections or scenarios (default all)");
		keys_add(out, replay_options, NULL);
	}
	strbuf_addstr(out, "\n; Limits of acceptance, with their default values.\n"
			   "[accept]\n");
	limits_add(out);
	if (!full)
		return;
	keys_add(out, accept_keys, NULL);
	strbuf_addstr(out, "\n; Largest changes between two versions of a replayer before "
			   "\"validate compare\" says worse.\n[compare]\n");
	keys_add(out, compare_keys, NULL);
	strbuf_addstr(
	    out, "\n; [claim NAME]: a published finding, compared with the results. Its keys:\n");
	keys_add(out, claim_keys, NULL);
}

static int file_create(const char *path, const struct strbuf *text, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0 && errno == EEXIST)
		return err_set(e, EEXIST, "%s exists and is not overwritten: name another FILE",
			       path);
	if (fd < 0)
		return err_sys(e, errno, "cannot create %s", path);
	int ret = write_all(fd, text->s, text->len);
	if (!ret && fsync(fd) < 0 && errno != EINVAL)
		ret = -errno;
	if (close(fd) < 0 && !ret)
		ret = -errno;
	if (ret) {
		unlink(path);
		return err_sys(e, -ret, "cannot write %s", path);
	}
	return 0;
}

static int init_run(int argc, char **argv, struct err *e)
{
	bool full = false;
	static const struct option_spec init_options[] = {
		OPTION(FLAG, "full", 0,
		       .help = "add every key as a comment, with its meaning and default"),
		{.name = NULL},
	};
	SCOPED_STRBUF text = STRBUF_INIT;
	int n_positional;
	int status = command_parse(&cmd_init, synopsis, about, init_options, &full, argc, argv, 0,
				   1, &n_positional, e);
	if (status >= 0)
		return status;
	const char *path = n_positional ? argv[1] : "protocol.conf";
	protocol_write(&text, full);
	if (!strcmp(path, "-")) {
		fwrite(text.s, 1, text.len, stdout);
		status = EXIT_OK;
	} else {
		status = file_create(path, &text, e) < 0 ? EXIT_FAILED : EXIT_OK;
		if (status == EXIT_OK)
			printf("%s written; next: validate run %s --dry-run\n", path, path);
	}
	return status;
}

const struct command cmd_init = {"init", "write a protocol as a starting point", init_run};
