/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate export: writes a trace in the format of another tool. */
#include "commands/commands.h"
#include "commands/open_options.h"
#include "common/files.h"

struct export_config {
	struct open_options open;
	const char *to, *output;
	bool quiet;
};
#define AT(FIELD) offsetof(struct export_config, FIELD)

static const struct option_spec export_options[] = {
	OPTION(STRING, "to", AT(to), .group = "Output", .arg = "FORMAT",
	       .help = "output format; --to list prints all formats"),
	OPTION(STRING, "output", AT(output), .letter = 'o', .arg = "FILE",
	       .help = "file to write; - is standard output (default: the name of TRACE, with "
	       ".FORMAT instead of its suffix)"),
	OPEN_OPTION_ROWS(AT(open)),
	OPTION(FLAG, "quiet", AT(quiet), .group = "Messages", .letter = 'q',
	       .help = "do not print the summary of the written file, or the problems of TRACE, "
	       "such as skipped lines"),
	{.name = NULL},
};

static const char about[] =
	"Writes a trace in the format of another tool. Requests that the format cannot\n"
	"hold are left out, and the command prints how many. If the trace has damaged\n"
	"blocks, the output lacks their requests, and the exit status is 3.\n"
	"\n"
	"Exit status: 0 done, 2 wrong usage, 3 failed.";

static int export_trace(const struct export_config *c, const struct trace_format *f,
			const char *path, struct err *e)
{
	struct trace *t;
	struct trace_export_report report = {0};
	int ret = output_check_input(c->output, path, e);
	ret = ret ? ret : open_trace(&t, &c->open, path, NULL, 0, e);
	if (ret)
		return ret;
	ret = f->write(t, c->output, &report, e);
	bool counted = report.n_written || report.n_causes || report.n_left_out;
	SCOPED_STRBUF more = STRBUF_INIT;
	if (report.n_causes)
		strbuf_addf(&more, ", and %" PRIu64 " records of computing, signals and waits,",
			    report.n_causes);
	if (!ret && !c->quiet && counted)
		notice_print("%s: %" PRIu64 " request%s%s written as %s", c->output,
			     report.n_written, report.n_written == 1 ? "" : "s",
			     more.len ? more.s : "", f->name);
	if (!ret && report.n_left_out)
		notice_print("%s: %" PRIu64 " record%s left out; the first is %s", c->output,
			     report.n_left_out, report.n_left_out == 1 ? "" : "s", report.why);
	const uint64_t n_lost = trace_meta(t)->n_events_lost;
	if (!ret && n_lost)
		notice_print("%s: the trace is incomplete: %" PRIu64 " event%s lost during the "
			     "capture", path, n_lost, n_lost == 1 ? " was" : "s were");
	char text[1000];
	for (unsigned int i = 0; !ret && !c->quiet && trace_note(t, i, text, sizeof text); i++)
		notice_print("%s: %s", path, text);
	trace_close(t);
	return ret;
}

static int export_run(int argc, char **argv, struct err *e)
{
	struct export_config c = {0};
	const struct trace_format *f;
	int n;
	int status = command_parse(&cmd_export, "--to FORMAT [options] TRACE [-o FILE]\n--to list",
				   about, export_options, &c, argc, argv, 0, 1, &n, e);
	if (status >= 0)
		return status;
	if (c.to && !strcmp(c.to, "list")) {
		list_formats();
		return EXIT_OK;
	}
	if (!n || !c.to)
		return command_fail(EXIT_USAGE, e, EINVAL, "%s",
				    !n ? "the argument TRACE is missing"
				       : "--to FORMAT is missing (--to list prints all formats)");
	if (find_format(&f, "--to", c.to, e))
		return EXIT_USAGE;
	if (!f->write)
		return command_fail(EXIT_USAGE, e, ENOTSUP, "the format %s can only be read",
				    f->name);
	SCOPED_FREE char *chosen = NULL;
	if (!c.output && output_default(&chosen, argv[1], c.to, e))
		return EXIT_USAGE;
	c.output = chosen ? chosen : c.output;
	int ret = export_trace(&c, f, argv[1], e);
	if (ret == -EPIPE && !strcmp(c.output, "-"))
		return EXIT_OK; /* the reader has closed the pipe */
	return ret ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_export = {"export", "convert a trace to the format of another tool",
				   export_run};
