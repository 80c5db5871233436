/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the options of a capture with causes. */
#include <jansson.h>

#include "capture/causality/collect_private.h"
#include "common/units.h"

#define FIELD(f) offsetof(struct collect_config, f)

static const char *const compute_names[] = {"auto", "blocking", "throttled", NULL};
static const char *const clock_names[] = {"auto", "cpu", "wall", NULL};

const struct option_spec collect_options[] = {
	{.name = "output", .letter = 'o', .type = OPT_STRING, .offset = FIELD(output),
		.arg = "TRACE",
	 .help = "write the trace to TRACE"},
	{.name = "nodes", .type = OPT_STRING, .offset = FIELD(nodes), .arg = "NODES",
	 .help = "nodes whose requests are delayed, one node in each run: all, random:M (M "
	       "nodes chosen at random), a list such as 0,2-5, or none (default all)"},
	{.name = "period", .type = OPT_STRING, .offset = FIELD(period), .arg = "P",
	 .help = "delay the first request of a node, and every Pth after it; auto: choose P by "
	       "replaying the trace, see the manual page (default 1)"},
	{.name = "error", .type = OPT_RATIO, .offset = FIELD(error), .arg = "RATIO",
	 .help = "with --period auto: accepted relative difference between the execution times of "
	       "replay and application (default 10%)",
	 .min = 0.0001, .max = 10},
	{.name = "check", .type = OPT_STRING, .offset = FIELD(check), .arg = "COMMAND",
	 .help = "with --period auto: shell command that replays the trace $TRACE, and prints the "
	       "execution time, such as 1.5s (default: replay with the engine parallel)"},
	{.name = "replay-dir", .type = OPT_STRING, .offset = FIELD(replay_dir), .arg = "DIR",
	 .help = "directory for the files of the replays, on the application's storage; required "
	       "with --period auto, unless --check is given"},
	{.name = "seed", .type = OPT_UINT, .offset = FIELD(seed), .arg = "N",
	 .help = "seed of the random choice of nodes (default 1)"},
	{.name = "root", .type = OPT_STRING, .offset = FIELD(root), .arg = "DIR",
	 .help = "record only requests on files below DIR (default: requests on all files except "
	       "system files)"},
	{.name = "before", .type = OPT_STRING, .offset = FIELD(before), .arg = "COMMAND",
	 .help = "shell command to run before each run, to restore the files"},
	{.name = "compute", .type = OPT_CHOICE, .offset = FIELD(compute), .arg = "HOW",
		.choices = compute_names,
	 .help = "how to determine the computing time between two requests of a node. blocking: "
	       "the time between them in the first run, minus the time in calls that wait; "
	       "throttled: the time between them in the run that delays this node, minus the "
	       "delays; auto: throttled if any node polls memory, else blocking (default auto)"},
	{.name = "clock", .type = OPT_CHOICE, .offset = FIELD(clock), .arg = "CLOCK",
		.choices = clock_names,
	 .help = "clock that measures computing. cpu: CPU time; wall: elapsed time; auto: cpu if "
	       "there are more nodes than CPUs, else wall (default auto)"},
	{.name = "factor", .type = OPT_DOUBLE, .offset = FIELD(factor), .arg = "X",
	 .help = "during a delay, a thread that computes for too long counts as waiting (it polls "
	       "memory). The limit is X times its longest computing time between two requests in "
	       "the first run (default 2)",
	 .min = 1, .max = 1000},
	{.name = "floor", .type = OPT_DURATION, .offset = FIELD(floor_ns), .arg = "TIME",
	 .help = "smallest value of the limit that --factor sets (default 10ms)",
	 .min = 1e5, .max = 3.6e12},
	{.name = "runs-dir", .type = OPT_STRING, .offset = FIELD(runs_dir), .arg = "DIR",
	 .help = "directory for the records of all runs, and for the output of the application "
		 "(default TRACE.runs)"},
	{.name = "hosts", .type = OPT_STRING, .offset = FIELD(hosts), .arg = "LIST|FILE",
	 .help = "hosts on which COMMAND starts its ranks, such as node[01-12] (default: this "
		 "host); needs --root"},
	{.name = "launcher", .type = OPT_STRING, .offset = FIELD(launcher), .arg = "COMMAND",
	 .help = "with --hosts: command that starts a program on a host; the name of the host "
		 "replaces {host} (default \"ssh {host}\")"},
	{.name = "resume", .type = OPT_FLAG, .offset = FIELD(resume),
	 .help = "continue an interrupted capture after its last finished run"},
	{.name = "scratch", .type = OPT_STRING, .offset = FIELD(scratch), .arg = "DIR",
	 .help = "directory for the buffers while the command runs (default /dev/shm)"},
	{0},
};

void collect_config_init(struct collect_config *c)
{
	*c = (struct collect_config){.nodes = "all", .period = "1", .error = 0.1, .seed = 1,
	.factor = 2, .floor_ns = 10000000};
}

/* Represents text that is not UTF-8 by its bytes, so that different texts remain different. */
static json_t *text_or_bytes(const char *s)
{
	json_t *text = s ? json_string(s) : json_null();
	if (text)
		return text;
	text = json_array();
	for (; *s; s++)
		json_array_append_new(text, json_integer((unsigned char)*s));
	return text;
}

char *collect_what(const struct collect_config *c)
{
	SCOPED_FREE char *cwd = getcwd(NULL, 0);
	json_t *command = json_array();
	for (char **v = c->command; *v; v++)
		json_array_append_new(command, text_or_bytes(*v));
	json_auto_t *o = json_pack("{s:o,s:o,s:o,s:o,s:s}", "command", command, "in",
				   text_or_bytes(cwd), "root", text_or_bytes(c->root), "before",
				   text_or_bytes(c->before), "clock", clock_names[c->clock]);
	if (c->hosts)
		json_object_set_new(o, "hosts", text_or_bytes(c->hosts));
	return json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
}

int collect_period(const struct collect_config *c, uint64_t *period, struct err *e)
{
	*period = 0;
	if (strcmp(c->period, "auto")) {
		int ret = parse_uint(c->period, period, e);
		if (ret || !*period)
			return ret ? err_context(e, "--period")
				  : err_set(e, EINVAL,
					    "--period 0 is invalid: 1 delays every request, N "
					    "every Nth request");
	} else if (!c->check && (!c->replay || !c->replay_dir)) {
		return err_set(
		    e, EINVAL,
		    "--period auto replays the captured trace: add --replay-dir DIR for the "
		    "files of the replay, or --check COMMAND to replay the trace yourself");
	}
	return 0;
}
