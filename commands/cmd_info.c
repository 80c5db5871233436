/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate info: what a trace is, and whether it can be believed. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/format.h"
#include "commands/commands.h"
#include "commands/info_print.h"
#include "commands/open_options.h"
#include "common/xalloc.h"

struct info_config {
	struct open_options open;
	bool json;
	uint64_t n_records;
	const char *csv;
};

static const struct option_spec info_options[] = {
    {.name = "json", .type = OPT_FLAG, .offset = offsetof(struct info_config, json), .help = "print one JSON object"},
    {.name = "records",
     .letter = 'n',
     .type = OPT_UINT,
     .offset = offsetof(struct info_config, n_records),
     .arg = "N",
     .help = "show the first N requests too; default none",
     .flags = OPT_CLI_ONLY},
    {.name = "csv",
     .type = OPT_STRING,
     .offset = offsetof(struct info_config, csv),
     .arg = "FILE",
     .help = "write all requests as CSV to FILE and nothing else; - is standard output",
     .flags = OPT_CLI_ONLY},
    OPEN_OPTION_ROWS(offsetof(struct info_config, open)),
    {.name = NULL},
};

static const char about[] =
    "Reads a trace of any format known and prints what it is: requests, times, operations, clock, origin,\n"
    "the files it needs, and what makes it doubtful. Damaged blocks are named and passed over (status 3).";

static int print(struct trace *t, const char *path, const struct info_config *config, struct err *e)
{
	struct info_summary *s = xcalloc(1, sizeof *s);
	struct stat st = {0};
	int rc = info_summary_collect(s, t, e);
	if (!rc) {
		stat(path, &st);
		struct info x = {.path = path,
				 .file_bytes = (uint64_t)st.st_size,
				 .format = trace_format_of(t)->name,
				 .meta = trace_meta(t),
				 .trace = t,
				 .n_objects = trace_n_objects(t),
				 .summary = s};
		if (config->json) {
			rc = info_print_json(&x, t, config->n_records, e);
		} else {
			info_print_text(&x);
			rc = info_print_records(t, config->n_records, e);
		}
	}
	if (!rc && s->n_damage)
		rc = err_set(e, EBADMSG, "%s%s", s->damage[0], s->n_damage > 1 ? " (and more, see above)" : "");
	info_summary_release(s);
	free(s);
	return rc;
}

static int info_run(int argc, char **argv, struct err *e)
{
	struct info_config config = {0};
	int n_positional;
	int status = command_parse(&cmd_info, "[--json] [--records N] TRACE\nTRACE --csv FILE", about, info_options,
				   &config, argc, argv, 1, 1, &n_positional, e);
	if (status >= 0)
		return status;
	struct trace *t;
	if (open_trace(&t, &config.open, argv[1], NULL, 0, e))
		return EXIT_FAILED;
	int rc = config.csv ? trace_export_csv(t, config.csv, e) : print(t, argv[1], &config, e);
	trace_close(t);
	if (rc == -EPIPE && config.csv && !strcmp(config.csv, "-"))
		return EXIT_OK; /* the reader has seen enough */
	return rc ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_info = {"info", "tell what a trace is, and whether it can be believed", info_run};
