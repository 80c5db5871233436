/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/collect.h"

#include "capture/app/app.h"
#include "capture/causality/agent.h"
#include "capture/causality/collect_runs.h"
#include "capture/causality/joins.h"
#include "capture/causality/nodes.h"
#include "capture/causality/run_filter.h"
#include "capture/causality/waits.h"
#include "common/hosts.h"
#include "common/processors.h"
#include "common/progress.h"
#include "common/units.h"

enum { PERIOD_FIRST = 1000, ATTEMPTS = 4 };
#define QUIET_NS INT64_C(1000000)
/* A thread without requests becomes a node if it computes or sleeps for this share of the run. */
#define SENDER_SHARE 0.01
struct collect_job {
	const struct collect_config *config;
	struct collect_outcome *outcome;
	struct kept_runs kept;
	struct progress progress;
	struct words_list hosts; /* empty: only this host */
	bool *wanted; /* wanted[kept.n_nodes] */
	uint32_t n_wanted;
	double done_s; /* work that is done, for the progress line */
	uint64_t n_done;
};

__attribute__((format(printf, 2, 3)))
static void message_announce(const struct collect_job *j, const char *format, ...);
static void message_announce(const struct collect_job *j, const char *format, ...)
{
	SCOPED_STRBUF b = STRBUF_INIT;
	va_list ap;
	va_start(ap, format);
	strbuf_vaddf(&b, format, ap);
	va_end(ap);
	if (j->config->announce)
		j->config->announce(j->config->ctx, b.s);
}

/* --- facts of a run ------------------------------------------------------ */

static void facts_init(const struct collect_job *j, struct causality_facts *f, char *host)
{
	*f = (struct causality_facts){
	    .n_nodes = j->kept.n_nodes, .cpu_time = j->kept.cpu_time, .n_runs = 1};
	f->node = xcalloc(f->n_nodes + 1, sizeof *f->node);
	for (uint32_t i = 0; i < f->n_nodes; i++)
		f->node[i] = (struct causality_node){
		    i,
		    j->kept.node[i].pid,
		    j->kept.node[i].tid,
		    (int32_t)j->kept.node[i].rank,
		    j->hosts.n ? j->hosts.v[j->kept.node[i].pid >> AGENT_PID_SHIFT] : host,
		    j->kept.node[i].sends};
}

/* Sets the pid and tid of each node in this run. */
static void facts_of_run(struct causality_facts *f, const struct watch_thread *t, uint32_t n,
			 const int64_t *number)
{
	for (uint32_t i = 0; i < n; i++)
		if (number[i] >= 0) {
			f->node[number[i]].pid = t[i].pid;
			f->node[number[i]].tid = t[i].tid;
		}
}

static void host_name(char *to, size_t size)
{
	if (gethostname(to, size))
		*to = 0;
	to[size - 1] = 0;
}

/* --- runs ---------------------------------------------------------------- */

static void run_config_fill(const struct collect_job *j, struct run_config *r, const char *raw,
			    const char *log)
{
	const struct collect_config *c = j->config;
	*r = (struct run_config){.command = c->command,
				 .root = c->root,
				 .scratch = c->scratch,
				 .before = c->before,
				 .hosts = j->hosts.n ? &j->hosts : NULL,
				 .launcher = c->launcher ? c->launcher : HOSTS_LAUNCHER,
				 .raw = raw,
				 .log = log};
	r->watch = (struct watch_config){.root = c->root,
					 .known = j->kept.node,
					 .n_known = j->kept.n_nodes,
					 .factor = c->factor * j->kept.scale,
					 .compute_floor_ns =
					     (int64_t)((double)c->floor_ns * j->kept.scale),
					 .quiet_ns = (int64_t)((double)QUIET_NS * j->kept.scale)};
}

static int ranks_check(const struct watch_thread *t, uint32_t n, const struct watch_outcome *o,
		       struct err *e)
{
	uint32_t seen = 0;
	for (uint32_t i = 0; i < n; i++) {
		bool again = t[i].rank < 0;
		for (uint32_t k = 0; k < i && !again; k++)
			again = t[k].rank == t[i].rank;
		seen += !again;
	}
	if (!o->n_ranks || seen >= o->n_ranks)
		return 0;
	return err_set(e, ENOTSUP,
		       "%" PRIu32 " ranks were started, but only %" PRIu32 " were seen: the "
		       "others run on hosts that --hosts does not name, run in another "
		       "PID namespace, or were started without the preloaded library",
		       o->n_ranks, seen);
}

/* Stores the nodes and the clock of the run without delays. */
static int base_take(struct collect_job *j, struct run_result *r, struct err *e)
{
	uint32_t n;
	const struct watch_thread *t = watch_threads(r->watch, &n);
	int ret = ranks_check(t, n, &r->seen, e);
	const int64_t least_ns = (int64_t)(SENDER_SHARE * (double)r->took_ns);
	ret = ret ? ret
		: nodes_take(t, n, least_ns, &j->kept.node, &j->kept.n_nodes,
			     &j->kept.n_outside, e);
	j->kept.cpu_time =
	    j->config->clock == CLOCK_CPU ||
	    (j->config->clock == CLOCK_AUTO && j->kept.n_nodes > (uint32_t)processors_allowed());
	return ret;
}

static int run_keep(struct collect_job *j, struct run_result *r, int64_t node, uint64_t period,
		    const char *name, const char *raw, struct err *e)
{
	struct kept_run kept = {.throttled = node,
				.period = period,
				.took_ns = r->took_ns,
				.n_held = r->seen.n_held,
				.held_ns = r->seen.held_ns};
	struct causality_facts facts;
	SCOPED_FREE struct causality_edge *edge = NULL;
	struct run_filter_counts counts;
	uint32_t n;
	uint64_t n_waits;
	char host[256];
	const struct watch_thread *t = watch_threads(r->watch, &n);
	const struct watch_wait *waits = watch_waits(r->watch, &n_waits);
	char *trace = kept_path(&j->kept, name, ".trace"),
	     *edges = kept_path(&j->kept, name, ".edges");
	SCOPED_FREE int64_t *number = xcalloc(n + 1, sizeof *number);
	host_name(host, sizeof host);
	facts_init(j, &facts, host);
	int ret = nodes_match(j->kept.node, j->kept.n_nodes, t, n, number, e);
	if (!ret) {
		facts_of_run(&facts, t, n, number);
		ret = run_filter(raw, trace, &facts, false, &counts, e);
	}
	ret = ret ? ret
		: waits_to_edges(trace, &facts, waits, n_waits, number, &edge, &kept.n_edges,
				 &kept.n_computing, e);
	ret = ret ? ret : edges_save(edges, edge, kept.n_edges, e);
	if (!ret) {
		j->kept.application_ns = node < 0 ? counts.running_ns : j->kept.application_ns;
		kept.name = xstrdup(name);
		kept_run_add(&j->kept, &kept);
		ret = kept_runs_save(&j->kept, e);
	}
	causality_facts_release(&facts);
	FREE_EACH(trace, edges);
	return ret;
}

/* `node` -1: makes the run without delays. */
static int run_make(struct collect_job *j, int64_t node, uint64_t period, struct err *e)
{
	SCOPED_FREE char *name =
	    node < 0 ? xstrdup("run-base") : xasprintf("run-%" PRIu64 "-%" PRId64, period, node);
	char *raw = kept_path(&j->kept, name, ".raw"), *log = kept_path(&j->kept, name, ".log");
	struct run_config c;
	struct run_result r;
	run_config_fill(j, &c, raw, log);
	c.snapshot = node < 0;
	/* collectors of other hosts do not know threads without requests of this host */
	c.watch.all_send = node < 0 && !j->hosts.n && !j->kept.without_senders;
	if (node >= 0) {
		c.watch.throttled = j->kept.node[node].key;
		c.watch.period = period;
	}
	int ret = run_once(&c, &r, e);
	if (r.clock_bound_ns > j->outcome->clock_bound_ns)
		j->outcome->clock_bound_ns = r.clock_bound_ns;
	if (!ret && node < 0)
		ret = base_take(j, &r, e);
	ret = ret ? ret : run_keep(j, &r, node, period, name, raw, e);
	if (ret && ret != -EINTR)
		err_context(e,
			    node < 0 ? "the run without delays"
				     : "the run that delays node %" PRId64,
			    node);
	watch_close(r.watch);
	unlink(raw);
	FREE_EACH(raw, log);
	return ret;
}

/* --- expected durations -------------------------------------------------- */

/* Expected duration of a throttled run in ns: from earlier delays, or a guess. */
static double run_expected_ns(const struct collect_job *j, uint32_t node, uint64_t period)
{
	const struct kept_runs *k = &j->kept;
	double held = 0, n = 0;
	for (uint32_t i = 1; i < k->n_runs; i++) {
		held += (double)k->run[i].held_ns;
		n += (double)k->run[i].n_held;
	}
	const double each = n > 0 ? held / n : (k->node[0].rank >= 0 ? 8 : 3) * (double)QUIET_NS;
	return (double)k->run[0].took_ns +
	       each * ceil((double)k->node[node].n_requests / (double)period);
}

static double runs_expected_ns(const struct collect_job *j, uint64_t period, uint32_t *n)
{
	double sum = 0;
	*n = 0;
	for (uint32_t i = 0; i < j->kept.n_nodes; i++)
		if (j->wanted[i] && !kept_run_find(&j->kept, i, period)) {
			sum += run_expected_ns(j, i, period);
			++*n;
		}
	return sum;
}

static void expectation_report(const struct collect_job *j, uint64_t period)
{
	uint32_t n;
	double ns = runs_expected_ns(j, period, &n);
	if (n)
		message_announce(j,
				 "%" PRIu32 " node%s (thread%s); the run without delays took %s; %"
				 PRIu32 " run%s with delays (--period %" PRIu64
				 ") will follow and take about %s",
				 j->kept.n_nodes, j->kept.n_nodes == 1 ? "" : "s",
				 j->kept.n_nodes == 1 ? "" : "s",
				 duration_text((double)j->kept.run[0].took_ns).s, n,
				 n == 1 ? "" : "s", period, duration_text(ns).s);
}

/* --- all runs of one period ---------------------------------------------- */

static int stuck_again(struct collect_job *j, struct err *e)
{
	j->kept.scale *= 2;
	message_announce(j, "%s. The runs with delays are repeated with %g times the values of "
			 "--factor and --floor", e->msg, j->kept.scale);
	kept_runs_forget(&j->kept, 1);
	err_clear(e);
	return kept_runs_save(&j->kept, e);
}

static bool has_senders(const struct collect_job *j)
{
	for (uint32_t i = 0; i < j->kept.n_nodes; i++)
		if (j->kept.node[i].sends)
			return true;
	return false;
}

/* The messages of a thread without requests can differ from run to run, or stand for waits that
 * contradict each other. Then such threads are no nodes, and all runs are made again. */
static int without_senders(struct collect_job *j, struct err *e)
{
	message_announce(
	    j, "%s. All runs are repeated; this time, threads that make no requests do not count "
	       "as nodes",
	    e->msg);
	kept_runs_forget(&j->kept, 0);
	free(j->kept.node);
	j->kept.node = NULL;
	j->kept.n_nodes = 0;
	j->kept.without_senders = true;
	err_clear(e);
	int ret = run_make(j, -1, 0, e);
	return ret ? ret
		  : nodes_choose(j->config->nodes, j->config->seed, j->kept.n_nodes, j->wanted, e);
}

static int runs_make(struct collect_job *j, uint64_t period, struct err *e)
{
	uint32_t n, done = 0;
	int ret = 0;
	progress_start(&j->progress, 0, runs_expected_ns(j, period, &n) / 1e9, j->config->progress);
	j->progress.n_total = n;
	double work = 0;
	for (uint32_t i = 0; i < j->kept.n_nodes && !ret; i++) {
		if (!j->wanted[i] || kept_run_find(&j->kept, i, period))
			continue;
		char what[80];
		snprintf(what, sizeof what, "delaying node %" PRIu32 " with period %" PRIu64, i,
			 period);
		progress_step(&j->progress, done++, work, what);
		work += run_expected_ns(j, i, period) / 1e9;
		ret = run_make(j, i, period, e);
	}
	progress_end(&j->progress);
	return ret;
}

/* --- merge --------------------------------------------------------------- */

static bool is_by_throttling(const struct collect_job *j, uint64_t period, uint64_t *n_computing)
{
	*n_computing = 0;
	for (uint32_t i = 1; i < j->kept.n_runs; i++)
		if (j->kept.run[i].period == period)
			*n_computing += j->kept.run[i].n_computing;
	return j->config->compute == COMPUTE_THROTTLED ||
	       (j->config->compute == COMPUTE_AUTO && *n_computing);
}

/* Lists the runs of a merge, and after them the edges that they have in common. */
static int runs_list(const struct collect_job *j, uint64_t period, struct causality_run *run,
		     struct causality_facts *f, struct err *e)
{
	struct joins *joins;
	int ret = 0;
	f->n_runs = 0;
	joins_open(&joins, j->kept.n_nodes);
	for (uint32_t i = 0; i < j->kept.n_runs && !ret; i++) {
		const struct kept_run *k = &j->kept.run[i];
		if (k->throttled >= 0 && (k->period != period || !j->wanted[k->throttled]))
			continue;
		char *edges = kept_path(&j->kept, k->name, ".edges");
		struct causality_run *to = &run[f->n_runs++];
		struct causality_edge *edge;
		to->trace = kept_path(&j->kept, k->name, ".trace");
		to->throttled = k->throttled;
		ret = edges_load(edges, &edge, &to->n_edges, e);
		if (!ret && to->n_edges != k->n_edges)
			ret = err_set(e, EBADMSG,
				      "%s is damaged: only %" PRIu64 " of its %" PRIu64 " "
				      "dependencies can be read. Remove its directory and record "
				      "again",
				      edges, to->n_edges, k->n_edges);
		const uint64_t n = ret ? 0 : causality_edges_reduce(edge, to->n_edges);
		to->n_implied = to->n_edges - n;
		to->n_edges = joins_take(joins, edge, n);
		to->edge = xreallocarray(edge, to->n_edges + 1, sizeof *edge);
		free(edges);
		f->tracing_ns += k->took_ns;
	}
	joins_finish(joins, &run[f->n_runs]);
	joins_close(joins);
	for (uint32_t i = 0; i < j->kept.n_nodes; i++)
		if (j->wanted[i])
			f->throttled[f->n_throttled++] = i;
	return ret;
}

static void uncertain_find(struct collect_outcome *o, const struct causality_run *run, uint32_t n)
{
	o->n_uncertain = 0;
	for (uint32_t i = 0; i < n; i++)
		for (uint64_t k = 0; k < run[i].n_edges; k++) {
			if (!run[i].edge[k].uncertain)
				continue;
			if (o->n_uncertain < COLLECT_UNCERTAIN_SHOWN)
				o->uncertain[o->n_uncertain] = run[i].edge[k];
			o->n_uncertain++;
		}
}

static int runs_merge(struct collect_job *j, uint64_t period, struct err *e)
{
	struct collect_outcome *o = j->outcome;
	struct causality_run *run = xcalloc((size_t)j->kept.n_runs + 1, sizeof *run);
	struct causality_facts f;
	char host[256];
	host_name(host, sizeof host);
	facts_init(j, &f, host);
	f.throttled = xcalloc(j->kept.n_nodes + 1, sizeof *f.throttled);
	f.period = period;
	f.by_throttling = is_by_throttling(j, period, &o->n_computing);
	f.application_ns = j->kept.application_ns;
	int ret = runs_list(j, period, run, &f, e);
	ret = ret ? ret : causality_merge(run, f.n_runs + 1, &f, j->config->output, &o->merged, e);
	uncertain_find(o, run, f.n_runs);
	o->n_runs = f.n_runs;
	o->n_throttled = f.n_throttled;
	o->tracing_ns = f.tracing_ns;
	o->by_throttling = f.by_throttling;
	o->period = period;
	for (uint32_t i = 0; i <= f.n_runs; i++) {
		FREE_EACH((char *)(uintptr_t)run[i].trace,
			  (struct causality_edge *)(uintptr_t)run[i].edge);
	}
	free(run);
	causality_facts_release(&f);
	return ret;
}

/* Makes the runs and merges them. Repeats this with longer maxima if the application got stuck, or
 * if edges contradict each other. (Then a node was judged to wait although it did not.) */
static int period_collect(struct collect_job *j, uint64_t period, struct err *e)
{
	for (int attempt = 1;; attempt++) {
		expectation_report(j, period);
		int ret = runs_make(j, period, e);
		ret = ret ? ret : runs_merge(j, period, e);
		const bool again = ret == -EDEADLK || ret == -ELOOP;
		if ((again || ret == -EILSEQ) && has_senders(j)) {
			ret = without_senders(j, e);
			if (ret)
				return ret;
			continue;
		}
		if (!again || attempt == ATTEMPTS)
			return ret;
		ret = stuck_again(j, e);
		if (ret)
			return ret;
	}
}

/* --- automatic choice of the period ------------------------------------- */

static int check_run(const struct collect_job *j, int64_t *took_ns, struct err *e)
{
	char line[200] = "", more[200];
	FILE *f = setenv("TRACE", j->config->output, 1) ? NULL : popen(j->config->check, "re");
	if (!f)
		return err_sys(e, errno, "cannot start the command given with --check");
	bool got = fgets(line, sizeof line, f) != NULL;
	while (fgets(more, sizeof more, f)) /* otherwise SIGPIPE would kill the command */
		;
	int status = pclose(f);
	line[strcspn(line, "\n")] = 0;
	if (!got || status)
		return err_set(e, ECHILD, "the command given with --check, \"%s\", %s",
			       j->config->check,
			       status ? "failed"
				      : "did not print the execution time of the replay");
	int ret = parse_duration(line, took_ns, e);
	return ret ? err_context(e, "output of the command given with --check") : 0;
}

static int replay_run(const struct collect_job *j, int64_t *took_ns, struct err *e)
{
	SCOPED_FREE char *to = kept_path(&j->kept, "replay", ".trace");
	int ret =
	    j->config->replay(j->config->ctx, j->config->output, j->config->replay_dir, to, e);
	ret = ret ? ret : trace_running(to, took_ns, e);
	unlink(to);
	return ret;
}

static int error_measure(struct collect_job *j, struct err *e)
{
	int64_t took = 0;
	int ret = j->config->check ? check_run(j, &took, e) : replay_run(j, &took, e);
	if (ret)
		return ret;
	j->outcome->error =
	    fabs((double)took - (double)j->kept.application_ns) / (double)j->kept.application_ns;
	message_announce(j,
			 "period %" PRIu64 ": the replay takes %s, the application takes %s, and "
			 "the difference is %.1f %% of the application's time",
			 j->outcome->period, duration_text((double)took).s,
			 duration_text((double)j->kept.application_ns).s, 100 * j->outcome->error);
	return 0;
}

static uint64_t requests_most(const struct collect_job *j)
{
	uint64_t most = 1;
	for (uint32_t i = 0; i < j->kept.n_nodes; i++)
		most = j->kept.node[i].n_requests > most ? j->kept.node[i].n_requests : most;
	return most;
}

static int auto_collect(struct collect_job *j, struct err *e)
{
	uint64_t period = PERIOD_FIRST;
	/* with a longer period, only the first request of each node would be delayed */
	while (period / 2 >= requests_most(j))
		period /= 2;
	for (; period; period /= 2) {
		int ret = period_collect(j, period, e);
		ret = ret ? ret : error_measure(j, e);
		if (ret || j->outcome->error <= j->config->error)
			return ret;
	}
	message_announce(
	    j,
	    "with every period, the execution times of replay and application differ by more than "
	    "%.1f %%. The trace therefore contains the dependencies found with --period 1",
	    100 * j->config->error);
	return 0;
}

/* --- capture ------------------------------------------------------------ */

static int hosts_take(struct collect_job *j, struct err *e)
{
	const struct collect_config *c = j->config;
	if (!c->root)
		return err_set(e, EINVAL, "--hosts needs --root DIR: name the directory with the "
					  "application's files");
	int ret = host_launcher_check(c->launcher ? c->launcher : HOSTS_LAUNCHER, e);
	if (ret)
		return ret;
	return hosts_parse(c->hosts, &j->hosts, e) ? err_context(e, "--hosts") : 0;
}

int collect_causality(const struct collect_config *c, struct collect_outcome *o, struct err *e)
{
	struct collect_job j = {.config = c, .outcome = o};
	uint64_t period;
	*o = (struct collect_outcome){.error = NAN};
	int ret = collect_period(c, &period, e);
	ret = ret ? ret : trace_output_check_replaced(c->output, e);
	ret = ret || !c->hosts ? ret : hosts_take(&j, e);
	if (ret)
		return ret;
	char *dir = c->runs_dir ? xstrdup(c->runs_dir) : xasprintf("%s.runs", c->output),
	     *what = collect_what(c);
	ret = kept_runs_open(&j.kept, dir, what, c->resume, e);
	const uint32_t n_left = ret ? 0 : app_scratch_clean(c->scratch);
	if (n_left)
		message_announce(&j,
				 "cleaned up after %" PRIu32 " killed capture%s: removed scratch "
				 "directories, and ended processes of the application that were "
				 "still running",
				 n_left, n_left == 1 ? "" : "s");
	if (!ret && !j.kept.n_runs)
		ret = run_make(&j, -1, 0, e);
	if (!ret && j.kept.n_nodes > CAUSALITY_MAX_NODES)
		ret = err_set(e, E2BIG,
			      "the application has %" PRIu32 " nodes (traced threads), but at most "
			      "%d are possible",
			      j.kept.n_nodes, CAUSALITY_MAX_NODES);
	if (!ret) {
		j.wanted = xcalloc(CAUSALITY_MAX_NODES + 1, sizeof *j.wanted);
		ret = nodes_choose(c->nodes, c->seed, j.kept.n_nodes, j.wanted, e);
	}
	ret = ret ? ret : period ? period_collect(&j, period, e) : auto_collect(&j, e);
	if (ret == -EINTR)
		err_set(e, EINTR,
			"interrupted: %" PRIu32
			" run%s kept in %s; repeat the command with --resume to continue",
			j.kept.n_runs, j.kept.n_runs == 1 ? " is" : "s are", dir);
	o->n_nodes = o->merged.n_nodes;
	o->n_outside = j.kept.n_outside;
	o->application_ns = j.kept.application_ns;
	o->cpu_time = j.kept.cpu_time;
	kept_runs_release(&j.kept);
	words_list_release(&j.hosts);
	FREE_EACH(j.wanted, dir, what);
	return ret;
}
