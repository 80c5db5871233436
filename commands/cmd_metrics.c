/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate metrics: compares two traces. */
#include "commands/commands.h"
#include "reports/metrics/metrics_report.h"
#include "common/units.h"
#include "common/words.h"

struct metrics_config {
	bool json, list, lenient;
	int match;
	const char *observe, *scope, *only, *warmup;
	uint64_t dt, bt, threads;
};

static const char *const match_choices[] = {"auto", "number", "key", NULL};

static const struct part_row {
	const char *name, *help;
	unsigned int part;
} parts[] = {
    {"response", "response time by operation: mean, standard deviation, extremes, quantiles",
     PART_RESPONSE},
    {"schedule", "schedule error (start in the replay minus start in the reference); for timed "
     "replays, issue error (start minus the time at which the request was due)",
     PART_SCHEDULE},
    {"concurrency", "requests in flight, weighted by time, busy time or request: means, maxima, "
     "distances between trace and replay",
     PART_CONCURRENCY},
    {"lifetime", "mean number of requests in flight during each request, averaged over the "
     "requests",
     PART_LIFETIME},
    {"order", "reordering: metrics of RFC 4737 and RFC 5236, distances between the orders of trace "
     "and replay",
     PART_ORDER},
    {"fidelity", "results that differ from the traced results", PART_FIDELITY},
};
#define N_PARTS (sizeof parts / sizeof *parts)

#define FIELD(name) offsetof(struct metrics_config, name)
static const struct option_spec metrics_options[] = {
	OPTION(FLAG, "json", FIELD(json), .help = "print one JSON object"),
	OPTION(CHOICE, "match", FIELD(match), .letter = 'm', .arg = "HOW", .choices = match_choices,
	       .help = "pair requests by record number, or by key (operation, object, offset, "
	       "length); auto: see the manual page (default auto)"),
	OPTION(STRING, "observe", FIELD(observe), .arg = "POINT,...",
	       .help = "points at which the order of requests is observed: issue, dispatch, "
	       "complete (default: issue and complete, and dispatch if both traces are "
	       "block-level traces)"),
	OPTION(STRING, "scope", FIELD(scope), .arg = "SCOPE,...", .help = "sequences whose order "
	       "is examined: all requests, requests of an object, requests of a thread (default "
	       "all,object,thread)"),
	OPTION(STRING, "only", FIELD(only), .arg = "METRIC,...",
	       .help = "compute only these metrics, see --list (default all)"),
	OPTION(UINT, "dt", FIELD(dt), .arg = "N", .help = "displacement threshold of the "
	       "reorder density (RFC 5236), in positions, at most 65536 (default none: no "
	       "threshold)",
	       .flags = OPT_NONE),
	OPTION(UINT, "bt", FIELD(bt), .arg = "N", .help = "buffer size for the reorder "
	       "buffer-occupancy density (RFC 5236), in requests (default: no limit; if the "
	       "replay lost requests, see the manual page)",
	       .flags = OPT_NONE),
	OPTION(STRING, "warmup", FIELD(warmup), .arg = "N|TIME", .help = "leave out the first N "
	       "requests of the reference, or its requests in the first TIME (such as 500ms), "
	       "and their partners in the replay"),
	OPTION(FLAG, "lenient", FIELD(lenient), .help =
		"accept a trace file that is cut off because its writer was killed, and requests "
		"that end before they begin; such requests have no response time"),
	OPTION(UINT, "threads", FIELD(threads), .arg = "N", .min = 1, .max = 2,
	       .help = "number of threads that read the traces, 1 or 2 (default 2)"),
	OPTION(FLAG, "list", FIELD(list), .help = "print the names that --only accepts and exit"),
	{.name = NULL},
};

static const char synopsis[] = "[options] REFERENCE REPLAY\n--list";
static const char about[] =
	"Compares the trace of a replay with the trace that was replayed. The replay\n"
	"can come from any replayer, and both traces can have any format that validate\n"
	"reads. Prints lost and extra requests, execution time, throughput, response\n"
	"times, requests in flight, reordering, and how early or late requests were\n"
	"issued.\n"
	"\n"
	"Exit status: 0 compared, 2 wrong usage, 3 a trace cannot be read.";

/* Sets the bits for the names in a list. */
static int bits_of(const char *option, const char *text, const char *const *names,
		   unsigned int *bits, struct err *e)
{
	SCOPED(words_list_release) struct words_list item = {0};
	if (!text)
		return 0;
	if (words_split(&item, text, e))
		return err_context(e, "--%s", option);
	int ret = 0;
	*bits = 0;
	for (size_t i = 0; i < item.n && !ret; i++) {
		int k = 0;
		while (names[k] && strcmp(names[k], item.v[i]))
			k++;
		if (names[k]) {
			*bits |= 1u << k;
			continue;
		}
		ret = name_refuse(e, EINVAL, item.v[i], names, NULL, "--%s: unknown name \"%s\"",
				  option, item.v[i]);
	}
	return ret;
}

/* Parses a number of requests, or a time with a unit. */
static int warmup_of(const char *text, struct metrics_options *o, struct err *e)
{
	if (!text)
		return 0;
	int ret = text[strspn(text, "0123456789")] ? parse_duration(text, &o->warmup_ns, e)
						   : parse_uint(text, &o->warmup_requests, e);
	if (!ret && (o->warmup_ns < 0 || o->warmup_requests >= UINT64_MAX - 1))
		ret = err_set(e, ERANGE, "\"%s\" is too large", text);
	return ret ? err_context(e, "--warmup (a number of requests or a time)") : 0;
}

static int options_of(const struct metrics_config *c, struct metrics_options *o, struct err *e)
{
	const char *part_names[N_PARTS + 1] = {NULL};
	unsigned int bits = ~0u;
	for (size_t i = 0; i < N_PARTS; i++)
		part_names[i] = parts[i].name;
	o->match = (enum metrics_match)c->match;
	o->dt = c->dt;
	o->bt = c->bt;
	o->lenient = c->lenient;
	o->n_threads = (unsigned int)c->threads;
	if (c->dt > DENSITY_MAX_DT && c->dt != DENSITY_UNBOUNDED)
		return err_set(e, ERANGE, "--dt %llu: expected a number up to %u, or \"none\"",
			       (unsigned long long)c->dt, DENSITY_MAX_DT);
	int ret = warmup_of(c->warmup, o, e);
	ret = ret ? ret : bits_of("observe", c->observe, metrics_point_names, &o->points, e);
	ret = ret ? ret : bits_of("scope", c->scope, metrics_scope_names, &o->scopes, e);
	ret = ret ? ret : bits_of("only", c->only, part_names, &bits, e);
	o->parts = 0;
	for (size_t i = 0; i < N_PARTS; i++)
		o->parts |= bits >> i & 1 ? parts[i].part : 0;
	return ret;
}

static int metrics_run(int argc, char **argv, struct err *e)
{
	struct metrics_config c = {.dt = DENSITY_UNBOUNDED, .bt = DENSITY_UNBOUNDED, .threads = 2};
	struct metrics_options o = METRICS_DEFAULTS;
	int n_positional;
	int status = command_parse(&cmd_metrics, synopsis, about, metrics_options, &c, argc, argv,
				   0, 2, &n_positional, e);
	if (status >= 0)
		return status;
	if (c.list) {
		for (size_t i = 0; i < N_PARTS; i++)
			printf("%-12s%s\n", parts[i].name, parts[i].help);
		return EXIT_OK;
	}
	if (n_positional < 2)
		return command_fail(
		    EXIT_USAGE, e, EINVAL,
		    "two traces are needed: usage is validate metrics %.*s",
		    (int)strcspn(synopsis, "\n"), synopsis);
	if (options_of(&c, &o, e))
		return EXIT_USAGE;
	struct metrics_origin reference = metrics_file(argv[1]), replay = metrics_file(argv[2]);
	struct metrics_paths paths = {argv[1], argv[2]};
	static struct metrics m;
	if (metrics_compute(&m, &reference, &replay, &o, e))
		return EXIT_FAILED;
	if (c.json)
		metrics_print_json(&m, &paths);
	else
		metrics_print_text(&m, &paths, terminal_columns());
	metrics_release(&m);
	return EXIT_OK;
}

const struct command cmd_metrics = {
    "metrics", "compare the trace of a replay with the trace that was replayed", metrics_run};
