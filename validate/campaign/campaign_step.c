/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One process under controlled conditions: files restored, caches as wanted, in its cgroup, watched. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/xalloc.h"
#include "validate/campaign/campaign_state.h"

#define LIMIT_SLACK_BYTES (1u << 20) /* kernel memory and what is charged per processor in advance */

/* --- command lines ------------------------------------------------------------------------------------------------ */

struct words {
	char **v;
	size_t n, cap;
};

static void word_add(struct words *w, char *word)
{
	GROW(w->v, w->n, w->cap);
	w->v[w->n++] = word;
}

static void settings_add(struct words *w, const struct setting *option, size_t n, const char *but)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(option[i].key, but))
			word_add(w, xasprintf("--%s=%s", option[i].key, option[i].value));
}

/* All but what spoils calls or looks at their results: a mutant's blank is that of the engine. */
static void blank_settings_add(struct words *w, const struct replayer *r)
{
	static const char *const of_calls[] = {"engine", "mutant", "stop-on-mismatch"};
	for (size_t i = 0; i < r->n_options; i++) {
		bool left_out = false;
		for (size_t k = 0; k < sizeof of_calls / sizeof *of_calls; k++)
			left_out |= !strcmp(r->option[i].key, of_calls[k]);
		if (!left_out)
			word_add(w, xasprintf("--%s=%s", r->option[i].key, r->option[i].value));
	}
	word_add(w, xstrdup("--blank"));
}

bool role_is_program(const struct campaign *c, int32_t role)
{
	return role < 0 || !strcmp(c->protocol->replayer[role].engine, "program");
}

/* sh SCRIPT VERB DIR SIZE */
static void script_words(struct words *w, const struct campaign *c, size_t scenario, const char *verb)
{
	const struct scenario *s = &c->protocol->scenario[scenario];
	word_add(w, xstrdup("sh"));
	word_add(w, scenario_script_path(c->protocol, s));
	word_add(w, xstrdup(verb));
	word_add(w, program_dir(&c->places, c->protocol, scenario));
	word_add(w, xasprintf("%llu", (unsigned long long)s->size));
}

/* The program, captured as it runs, with how its files were before. */
static void capture_words(struct words *w, const struct campaign *c, const struct step *s)
{
	char *root = program_work_dir(&c->places, c->protocol, s->scenario);
	word_add(w, xstrdup(c->options->self));
	word_add(w, xstrdup("capture"));
	word_add(w, xstrdup("app"));
	word_add(w, xstrdup("--snapshot"));
	word_add(w, xasprintf("--root=%s", root));
	word_add(w, xasprintf("--output=%s", s->output));
	word_add(w, xstrdup("--"));
	script_words(w, c, s->scenario, "run");
	word_add(w, NULL);
	free(root);
}

bool step_is_observed(const struct campaign *c, const struct step *s)
{
	const struct scenario *scenario = &c->protocol->scenario[s->scenario];
	return scenario->script && !scenario->observe_own && !s->blank && !role_is_program(c, s->role);
}

static void observer_words(struct words *w, const struct campaign *c, const struct step *s)
{
	word_add(w, xstrdup(c->options->self));
	word_add(w, xstrdup("capture"));
	word_add(w, xstrdup("app"));
	word_add(w, xasprintf("--output=%s.side", s->output));
	word_add(w, xstrdup("--"));
}

/* A device instead of a directory. */
static void below_add(struct words *w, const struct campaign *c, const struct step *s, const struct place *place)
{
	const struct target *t = &c->protocol->target[c->protocol->scenario[s->scenario].target];
	word_add(w, xasprintf("--device=%s", place->below.path));
	if (t->destructive || t->volume)
		word_add(w, xstrdup("--destructive"));
	if (t->volume)
		word_add(w, xstrdup("--own-device"));
}

static void words_make(struct words *w, const struct campaign *c, const struct step *s)
{
	const struct scenario *scenario = &c->protocol->scenario[s->scenario];
	const struct place *place = &c->places.place[scenario->target];
	const char *dir = place->dir[c->places.scenario[s->scenario].dir].path;
	char *work_dir = scenario->script ? program_work_dir(&c->places, c->protocol, s->scenario) : NULL;
	if (scenario->script && role_is_program(c, s->role)) {
		capture_words(w, c, s);
		free(work_dir);
		return;
	}
	if (step_is_observed(c, s))
		observer_words(w, c, s);
	word_add(w, xstrdup(c->options->self));
	if (role_is_program(c, s->role)) {
		word_add(w, xstrdup("microbench"));
		word_add(w, xstrdup(scenario->type));
		settings_add(w, scenario->option, scenario->n_options, "requests");
		word_add(w, xasprintf("--requests=%llu", (unsigned long long)s->n_requests));
		word_add(w, xasprintf("--seed=%llu", (unsigned long long)s->seed));
		word_add(w, xstrdup("--min-duration=0")); /* the count decides, also where a workload has a duration */
		word_add(w, xstrdup("--no-prepare"));
	} else {
		const struct replayer *replayer = &c->protocol->replayer[s->role];
		word_add(w, xstrdup("replay"));
		word_add(w, xasprintf("--engine=%s", replayer->engine));
		if (s->blank)
			blank_settings_add(w, replayer);
		else
			settings_add(w, replayer->option, replayer->n_options, "engine");
	}
	if (place->below.path)
		below_add(w, c, s, place);
	else
		word_add(w, xasprintf("--dir=%s", work_dir ? work_dir : dir));
	free(work_dir);
	word_add(w, xasprintf("--output=%s", s->output));
	word_add(w, xstrdup("--no-sync-output"));
	if (!role_is_program(c, s->role))
		word_add(w, xstrdup(s->input));
	word_add(w, NULL);
}

static void words_free(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
}

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

/* The script makes its files anew; what goes wrong is the run's reason. */
static int script_prepare(struct campaign *c, const struct step *s, struct err *e)
{
	struct words words = {0};
	struct launch_result made;
	script_words(&words, c, s->scenario, "prepare");
	word_add(&words, NULL);
	struct launch_spec spec = {
	    .argv = words.v,
	    .file = "/bin/sh",
	    .timeout_ns = c->protocol->timeout_ns,
	    .signal_fd = c->signal_fd,
	};
	int ret = launch_run(&spec, &made, e);
	if (!ret && made.end == LAUNCH_INTERRUPTED) {
		c->interrupted = true;
		ret = -EINTR;
	} else if (!ret && made.reason[0]) {
		ret = err_set(e, EIO, "%s prepare: %s", c->protocol->scenario[s->scenario].script, made.reason);
	}
	words_free(&words);
	return ret;
}

static int launch(struct campaign *c, const struct step *s, struct step_result *r, const struct cgroup *group,
		  struct err *e)
{
	struct words words = {0};
	words_make(&words, c, s);
	struct launch_spec spec = {
	    .argv = words.v,
	    .file = LAUNCH_OWN_PROGRAM,
	    .cgroup_procs = group->procs,
	    .cpus = c->protocol->cpus ? &c->cpus : NULL,
	    .scheduling = c->scheduling,
	    .timeout_ns = c->protocol->timeout_ns,
	    .signal_fd = c->signal_fd,
	    .watch_memory = s->watch_memory,
	};
	int ret = launch_run(&spec, &r->launch, e);
	words_free(&words);
	return ret;
}

static void reason_make(struct step_result *r, uint64_t limit_bytes, uint64_t n_killed, int64_t before_ns)
{
	if (clock_monotonic_ns() < before_ns)
		snprintf(r->reason, sizeof r->reason, "the clock went backwards by %lld ns while it ran",
			 (long long)(before_ns - clock_monotonic_ns()));
	else if (r->launch.reason[0] && n_killed)
		snprintf(r->reason, sizeof r->reason,
			 "killed for want of memory in its cgroup (limit %llu bytes); %.300s",
			 (unsigned long long)limit_bytes, r->launch.reason);
	else
		snprintf(r->reason, sizeof r->reason, "%s", r->launch.reason);
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
	if (!s->blank && c->protocol->scenario[s->scenario].script)
		ret = script_prepare(c, s, &why);
	if (!ret && !s->blank)
		ret = prepare_run(&c->places, c->protocol, s->scenario, c->drop_caches, &r->prepared, &why);
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
		reason_make(r, s->limit_bytes, n_killed, before_ns);
	return 0;
}
