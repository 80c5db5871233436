/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of the plan, from its step to its line in the journal. */

#include "common/files.h"
#include "validate/campaign/observe.h"
#include "common/text.h"

bool campaign_interrupted(struct campaign *c)
{
	if (signals_pending(c->signal_fd))
		c->interrupted = true;
	return c->interrupted;
}

int helper_do(struct campaign *c, int (*work)(void *context, struct err *e), void *context,
	      size_t size, struct err *e)
{
	int ret = launch_helper(work, context, size, c->signal_fd, e);
	if (ret == -EINTR)
		c->interrupted = true;
	return ret;
}

/* --- traces -------------------------------------------------------------- */

static int trace_keep(const struct campaign *c, const struct run *r, const char *trace,
		      struct err *e)
{
	int keep = c->protocol->keep;
	if (keep == KEEP_NONE || (keep == KEEP_FAILED && r->state != RUN_FAILED) ||
	    !path_exists(trace))
		return 0;
	SCOPED_FREE char *to = xasprintf("%s/traces/%06u.trace", c->dir, r->id);
	return file_copy(trace, to, e);
}

/* Copies the printed output of a replayer of another project, which is beside its trace, to the
 * kept traces if the protocol keeps it. Then removes it. */
static int printed_keep(const struct campaign *c, const struct run *r, const char *trace,
			struct err *e)
{
	int keep = c->protocol->keep, ret = 0;
	SCOPED_FREE char *printed = xasprintf("%s.printed", trace),
			 *to = xasprintf("%s/traces/%06u.printed", c->dir, r->id);
	if (path_exists(printed) &&
	    (keep == KEEP_ALL || (keep == KEEP_FAILED && r->state == RUN_FAILED)))
		ret = file_copy(printed, to, e);
	unlink(printed);
	return ret;
}

/* --- steps --------------------------------------------------------------- */

/* Compiles the programs for all replays of a trace as soon as the trace exists. If that fails, the
 * runs fail with this reason. Returns 0 or -EINTR. */
static int programs_make(struct campaign *c, const struct run *r, const char *trace)
{
	struct err why = ERR_INIT;
	for (size_t i = 0; i < c->protocol->n_replayers; i++) {
		struct step s = {.scenario = r->scenario, .role = (int32_t)i, .input = trace};
		const size_t n =
		    c->protocol->replayer[i].applies[r->scenario] ? step_n_programs(c, &s) : 0;
		for (size_t k = 0; k < n; k++) {
			s.blank = k > 0;
			if (step_compile(c, &s, &why) == -EINTR)
				return -EINTR;
		}
	}
	return 0;
}

int run_service_set(struct campaign *c, struct run *r, int32_t role, struct err *e)
{
	const size_t target = c->protocol->scenario[r->scenario].target;
	int ret = device_restart(&c->places.place[target].below, e);
	if (ret || !protocol_slows(c->protocol, target))
		return ret;
	const bool slow = role != ROLE_RECORD && design_block_is_slow(c->protocol, r->block);
	r->service_factor = slow ? SLOW_FACTOR : 1;
	return device_slow(&c->places.place[target].below, r->service_factor, e);
}

struct step step_of_run(const struct campaign *c, const struct run *r, int32_t role,
			const char *input, const char *output)
{
	return (struct step){
	    .scenario = r->scenario, .role = role,
	    .seed = design_workload_seed(c->protocol, r->bank),
	    .n_requests = c->calibration[r->scenario].n_requests, .input = input, .output = output,
	    .limit_bytes = step_limit(c, r->scenario, role),
	};
}

int run_step(struct campaign *c, struct run *r, int32_t role, const char *input, const char *output,
	     struct step_result *result, struct err *e)
{
	struct step s = step_of_run(c, r, role, input, output);
	int ret = run_service_set(c, r, role, e);
	if (ret)
		return ret;
	if (role == ROLE_RECORD && c->protocol->scenario[r->scenario].parallel.is)
		return parallel_record(c, r, &s, result, e);
	return step_make(c, &s, result, e);
}

/* Whether the replays of run r are also made without calls: this is done in the first
 * DESIGN_BLANK_BLOCKS blocks. */
static bool blank_wanted(const struct campaign *c, const struct run *r)
{
	if (c->protocol->scenario[r->scenario].parallel.is)
		/* its waiting is part of the replay */
		return false;
	if (c->places.place[c->protocol->scenario[r->scenario].target].below.path)
		/* its stamps are not around calls */
		return false;
	if (c->protocol->scenario[r->scenario].observe == OBSERVE_BLOCK)
		/* its stamps do not count */
		return false;
	if (r->role >= 0 && replayer_adapter(&c->protocol->replayer[r->role]))
		return false;
	return r->role >= 0 && !role_is_program(c, r->role) && r->block > 0 &&
	       r->block <= DESIGN_BLANK_BLOCKS;
}

/* Repeats the replay without its calls. If that fails, *made is false and the run is kept without
 * its blank. */
static int blank_make(struct campaign *c, const struct run *r, const char *input,
		      const char *output, bool *made, struct err *e)
{
	struct step_result result;
	struct step s = step_of_run(c, r, r->role, input, output);
	s.blank = true;
	const enum time_part before = time_begin(&c->time, TIME_BLANK);
	int ret = step_make(c, &s, &result, e);
	time_end(&c->time, before);
	*made = !ret && !result.reason[0];
	return ret;
}

void side_remove(const char *output)
{
	SCOPED_FREE char *side = xasprintf("%s.side", output);
	unlink(side);
}

void run_fail(struct run *r, const char *reason)
{
	free(r->reason);
	r->state = RUN_FAILED;
	r->reason = xstrdup(reason);
	text_make_line(r->reason);
}

static void result_take(struct run *r, const struct campaign *c, const struct step_result *result,
			const char *output)
{
	struct stat st;
	r->started_ns = result->started_ns;
	r->preparation_s = result->preparation_s;
	r->run_s = (double)result->launch.run_ns * 1e-9;
	r->cpu_s = (double)result->launch.cpu_ns * 1e-9;
	r->peak_bytes = result->launch.peak_bytes;
	others_shares(&result->others, result->own_s > 0 ? result->own_s : r->cpu_s,
		      &r->others_share, &r->stolen_share);
	r->residency = result->prepared.residency;
	r->cgroup_limit_bytes = step_limit(c, r->scenario, r->role);
	r->cgroup_peak_bytes = result->cgroup_peak_bytes;
	r->trace_bytes = stat(output, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* Whether the machine temporarily lacks a resource. This is not an outcome of the run: a resumed
 * campaign would keep an outcome. */
static bool is_of_machine(int ret)
{
	return ret == -ENOMEM || ret == -EMFILE || ret == -ENFILE || ret == -EAGAIN;
}

/* Returns the number of requests of a recording; 0 unknown. */
static uint64_t n_records_of(const char *path)
{
	struct trace *t;
	bool known = false;
	if (!path || trace_open(&t, path, NULL))
		return 0;
	const uint64_t n = trace_n_records(t, &known);
	trace_close(t);
	return n;
}

int run_take(struct campaign *c, struct run *r, const struct step_result *result,
	     const char *output, const struct slices *slices, struct err *e)
{
	struct err why = ERR_INIT;
	bool has_blank = false;
	result_take(r, c, result, output);
	if (result->no_space)
		return no_space(result->reason, e);
	if (result->reason[0]) {
		run_fail(r, result->reason);
		return 0;
	}
	SCOPED_FREE char *bank = bank_path(c, r->scenario, r->bank),
			 *blank = scratch_path(c, "blank.trace"),
			 *device = observed_bank_path(c, r->scenario, bank);
	const char *input = role_is_program(c, r->role) ? NULL : bank;
	facts_note_replayer(c, r->role, output);
	int ret = blank_wanted(c, r) ? blank_make(c, r, input, blank, &has_blank, e) : 0;
	if (ret)
		goto out;
	r->state = RUN_OK;
	const struct step made = {.scenario = r->scenario, .role = r->role};
	const enum observe observed = step_observation(c, &made);
	const bool keeps = observed == OBSERVE_BLOCK && r->role == ROLE_RECORD;
	struct summary_work work = {.campaign = c, .run = r, .trace = output, .input = input,
		.blank = has_blank ? blank : NULL, .slices = slices,
		.observed = observed != OBSERVE_OWN, .keep = keeps ? device : NULL};
	const enum time_part before = time_begin(&c->time, TIME_SUMMARY);
	int bad = helper_do(c, summary_make, &work, sizeof work, &why);
	time_end(&c->time, before);
	memcpy(r->file_sha256, work.seal.file, sizeof r->file_sha256);
	memcpy(r->line_sha256, work.seal.line, sizeof r->line_sha256);
	/* -EINTR takes effect after this run */
	if (bad == -ENOTRECOVERABLE)
		ret = is_about_space(why.msg) ? no_space(why.msg, e)
					      : err_set(e, EIO, "%s", why.msg);
	else if (bad == -ENOSPC || bad == -EDQUOT)
		ret = no_space(why.msg, e);
	else if (is_of_machine(bad))
		ret = err_set(e, -bad, "no summary of run %u: %s", r->id, why.msg);
	else if (bad && bad != -EINTR) {
		run_fail(r, why.msg);
		r->n_lost = bad == -ENOMSG ? n_records_of(input) : 0;
	}
	if (!ret && r->role == ROLE_RECORD && r->state == RUN_OK) {
		ret = bank_take(c, r, output, e);
		if (!ret && programs_make(c, r, bank))
			/* takes effect after this run */
			c->interrupted = true;
	}
out:
	unlink(blank);
	return ret;
}

/* Makes the run and its summary. If it fails, the failure is its outcome. */
static int run_try(struct campaign *c, struct run *r, const char *output, struct err *e)
{
	struct step_result result = {0};
	char reason[500] = "";
	SCOPED_FREE char *bank = bank_path(c, r->scenario, r->bank);
	int ret = run_input_ensure(c, r, bank, reason, sizeof reason, e);
	if (!ret && reason[0])
		run_fail(r, reason);
	if (!ret && !reason[0])
		ret = run_step(c, r, r->role, role_is_program(c, r->role) ? NULL : bank, output,
			       &result, e);
	if (!ret && !reason[0])
		ret = run_take(c, r, &result, output, NULL, e);
	side_remove(output);
	return ret;
}

int run_journal(struct campaign *c, const struct run *r, const char *output, struct err *e)
{
	SCOPED_FREE char *bank = bank_path(c, r->scenario, r->bank);
	int ret = trace_keep(c, r, r->role == ROLE_RECORD && r->state == RUN_OK ? bank : output, e);
	ret = ret ? ret : printed_keep(c, r, output, e);
	if (ret)
		return ret;
	const enum time_part before = time_begin(&c->time, TIME_JOURNAL);
	json_t *event = run_to_event(r);
	ret = journal_append_new(&c->journal, event, e);
	time_end(&c->time, before);
	return ret;
}

int run_make(struct campaign *c, uint32_t id, struct err *e)
{
	struct run *r = &c->run[id];
	SCOPED_FREE char *output = scratch_path(c, "run.trace");
	const enum time_part before =
	    time_begin(&c->time, r->role == ROLE_RECORD ? TIME_RECORDINGS : TIME_OTHER);
	int ret = run_try(c, r, output, e);
	if (ret)
		r->state = RUN_PENDING;
	else
		ret = run_journal(c, r, output, e);
	time_end(&c->time, before);
	return ret;
}
