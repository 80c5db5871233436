/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run of the plan, from its bank trace to its line in the journal. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/trace.h"
#include "common/files.h"
#include "common/xalloc.h"
#include "validate/campaign/campaign_state.h"
#include "validate/campaign/observe.h"
#include "validate/protocol/text.h"

bool campaign_interrupted(struct campaign *c)
{
	if (signals_pending(c->signal_fd))
		c->interrupted = true;
	return c->interrupted;
}

/* Of the scenario whose recordings are used. */
static size_t bank_index(const struct campaign *c, uint32_t scenario, uint32_t bank)
{
	return scenario_recording(c->protocol, scenario) * protocol_n_bank(c->protocol) + bank;
}

static char *bank_path(const struct campaign *c, uint32_t scenario, uint32_t bank)
{
	const bool parallel = c->protocol->scenario[scenario].parallel.is;
	char *dir = parallel ? recordings_dir(c) : xstrdup(c->scratch.dir);
	char *path = xasprintf("%s/bank-%04zu-%06u.trace", dir, scenario_recording(c->protocol, scenario), bank);
	free(dir);
	return path;
}

/* --- traces ------------------------------------------------------------------------------------------------------- */

static int file_copy(const char *from, const char *to, struct err *e)
{
	char *buffer = xmalloc(1 << 20);
	int ret = 0, in = open(from, O_RDONLY | O_CLOEXEC), out = -1;
	if (in < 0)
		ret = err_sys(e, errno, "cannot open %s", from);
	else if ((out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666)) < 0)
		ret = err_sys(e, errno, "cannot create %s", to);
	while (!ret) {
		ssize_t n = read(in, buffer, 1 << 20);
		if (n <= 0) {
			ret = n ? err_sys(e, errno, "cannot read %s", from) : 0;
			break;
		}
		ret = write_all(out, buffer, (size_t)n);
		if (ret)
			ret = err_sys(e, -ret, "cannot write %s", to);
	}
	if (!ret && fsync(out) < 0)
		ret = err_sys(e, errno, "cannot sync %s", to);
	if (in >= 0)
		close(in);
	if (out >= 0 && close(out) < 0 && !ret)
		ret = err_sys(e, errno, "cannot close %s", to);
	free(buffer);
	return ret;
}

/* A recording to its place, which may be on another file system. */
static int bank_move(const char *from, const char *to, struct err *e)
{
	if (rename(from, to) == 0)
		return 0;
	if (errno != EXDEV)
		return err_sys(e, errno, "cannot rename %s to %s", from, to);
	int ret = file_copy(from, to, e);
	unlink(from);
	return ret;
}

static int trace_keep(const struct campaign *c, const struct run *r, const char *trace, struct err *e)
{
	int keep = c->protocol->keep;
	if (keep == KEEP_NONE || (keep == KEEP_FAILED && r->state != RUN_FAILED) || !path_exists(trace))
		return 0;
	char *to = xasprintf("%s/traces/%06u.trace", c->dir, r->id);
	int ret = file_copy(trace, to, e);
	free(to);
	return ret;
}

/* What somebody else's replayer printed, which it left beside its trace: kept where the trace is. */
static int printed_keep(const struct campaign *c, const struct run *r, const char *trace, struct err *e)
{
	int keep = c->protocol->keep, ret = 0;
	char *printed = xasprintf("%s.printed", trace), *to = xasprintf("%s/traces/%06u.printed", c->dir, r->id);
	if (path_exists(printed) && (keep == KEEP_ALL || (keep == KEEP_FAILED && r->state == RUN_FAILED)))
		ret = file_copy(printed, to, e);
	unlink(printed);
	free(printed);
	free(to);
	return ret;
}

/* Is the trace there and whole? It may be of a session that was killed, or of a machine that went down. */
static bool trace_is_whole(const char *path)
{
	struct trace *t;
	struct trace_health health;
	bool known;
	if (trace_open(&t, path, NULL) < 0)
		return false;
	uint64_t n = trace_n_records(t, &known);
	trace_health(t, &health);
	trace_close(t);
	return health.complete && !health.n_blocks_damaged && (!known || n > 0);
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

/* Programs are made as soon as a trace is there, for all who will replay it. One that cannot be made fails in its runs, with its
 * reason. Returns -EINTR only. */
static int programs_make(struct campaign *c, const struct run *r, const char *trace)
{
	struct err why = ERR_INIT;
	for (size_t i = 0; i < c->protocol->n_replayers; i++) {
		struct step s = {.scenario = r->scenario, .role = (int32_t)i, .input = trace};
		const size_t n = c->protocol->replayer[i].applies[r->scenario] ? step_n_programs(c, &s) : 0;
		for (size_t k = 0; k < n; k++) {
			s.blank = k > 0;
			if (step_compile(c, &s, &why) == -EINTR)
				return -EINTR;
		}
	}
	return 0;
}

/* The volume of a slow block serves all of its runs slowly. */
static int service_set(struct campaign *c, struct run *r, int32_t role, struct err *e)
{
	const size_t target = c->protocol->scenario[r->scenario].target;
	if (!protocol_slows(c->protocol, target))
		return 0;
	const bool slow = role != ROLE_RECORD && design_block_is_slow(c->protocol, r->block);
	r->service_factor = slow ? SLOW_FACTOR : 1;
	return device_slow(&c->places.place[target].below, r->service_factor, e);
}

static int run_step(struct campaign *c, struct run *r, int32_t role, const char *input, const char *output,
		    struct step_result *result, struct err *e)
{
	struct step s = {
	    .scenario = r->scenario,
	    .role = role,
	    .seed = design_workload_seed(c->protocol, r->bank),
	    .n_requests = c->calibration[r->scenario].n_requests,
	    .input = input,
	    .output = output,
	    .limit_bytes = step_limit(c, r->scenario, role),
	};
	int ret = service_set(c, r, role, e);
	if (ret)
		return ret;
	if (role == ROLE_RECORD && c->protocol->scenario[r->scenario].parallel.is)
		return parallel_record(c, r, &s, result, e);
	return step_make(c, &s, result, e);
}

bool blank_wanted(const struct campaign *c, const struct run *r)
{
	if (c->protocol->scenario[r->scenario].parallel.is)
		return false; /* what it waits for is part of it */
	if (c->places.place[c->protocol->scenario[r->scenario].target].below.path)
		return false; /* its stamps do not lie around calls */
	if (c->protocol->scenario[r->scenario].observe == OBSERVE_BLOCK)
		return false; /* whose stamps are not those that count */
	if (r->role >= 0 && replayer_adapter(&c->protocol->replayer[r->role]))
		return false;
	return r->role >= 0 && !role_is_program(c, r->role) && r->block > 0 && r->block <= DESIGN_BLANK_BLOCKS;
}

/* The same replay once more without its calls. `*made` is false where it failed: a run stands without its blank. */
static int blank_make(struct campaign *c, const struct run *r, const char *input, const char *output, bool *made, struct err *e)
{
	struct step_result result;
	struct step s = {
	    .scenario = r->scenario,
	    .role = r->role,
	    .seed = design_workload_seed(c->protocol, r->bank),
	    .n_requests = c->calibration[r->scenario].n_requests,
	    .input = input,
	    .output = output,
	    .limit_bytes = step_limit(c, r->scenario, r->role),
	    .blank = true,
	};
	const enum time_part before = time_begin(&c->time, TIME_BLANK);
	int ret = step_make(c, &s, &result, e);
	time_end(&c->time, before);
	*made = !ret && !result.reason[0];
	return ret;
}

static void side_remove(const char *output)
{
	char *side = xasprintf("%s.side", output);
	unlink(side);
	free(side);
}

struct bank_work {
	const struct campaign *campaign;
	struct run run;
	const char *trace, *out;
};

static int bank_observed(void *context, struct err *e)
{
	struct bank_work *w = context;
	return observed_make(w->campaign, &w->run, w->trace, NULL, w->out, e);
}

/* The device's view of a recording, which replays are matched to. 0 with a reason where it cannot be made. */
static int bank_observe(struct campaign *c, const struct run *r, const char *trace, const char *path, char *reason, size_t size)
{
	struct err why = ERR_INIT;
	const struct step s = {.scenario = r->scenario, .role = ROLE_RECORD};
	if (step_observation(c, &s) != OBSERVE_BLOCK)
		return 0;
	char *out = observed_bank_path(c, r->scenario, path);
	struct bank_work w = {c, {.scenario = r->scenario, .role = ROLE_RECORD}, trace, out};
	int ret = launch_helper(bank_observed, &w, c->signal_fd, &why);
	free(out);
	if (ret == -EINTR)
		c->interrupted = true;
	else if (ret)
		snprintf(reason, size, "%.400s", why.msg);
	return 0;
}

/* Records the trace that run `r` needs, where it is missing: its recording failed, or it was lost with the scratch
 * directory. */
static int bank_record(struct campaign *c, struct run *r, const char *path, char *reason, size_t size,
		       struct err *e)
{
	struct step_result result;
	char *part = scratch_path(c, "bank.part");
	reason[0] = 0;
	const enum time_part before = time_begin(&c->time, TIME_RECORDINGS);
	int ret = run_step(c, r, ROLE_RECORD, NULL, part, &result, e);
	time_end(&c->time, before);
	if (!ret && !result.reason[0])
		ret = bank_observe(c, r, part, path, result.reason, sizeof result.reason);
	side_remove(part);
	if (!ret && result.reason[0])
		snprintf(reason, size, "its reference trace is missing and could not be recorded: %.400s",
			 result.reason);
	else if (!ret)
		ret = bank_move(part, path, e);
	free(part);
	if (ret)
		return ret;
	json_t *event = json_pack("{s:s, s:I, s:I, s:s, s:s*}", "event", "bank", "scenario", (json_int_t)r->scenario,
				  "bank", (json_int_t)r->bank, "state", reason[0] ? "failed" : "recorded again",
				  "reason", reason[0] ? reason : NULL);
	ret = journal_append(&c->journal, event, e);
	json_decref(event);
	return ret;
}

/* Of a parallel application: recording it takes too long to be tried for every replay. NULL: it did not fail. */
static const struct run *recording_failed(const struct campaign *c, const struct run *r)
{
	const size_t scenario = scenario_recording(c->protocol, r->scenario);
	for (size_t i = 0; i < c->plan.n_bank_runs && c->protocol->scenario[scenario].parallel.is; i++)
		if (c->run[i].scenario == scenario && c->run[i].bank == r->bank && c->run[i].state == RUN_FAILED)
			return &c->run[i];
	return NULL;
}

static int bank_ensure(struct campaign *c, struct run *r, const char *path, char *reason, size_t size,
		       struct err *e)
{
	bool *known = &c->bank_known[bank_index(c, r->scenario, r->bank)];
	reason[0] = 0;
	*known = *known ? path_exists(path) : trace_is_whole(path); /* somebody may remove it */
	if (*known && c->protocol->scenario[r->scenario].observe == OBSERVE_BLOCK && !c->protocol->scenario[r->scenario].trace) {
		char *device = observed_bank_path(c, r->scenario, path);
		*known = trace_is_whole(device);
		free(device);
	}
	const struct run *failed = *known ? NULL : recording_failed(c, r);
	if (failed)
		snprintf(reason, size, "the application could not be recorded (run %u): %.400s", failed->id, failed->reason);
	if (*known || failed)
		return 0;
	int ret = bank_record(c, r, path, reason, size, e);
	*known = !ret && !reason[0];
	return ret;
}

static void run_fail(struct run *r, const char *reason)
{
	free(r->reason);
	r->state = RUN_FAILED;
	r->reason = xstrdup(reason);
	text_make_line(r->reason);
}

/* Who cleans up directories for temporary files may remove the scratch directory with the recordings: it is made again,
 * and they are recorded again when they are needed. */
static int scratch_ensure(struct campaign *c, char *reason, size_t size, struct err *e)
{
	struct err why = ERR_INIT;
	bool made;
	reason[0] = 0;
	if (scratch_check(&c->scratch, &made, &why) < 0) {
		snprintf(reason, size, "%.490s", why.msg);
		return 0;
	}
	if (!made)
		return 0;
	memset(c->bank_known, 0, c->protocol->n_scenarios * protocol_n_bank(c->protocol) * sizeof *c->bank_known);
	json_t *event = json_pack("{s:s, s:o, s:s}", "event", "scratch", "path", text_to_json(c->scratch.dir), "why",
				  "it was removed while it was in use");
	int ret = journal_append(&c->journal, event, e);
	json_decref(event);
	return ret;
}

static void result_take(struct run *r, const struct campaign *c, const struct step_result *result, const char *output)
{
	struct stat st;
	r->started_ns = result->started_ns;
	r->preparation_s = result->preparation_s;
	r->run_s = (double)result->launch.run_ns * 1e-9;
	r->cpu_s = (double)result->launch.cpu_ns * 1e-9;
	r->peak_bytes = result->launch.peak_bytes;
	others_shares(&result->others, r->cpu_s, &r->others_share, &r->stolen_share);
	r->residency = result->prepared.residency;
	r->cgroup_limit_bytes = step_limit(c, r->scenario, r->role);
	r->cgroup_peak_bytes = result->cgroup_peak_bytes;
	r->trace_bytes = stat(output, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* The run itself and its summary; what goes wrong with it is its outcome. */
static int run_try(struct campaign *c, struct run *r, const char *output, struct err *e)
{
	struct step_result result = {0};
	struct err why = ERR_INIT;
	char reason[500] = "";
	char *bank = bank_path(c, r->scenario, r->bank), *blank = scratch_path(c, "blank.trace"), *device = observed_bank_path(c, r->scenario, bank);
	const char *input = role_is_program(c, r->role) ? NULL : bank;
	int ret = scratch_ensure(c, reason, sizeof reason, e);
	if (!ret && !reason[0] && input)
		ret = bank_ensure(c, r, bank, reason, sizeof reason, e);
	if (ret || reason[0]) {
		if (!ret)
			run_fail(r, reason);
		goto out;
	}
	ret = run_step(c, r, r->role, input, output, &result, e);
	if (ret)
		goto out;
	result_take(r, c, &result, output);
	if (result.reason[0]) {
		run_fail(r, result.reason);
		goto out;
	}
	facts_note_replayer(c, r->role, output);
	bool has_blank = false;
	if (blank_wanted(c, r))
		ret = blank_make(c, r, input, blank, &has_blank, e);
	if (ret)
		goto out;
	r->state = RUN_OK;
	const struct step made = {.scenario = r->scenario, .role = r->role};
	const bool watched = step_observation(c, &made) == OBSERVE_BLOCK;
	struct summary_work work = {c, r, output, input, has_blank ? blank : NULL, step_observation(c, &made) != OBSERVE_OWN,
				    watched && r->role == ROLE_RECORD ? device : NULL};
	const enum time_part before = time_begin(&c->time, TIME_SUMMARY);
	int bad = launch_helper(summary_make, &work, c->signal_fd, &why);
	time_end(&c->time, before);
	if (bad == -EINTR)
		c->interrupted = true; /* after this run, which is done */
	else if (bad == -ENOTRECOVERABLE)
		ret = err_set(e, EIO, "%s", why.msg);
	else if (bad)
		run_fail(r, why.msg);
	if (!ret && r->role == ROLE_RECORD && r->state == RUN_OK) {
		ret = bank_move(output, bank, e);
		c->bank_known[bank_index(c, r->scenario, r->bank)] = true;
		if (!ret && programs_make(c, r, bank))
			c->interrupted = true; /* after this run, which is done */
	}
out:
	side_remove(output);
	unlink(blank);
	free(blank);
	free(device);
	free(bank);
	return ret;
}

int run_make(struct campaign *c, uint32_t id, struct err *e)
{
	struct run *r = &c->run[id];
	char *output = scratch_path(c, "run.trace");
	const enum time_part before = time_begin(&c->time, r->role == ROLE_RECORD ? TIME_RECORDINGS : TIME_OTHER);
	int ret = run_try(c, r, output, e);
	if (ret) {
		r->state = RUN_PENDING;
		goto out;
	}
	if (r->role == ROLE_RECORD && r->state == RUN_OK) {
		char *bank = bank_path(c, r->scenario, r->bank);
		ret = trace_keep(c, r, bank, e);
		free(bank);
	} else {
		ret = trace_keep(c, r, output, e);
	}
	if (!ret)
		ret = printed_keep(c, r, output, e);
	if (ret)
		goto out;
	time_begin(&c->time, TIME_JOURNAL);
	json_t *event = run_to_event(r);
	ret = journal_append(&c->journal, event, e);
	json_decref(event);
out:
	time_end(&c->time, before);
	free(output);
	return ret;
}
