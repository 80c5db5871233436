/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calibration before the first run: the request count with which a run is long enough, and the
 * memory that the processes need.
 *
 * Both are measured under the conditions of the runs. The same count is used for recordings, reruns
 * and replays, so that they do the same work. The memory is added to the page-cache budget, so that
 * program and replayers have the same amount of page cache. */

#include "microbench/microbench.h"
#include "validate/campaign/campaign_state.h"
#include "common/text.h"

#define TRIES_MAX 24
/* number of short runs from which the count grows at least by AIM: their times vary too much for a
 * prediction */
#define SHORT_MANY 4
#define MARGIN 1.25     /* factor on the request count, so that a faster run is also long enough */
#define AIM 1.4         /* multiple of min_duration when the count is raised */
/* limit of one step, because a first pass over cold files is a bad prediction of the next */
#define GROWTH_MAX 30.0

struct trial {
	int64_t execution_ns;
	uint64_t trace_bytes;
	struct own_memory memory;
	char reason[500];
};

struct region {
	const char *trace;
	/* period in which its requests ran; CLOCK_MONOTONIC */
	int64_t begin_ns, execution_ns;
};

/* Work for helper_do(). */
static int region_read(void *context, struct err *e)
{
	struct region *r = context;
	struct run_summary s;
	struct trace *t;
	int ret = trace_open(&t, r->trace, e);
	if (ret)
		return ret;
	r->begin_ns = trace_meta(t)->epoch_ns;
	trace_close(t);
	ret = summary_compute(&s, r->trace, NULL, NULL, e);
	r->execution_ns = ret ? 0 : s.execution_ns;
	return ret;
}

/* Stores the largest memory sample during the requests, and of the whole run. If there is no sample
 * during the requests, uses the peak. */
static void memory_find(const struct launch_result *l, const struct region *r, struct own_memory *m)
{
	*m = (struct own_memory){0, 0};
	for (size_t i = 0; i < l->n_memory; i++) {
		const struct memory_sample *s = &l->memory[i];
		if (s->bytes > m->peak_bytes)
			m->peak_bytes = s->bytes;
		if (s->ns >= r->begin_ns && s->ns <= r->begin_ns + r->execution_ns &&
		    s->bytes > m->run_bytes)
			m->run_bytes = s->bytes;
	}
	if (!m->run_bytes)
		m->run_bytes = m->peak_bytes;
}

/* Runs a process and samples its memory. An error ends the campaign (also -EINTR). If the process
 * fails, t->reason says why. */
static int trial_make(struct campaign *c, const struct step *s, struct trial *t, struct err *e)
{
	struct step_result r;
	struct stat st;
	*t = (struct trial){0};
	int ret = step_make(c, s, &r, e);
	if (ret) {
		free(r.launch.memory);
		return ret;
	}
	if (r.no_space) {
		free(r.launch.memory);
		return no_space(r.reason, e);
	}
	snprintf(t->reason, sizeof t->reason, "%s", r.reason);
	if (!t->reason[0]) {
		struct region region = {.trace = s->output};
		struct err why = ERR_INIT;
		t->trace_bytes = stat(s->output, &st) == 0 ? (uint64_t)st.st_size : 0;
		ret = helper_do(c, region_read, &region, sizeof region, &why);
		if (ret == -ENOSPC) {
			ret = no_space(why.msg, e);
		} else if (ret && ret != -EINTR) {
			snprintf(t->reason, sizeof t->reason, "%.490s", why.msg);
			ret = 0;
		}
		t->execution_ns = region.execution_ns;
		memory_find(&r.launch, &region, &t->memory);
	}
	free(r.launch.memory);
	return ret;
}

/* Increases the count until two successive runs last long enough. With a budget, one such run
 * suffices: a count that is slightly too small costs less than the time. */
static int program_calibrate(struct campaign *c, size_t scenario, const char *output, struct err *e)
{
	struct campaign_calibration *k = &c->calibration[scenario];
	struct trial t;
	int64_t least = c->protocol->min_duration_ns;
	const unsigned int n_needed = c->budget_ns ? 1 : 2;
	unsigned int n_long = 0, n_short = 0;
	for (int i = 0; i < TRIES_MAX && n_long < n_needed; i++) {
		struct step s = {
		    .scenario = scenario, .role = ROLE_PROGRAM,
		    .seed = design_workload_seed(c->protocol, 0), .n_requests = k->n_requests,
		    .output = output, .limit_bytes = step_limit(c, scenario, ROLE_PROGRAM),
		    .watch_memory = true,
		};
		int ret = trial_make(c, &s, &t, e);
		if (ret)
			return ret;
		if (t.reason[0]) {
			k->failure = xstrdup(t.reason);
			return 0;
		}
		k->execution_ns = t.execution_ns;
		k->memory[0] = t.memory;
		k->trace_bytes = t.trace_bytes;
		double ratio =
		    t.execution_ns > 0 ? (double)least / (double)t.execution_ns : GROWTH_MAX;
		/* captured programs have a fixed duration */
		if (ratio * MARGIN <= 1 || c->protocol->scenario[scenario].script ||
		    c->protocol->scenario[scenario].trace) {
			n_long += c->protocol->scenario[scenario].parallel.is ? 2 : 1;
			continue;
		}
		ratio *= AIM;
		if (++n_short >= SHORT_MANY && ratio < AIM)
			ratio = AIM;
		if (ratio > GROWTH_MAX)
			ratio = GROWTH_MAX;
		n_long = 0;
		k->n_requests = (uint64_t)((double)k->n_requests * ratio) + 1;
		/* until it is measured, an estimate for the next run */
		k->memory[0].run_bytes = (uint64_t)((double)t.memory.run_bytes * ratio);
		k->memory[0].peak_bytes = (uint64_t)((double)t.memory.peak_bytes * ratio);
		k->trace_bytes = (uint64_t)((double)t.trace_bytes * ratio);
	}
	if (n_long < n_needed)
		k->failure = xasprintf(
			"the program's runs are too often shorter than min-duration (%lld ms), "
			"even with about %llu requests: set a shorter min-duration",
			(long long)(least / 1000000), (unsigned long long)k->n_requests);
	return 0;
}

/* Measures the memory of each replayer. It is needed only for the limit of the cgroup. */
static int replayers_calibrate(struct campaign *c, size_t scenario, const char *input,
			       const char *output, struct err *e)
{
	struct campaign_calibration *k = &c->calibration[scenario];
	const struct protocol *p = c->protocol;
	for (size_t i = 0; i < p->n_replayers; i++) {
		struct trial t;
		if (!p->replayer[i].applies[scenario] || role_is_program(c, (int32_t)i))
			continue;
		struct step s = {.scenario = scenario, .role = (int32_t)i, .input = input,
				 .output = output, .watch_memory = true};
		int ret = trial_make(c, &s, &t, e);
		if (ret)
			return ret;
		/* a replayer that fails here also fails in its runs, with its reason; until then it
		 * gets the program's memory */
		k->memory[i + 1] = t.reason[0] ? k->memory[0] : t.memory;
	}
	return 0;
}

static int calibration_journal(struct campaign *c, size_t scenario, struct err *e)
{
	const struct campaign_calibration *k = &c->calibration[scenario];
	json_t *memory = json_array();
	for (size_t i = 0; i <= c->protocol->n_replayers; i++)
		json_array_append_new(memory, json_pack("[I,I]", (json_int_t)k->memory[i].run_bytes,
							(json_int_t)k->memory[i].peak_bytes));
	json_t *event =
	    json_pack("{s:s, s:I, s:I, s:I, s:I, s:o, s:o}", "event", "calibrate", "scenario",
		      (json_int_t)scenario, "requests", (json_int_t)k->n_requests, "execution_ns",
		      (json_int_t)k->execution_ns, "trace_bytes", (json_int_t)k->trace_bytes,
		      "anonymous_bytes", memory, "failure", text_to_json(k->failure));
	return journal_append_new(&c->journal, event, e);
}

int calibration_from_event(struct campaign *c, const json_t *event)
{
	json_int_t scenario, requests, execution_ns, trace_bytes;
	json_t *memory, *failure;
	if (json_unpack((json_t *)event, "{s:I, s:I, s:I, s:I, s:o, s:o}", "scenario", &scenario,
			"requests", &requests, "execution_ns", &execution_ns, "trace_bytes",
			&trace_bytes, "anonymous_bytes", &memory, "failure", &failure) < 0 ||
	    scenario < 0 || scenario >= (json_int_t)c->protocol->n_scenarios || requests < 1 ||
	    json_array_size(memory) != c->protocol->n_replayers + 1)
		return -EINVAL;
	struct campaign_calibration *k = &c->calibration[scenario];
	k->n_requests = (uint64_t)requests;
	k->execution_ns = execution_ns;
	k->trace_bytes = (uint64_t)trace_bytes;
	for (size_t i = 0; i <= c->protocol->n_replayers; i++) {
		const json_t *m = json_array_get(memory, i);
		k->memory[i].run_bytes = (uint64_t)json_integer_value(json_array_get(m, 0));
		k->memory[i].peak_bytes = (uint64_t)json_integer_value(json_array_get(m, 1));
	}
	/* repeat a failed calibration: the cause may be gone */
	k->done = json_is_null(failure);
	return 0;
}

static int scenario_calibrate(struct campaign *c, size_t scenario, struct err *e)
{
	const struct protocol *p = c->protocol;
	struct campaign_calibration *k = &c->calibration[scenario];
	char *program = scratch_path(c, "calibrate.trace"), *replay = scratch_path(c, "run.trace");
	bool budget = p->target[p->scenario[scenario].target].cache_budget_bytes &&
		      c->cgroups.kind != CGROUP_NONE;
	int ret = program_calibrate(c, scenario, program, e);
	if (!ret && budget && !k->failure)
		ret = replayers_calibrate(c, scenario, program, replay, e);
	unlink(program);
	unlink(replay);
	FREE_EACH(program, replay);
	ret = ret ? ret : calibration_journal(c, scenario, e);
	k->done = !ret;
	return ret;
}

/* Uses the calibration of another scenario: a parallel application is the same on one target,
 * whatever the volume on which it was recorded. */
static bool calibration_share(struct campaign *c, size_t scenario)
{
	const struct scenario *s = &c->protocol->scenario[scenario];
	struct campaign_calibration *k = &c->calibration[scenario];
	for (size_t i = 0; i < scenario; i++) {
		const struct campaign_calibration *other = &c->calibration[i];
		if (!other->done || s->target != c->protocol->scenario[i].target ||
		    !scenario_same_application(s, &c->protocol->scenario[i]))
			continue;
		k->n_requests = other->n_requests;
		k->execution_ns = other->execution_ns;
		k->trace_bytes = other->trace_bytes;
		k->memory[0] = other->memory[0];
		free(k->failure);
		k->failure = other->failure ? xstrdup(other->failure) : NULL;
		return true;
	}
	return false;
}

int calibrate_all(struct campaign *c, struct err *e)
{
	const struct protocol *p = c->protocol;
	int ret = 0;
	const enum time_part before = time_begin(&c->time, TIME_CALIBRATION);
	for (size_t i = 0; !ret && i < p->n_scenarios; i++) {
		struct campaign_calibration *k = &c->calibration[i];
		struct microbench_config config;
		if (k->done)
			continue;
		if (calibration_share(c, i)) {
			ret = calibration_journal(c, i, e);
			k->done = !ret;
			continue;
		}
		SCOPED_FREE char *what = xasprintf("calibrating %s", p->scenario[i].name);
		progress_step(&c->progress, 0, 0, what);
		ret = scenario_config(&p->scenario[i], &config, e);
		k->n_requests = config.n_requests;
		ret = ret ? ret : scenario_calibrate(c, i, e);
	}
	time_end(&c->time, before);
	return ret;
}
