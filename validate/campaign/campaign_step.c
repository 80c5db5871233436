/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One process under controlled conditions: files restored, caches as wanted, in its cgroup, watched. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/kernel/block.h"
#include "common/clock.h"
#include "common/files.h"
#include "common/xalloc.h"
#include "validate/campaign/campaign_state.h"
#include "validate/campaign/observe.h"

#define LIMIT_SLACK_BYTES (1u << 20) /* kernel memory and what is charged per processor in advance */

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* What a process takes while its requests run is added to the page-cache budget, so that program and replayers have the
 * same page cache then. Before and after it may take more (a replayer that loads its input; a trace that is written to
 * a scratch directory in memory, which is charged to the group too): page cache makes room for that, and where the
 * budget is smaller, it is made larger, alike for all roles of the scenario. */
uint64_t step_page_cache(const struct campaign *c, size_t scenario)
{
	const struct calibration *k = &c->calibration[scenario];
	uint64_t bytes = c->protocol->target[c->protocol->scenario[scenario].target].cache_budget_bytes;
	uint64_t trace = c->scratch.storage.in_memory ? k->trace_bytes : 0;
	if (!bytes || c->cgroups.kind == CGROUP_NONE)
		return 0;
	for (size_t i = 0; i <= c->protocol->n_replayers; i++) {
		const struct own_memory *m = &k->memory[i];
		uint64_t more = m->peak_bytes - m->run_bytes > trace ? m->peak_bytes - m->run_bytes : trace;
		if (m->run_bytes && more + LIMIT_SLACK_BYTES > bytes)
			bytes = more + LIMIT_SLACK_BYTES;
	}
	return bytes;
}

uint64_t step_limit(const struct campaign *c, size_t scenario, int32_t role)
{
	uint64_t fixed = c->protocol->target[c->protocol->scenario[scenario].target].memory_limit_bytes;
	if (fixed)
		return c->cgroups.kind == CGROUP_NONE ? 0 : fixed;
	uint64_t cache = step_page_cache(c, scenario);
	uint64_t own = c->calibration[scenario].memory[role_is_program(c, role) ? 0 : role + 1].run_bytes;
	return cache && own ? own + LIMIT_SLACK_BYTES + cache : 0;
}

/* --- the step ----------------------------------------------------------------------------------------------------- */

char *scratch_path(const struct campaign *c, const char *name)
{
	return xasprintf("%s/%s", c->scratch.dir, name);
}

/* Starts what readies a run, outside its cgroup and with no other conditions; what goes wrong is the run's reason. */
static int helper_run(struct campaign *c, const struct words *words, const char *file, const char *what, struct err *e)
{
	struct launch_result made;
	struct launch_spec spec = {
	    .argv = words->v,
	    .file = file,
	    .timeout_ns = c->protocol->timeout_ns,
	    .signal_fd = c->signal_fd,
	};
	int ret = launch_run(&spec, &made, e);
	if (!ret && made.end == LAUNCH_INTERRUPTED) {
		c->interrupted = true;
		return -EINTR;
	}
	return !ret && made.reason[0] ? err_set(e, EIO, "%s: %s", what, made.reason) : ret;
}

/* `prepare`: the script makes its files anew. `clean`: it gives back the device. */
static int script_call(struct campaign *c, const struct step *s, const char *verb, struct err *e)
{
	struct words words = {0};
	script_words_make(&words, c, s, verb);
	char *what = xasprintf("%s %s", c->protocol->scenario[s->scenario].script, verb);
	int ret = helper_run(c, &words, "/bin/sh", what, e);
	free(what);
	words_free(&words);
	return ret;
}

/* The files that a trace needs are made anew, before a replay. */
static int trace_prepare(struct campaign *c, const struct step *s, struct err *e)
{
	if (!s->input || c->places.place[c->protocol->scenario[s->scenario].target].below.path)
		return 0;
	struct words words = {0};
	char *dir = program_work_dir(&c->places, c->protocol, s->scenario, step_target(c, s));
	int ret = path_exists(dir) ? dir_remove_tree(dir, e) : 0;
	if (!ret)
		ret = dir_create(dir, e);
	prepare_words_make(&words, c, s, dir);
	if (!ret)
		ret = helper_run(c, &words, LAUNCH_OWN_PROGRAM, "making the trace's files", e);
	words_free(&words);
	free(dir);
	return ret;
}

int step_compile(struct campaign *c, const struct step *s, struct err *e)
{
	struct words words = {0};
	if (!step_n_programs(c, s))
		return 0;
	compile_words_make(&words, c, s);
	int ret = helper_run(c, &words, LAUNCH_OWN_PROGRAM, "compiling the trace", e);
	words_free(&words);
	return ret;
}

/* A recording of a parallel application is many runs of it. */
static int64_t step_timeout_ns(const struct campaign *c, const struct step *s)
{
	const struct scenario *scenario = &c->protocol->scenario[s->scenario];
	return scenario->parallel.is && s->role == ROLE_RECORD ? scenario->parallel.capture_timeout_ns : c->protocol->timeout_ns;
}

static int launch(struct campaign *c, const struct step *s, struct step_result *r, const struct cgroup *group,
		  struct err *e)
{
	struct words words = {0};
	words_make(&words, c, s);
	struct launch_spec spec = {
	    .argv = words.v,
	    .file = step_is_captured(c, s) ? "/bin/sh" : LAUNCH_OWN_PROGRAM,
	    .cgroup_procs = group->procs,
	    .cpus = c->protocol->cpus ? &c->cpus : NULL,
	    .scheduling = c->scheduling,
	    .timeout_ns = step_timeout_ns(c, s),
	    .signal_fd = c->signal_fd,
	    .watch_memory = s->watch_memory,
	};
	struct block_watch *watch;
	char *side;
	struct others_reading before, after;
	int ret = observe_begin(&watch, c, s, &side, e);
	others_read(&before);
	if (!ret)
		ret = launch_run(&spec, &r->launch, e);
	others_read(&after);
	others_add(&r->others, &before, &after);
	int seen = ret || r->launch.reason[0] ? 0 : observe_end(watch, e);
	block_watch_close(watch);
	free(side);
	words_free(&words);
	return ret ? ret : seen;
}

/* `wanted`: the trace that it was to leave. Whoever observes a program ends well whatever that one did. */
static void reason_make(struct step_result *r, uint64_t limit_bytes, uint64_t n_killed, int64_t before_ns, const char *wanted)
{
	if (clock_monotonic_ns() < before_ns)
		snprintf(r->reason, sizeof r->reason, "the clock went backwards by %lld ns while it ran",
			 (long long)(before_ns - clock_monotonic_ns()));
	else if (r->launch.reason[0] && n_killed)
		snprintf(r->reason, sizeof r->reason,
			 "killed for want of memory in its cgroup (limit %llu bytes); %.300s",
			 (unsigned long long)limit_bytes, r->launch.reason);
	else if (!r->launch.reason[0] && access(wanted, F_OK) < 0 && errno == ENOENT)
		snprintf(r->reason, sizeof r->reason, "it ended without the trace that it was to write%s%s", r->launch.said[0] ? ": " : "",
			 r->launch.said);
	else
		snprintf(r->reason, sizeof r->reason, "%s", r->launch.reason);
}

/* What capturing one run of an application leaves beside its trace. */
static void runs_remove(const char *output)
{
	char *dir = xasprintf("%s.runs", output);
	if (path_exists(dir))
		dir_remove_tree(dir, NULL);
	free(dir);
}

/* How many ranks the script is to start. */
static void parallel_environment(const struct scenario *s)
{
	char *n = xasprintf("%llu", (unsigned long long)s->parallel.n_ranks);
	if (s->parallel.n_ranks)
		setenv("RANKS", n, 1);
	else
		unsetenv("RANKS");
	free(n);
}

int step_make(struct campaign *c, const struct step *s, struct step_result *r, struct err *e)
{
	struct cgroup group = {0};
	struct err why = ERR_INIT;
	uint64_t n_killed = 0;
	*r = (struct step_result){0};
	int64_t before_ns = clock_monotonic_ns();
	if (unlink(s->output) < 0 && errno != ENOENT)
		return err_sys(e, errno, "cannot remove %s", s->output);
	int ret = 0;
	const struct scenario *scenario = &c->protocol->scenario[s->scenario];
	const bool captured = step_is_captured(c, s), below = scenario_is_below(c->protocol, scenario);
	const bool cleaned = captured || (scenario->parallel.is && c->places.place[step_target(c, s)].below.path);
	if (scenario->parallel.is) {
		parallel_environment(scenario);
		runs_remove(s->output);
	}
	if (!s->blank && scenario->script && (captured || !below))
		ret = script_call(c, s, "prepare", &why);
	if (!s->blank && scenario->trace)
		ret = trace_prepare(c, s, &why);
	if (!ret)
		ret = step_compile(c, s, &why); /* as a rule it is there */
	if (!ret && !s->blank)
		ret = prepare_run(&c->places, c->protocol, s->scenario, step_target(c, s), c->drop_caches, &r->prepared, &why);
	if (!ret && s->limit_bytes)
		ret = cgroup_make(&group, &c->cgroups, c->cgroup_name, s->limit_bytes, &why);
	if (!ret) {
		struct timespec wall;
		if (!s->blank)
			prepare_settle(&r->prepared, c->protocol->settle_ns);
		clock_gettime(CLOCK_REALTIME, &wall);
		r->started_ns = wall.tv_sec * 1000000000ll + wall.tv_nsec;
		r->preparation_s = (double)(clock_monotonic_ns() - before_ns) * 1e-9;
		ret = launch(c, s, r, &group, &why);
	}
	if (scenario->parallel.is && role_is_program(c, s->role) && s->role != ROLE_RECORD)
		runs_remove(s->output);
	if (cleaned && script_call(c, s, "clean", ret ? NULL : &why) < 0 && !ret)
		ret = -EBUSY;
	cgroup_use(&group, &r->cgroup_peak_bytes, &n_killed);
	if (cgroup_remove(&group, ret ? NULL : &why) < 0 && !ret)
		ret = -EBUSY;
	if (r->launch.end == LAUNCH_INTERRUPTED)
		c->interrupted = true;
	if (campaign_interrupted(c))
		return -EINTR;
	if (ret)
		snprintf(r->reason, sizeof r->reason, "%.490s", why.msg);
	else
		reason_make(r, s->limit_bytes, n_killed, before_ns, s->output);
	/* the run in which the directory went is to blame, not the next */
	struct err gone = ERR_INIT;
	if (!ret && !s->blank && prepare_check(&c->places, c->protocol, s->scenario, step_target(c, s), &gone) && !r->reason[0])
		snprintf(r->reason, sizeof r->reason, "%.490s", gone.msg);
	return 0;
}
