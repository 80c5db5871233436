/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate capture causality: records the threads of a parallel application and their
 * dependencies. */
#include <spawn.h>
#include <sys/wait.h>

#include "capture/causality/agent.h"
#include "capture/causality/collect.h"
#include "commands/capture.h"
#include "commands/commands.h"
#include "common/files.h"
#include "common/units.h"

static const char synopsis[] = "causality [options] -o TRACE [--] COMMAND [ARGUMENT]...";
static const char about[] =
	"Records a parallel application, and finds which of its nodes wait for which\n"
	"others. A node is a thread that makes requests on files, or a thread for which\n"
	"such threads wait. COMMAND (mpirun ..., or any program with several threads or\n"
	"processes) runs once undisturbed, and then once for each node. Each of these\n"
	"later runs delays requests of one node: the first request, and every Pth after\n"
	"it (--period P).\n"
	"A delay lasts until every other node waits or has ended. The nodes that wait at\n"
	"this time depend on the delayed request.\n"
	"The trace contains the requests and times of the first run, and the dependencies\n"
	"that the other runs found. A replay keeps these dependencies, however fast or\n"
	"slow its storage is. The application must make the same requests in every run.\n"
	"\n"
	"Exit status: 0 the trace was written, 2 wrong usage, 3 the application failed\n"
	"or its runs differ.";

static void line_print(void *ctx, const char *line)
{
	(void)ctx;
	printf("%s\n", line);
	fflush(stdout);
}

/* Replays with the engine of this program, in a separate process. */
static int replay_by_engine(void *ctx, const char *trace, const char *dir, const char *to,
			    struct err *e)
{
	SCOPED_FREE char *self = program_path(e);
	int status;
	pid_t pid;
	(void)ctx;
	if (!self)
		return -e->code;
	char *const argv[] = {self, "replay", "--engine", "parallel", "--mode", "causal",
			      "--prepare", "--dir", (char *)(uintptr_t)dir, "-o",
			      (char *)(uintptr_t)to, (char *)(uintptr_t)trace, NULL};
	posix_spawn_file_actions_t actions;
	int ret = posix_spawn_file_actions_init(&actions);
	if (!ret) {
		ret = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
						       O_WRONLY, 0);
		ret = ret ? ret : posix_spawn(&pid, self, &actions, NULL, argv, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	if (ret)
		return err_sys(e, ret, "cannot start the replay that tests a period");
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(e, errno, "cannot wait for the replay that tests a period");
	return status ? err_set(e, ECHILD,
				"the replay by engine parallel failed (see its messages above): "
				"with --check COMMAND, name another command that replays the trace")
		      : 0;
}

/* Compares the predicted replay with the application. */
static void prediction_print(const struct collect_outcome *o)
{
	const struct causality_merge_counts *m = &o->merged;
	if (o->application_ns <= 0)
		return;
	const double lost = 1 - (double)m->predicted_ns / (double)o->application_ns;
	printf("%-14sa replay takes %s; the application takes %s\n", "prediction",
	       duration_text((double)m->predicted_ns).s,
	       duration_text((double)o->application_ns).s);
	if (m->external_ns)
		printf("%-14sthe nodes together wait %s for something other than a node, such "
		       "as a server; a replay waits just as long\n", "external",
		       duration_text((double)m->external_ns).s);
	if (fabs(lost) <= COLLECT_PREDICTION_MAX ||
	    llabs(o->application_ns - m->predicted_ns) < COLLECT_PREDICTION_LEAST_NS)
		return;
	printf("%-14sa replay will take %.3g %% %s time than the application. ", "warning",
	       100 * fabs(lost), lost > 0 ? "less" : "more");
	if (m->unexplained_ns)
		printf("Of the time in calls that wait, %s is not explained by any dependency. The "
		       "longest such wait, %s, is before request %" PRIu64 " of node %" PRIu32
		       ". Record again with --period 1 and --nodes all\n",
		       duration_text((double)m->unexplained_ns).s,
		       duration_text((double)m->longest_ns).s, m->longest_request, m->longest_node);
	else
		printf("The nodes share CPUs, or their computing differs from run to run. Record "
		       "again on an idle machine with a CPU for each node\n");
}

static void uncertain_print(const struct collect_outcome *o)
{
	const uint64_t n = o->n_uncertain;
	if (!n)
		return;
	printf("%-14s%" PRIu64 " dependenc%s found although the waiting node was not in a call "
	       "that waits. The node made no progress for a long time, because it polls memory, or "
	       "because the machine was busy. These dependencies are:\n",
	       "uncertain", n, n == 1 ? "y was" : "ies were");
	for (uint64_t i = 0; i < n && i < COLLECT_UNCERTAIN_SHOWN; i++) {
		const struct causality_edge *g = &o->uncertain[i];
		printf("%-14srequest %" PRIu64 " of node %" PRIu32 " after request %" PRIu64
		       " of node %" PRIu32 "%s\n",
		       "", g->waiter_request, g->waiter, g->signaller_request, g->signaller,
		       i + 1 == COLLECT_UNCERTAIN_SHOWN && i + 1 < n ? " ..." : "");
	}
}

static void outcome_print(const struct collect_config *c, const struct collect_outcome *o)
{
	printf("%-14s%" PRIu64 " of %" PRIu32 " node%s (traced thread%s) -> %s\n", "requests",
	       o->merged.n_requests, o->n_nodes, o->n_nodes == 1 ? "" : "s",
	       o->n_nodes == 1 ? "" : "s", c->output);
	if (o->merged.n_senders)
		printf("%-14s%" PRIu32 " of the nodes make%s no requests, but others wait for %s\n",
		       "note", o->merged.n_senders, o->merged.n_senders == 1 ? "s" : "",
		       o->merged.n_senders == 1 ? "it" : "them");
	printf("%-14s%" PRIu64 "; %" PRIu32 " with delays (--period %" PRIu64
	       "); all runs together took %s\n", "runs", o->n_runs, o->n_throttled, o->period,
	       duration_text((double)o->tracing_ns).s);
	printf("%-14s%" PRIu64 " seen, %" PRIu64 " kept (these imply the others); %" PRIu64
	       " barrier%s\n", "dependencies",
	       o->merged.n_edges_seen, o->merged.n_edges_left, o->merged.n_barriers,
	       o->merged.n_barriers == 1 ? "" : "s");
	printf("%-14s%s, in %s\n", "computing",
	       o->by_throttling
		   ? "time between two requests of a node in the run that delays this node, minus "
		     "the delays"
		   : "time between two requests of a node, minus the time in calls that wait",
	       o->cpu_time ? "CPU time" : "elapsed time");
	prediction_print(o);
	if (o->n_computing)
		printf("%-14sthe waiting node computed during %" PRIu64 " of the waits: it polls "
		       "memory\n", "note", o->n_computing);
	uncertain_print(o);
	if (o->merged.n_early)
		printf("%-14s%" PRIu64 " signal%s placed directly after the delayed request in the "
		       "trace, although the application sent %s later. The later place would "
		       "contradict other dependencies or the first run. In a replay, the waiting "
		       "node may continue "
		       "too early\n",
		       "note", o->merged.n_early, o->merged.n_early == 1 ? " is" : "s are",
		       o->merged.n_early == 1 ? "it" : "them");
	if (o->clock_bound_ns)
		printf("%-14sthe differences between the hosts' clocks are known to within %s\n",
		       "clocks", duration_text((double)o->clock_bound_ns).s);
	count_line("warning", o->merged.n_programs_unseen,
		   "run of a program may have made calls that the capture did not see; \"validate "
		   "info\" names the program",
		   "runs of programs may have made calls that the capture did not see; "
		   "\"validate info\" names the programs");
	count_line("note", o->n_outside,
		   "thread belongs to no MPI rank; the trace does not have its requests",
		   "threads belong to no MPI rank; the trace does not have their requests");
}

int capture_causality(int argc, char **argv, struct err *e)
{
	struct collect_config c;
	struct collect_outcome o;
	int n_positional, command;
	if (argc == 4 && !strcmp(argv[1], "--agent")) /* the collector starts this on each host */
		return agent_run(argv[2], argv[3], e) ? EXIT_FAILED : EXIT_OK;
	collect_config_init(&c);
	int ret =
	    options_parse_command(collect_options, &c, argc, argv, 0, &n_positional, &command, e);
	if (ret > 0) {
		command_help(&cmd_capture, synopsis, about, collect_options);
		return EXIT_OK;
	}
	if (!ret && command >= argc)
		ret = err_set(e, EINVAL, "the command is missing: usage is validate capture %s",
			      synopsis);
	if (!ret && !c.output)
		ret = err_set(e, EINVAL, "-o TRACE is missing");
	if (ret)
		return EXIT_USAGE;
	c.command = argv + command;
	c.announce = line_print;
	c.replay = replay_by_engine;
	c.progress = true;
	ret = collect_causality(&c, &o, e);
	if (!ret)
		outcome_print(&c, &o);
	return !ret                                               ? EXIT_OK
	       : ret == -EINVAL || ret == -ERANGE || ret == -EEXIST ? EXIT_USAGE
								 : EXIT_FAILED;
}
