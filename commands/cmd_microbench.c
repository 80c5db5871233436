/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate microbench: runs an instrumented workload and writes its trace, which is the reference
 * of a validation. */
#include "commands/commands.h"
#include "common/options.h"
#include "common/units.h"
#include "reports/escape.h"
#include "microbench/parallel/launch.h"

/* The text of --help above the options, with the workloads from the table. */
static char *help_make(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return xstrdup("Runs a workload and writes its trace.");
	fputs("Runs a workload and writes its trace. The workload itself takes a time stamp\n"
		"before and after each of its calls. The trace is the reference for replays.\n"
		"\n"
		"Exit status: 0 done, 2 wrong usage, 3 failed, 6 refused for safety.\n"
		"\n"
		"Workloads, by name or short name:\n", out);
	for (const struct workload *const *w = workloads; *w; w++) {
		SCOPED_STRBUF left = STRBUF_INIT;
		strbuf_addf(&left, "  %s (%s)", (*w)->name, (*w)->alias);
		help_row(out, left.s, (*w)->help);
	}
	fputs("\nMost workloads have the defaults below; the manual page lists the exceptions.",
	      out);
	fclose(out);
	return text ? text : xstrdup("");
}

static int workload_missing(const char *name, struct err *e)
{
	const char *names[64];
	size_t n = 0;
	for (const struct workload *const *w = workloads;
	     *w && n + 2 < sizeof names / sizeof *names; w++) {
		names[n++] = (*w)->name;
		names[n++] = (*w)->alias;
	}
	names[n] = NULL;
	static const char list[] = " (\"validate microbench --list\" lists the workloads)";
	if (!name)
		err_set(e, EINVAL, "the workload is missing%s", list);
	else
		name_refuse(e, ENOENT, name, names, list, "unknown workload \"%s\"", name);
	return EXIT_USAGE;
}

static int command_print(const struct workload *w, const struct microbench_config *c, struct err *e)
{
	SCOPED(words_list_release) struct words_list words = {0};
	SCOPED_STRBUF line = STRBUF_INIT;
	if (parallel_command(w, c, &words, e))
		return EXIT_FAILED;
	for (size_t i = 0; i < words.n; i++) {
		if (i)
			strbuf_addch(&line, ' ');
		shell_word(&line, words.v[i]);
	}
	puts(line.s);
	return EXIT_OK;
}

static int summary_print(const struct workload *w, const struct microbench_config *c,
			 const struct microbench_outcome *o)
{
	printf("%s, %llu %s%s: %llu request%s in %s, mean response time %s", w->name,
	       (unsigned long long)c->level, w->script && w->script->parallel ? "rank" : "thread",
	       c->level == 1 ? "" : "s", (unsigned long long)o->n_requests,
	       o->n_requests == 1 ? "" : "s", duration_text((double)o->elapsed_ns).s,
	       duration_text(o->mean_response_ns).s);
	if (o->elapsed_ns > 0)
		printf(", %.0f requests/s", (double)o->n_requests * 1e9 / (double)o->elapsed_ns);
	printf("\ntrace: %s\n", c->output);
	if (o->capacity_reached)
		fprintf(stderr,
			"validate: note: the buffer for requests was full, so the run is shorter "
			"than --min-duration; a larger --requests makes the buffer larger\n");
	return EXIT_OK;
}

static int arguments_check(const struct workload *w, const struct microbench_config *c,
			   struct err *e)
{
	if (w->block && !c->device)
		err_set(e, EINVAL, "--device DEVICE is missing: name the device for the requests");
	else if (!w->block && c->device)
		err_set(e, EINVAL, "--device: %s works on files: use --dir", w->name);
	else if (w->block && (c->dir || c->prepare_only))
		err_set(e, EINVAL, "--dir, --prepare-only: %s works on a device: use --device",
			w->name);
	else if (!w->block && !c->dir)
		err_set(e, EINVAL, "--dir DIR is missing: name the directory of the files");
	else if (c->print_command && !(w->script && w->script->parallel))
		err_set(e, EINVAL, "--print-command: %s is not a parallel application", w->name);
	else if (w->script && w->script->inside_mpi && !c->prepare_only && !c->print_command)
		err_set(e, EINVAL, "%s cannot write a trace itself: add --print-command, and run "
			"the printed command with \"validate capture causality\"", w->name);
	else if (!c->output && !c->prepare_only && !c->print_command)
		err_set(e, EINVAL, "-o TRACE is missing");
	else if (microbench_check(w, c, e) == 0)
		return 0;
	return EXIT_USAGE;
}

static int microbench_main(int argc, char **argv, struct err *e)
{
	struct microbench_config c;
	struct microbench_outcome o;
	int n_positional;
	SCOPED_STRBUF lines = STRBUF_INIT, out = STRBUF_INIT;
	microbench_config_init(&c);
	SCOPED_FREE char *text = help_make();
	int status = command_parse(&cmd_microbench, "WORKLOAD [options] --dir DIR -o TRACE\n"
		"BLOCK-WORKLOAD [options] --device DEVICE -o TRACE\n--list",
		text, microbench_options, &c, argc, argv, 0, 1, &n_positional, e);
	if (status >= 0)
		return status;
	if (c.list) {
		for (const struct workload *const *w = workloads; *w; w++)
			strbuf_addf(&lines, "  %-18s  %-13s  %s\n", (*w)->name, (*w)->alias,
				    (*w)->help);
		text_fit(&out, lines.s, terminal_columns());
		fputs(out.s, stdout);
		return EXIT_OK;
	}
	const struct workload *w = n_positional ? workload_find(argv[1]) : NULL;
	if (!w)
		return workload_missing(n_positional ? argv[1] : NULL, e);
	/* parses again, with the defaults of the workload */
	workload_config_init(w, &c);
	if (options_parse(microbench_options, &c, argc, argv, &n_positional, e))
		return EXIT_USAGE;
	status = arguments_check(w, &c, e);
	if (status)
		return status;
	if (c.print_command)
		return command_print(w, &c, e);
	int ret = microbench_run(w, &c, &o, e);
	if (ret)
		return ret == -EPERM ? EXIT_REFUSED : EXIT_FAILED;
	return c.prepare_only ? EXIT_OK : summary_print(w, &c, &o);
}

const struct command cmd_microbench = {
    "microbench", "run a workload that records its own requests", microbench_main};
