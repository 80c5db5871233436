/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate info: describes a trace and checks its plausibility. */
#include <sys/ioctl.h>

#include "commands/commands.h"
#include "reports/info/info.h"
#include "commands/open_options.h"
#include "common/files.h"

struct info_config {
	struct open_options open;
	bool json, plot;
	uint64_t n_records, n_threads, n_replay_max;
	const char *csv, *html;
};

#define AT(field) offsetof(struct info_config, field)
static const struct option_spec info_options[] = {
	OPTION(FLAG, "json", AT(json), .help = "print one JSON object"),
	OPTION(FLAG, "plot", AT(plot), .help = "print text plots below the tables "
	       "(default: if standard output is a terminal)"),
	OPTION(STRING, "html", AT(html), .arg = "FILE",
	       .help = "write a self-contained page with plots to FILE instead of the "
	       "description; - is standard output"),
	OPTION(UINT, "records", AT(n_records), .letter = 'n', .arg = "N",
	       .help = "also print the first N requests (default none)"),
	OPTION(STRING, "csv", AT(csv), .arg = "FILE",
	       .help = "write all requests as CSV to FILE instead of the description; - is "
	       "standard output"),
	OPTION(UINT, "threads", AT(n_threads), .arg = "N", .min = 1, .max = 2,
	       .help = "number of threads that read the trace, 1 or 2 (default 2)"),
	OPTION(UINT, "replay-max", AT(n_replay_max), .arg = "N", .max = UINT32_MAX,
	       .help = "for a trace of at most N requests, predict which requests a replay would "
	       "skip, and which would fail; 0: no prediction (default 1000000)"),
	OPEN_OPTION_ROWS(AT(open)),
	{.name = NULL},
};

static const char about[] =
	"Describes a trace in any format that import reads: requests, rates, operations,\n"
	"sizes, offsets, requests in flight, response times, errors, objects, origin, and\n"
	"signs that requests are missing. Also prints which requests a replay would skip.\n"
	"If parts of the trace file are damaged, the command reports and skips them.\n"
	"\n"
	"Exit status: 0 done, 2 wrong usage, 3 the trace cannot be read or is damaged.";

/* The size of the terminal; a usual size if there is no terminal. */
static struct info_text_options text_options(bool plot)
{
	struct winsize w = {0};
	ioctl(STDOUT_FILENO, TIOCGWINSZ, &w);
	const unsigned int width = terminal_columns(), rows = w.ws_row ? w.ws_row / 2u : 15;
	return (struct info_text_options){.plot_columns = !plot ? 0 : width ? width : 80,
					  .plot_rows = plot ? rows : 0,
					  .width = width};
}

static int info_show(const struct info *x, struct trace *t, const struct info_config *config,
		     struct err *e)
{
	if (config->html)
		return info_write_html(x, config->html, e);
	if (config->json)
		return info_print_json(x, t, config->n_records, e);
	struct info_text_options o = text_options(config->plot);
	info_print_text(x, &o);
	return info_print_records(t, config->n_records, e);
}

static int trace_show(struct trace *t, const char *path, const struct info_config *config,
		      struct err *e)
{
	SCOPED_FREE struct profile *p = xcalloc(1, sizeof *p);
	SCOPED_FREE struct replayable *replay =
	    config->n_replay_max ? xcalloc(1, sizeof *replay) : NULL;
	struct profile_options o = {(unsigned int)config->n_threads};
	struct stat st = {0};
	int ret = profile_compute(p, t, &o, e);
	ret = ret || !replay ? ret : replayable_find(replay, t, config->n_replay_max, e);
	if (!ret && stat(path, &st) < 0 && errno != ENOENT)
		ret = err_sys(e, errno, "cannot determine the size of %s", path);
	if (!ret) {
		struct info x = {.path = path,
				 .file_bytes = (uint64_t)st.st_size,
				 .format = trace_format_of(t)->name, .meta = trace_meta(t),
				 .trace = t, .n_objects = trace_n_objects(t), .profile = p,
				 .replay = replay};
		ret = info_show(&x, t, config, e);
	}
	if (!ret && p->tally.n_damage)
		ret = err_set(e, EBADMSG, "%s%s", p->tally.damage[0],
			      p->tally.n_damage > 1 ? " (and more, see above)" : "");
	profile_release(p);
	return ret;
}

static int info_run(int argc, char **argv, struct err *e)
{
	struct info_config config = {.plot = isatty(STDOUT_FILENO), .n_threads = 2,
	    .n_replay_max = 1000000};
	int n_positional;
	int status = command_parse(
	    &cmd_info, "[--json] [--plot] [--records N] TRACE\nTRACE --html FILE\nTRACE --csv FILE",
	    about, info_options, &config, argc, argv, 1, 1, &n_positional, e);
	if (status >= 0)
		return status;
	struct trace *t;
	if (output_check_input(config.csv ? config.csv : config.html, argv[1], e))
		return EXIT_FAILED;
	if (open_trace(&t, &config.open, argv[1], NULL, 0, e))
		return EXIT_FAILED;
	int ret =
	    config.csv ? trace_export_csv(t, config.csv, e) : trace_show(t, argv[1], &config, e);
	trace_close(t);
	if (ret == -EPIPE && ((config.csv && !strcmp(config.csv, "-")) ||
			      (config.html && !strcmp(config.html, "-"))))
		return EXIT_OK; /* the reader has closed the pipe */
	return ret ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_info = {"info", "describe a trace, and list its problems", info_run};
