/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate init: prints a commented protocol to start from. */

#include "commands/commands.h"
#include "common/embed.h"
#include "common/files.h"
#include "common/options.h"
#include "common/units.h"
#include "microbench/microbench.h"
#include "replay/replay.h"
#include "validate/protocol/protocol.h"

static const char synopsis[] = "[--full] [FILE]";
static const char about[] =
	"Writes a short protocol with comments to FILE (default protocol.conf; - is\n"
	"standard output). An existing file is never overwritten. \"validate run FILE\"\n"
	"runs the protocol.\n"
	"\n"
	"Exit status: 0 done, 2 wrong usage, 3 FILE exists or cannot be written.";

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

/* Adds every protocol key of a table as a comment, with its help. */
static void keys_add(struct strbuf *out, const char *name)
{
	static const char *const set_by_campaign[] = {"seed", "min-duration", NULL};
	static const struct {
		const char *name;
		const struct option_spec *table;
		const char *const *but;
	} part[] = {{"protocol", protocol_keys, NULL}, {"target", target_keys, NULL},
		    {"workload", microbench_options, set_by_campaign},
		    {"replayer", replay_options, NULL}, {"accept", accept_keys, NULL},
		    {"compare", compare_keys, NULL}, {"claim", claim_keys, NULL}};
	size_t k = 0;
	while (strcmp(part[k].name, name))
		k++;
	for (const struct option_spec *table = part[k].table; table->name; table++) {
		if (table->flags & OPT_CLI_ONLY || word_in(table->name, part[k].but))
			continue;
		SCOPED_STRBUF line = STRBUF_INIT;
		strbuf_addf(&line, "%s = %s%s - %s", table->name,
			    table->arg ? table->arg : "yes|no",
			    table->flags & OPT_NONE ? "|none" : "", table->help);
		for (size_t i = 0; table->type == OPT_CHOICE && table->choices[i]; i++)
			strbuf_addf(&line, "%s%s", i ? ", " : "; one of: ", table->choices[i]);
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
		" program (the program runs again in the place of a replay: the result of an ideal "
		"replayer)");
	comment_add(out, line.s);
}

/* Adds the default limits. */
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

/* Lines that begin with "@" are not copied unchanged. "@short TEXT" and "@full TEXT" appear only in
 * the short or the full form. "@keys TABLE", "@types" and "@engines" appear only in the full form.
 * "@limits" appears in both. */
EMBED(template, "commands/init.conf");

static void line_add(struct strbuf *out, const char *line, bool full)
{
	const char *text = line + strcspn(line, " ");
	text += *text == ' ';
	if (*line != '@')
		strbuf_addf(out, "%s\n", line);
	else if (!strcmp(line, "@limits"))
		limits_add(out);
	else if (full != !!strncmp(line, "@short", 6))
		return;
	else if (!strncmp(line, "@short", 6) || !strncmp(line, "@full", 5))
		strbuf_addf(out, "%s\n", text);
	else if (!strcmp(line, "@types"))
		names_add(out);
	else if (!strcmp(line, "@engines"))
		engines_add(out);
	else
		keys_add(out, text);
}

static void protocol_write(struct strbuf *out, bool full)
{
	for (const char *s = template; *s; s += strcspn(s, "\n") + 1) {
		SCOPED_FREE char *line = xasprintf("%.*s", (int)strcspn(s, "\n"), s);
		line_add(out, line, full);
	}
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
		       .help = "add most keys as comments, with their meaning and default"),
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
		SCOPED_STRBUF word = STRBUF_INIT;
		shell_word(&word, path);
		if (status == EXIT_OK)
			printf("%s written; next: validate run %s --dry-run\n", path, word.s);
	}
	return status;
}

const struct command cmd_init = {"init", "write a protocol with comments", init_run};
