/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <sys/random.h>

#include "common/clock.h"
#include "common/files.h"
#include "validate/campaign/observe.h"
#include "common/text.h"

#define JOURNAL_VERSION 1
#define OVERHEAD_S 0.12 /* expected beyond the time of a run */

/* --- the loop ------------------------------------------------------------ */

double run_seconds(const struct campaign *c, const struct design_run *r)
{
	const struct campaign_calibration *k = &c->calibration[r->scenario];
	const struct scenario_parallel *parallel = &c->protocol->scenario[r->scenario].parallel;
	const double run_s = (k->execution_ns > 0 ? (double)k->execution_ns
						  : (double)c->protocol->min_duration_ns * 1.4) *
			     1e-9;
	if (!parallel->is)
		return OVERHEAD_S + run_s;
	return RANKS_OVERHEAD_S +
	       (r->role == ROLE_RECORD ? recording_seconds(parallel, run_s) : run_s);
}

static void progress_show(struct campaign *c, size_t id, double done)
{
	const struct design_run *r = &c->plan.run[id];
	const struct protocol *p = c->protocol;
	SCOPED_FREE char *what =
	    r->role == ROLE_RECORD
		? xasprintf("recording %u of %llu: %s", r->bank + 1,
			    (unsigned long long)protocol_n_bank(p), p->scenario[r->scenario].name)
		: xasprintf("block %u of %llu: %s, %s", r->block,
			    (unsigned long long)p->n_replicates_max, p->scenario[r->scenario].name,
			    run_role_name(p, r->role));
	progress_step(&c->progress, id, done, what);
}

static size_t n_runs_wanted(const struct campaign *c)
{
	return design_n_runs_until(&c->plan, c->stop_replicates);
}

int failed_run(struct campaign *c, size_t id, struct err *e)
{
	const struct design_run *r = &c->plan.run[id];
	if (c->protocol->on_failure != ON_FAILURE_STOP)
		return 0;
	return err_set(e, ECANCELED,
		       "run %zu (%s, %s) failed, and the protocol has on-failure = stop. Cause: %s",
		       id, c->protocol->scenario[r->scenario].name,
		       run_role_name(c->protocol, r->role), c->run[id].reason);
}

/* Makes a recording, or the runs of a group. */
static int runs_make_some(struct campaign *c, size_t first, size_t n, double done, struct err *e)
{
	bool *pending = xcalloc(n, sizeof *pending), any = false;
	for (size_t i = 0; i < n; i++)
		any |= pending[i] = c->run[first + i].state == RUN_PENDING;
	if (any)
		progress_show(c, first, done);
	int ret = !any ? 0 : campaign_interrupted(c) ? -EINTR : 0;
	if (!ret && any)
		ret = c->plan.run[first].role == ROLE_RECORD ? run_make(c, (uint32_t)first, e)
							     : group_make(c, first, n, e);
	for (size_t i = 0; !ret && i < n; i++)
		if (pending[i] && c->run[first + i].state == RUN_FAILED)
			ret = failed_run(c, first + i, e);
	free(pending);
	return ret;
}

static int runs_make(struct campaign *c, struct err *e)
{
	double done = 0, total = 0;
	size_t n = n_runs_wanted(c);
	for (size_t id = 0; id < n; id++)
		total += run_seconds(c, &c->plan.run[id]);
	progress_start(&c->progress, n, total, !c->options->quiet);
	for (size_t id = 0, n_group; id < n; id += n_group) {
		const struct design_run *r = &c->plan.run[id];
		n_group = 1;
		if (r->role != ROLE_RECORD)
			group_find(c, id, &n_group);
		int ret = runs_make_some(c, id, n_group, done, e);
		if (ret)
			return ret;
		for (size_t i = id; i < id + n_group; i++)
			done += run_seconds(c, &c->plan.run[i]);
		if (r->role != ROLE_RECORD && (id + n_group == n || r[n_group].block != r->block)) {
			ret = look_after(c, r->block, e);
			if (ret)
				return ret;
			n = n_runs_wanted(c);
		}
	}
	return 0;
}

/* Reports calibrations that failed. A scenario whose program cannot run cannot be judged. The
 * others can be judged, if the protocol allows this. */
static int calibration_check(struct campaign *c, struct err *e)
{
	const struct protocol *p = c->protocol;
	size_t n_bad = 0, first = 0;
	for (size_t i = 0; i < p->n_scenarios; i++)
		if (c->calibration[i].failure && !n_bad++)
			first = i;
	if (!n_bad || (n_bad < p->n_scenarios && p->on_failure == ON_FAILURE_CONTINUE))
		return 0;
	return err_set(e, ECANCELED, "scenario %s cannot be run: %s", p->scenario[first].name,
		       c->calibration[first].failure);
}

static int session_note(struct campaign *c, const char *event, struct err *e)
{
	json_t *o = json_pack("{s:s, s:s, s:i, s:s, s:o, s:I, s:i}", "event", event, "token",
		c->token, "version", JOURNAL_VERSION, "program", VALIDATE_VERSION, "protocol",
		text_to_json(c->name), "runs", (json_int_t)c->plan.n_runs, "pid", (int)getpid());
	if (c->files && (!strcmp(event, "start") || !strcmp(event, "resume"))) {
		json_object_set(o, "files", c->files);
		if (c->files_late)
			json_object_set_new(o, "late", json_true());
	}
	return journal_append_new(&c->journal, o, e);
}

/* Removes the recordings. If `keep` asks for some of them, they are stored with the traces of the
 * runs. */
static void recordings_remove(const struct campaign *c)
{
	SCOPED_FREE char *dir = recordings_dir(c);
	if (path_exists(dir))
		dir_remove_tree(dir, NULL);
}

static int session_run(struct campaign *c, struct err *e)
{
	/* without an earlier session: the first session may have been killed before its first
	 * line */
	int ret = session_note(c, c->journal.end ? "resume" : "start", e);
	progress_start(&c->progress, c->plan.n_runs, 0, !c->options->quiet);
	ret = ret ? ret : setup_begin(c, e);
	ret = ret ? ret : calibrate_all(c, e);
	ret = ret ? ret : calibration_check(c, e);
	ret = ret ? ret : setup_check_space(c, e);
	ret = ret ? ret : environment_save(c, e);
	c->ready = !ret;
	time_begin(&c->time, TIME_OTHER);
	if (!ret)
		ret = c->budget_ns ? budget_runs_make(c, e) : runs_make(c, e);
	progress_end(&c->progress);
	time_begin(&c->time, TIME_CLEANUP);
	setup_end(c);
	int saved = c->ready ? environment_save(c, ret ? NULL : e) : 0;
	ret = ret ? ret : saved;
	if (c->ready && c->options->time_print)
		c->options->time_print(json_object_get(c->environment, "time"));
	if (ret == -EINTR || c->interrupted)
		session_note(c, "interrupted", NULL);
	else if (!ret) {
		recordings_remove(c);
		ret = session_note(c, "end", e);
	}
	return ret;
}

/* --- start and end ------------------------------------------------------- */

static void campaign_init(struct campaign *c, const struct protocol *p,
			  const struct campaign_options *o)
{
	*c = (struct campaign){.protocol = p, .options = o, .signal_fd = -1, .journal = {.fd = -1}};
	c->started_ns = clock_monotonic_ns();
	c->started_wall_ns = time(NULL) * INT64_C(1000000000);
	time_use_start(&c->time, TIME_SETUP);
	c->stop_replicates = p->n_replicates_max;
	c->budget_ns = o->budget_ns ? o->budget_ns : p->budget_ns;
	c->look_case = xcalloc(p->n_scenarios * p->n_replayers + 1, sizeof *c->look_case);
	c->spent = xcalloc(p->n_scenarios, sizeof *c->spent);
	c->queues_before = json_array();
	c->bank_known = xcalloc(p->n_scenarios * protocol_n_bank(p), sizeof *c->bank_known);
	c->calibration = xcalloc(p->n_scenarios, sizeof *c->calibration);
	for (size_t i = 0; i < p->n_scenarios; i++)
		c->calibration[i].memory = xcalloc(p->n_replayers + 1, sizeof(struct own_memory));
}

static int token_make(struct campaign *c, struct err *e)
{
	unsigned char random[sizeof c->token - 1];
	if (c->token[0])
		return 0;
	if (getrandom(random, sizeof random, 0) != sizeof random)
		return err_sys(e, errno, "cannot get random numbers");
	for (size_t i = 0; i < sizeof random; i++)
		c->token[i] = TOKEN_LETTERS[random[i] % (sizeof TOKEN_LETTERS - 1)];
	return 0;
}

static void campaign_release(struct campaign *c)
{
	for (size_t i = 0; i < c->protocol->n_scenarios; i++)
		FREE_EACH(c->calibration[i].memory, c->calibration[i].failure);
	FREE_EACH(c->calibration, c->look_case, c->spent, c->left_out, c->bank_known,
		  c->earlier_cgroup);
	json_decref(c->queues_before);
	json_decref(c->time_before);
	json_decref(c->environment);
	json_decref(c->files);
	results_runs_free(c->run, c->plan.n_runs);
	design_release(&c->plan);
	places_release(&c->places);
	scratch_release(&c->scratch);
	free(c->programs);
	cgroup_place_release(&c->cgroups);
	journal_close(&c->journal);
	FREE_EACH(c->dir, c->parent, c->name);
}

static size_t n_runs_done(const struct campaign *c)
{
	size_t n = 0;
	for (size_t i = 0; c->run && i < c->plan.n_runs; i++)
		n += c->run[i].state != RUN_PENDING;
	return n;
}

static bool campaign_finished(const struct campaign *c)
{
	size_t n = n_runs_wanted(c);
	if (c->budget_ns)
		return c->budget_over;
	for (size_t i = 0; i < n; i++)
		if (c->run[i].state == RUN_PENDING)
			return false;
	return true;
}

/* Removes what a session left behind that made every run but was killed during the cleanup. */
static int leftovers_remove(struct campaign *c, struct err *e)
{
	int ret = setup_adopt(c, e);
	setup_end(c);
	recordings_remove(c);
	if (!ret && c->heal)
		ret = session_note(c, "resume", e);
	return ret ? ret : session_note(c, "end", e);
}

/* States how an unfinished campaign continues. A first session that failed before its first run
 * leaves nothing. */
static int session_failed(const struct campaign *c, int ret, struct err *e)
{
	if (ret != -EINTR && !c->options->resume && !n_runs_done(c) && !c->left_behind) {
		dir_unmake(c);
		return ret;
	}
	SCOPED_FREE char *command = resume_command(c);
	if (ret == -EINTR)
		return err_set(e, EINTR, "interrupted after %zu of %zu runs; continue with: %s",
			n_runs_done(c), n_runs_wanted(c), command);
	SCOPED_FREE char *why = xstrdup(e->msg);
	return err_set(e, -ret, "%s; continue with: %s", why, command);
}

int campaign_run(const struct protocol *p, const struct campaign_options *o, struct err *e)
{
	int ret = observe_possible(p, e);
	ret = ret ? ret : launchers_possible(p, true, e);
	if (ret)
		return ret;
	SCOPED(campaign_release) struct campaign c;
	campaign_init(&c, p, o);
	ret = o->resume ? dir_resume(&c, e) : dir_begin(&c, e);
	if (ret)
		return ret;
	if (!c.run)
		c.run = results_runs_make(&c.plan);
	if (!c.left_out)
		c.left_out = xcalloc(c.plan.n_runs + 1, sizeof *c.left_out);
	if (!c.name)
		c.name = xstrdup(p->name);
	if (o->resume && campaign_finished(&c) && c.ended && !c.heal)
		return 0;
	ret = token_make(&c, e);
	if (o->resume)
		ret = ret ? ret : setup_check_unused(&c, e);
	if (ret && o->resume)
		return ret;
	ret = ret ? ret : signals_take(&c.old_signals, &c.signal_fd, e);
	if (!ret)
		ret = o->resume && campaign_finished(&c) ? leftovers_remove(&c, e)
							 : session_run(&c, e);
	signals_restore(&c.old_signals, c.signal_fd);
	return ret ? session_failed(&c, ret, e) : 0;
}
