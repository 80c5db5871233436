/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a process under controlled conditions: files restored, caches prepared, in a cgroup, with
 * samples of its memory. */

#include "capture/kernel/block.h"
#include "common/options.h"
#include "common/clock.h"
#include "common/files.h"
#include "validate/campaign/observe.h"

#define OWN_OUTPUT "run" /* start of the names of outputs in the scratch directory */
/* room for kernel memory, and for memory that the kernel charges per CPU in advance */
#define LIMIT_SLACK_BYTES (1u << 20)

/* --- memory -------------------------------------------------------------- */

/* Returns the page-cache budget. The memory of a process during its requests is added to it, so
 * that program and replayers have the same amount of page cache. Before and after the requests, a
 * process may need more: a replayer loads its input, or writes a trace to a scratch directory in
 * memory. Then page cache is evicted. If the budget is smaller than this need, it is increased
 * equally for all roles of the scenario. */
uint64_t step_page_cache(const struct campaign *c, size_t scenario)
{
	const struct campaign_calibration *k = &c->calibration[scenario];
	uint64_t bytes =
	    c->protocol->target[c->protocol->scenario[scenario].target].cache_budget_bytes;
	uint64_t trace = c->scratch.storage.in_memory ? k->trace_bytes : 0;
	if (!bytes || c->cgroups.kind == CGROUP_NONE)
		return 0;
	for (size_t i = 0; i <= c->protocol->n_replayers; i++) {
		const struct own_memory *m = &k->memory[i];
		uint64_t more =
		    m->peak_bytes - m->run_bytes > trace ? m->peak_bytes - m->run_bytes : trace;
		if (m->run_bytes && more + LIMIT_SLACK_BYTES > bytes)
			bytes = more + LIMIT_SLACK_BYTES;
	}
	return bytes;
}

uint64_t step_limit(const struct campaign *c, size_t scenario, int32_t role)
{
	uint64_t fixed =
	    c->protocol->target[c->protocol->scenario[scenario].target].memory_limit_bytes;
	if (fixed)
		return c->cgroups.kind == CGROUP_NONE ? 0 : fixed;
	uint64_t cache = step_page_cache(c, scenario);
	uint64_t own =
	    c->calibration[scenario].memory[role_is_program(c, role) ? 0 : role + 1].run_bytes;
	return cache && own ? own + LIMIT_SLACK_BYTES + cache : 0;
}

/* --- the step ------------------------------------------------------------ */

char *scratch_path(const struct campaign *c, const char *name)
{
	return xasprintf("%s/%s", c->scratch.dir, name);
}

/* Runs a helper that prepares a run, outside its cgroup and without its conditions. If the helper
 * fails, the run fails with this reason. */
static int helper_run(struct campaign *c, const struct words_list *words, const char *file,
		      const char *what, struct err *e)
{
	struct launch_result made;
	struct launch_spec spec = {
	    .argv = words->v, .file = file, .timeout_ns = c->protocol->timeout_ns,
	    .signal_fd = c->signal_fd,
	};
	int ret = launch_run(&spec, &made, e);
	if (!ret && made.end == LAUNCH_INTERRUPTED) {
		c->interrupted = true;
		return -EINTR;
	}
	return !ret && made.reason[0] ? err_set(e, EIO, "%s: %s", what, made.reason) : ret;
}

/* Calls the script. `prepare`: it makes its files again. `clean`: it releases the device. */
static int script_call(struct campaign *c, const struct step *s, const char *verb, struct err *e)
{
	SCOPED(words_list_release) struct words_list words = {0};
	script_words_make(&words, c, s, verb);
	SCOPED_FREE char *what =
	    xasprintf("%s %s", c->protocol->scenario[s->scenario].script, verb);
	return helper_run(c, &words, "/bin/sh", what, e);
}

/* Makes the files that a trace needs. Called before a replay. */
static int trace_prepare(struct campaign *c, const struct step *s, struct err *e)
{
	if (!s->input || c->places.place[c->protocol->scenario[s->scenario].target].below.path)
		return 0;
	SCOPED(words_list_release) struct words_list words = {0};
	SCOPED_FREE char *dir =
	    program_work_dir(&c->places, c->protocol, s->scenario, step_target(c, s));
	int ret = path_exists(dir) ? dir_remove_tree(dir, e) : 0;
	ret = ret ? ret : dir_create(dir, e);
	prepare_words_make(&words, c, s, dir);
	return ret ? ret
		   : helper_run(c, &words, LAUNCH_OWN_PROGRAM, "making the trace's files", e);
}

int step_compile(struct campaign *c, const struct step *s, struct err *e)
{
	if (!step_n_programs(c, s))
		return 0;
	SCOPED(words_list_release) struct words_list words = {0};
	compile_words_make(&words, c, s);
	return helper_run(c, &words, LAUNCH_OWN_PROGRAM, "compiling the trace", e);
}

/* Returns the time limit of a step. A recording of a parallel application consists of many runs. */
static int64_t step_timeout_ns(const struct campaign *c, const struct step *s)
{
	const struct scenario *scenario = &c->protocol->scenario[s->scenario];
	return scenario->parallel.is && s->role == ROLE_RECORD
		   ? scenario->parallel.capture_timeout_ns
		   : c->protocol->timeout_ns;
}

static void spec_make(struct campaign *c, const struct step *s, struct step_process *x)
{
	words_make(&x->words, c, s);
	x->spec = (struct launch_spec){
	    .argv = x->words.v, .file = step_is_captured(c, s) ? "/bin/sh" : LAUNCH_OWN_PROGRAM,
	    .cgroup_procs = x->cgroup.procs, .cpus = c->protocol->cpus ? &c->cpus : NULL,
	    .scheduling = c->scheduling, .timeout_ns = step_timeout_ns(c, s),
	    .signal_fd = c->signal_fd, .pause_fd = s->pause_fd, .watch_memory = s->watch_memory,
	};
}

/* Sets the reason of a failed step. `wanted`: the trace that the step should have written. An
 * observer of a program exits with 0 even if the program fails. */
static void reason_make(struct step_result *r, uint64_t limit_bytes, uint64_t n_killed,
			int64_t before_ns, const char *wanted)
{
	if (clock_monotonic_ns() < before_ns)
		snprintf(r->reason, sizeof r->reason,
			 "the clock went backwards by %lld ns during the run",
			 (long long)(before_ns - clock_monotonic_ns()));
	else if (r->launch.reason[0] && n_killed)
		snprintf(r->reason, sizeof r->reason,
			 "killed because its memory cgroup was full (limit %llu bytes); %.300s",
			 (unsigned long long)limit_bytes, r->launch.reason);
	else if (!r->launch.reason[0] && access(wanted, F_OK) < 0 && errno == ENOENT)
		snprintf(r->reason, sizeof r->reason,
			 "the process ended without writing its trace%s%s",
			 r->launch.said[0] ? ": " : "", r->launch.said);
	else
		snprintf(r->reason, sizeof r->reason, "%s", r->launch.reason);
}

/* Removes the files that the capture of an application leaves beside its trace. */
static void runs_remove(const char *output)
{
	SCOPED_FREE char *dir = xasprintf("%s.runs", output);
	if (path_exists(dir))
		dir_remove_tree(dir, NULL);
}

/* Sets a variable for the script; NULL: removes it. */
static int variable_set(const char *name, const char *value, struct err *e)
{
	const int bad = value ? setenv(name, value, 1) : unsetenv(name);
	return bad ? err_sys(e, errno, "cannot set the environment variable %s", name) : 0;
}

/* Sets the environment of the script: the number of ranks, and the launcher of a replayer, so that
 * the application can run where its replays run. */
static int parallel_environment(const struct protocol *p, const struct scenario *s, struct err *e)
{
	SCOPED_FREE char *n = xasprintf("%llu", (unsigned long long)s->parallel.n_ranks);
	const char *launcher = NULL;
	for (size_t i = 0; i < p->n_replayers && !launcher; i++)
		if (p->replayer[i].applies[s - p->scenario])
			launcher = replayer_option(&p->replayer[i], "launcher");
	const int ret = variable_set("RANKS", s->parallel.n_ranks ? n : NULL, e);
	return ret ? ret : variable_set("LAUNCHER", launcher, e);
}

/* Makes the cgroup of the step. Each member of a group has a separate cgroup if members run at the
 * same time. */
static int cgroup_begin(struct campaign *c, const struct step *s, struct step_process *x)
{
	SCOPED_FREE char *name =
	    s->member ? xasprintf("%s-%zu", c->cgroup_name, s->member) : xstrdup(c->cgroup_name);
	return cgroup_make(&x->cgroup, &c->cgroups, name, s->limit_bytes, &x->why);
}

static struct seat seat_of(const struct campaign *c, const struct step *s)
{
	return (struct seat){s->scenario, step_target(c, s), s->seat};
}

int step_prepare(struct campaign *c, const struct step *s, struct step_process *x,
		 struct step_result *r, struct err *e)
{
	const struct scenario *scenario = &c->protocol->scenario[s->scenario];
	*x = (struct step_process){.before_ns = clock_monotonic_ns(), .why = ERR_INIT};
	*r = (struct step_result){0};
	int ret = path_remove(s->output, e);
	if (ret)
		return ret;
	const enum time_part before = time_begin(&c->time, TIME_RESTORE);
	if (scenario->parallel.is) {
		ret = parallel_environment(c->protocol, scenario, &x->why);
		runs_remove(s->output);
	}
	if (!ret && !s->blank && scenario->script &&
	    (step_is_captured(c, s) || !scenario_is_below(c->protocol, scenario)))
		ret = script_call(c, s, "prepare", &x->why);
	if (!ret && !s->blank && scenario->trace)
		ret = trace_prepare(c, s, &x->why);
	if (!ret)
		/* usually it exists already */
		ret = step_compile(c, s, &x->why);
	if (!ret && !s->blank)
		ret = prepare_run(&c->places, c->protocol, seat_of(c, s), c->drop_caches,
				  &r->prepared, &x->why);
	if (!ret && s->limit_bytes)
		ret = cgroup_begin(c, s, x);
	if (!ret && s->role >= 0 && replayer_adapter(&c->protocol->replayer[s->role]))
		ret = listing_make(&x->scratch, c->scratch.dir, OWN_OUTPUT, &x->why);
	time_move(&c->time, TIME_RESTORE, TIME_SYNC, r->prepared.sync_s);
	time_move(&c->time, TIME_RESTORE, TIME_EVICT, r->prepared.evict_s);
	time_end(&c->time, before);
	x->failed = ret;
	return 0;
}

/* Waits until the protocol's settle time, counted from the eviction of the caches, has passed. */
static void step_settle(struct campaign *c, const struct step *s, const struct step_process *x,
			struct step_result *r)
{
	const enum time_part before = time_begin(&c->time, TIME_SETTLE);
	struct timespec wall;
	if (!s->blank)
		prepare_settle(&r->prepared, c->protocol->settle_ns);
	clock_gettime(CLOCK_REALTIME, &wall);
	r->started_ns = wall.tv_sec * 1000000000ll + wall.tv_nsec;
	r->preparation_s = (double)(clock_monotonic_ns() - x->before_ns) * 1e-9;
	time_end(&c->time, before);
}

void step_begin(struct campaign *c, const struct step *s, struct step_process *x,
		struct step_result *r)
{
	if (x->failed)
		return;
	step_settle(c, s, x, r);
	spec_make(c, s, x);
	x->failed = launch_begin(&x->spec, &x->launched, &x->why);
}

bool is_about_space(const char *reason)
{
	return strstr(reason, strerror(ENOSPC)) || strstr(reason, strerror(EDQUOT));
}

char *resume_command(const struct campaign *c)
{
	struct strbuf text = STRBUF_INIT;
	strbuf_addstr(&text, "validate run -o ");
	shell_word(&text, c->options->dir);
	strbuf_addstr(&text, " --resume");
	protocol_add_devices(&text, c->protocol);
	return strbuf_detach(&text);
}

int no_space(const char *reason, struct err *e)
{
	return err_set(e, ENOSPC, "%s; free some space", reason);
}

/* Whether the campaign lacks space: files could not be prepared, or the scratch directory is full.
 * But a run that fills its target has failed, and so has a replayer of another project that fills
 * its directory. */
static bool lacks_space(const struct campaign *c, const struct step *s,
			const struct step_process *x, const struct step_result *r)
{
	if (!r->reason[0] || !is_about_space(r->reason))
		return false;
	if (x->failed)
		return true;
	const bool adapter = s->role >= 0 && replayer_adapter(&c->protocol->replayer[s->role]);
	const char *path = adapter ? s->output : c->scratch.dir, *at = strstr(r->reason, path);
	return at && (!adapter || at[strlen(path)] != '.');
}

/* Attributes changes of the target and the scratch directory to this run, and undoes them. */
static void surroundings_check(struct campaign *c, const struct step *s, struct step_process *x,
			       struct step_result *r)
{
	SCOPED_STRBUF what = STRBUF_INIT;
	struct err gone = ERR_INIT;
	/* if the directory vanished, this run failed, not the next */
	if (!s->blank && prepare_check(&c->places, c->protocol, seat_of(c, s), &what, &gone) &&
	    !r->reason[0])
		snprintf(r->reason, sizeof r->reason, "%.490s", gone.msg);
	/* reference traces may have changed, so they are verified again */
	int same = listing_compare(&x->scratch, OWN_OUTPUT, &what, &gone);
	if (same < 0 && !r->reason[0])
		snprintf(r->reason, sizeof r->reason, "%.490s", gone.msg);
	if (same <= 0)
		memset(c->bank_known, 0, c->protocol->n_scenarios * protocol_n_bank(c->protocol) *
			sizeof *c->bank_known);
	if (what.len && !r->reason[0])
		snprintf(r->reason, sizeof r->reason, "the %s %.450s",
			 role_is_program(c, s->role) ? "program" : "replayer", what.s);
}

int step_conclude(struct campaign *c, const struct step *s, struct step_process *x,
		  struct step_result *r)
{
	uint64_t n_killed = 0;
	const bool begun = x->launched.pid > 0;
	const struct scenario *scenario = &c->protocol->scenario[s->scenario];
	if (begun && !x->failed)
		launch_wait(&x->spec, &x->launched, c->interrupted, &r->launch);
	words_list_release(&x->words);
	if (scenario->parallel.is && role_is_program(c, s->role) && s->role != ROLE_RECORD)
		runs_remove(s->output);
	const bool cleaned = step_is_captured(c,
		s) || (scenario->parallel.is && c->places.place[step_target(c, s)].below.path);
	if (cleaned && script_call(c, s, "clean", x->failed ? NULL : &x->why) < 0 && !x->failed)
		x->failed = -EBUSY;
	cgroup_use(&x->cgroup, &r->cgroup_peak_bytes, &n_killed);
	if (cgroup_remove(&x->cgroup, x->failed ? NULL : &x->why) < 0 && !x->failed)
		x->failed = -EBUSY;
	if (r->launch.end == LAUNCH_INTERRUPTED)
		c->interrupted = true;
	if (campaign_interrupted(c)) {
		listing_release(&x->scratch);
		return -EINTR;
	}
	if (x->failed)
		snprintf(r->reason, sizeof r->reason, "%.490s", x->why.msg);
	else
		reason_make(r, s->limit_bytes, n_killed, x->before_ns, s->output);
	if (!x->failed)
		surroundings_check(c, s, x, r);
	r->no_space = lacks_space(c, s, x, r);
	listing_release(&x->scratch);
	return 0;
}

/* Starts the step, with an observer if the scenario has one, and waits for its end. */
static void step_run(struct campaign *c, const struct step *s, struct step_process *x,
		     struct step_result *r)
{
	struct block_watch *watch = NULL;
	char *side = NULL;
	if (x->failed)
		return;
	step_settle(c, s, x, r);
	spec_make(c, s, x);
	x->failed = observe_begin(&watch, c, s, &side, &x->why);
	struct others_reading before, after;
	others_read(&before);
	const enum time_part part =
	    time_begin(&c->time, role_is_program(c, s->role) ? TIME_PROGRAM : TIME_REPLAY);
	if (!x->failed)
		x->failed = launch_run(&x->spec, &r->launch, &x->why);
	time_end(&c->time, part);
	others_read(&after);
	others_add(&r->others, &before, &after);
	if (!x->failed && !r->launch.reason[0])
		x->failed = observe_end(watch, &x->why);
	block_watch_close(watch);
	free(side);
}

int step_make(struct campaign *c, const struct step *s, struct step_result *r, struct err *e)
{
	struct step_process x;
	int ret = step_prepare(c, s, &x, r, e);
	if (ret)
		return ret;
	step_run(c, s, &x, r);
	return step_conclude(c, s, &x, r);
}
