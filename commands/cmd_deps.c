/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate deps: shows the dependencies that an order policy derives from a trace. */

#include "commands/commands.h"
#include "commands/open_options.h"
#include "common/files.h"
#include "common/units.h"
#include "reports/deps/deps_report.h"
#include "reports/json/json_value.h"
#include "reports/output.h"

struct deps_config {
	int order;
	const char *dot;
	uint64_t n_shown, from;
	bool json;
	bool infer;
	const char *think, *output, *fs_rules;
};

#define AT(field) offsetof(struct deps_config, field)
static const struct option_spec deps_options[] = {
    OPTION(CHOICE, "order", AT(order), .arg = "ORDER", .choices = replay_order_names,
	   .help = "rule that decides which earlier requests a request waits for "
		   "(default fs, for traces of calls)"),
    OPTION(STRING, "fs-rules", AT(fs_rules), .arg = "RULES",
	   .help = "rules of order fs, as in \"validate replay\" (default all)"),
    OPTION(STRING, "dot", AT(dot), .arg = "FILE",
	   .help = "write the graph for Graphviz to FILE; with -, write only the graph, to "
		   "standard output"),
    OPTION(UINT, "requests", AT(n_shown), .letter = 'n', .arg = "N",
	   .help = "number of requests in the graph (default 0: all)"),
    OPTION(FLAG, "infer", AT(infer),
	   .help = "infer the waits from the times of the requests, as for block-level traces"),
    OPTION(STRING, "think-time", AT(think), .arg = "TIME",
	   .help =
	       "inferred waits: shortest time that a program needs from the end of a request to "
	       "the start of a dependent request, or auto; see the manual page (default 10us)"),
    OPTION(UINT, "from", AT(from), .arg = "N",
	   .help = "inferred waits, and parallel applications: first request in the graph "
	       "(default 0)"),
    OPTION(STRING, "output", AT(output), .letter = 'o', .arg = "FILE",
	   .help = "inferred waits: write the trace to FILE, with the dependencies of the "
	       "requests"),
    OPTION(FLAG, "json", AT(json), .help = "print one JSON object"),
    {.name = NULL},
};

static const char about[] =
	"Finds the requests of a trace that would wait for other requests in a replay. A\n"
	"request can wait for the start or for the end of another request. Prints the\n"
	"number of waits and the concurrency that they permit. A wait that other waits\n"
	"already imply does not count, except in the trace of a parallel application.\n"
	"Nothing is replayed. In a block-level trace, the requests name no files, so the\n"
	"waits are derived from the times. The trace of a parallel application records\n"
	"its waits. The command shows these recorded waits if neither --order nor --infer\n"
	"is given.\n"
	"\n"
	"Exit status: 0 done, 2 wrong usage, 3 failed.";

static void print_text(const struct deps *d, const char *path)
{
	const struct deps_summary *s = &d->summary;
	printf("%s, order %s\n", path, replay_order_names[d->order]);
	printf("Requests       %" PRIu64 " by %" PRIu64 " thread%s, with %" PRIu64
	       " file name%s, over %s\n",
	       s->n_requests, s->n_threads, s->n_threads == 1 ? "" : "s", s->n_files,
	       s->n_files == 1 ? "" : "s", duration_text((double)s->span_ns).s);
	if (d->order == ORDER_NONE)
		printf("Program order  not kept\n");
	printf("Waits          %" PRIu64 " between threads (waits that other waits imply do "
	       "not count)\n               %" PRIu64 " until another request starts, %" PRIu64
	       " until another request ends\n",
	       s->n_begun + s->n_ended, s->n_begun, s->n_ended);
	if (s->n_waiting)
		printf("               %" PRIu64 " request%s (%.3g %%), each for at most %" PRIu64
		       " other%s; pairs of threads with waits: %" PRIu64 "\n",
		       s->n_waiting, s->n_waiting == 1 ? " waits" : "s wait",
		       100 * (double)s->n_waiting / (double)s->n_requests, s->n_waits_max,
		       s->n_waits_max == 1 ? "" : "s", s->n_pairs);
	printf("Critical path  %s; sum of the response times: %s\n",
	       duration_text((double)s->critical_ns).s, duration_text((double)s->service_ns).s);
	if (isfinite(s->parallelism))
		printf("In flight      mean at most %.3g", s->parallelism);
	if (isfinite(s->parallelism) && isfinite(s->mean_concurrency))
		printf(" (in the trace: %.3g)", s->mean_concurrency);
	if (isfinite(s->parallelism))
		putchar('\n');
	if (trace_meta(d->trace)->n_events_lost)
		printf("Note           the trace is incomplete: %" PRIu64
		       " %s lost during the capture\n",
		       trace_meta(d->trace)->n_events_lost,
		       trace_meta(d->trace)->n_events_lost == 1 ? "event was" : "events were");
}

static void print_json(const struct deps *d)
{
	const struct deps_summary *s = &d->summary;
	json_t *o = json_object();
	json_add(o, J_INT("schema", 1), J_VALUE("order", json_string(replay_order_names[d->order])),
		J_COUNT("n_requests", s->n_requests), J_COUNT("n_threads", s->n_threads),
		J_COUNT("n_files", s->n_files), J_COUNT("n_waits_for_begin", s->n_begun),
		J_COUNT("n_waits_for_end", s->n_ended), J_COUNT("n_waiting_requests", s->n_waiting),
		J_COUNT("n_waits_max", s->n_waits_max), J_COUNT("n_thread_pairs", s->n_pairs),
		J_COUNT("span_ns", (uint64_t)s->span_ns), J_COUNT("service_ns",
		(uint64_t)s->service_ns), J_COUNT("critical_path_ns", (uint64_t)s->critical_ns),
		J_FINITE("mean_concurrency", s->mean_concurrency),
		J_FINITE("parallelism", s->parallelism));
	json_print(o);
}

static int dot_write(const struct deps *d, const struct deps_config *config, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	deps_dot(&text, d, config->n_shown ? config->n_shown : UINT64_MAX);
	return output_path(config->dot, &text, e);
}

/* Refuses options that do not apply to the waits in the trace of a parallel application. */
static int parallel_options_check(const struct deps_config *config, const char *path,
				  struct err *e)
{
	if (config->order >= 0)
		return err_set(e, EINVAL, "%s: --from shows the waits that this trace of a "
			"parallel application records; --order computes waits instead: omit one of "
			"these options", path);
	if (config->think || config->output)
		return err_set(e, EINVAL, "%s: --think-time and --output need --infer: this trace "
			"states the waits of its parallel application", path);
	if (config->fs_rules)
		return err_set(e, EINVAL, "%s: --fs-rules needs --order fs: this trace states the "
			"waits of its parallel application", path);
	return 0;
}

/* Handles traces whose dependencies do not come from an order policy. Returns 1 if it is done
 * (*status is set), 0 for other traces. */
static int deps_without_policy(const struct deps_config *config, const char *path, int *status,
			       struct err *e)
{
	struct trace *t;
	bool usage = false, done = true;
	int ret = trace_open(&t, path, e);
	SCOPED(causality_facts_release) struct causality_facts facts = {0};
	*status = EXIT_FAILED;
	if (ret)
		return 1;
	warn_of_cut(path, trace_meta(t)->cut);
	const bool ordered = config->order >= 0;
	if (!config->infer && (!ordered || config->from))
		ret = causality_facts_read(&facts, trace_meta(t), e);
	if (ret || facts.n_nodes) {
		const struct deps_parallel_config p = {path, config->dot, config->from,
						       config->n_shown, config->json};
		usage = !ret && (ret = parallel_options_check(config, path, e));
		ret = ret ? ret : deps_parallel(t, &facts, &p, e);
		if (ret && !usage)
			err_context(e, "%s", path);
	} else if (!config->infer && trace_meta(t)->level != LEVEL_BLOCK) {
		done = false;
	} else if (ordered || config->fs_rules) {
		usage = true;
		ret = err_set(e, EINVAL, "%s: --order and --fs-rules do not apply to a block-level "
			"trace: its dependencies are inferred", path);
	} else {
		const struct deps_inferred_config c = {path, config->think, config->dot,
						       config->output, config->from,
						       config->n_shown, config->json};
		trace_requests_only(t, !config->output); /* a copy needs all records */
		ret = deps_inferred(t, &c, &usage, e);
		if (ret)
			err_context(e, "%s", path);
	}
	*status = usage ? EXIT_USAGE : ret ? EXIT_FAILED : EXIT_OK;
	trace_close(t);
	return done;
}

static int deps_run(int argc, char **argv, struct err *e)
{
	struct deps_config config = {.order = -1};
	SCOPED(deps_release) struct deps d = {0};
	int n_positional;
	int status = command_parse(&cmd_deps, "[--order ORDER | --infer] [options] TRACE", about,
				   deps_options, &config, argc, argv, 1, 1, &n_positional, e);
	if (status >= 0)
		return status;
	unsigned int rules;
	if (fs_rules_parse(&rules, config.fs_rules, e)) {
		err_context(e, "--fs-rules");
		return EXIT_USAGE;
	}
	if (config.infer && (config.order >= 0 || config.fs_rules))
		return command_fail(
		    EXIT_USAGE, e, EINVAL,
		    "--infer derives dependencies from times only: omit --order and --fs-rules");
	if (config.fs_rules && config.order >= 0 && config.order != ORDER_FS)
		return command_fail(EXIT_USAGE, e, EINVAL, "--fs-rules has no effect: only order "
				    "fs uses this option; omit it");
	if (output_check_input(config.dot, argv[1], e) ||
	    output_check_input(config.output, argv[1], e))
		return EXIT_FAILED;
	if (deps_without_policy(&config, argv[1], &status, e))
		return status;
	if (config.think || config.output || config.from)
		return command_fail(EXIT_USAGE, e, EINVAL,
				    "%s: --think-time, --from and --output need --infer%s", argv[1],
				    config.order >= 0 || config.fs_rules
					    ? " in place of --order and --fs-rules" : "");
	if (config.order < 0)
		config.order = ORDER_FS;
	int ret = deps_read(&d, argv[1], (enum replay_order)config.order, rules, e);
	if (!ret && config.dot)
		ret = dot_write(&d, &config, e);
	if (!ret && !(config.dot && !strcmp(config.dot, "-"))) {
		if (config.json)
			print_json(&d);
		else
			print_text(&d, argv[1]);
	}
	return ret ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_deps = {"deps", "show which request waits for which other request",
					deps_run};
