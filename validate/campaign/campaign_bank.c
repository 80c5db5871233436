/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bank: reference traces in the scratch directory. Missing traces are recorded again. */

#include "common/files.h"
#include "validate/campaign/observe.h"
#include "common/text.h"

/* Index of a recording in c->bank_known. A scenario may use the recordings of another scenario. */
static size_t bank_index(const struct campaign *c, uint32_t scenario, uint32_t bank)
{
	return scenario_recording(c->protocol, scenario) * protocol_n_bank(c->protocol) + bank;
}

char *bank_path(const struct campaign *c, uint32_t scenario, uint32_t bank)
{
	const bool parallel = c->protocol->scenario[scenario].parallel.is;
	SCOPED_FREE char *dir = parallel ? recordings_dir(c) : xstrdup(c->scratch.dir);
	return xasprintf("%s/bank-%04zu-%06u.trace", dir, scenario_recording(c->protocol, scenario),
			 bank);
}

int file_copy(const char *from, const char *to, struct err *e)
{
	SCOPED_FREE char *buffer = xmalloc(1 << 20);
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
	fd_close(in);
	if (out >= 0 && close(out) < 0 && !ret)
		ret = err_sys(e, errno, "cannot close %s", to);
	return ret;
}

/* Moves a recording to the bank, which may be on another file system. */
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

/* Whether the trace exists and is complete. A killed session or a crash of the machine may leave a
 * part. */
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

/* Extracts the device's requests from a recording, for the matching with replays. Returns 0 with a
 * reason if that fails. */
static int bank_observe(struct campaign *c, const struct run *r, const char *trace,
			const char *path, char *reason, size_t size)
{
	struct err why = ERR_INIT;
	const struct step s = {.scenario = r->scenario, .role = ROLE_RECORD};
	if (step_observation(c, &s) != OBSERVE_BLOCK)
		return 0;
	SCOPED_FREE char *out = observed_bank_path(c, r->scenario, path);
	struct bank_work w = {c, {.scenario = r->scenario, .role = ROLE_RECORD}, trace, out};
	int ret = helper_do(c, bank_observed, &w, 0, &why);
	if (ret && ret != -EINTR)
		snprintf(reason, size, "%.400s", why.msg);
	return 0;
}

/* Records the trace that run `r` needs, because its recording failed or was lost with the scratch
 * directory. */
static int bank_record(struct campaign *c, struct run *r, const char *path, char *reason,
		       size_t size, struct err *e)
{
	struct step_result result;
	SCOPED_FREE char *part = scratch_path(c, "bank.part");
	reason[0] = 0;
	const enum time_part before = time_begin(&c->time, TIME_RECORDINGS);
	int ret = run_step(c, r, ROLE_RECORD, NULL, part, &result, e);
	time_end(&c->time, before);
	if (!ret && !result.reason[0])
		ret = bank_observe(c, r, part, path, result.reason, sizeof result.reason);
	side_remove(part);
	if (!ret && result.no_space)
		ret = no_space(result.reason, e);
	if (!ret && result.reason[0])
		snprintf(reason, size,
			 "its reference trace is missing and could not be recorded: %.400s",
			 result.reason);
	else if (!ret)
		ret = bank_move(part, path, e);
	if (ret)
		return ret;
	json_t *event =
	    json_pack("{s:s, s:I, s:I, s:s, s:s*}", "event", "bank", "scenario",
		      (json_int_t)r->scenario, "bank", (json_int_t)r->bank, "state",
		      reason[0] ? "failed" : "recorded again", "reason", reason[0] ? reason : NULL);
	return journal_append_new(&c->journal, event, e);
}

/* Returns the failed recording of a parallel application; NULL if it did not fail. Such a recording
 * takes too long to repeat it for every replay. */
static const struct run *recording_failed(const struct campaign *c, const struct run *r)
{
	const size_t scenario = scenario_recording(c->protocol, r->scenario);
	for (size_t i = 0; i < c->plan.n_bank_runs && c->protocol->scenario[scenario].parallel.is;
	     i++)
		if (c->run[i].scenario == scenario && c->run[i].bank == r->bank &&
		    c->run[i].state == RUN_FAILED)
			return &c->run[i];
	return NULL;
}

static int bank_ensure(struct campaign *c, struct run *r, const char *path, char *reason,
		       size_t size, struct err *e)
{
	bool *known = &c->bank_known[bank_index(c, r->scenario, r->bank)];
	reason[0] = 0;
	/* check again: the file may have been removed since */
	*known = *known ? path_exists(path) : trace_is_whole(path);
	if (*known && c->protocol->scenario[r->scenario].observe == OBSERVE_BLOCK &&
	    !c->protocol->scenario[r->scenario].trace) {
		SCOPED_FREE char *device = observed_bank_path(c, r->scenario, path);
		*known = trace_is_whole(device);
	}
	const struct run *failed = *known ? NULL : recording_failed(c, r);
	if (failed)
		snprintf(reason, size, "the application could not be recorded (run %u): %.400s",
			 failed->id, failed->reason);
	if (*known || failed)
		return 0;
	int ret = bank_record(c, r, path, reason, size, e);
	*known = !ret && !reason[0];
	return ret;
}

/* Makes the scratch directory again if a program that deletes temporary files has removed it.
 * Recordings are then repeated on demand. */
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
	memset(c->bank_known, 0,
	       c->protocol->n_scenarios * protocol_n_bank(c->protocol) * sizeof *c->bank_known);
	json_t *event = json_pack("{s:s, s:o, s:s}", "event", "scratch", "path",
		text_to_json(c->scratch.dir), "why", "removed");
	return journal_append_new(&c->journal, event, e);
}

int bank_take(struct campaign *c, const struct run *r, const char *recording, struct err *e)
{
	SCOPED_FREE char *bank = bank_path(c, r->scenario, r->bank);
	int ret = bank_move(recording, bank, e);
	c->bank_known[bank_index(c, r->scenario, r->bank)] = true;
	return ret;
}

int run_input_ensure(struct campaign *c, struct run *r, const char *bank, char *reason, size_t size,
		     struct err *e)
{
	int ret = scratch_ensure(c, reason, size, e);
	if (ret || reason[0] || role_is_program(c, r->role))
		return ret;
	return bank_ensure(c, r, bank, reason, size, e);
}
