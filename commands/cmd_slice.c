/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate slice: cuts, filters, merges, scales or anonymises traces. */
#include "capture/causality/causality.h"
#include "capture/op.h"
#include "capture/pour.h"
#include "commands/slice.h"
#include "commands/commands.h"
#include "common/files.h"

struct slice_config {
	struct open_options open;
	struct slice_filter_config filter;
	const char *output, *join, *key, *calibration, *method;
	bool anonymise, compress, renumber;
};
#define AT(FIELD) offsetof(struct slice_config, FIELD)

static const struct option_spec slice_options[] = {
	OPTION(STRING, "output", AT(output), .group = "Output", .letter = 'o', .arg = "TRACE",
	       .help = "trace file to write (default: the name of the first TRACE, with "
	       ".slice.trace instead of its suffix)"),
	OPTION(DURATION, "begin", AT(filter.begin_ns), .group = "Filters", .arg = "TIME",
	       .help = "leave out requests that begin before TIME, counted from the first "
	       "request (default 0)"),
	OPTION(DURATION, "end", AT(filter.end_ns), .arg = "TIME", .help = "leave out requests "
	       "that begin at TIME or later (default: keep them)", .flags = OPT_NONE),
	OPTION(UINT, "skip", AT(filter.n_skip), .arg = "N",
	       .help = "leave out the first N requests that match the other filters (default 0)"),
	OPTION(UINT, "requests", AT(filter.n_max), .letter = 'n', .arg = "N",
	       .help = "write at most N requests (default: all)", .flags = OPT_NONE),
	OPTION(STRING, "process", AT(filter.processes), .arg = "LIST",
	       .help = "keep only requests of the processes with these process IDs (default: all)"),
	OPTION(STRING, "thread", AT(filter.threads), .arg = "LIST",
	       .help = "keep only requests of the threads with these thread IDs (default: all)"),
	OPTION(STRING, "object", AT(filter.objects), .arg = "LIST",
	       .help = "keep only requests on objects whose name matches one of these shell "
	       "patterns (default: all)"),
	OPTION(STRING, "operation", AT(filter.operations), .arg = "LIST",
	       .help = "keep only requests with these operations; the name of a family, such as "
	       "read, stands for all its operations, such as pread (default: all)"),
	OPTION(STRING, "join", AT(join), .group = "Changes", .arg = "TRACE",
	       .help = "add the page faults and page-cache misses of TRACE, a trace that "
	       "\"validate capture vfs\" recorded in the same run"),
	OPTION(DOUBLE, "scale", AT(filter.scale), .arg = "FACTOR", .min = 1e-9, .max = 1e9,
	       .help = "multiply the start time of each request, counted from the start of the "
	       "first request, by FACTOR; response times do not change (default 1)"),
	OPTION(FLAG, "from-zero", AT(filter.from_zero),
	       .help = "shift all times so that the first request begins at 0"),
	OPTION(FLAG, "renumber", AT(renumber), .help = "give the requests new numbers (default: "
	       "keep the numbers, except with several inputs or --join)"),
	OPTION(FLAG, "anonymise", AT(anonymise), .help = "replace each component of every path, "
	       "and the names of extended attributes, by a keyed hash; leave out host, command, "
	       "root directory, date, workload seed and digests"),
	OPTION(STRING, "key", AT(key), .arg = "FILE", .help = "file with the key of the hashes; "
	       "the same key gives equal names in several traces (default: random, not stored)"),
	OPTION(STRING, "calibration", AT(calibration), .arg = "FILE",
	       .help = "subtract the bias of the capture from the response times; FILE is the "
	       "output of \"validate selftest capture -o FILE\""),
	OPTION(STRING, "capture-method", AT(method), .arg = "NAME",
	       .help = "method of capture whose bias is subtracted: app, vfs or strace (default: "
	       "as the trace states)"),
	OPEN_OPTION_ROWS(AT(open)),
	OPTION(FLAG, "compress", AT(compress), .group = "Output format",
	       .help = "compress the trace file with zstd"),
	{.name = NULL},
};

static const char about[] =
	"Writes a trace file with the requests of a trace that match all filters.\n"
	"Several traces are merged by time. Items of a LIST are separated by commas.\n"
	"\n"
	"Exit status: 0 done, 2 wrong usage, 3 failed.";

struct slicing {
	struct slice_filter *filter;
	struct anonymiser *anonymiser;
	struct slice_correction *correction; /* or NULL */
	struct slice_join *join;	     /* or NULL */
	struct slice_causes *causes;	     /* or NULL */
	struct slice_state *state;
	/* causes are left out, because the nodes of several traces cannot be distinguished */
	bool no_causes;
	bool renumbered;
	uint64_t n_causes_left_out;
	char *extra; /* metadata of an anonymised trace */
	const struct trace_set *set;
	char *facts; /* facts of the slice, or NULL */
};

static int record_pass(struct slicing *s, struct trace *t, struct trace_record *r)
{
	if (s->join && !slice_join_pass(s->join, t, r))
		return 0;
	if (s->no_causes && op_info(r->op)->family == FAMILY_CAUSE) {
		s->n_causes_left_out++;
		return 0;
	}
	bool paired = !s->causes || slice_causes_pass(s->causes, r);
	int keep = slice_filter_pass(s->filter, t, r);
	if (keep == 1 && !paired)
		return 0;
	if (keep == 1 && s->correction)
		slice_correction_apply(s->correction, r);
	return keep;
}

static int on_record(void *ctx, struct trace *t, struct trace_record *r)
{
	struct slicing *s = ctx;
	const int keep = record_pass(s, t, r);
	if (keep == 1)
		slice_state_kept(s->state);
	else if (!keep)
		slice_state_left_out(s->state, t, r);
	return keep;
}

/* The clock's time at time 0 of the slice. An unknown epoch (0) stays unknown; a value that a trace
 * cannot represent becomes unknown. */
static int64_t epoch_moved(int64_t epoch_ns, int64_t by_ns, int64_t most_ns)
{
	int64_t moved = epoch_ns ? epoch_ns + by_ns : 0;
	return moved > most_ns || moved < -most_ns ? 0 : moved;
}

static void on_finish(void *ctx, struct trace_meta *meta)
{
	struct slicing *s = ctx;
	const int64_t zero_ns = slice_filter_zero(s->filter);
	meta->epoch_ns = epoch_moved(meta->epoch_ns, zero_ns, TRACE_TIME_MAX);
	meta->wall_epoch_ns = epoch_moved(meta->wall_epoch_ns, zero_ns, TRACE_WALL_MAX);
	const char *hidden = meta->extra_json ? meta->extra_json : "{}";
	s->facts = slice_facts_text(s->set, s->join ? 1 : s->set->n, s->filter,
				    s->anonymiser ? hidden : NULL, s->renumbered,
				    slice_state_is_whole(s->state));
	slice_state_finish(s->state, &meta->files);
	meta->extra_json = s->facts ? s->facts : meta->extra_json;
	if (!s->correction && !s->join)
		return;
	json_auto_t *extra = meta->extra_json ? json_loads(meta->extra_json, 0, NULL) : NULL;
	extra = json_is_object(extra) ? extra : json_object();
	if (s->correction)
		slice_correction_finish(s->correction, meta->host, extra);
	if (s->join)
		slice_join_finish(s->join, extra);
	free(s->facts);
	s->facts = json_dumps(extra, JSON_COMPACT | JSON_REAL_PRECISION(17));
	meta->extra_json = s->facts;
}

static int on_name(void *ctx, enum object_kind kind, const char *name, struct strbuf *out,
		   struct err *e)
{
	struct slicing *s = ctx;
	return kind ? anonymise_path(s->anonymiser, name, out, e)
		    : anonymise_attribute(s->anonymiser, name, out, e);
}

/* Removes metadata that show the origin of the trace. */
static int origin_hide(struct slicing *s, struct trace_meta *meta, struct fileset *files,
		       struct err *e)
{
	SCOPED(causality_facts_release) struct causality_facts f = {0};
	int ret = causality_facts_read(&f, meta, e);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < f.n_nodes; i++)
		f.node[i].host = NULL;
	s->extra = f.n_nodes ? causality_facts_text(&f, NULL) : NULL;
	meta->host = meta->command = meta->root = NULL;
	meta->extra_json = s->extra;
	meta->captured_by = "unknown (anonymised)";
	meta->epoch_ns = meta->wall_epoch_ns = 0;
	meta->seed = 0;
	ret = anonymise_fileset(s->anonymiser, &meta->files, files, e);
	meta->files = *files;
	return ret;
}

static int slice_traces(const struct slice_config *c, struct trace_set *set, struct slicing *s,
			struct err *e)
{
	struct trace_meta meta;
	SCOPED(anonymise_fileset_release) struct fileset files = {0};
	struct pour p = {.filter = on_record, .rename = c->anonymise ? on_name : NULL,
			 .finish = on_finish, .ctx = s, .new_seq = c->renumber || set->n > 1,
			 .write = {.compress = c->compress}};
	s->renumbered = p.new_seq;
	trace_set_meta(set, s->join ? 1 : set->n, &meta);
	meta.clock_resolution_ns *= c->filter.scale;
	int ret = c->calibration
		     ? slice_correction_open(&s->correction, c->calibration, c->method, set, e)
		     : 0;
	s->no_causes = set->n > 1 && !s->join;
	ret = ret || s->no_causes ? ret : slice_causes_open(&s->causes, set->t[0], &c->filter, e);
	s->state = slice_state_open(&meta.files);
	ret = ret || !c->anonymise ? ret : origin_hide(s, &meta, &files, e);
	ret = ret ? ret : pour_traces(&p, set->t, set->shift_ns, set->n, &meta, c->output, e);
	/* the filter stops at the first record that it does not examine */
	const bool stopped = slice_filter_stopped(s->filter);
	if (!ret)
		printf("%s: %" PRIu64 " of %s%" PRIu64 " %s written%s\n", c->output, p.n_written,
		       stopped ? "the first " : "", stopped ? p.n_read - 1 : p.n_read,
		       s->causes ? "requests and records of computing, signals and waits"
				 : "requests",
		       p.sorted ? ", sorted by start time" : "");
	if (!ret && s->causes)
		slice_causes_print(s->causes);
	if (!ret && s->n_causes_left_out)
		printf("%" PRIu64
		       " records of computing, signals and waits were left out: they cannot be "
		       "merged\n",
		       s->n_causes_left_out);
	if (!ret && s->join)
		slice_join_print(s->join);
	if (!ret && s->correction)
		slice_correction_print(s->correction);
	return ret;
}

/* Checks combinations of options. */
static int usage_check(const struct slice_config *c, int n, struct err *e)
{
	if (c->key && !c->anonymise)
		return err_set(e, EINVAL, "--key needs --anonymise");
	if (c->method && !c->calibration)
		return err_set(e, EINVAL, "--capture-method needs --calibration");
	if (c->filter.end_ns >= 0 && c->filter.end_ns <= c->filter.begin_ns)
		return err_set(e, EINVAL,
			       "--end must be later than --begin: no request would remain");
	if (c->join && n != 1)
		return err_set(e, EINVAL, "--join %s: name exactly one other TRACE, captured "
					  "during the same run", c->join);
	return 0;
}

static int traces_open(const struct slice_config *c, char **argv, int n, struct trace_set *set,
		       struct slicing *s, struct err *e)
{
	SCOPED_FREE const char **path = xcalloc((size_t)n + 1, sizeof *path);
	memcpy(path, argv, (size_t)n * sizeof *path);
	path[n] = c->join;
	int ret = output_check_input(c->output, c->key, e);
	ret = ret ? ret : output_check_input(c->output, c->calibration, e);
	ret = ret ? ret
		: trace_set_open(set, &c->open, path, (size_t)n + (c->join != NULL), c->output, e);
	return ret || !c->join ? ret : slice_join_open(&s->join, set, e);
}

static int slice_run(int argc, char **argv, struct err *e)
{
	struct slice_config c = {.filter = {.end_ns = -1, .n_max = UINT64_MAX, .scale = 1}};
	struct trace_set set = {0};
	struct slicing s = {.set = &set};
	int n;
	int status = command_parse(&cmd_slice, "[options] TRACE... [-o TRACE]", about,
				   slice_options, &c, argc, argv, 1, argc, &n, e);
	if (status >= 0)
		return status;
	SCOPED_FREE char *chosen = NULL;
	if (usage_check(&c, n, e) ||
	    (!c.output && output_default(&chosen, argv[1], "slice.trace", e)))
		return EXIT_USAGE;
	c.output = chosen ? chosen : c.output;
	if (slice_filter_open(&s.filter, &c.filter, e)) {
		slice_filter_close(s.filter);
		return EXIT_USAGE;
	}
	int ret = c.anonymise ? anonymiser_open(&s.anonymiser, c.key, e) : 0;
	ret = ret ? ret : traces_open(&c, argv + 1, n, &set, &s, e);
	ret = ret ? ret : slice_traces(&c, &set, &s, e);
	trace_set_close(&set);
	slice_correction_close(s.correction);
	slice_join_close(s.join);
	slice_causes_close(s.causes);
	slice_state_close(s.state);
	FREE_EACH(s.extra, s.facts);
	anonymiser_close(s.anonymiser);
	slice_filter_close(s.filter);
	return ret ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_slice = {"slice", "cut, filter, merge or anonymise traces", slice_run};
