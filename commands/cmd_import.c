/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate import: converts a trace of a known format to a trace file and summarises it. */

#include "capture/pour.h"
#include "commands/commands.h"
#include "commands/trace_set.h"
#include "common/units.h"
#include "reports/info/info.h"

struct import_config {
	struct open_options open;
	const char *output;
	bool compress, keep_order, quiet;
};
#define AT(FIELD) offsetof(struct import_config, FIELD)

static const struct option_spec import_options[] = {
	OPTION(STRING, "output", AT(output), .group = "Output", .letter = 'o', .arg = "TRACE",
	       .help = "trace file to write (default: the name of the first FILE, with .trace "
	       "instead of its suffix)"),
	OPEN_OPTION_ROWS(AT(open)),
	OPTION(FLAG, "compress", AT(compress), .group = "Output format",
	       .help = "compress the trace file with zstd"),
	OPTION(FLAG, "keep-order", AT(keep_order),
	       .help = "keep the requests in the order of the input (default: sort by start time)"),
	OPTION(FLAG, "quiet", AT(quiet), .letter = 'q', .help = "print warnings, but no summary"),
	{.name = NULL},
};

static const char about[] =
	"Reads a trace in any format that --from list prints, writes it as a trace file,\n"
	"and prints a summary. An unreadable line is an error with file, line and\n"
	"column; --lenient N skips up to N unreadable lines. Several files can be the\n"
	"output of one run of blktrace (one file for each CPU), the parts of one trace of\n"
	"a parallel application, or separate traces. Separate traces are merged by time.\n"
	"\n"
	"Exit status: 0 done, 2 wrong usage, 3 failed.";

/* --- while reading ------------------------------------------------------- */

struct import {
	struct tally *summary;
	struct trace_set *set;
	uint64_t n_causes[3]; /* compute, signal, wait: not requests */
	char *extra; /* JSON of the extra metadata */
};

static int on_record(void *ctx, struct trace *t, struct trace_record *r)
{
	struct import *x = ctx;
	(void)t;
	if (op_info(r->op)->family == FAMILY_CAUSE) {
		x->n_causes[r->op - OP_COMPUTE]++;
		return 1;
	}
	tally_add(x->summary, r, op_bytes_moved(r));
	return 1;
}

static void on_finish(void *ctx, struct trace_meta *meta)
{
	struct import *x = ctx;
	free(x->extra);
	x->extra = trace_set_extra_json(x->set);
	meta->extra_json = x->extra;
	if (x->set->n == 1) /* some readers know the initial files only after reading the trace */
		meta->files = trace_meta(x->set->t[0])->files;
	meta->n_events_lost = trace_set_events_lost(x->set);
}

/* --- output -------------------------------------------------------------- */

static void print_found(const struct import *x, const struct trace_meta *meta, const struct pour *p,
			const char *path)
{
	const struct tally *s = x->summary;
	SCOPED_STRBUF out = STRBUF_INIT;
	double span_s = (double)tally_span_ns(s) * 1e-9;
	strbuf_addf(&out, "%s: %" PRIu64 " request%s", path, s->n_records,
		    s->n_records == 1 ? "" : "s");
	if (span_s > 0)
		strbuf_addf(&out, " over %s, %s", duration_text(span_s * 1e9).s,
			    rate_text((double)s->n_begin_known / span_s).s);
	strbuf_addf(&out, "\nFormat     %s\nOperations", trace_set_format_names(x->set));
	const char *separator = " ";
	for (unsigned int op = 1; op < OP_N; op++)
		if (s->op[op].n) {
			strbuf_addf(&out, "%s%s %" PRIu64, separator, op_name(op), s->op[op].n);
			separator = ", ";
		}
	if (x->n_causes[0] || x->n_causes[1] || x->n_causes[2])
		strbuf_addf(&out,
			    "\nRecords    between requests: compute %" PRIu64 ", signal %" PRIu64
			    ", wait %"
			    PRIu64,
			    x->n_causes[0], x->n_causes[1], x->n_causes[2]);
	strbuf_addstr(&out, "\nResolution ");
	if (meta->clock_resolution_ns > 0) {
		strbuf_addf(&out, "%s\n", duration_text(meta->clock_resolution_ns).s);
	} else {
		strbuf_addstr(&out, "unknown\n");
	}
	if (p->sorted)
		strbuf_addf(&out,
			    "Order      sorted by start time: %" PRIu64
			    " request%s came after a request with a later start time\n",
			    p->n_unordered, p->n_unordered == 1 ? "" : "s");
	fwrite(out.s, 1, out.len, stdout);
}

static void print_warnings(const struct import *x, const struct trace_meta *meta,
			   const struct pour *p)
{
	SCOPED(words_list_release) struct words_list warnings = {0};
	char text[1000];
	const char *label = "Warnings\n";
	info_number_warnings(&warnings, x->summary, meta);
	for (size_t k = 0; k < x->set->n; k++)
		for (unsigned int i = 0; trace_note(x->set->t[k], i, text, sizeof text);
		     i++, label = "") {
			printf("%s  %s%s", label, x->set->n > 1 ? x->set->path[k] : "",
			       x->set->n > 1 ? ": " : "");
			shown_print(stdout, text, sizeof text);
			putchar('\n');
		}
	/* sorting has corrected the order of the whole trace */
	for (size_t i = 0; i < warnings.n; i++)
		if (!p->sorted || !strstr(warnings.v[i], "not in order")) {
			printf("%s  %s\n", label, warnings.v[i]);
			label = "";
		}
}

static int import_all(const struct import_config *c, struct trace_set *set, struct err *e)
{
	struct import x = {.summary = xcalloc(1, sizeof *x.summary), .set = set};
	struct trace_meta meta;
	struct pour p = {.filter = on_record, .finish = on_finish, .ctx = &x,
			 .keep_order = c->keep_order,
			 .new_seq = set->n > 1, .write = {.compress = c->compress}};
	trace_set_meta(set, set->n, &meta);
	int ret = pour_traces(&p, set->t, set->shift_ns, set->n, &meta, c->output, e);
	if (!ret) {
		tally_end(x.summary, set->t[0]);
		meta.n_events_lost = trace_set_events_lost(set);
		if (!c->quiet)
			print_found(&x, &meta, &p, c->output);
		print_warnings(&x, &meta, &p);
	}
	tally_release(x.summary);
	FREE_EACH(x.summary, x.extra);
	return ret;
}

static int import_run(int argc, char **argv, struct err *e)
{
	struct import_config c = {0};
	int n;
	int status =
	    command_parse(&cmd_import, "[--from FORMAT] [options] FILE... [-o TRACE]\n--from list",
			  about, import_options, &c, argc, argv, 0, argc, &n, e);
	if (status >= 0)
		return status;
	if (c.open.from && !strcmp(c.open.from, "list")) {
		list_formats();
		return EXIT_OK;
	}
	if (!n)
		return command_fail(EXIT_USAGE, e, EINVAL, "the argument FILE is missing");
	SCOPED_FREE char *chosen = NULL;
	if (!c.output && output_default(&chosen, argv[1], "trace", e))
		return EXIT_USAGE;
	c.output = chosen ? chosen : c.output;
	SCOPED(trace_set_close) struct trace_set set;
	int ret =
	    trace_set_open(&set, &c.open, (const char *const *)argv + 1, (size_t)n, c.output, e);
	ret = ret ? ret : import_all(&c, &set, e);
	return ret ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_import = {"import", "convert a trace from another format", import_run};
