/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of one scenario in one block: in slices if program and replayers can be paused,
 * otherwise one after another.
 *
 * In slices, every role has its own process, file set, memory cgroup and trace. All file sets are
 * prepared before the first process starts. In each block, a random draw assigns file sets to
 * roles, so that the place of the files on the device is not confounded with a role. The processes
 * load one after another and wait before their first request. After the last request of all
 * processes they write their traces one after another. */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "common/clock.h"
#include "replay/replay.h"
#include "validate/campaign/campaign_state.h"
#include "validate/campaign/rounds.h"
#include "validate/protocol/pairing.h"

/* Largest share of a slice's requests that may be left out: requests that begin while the process
 * settles, or are in flight at the end. */
#define LEFT_OUT_MAX 0.2

struct group_member { /* one run of the group */
	struct run *run;
	struct step step;
	struct step_process process;
	struct step_result result;
	struct round_role *role; /* its row in the rounds; NULL: not started */
	char *bank, *output;
	/* directory of its files, for a replayer of another project; otherwise NULL */
	char *target;
	int pause_fd;
	struct pause_page *page;
	char reason[500]; /* why the preparation failed */
};

struct campaign_group {
	struct campaign *c;
	struct group_member *member; /* [n] */
	size_t n;
	struct rounds rounds;
};

/* Returns the length of a slice. It is so long that few requests are left out. */
static int64_t slice_ns(const struct campaign *c, size_t scenario)
{
	const struct campaign_calibration *k = &c->calibration[scenario];
	/* of one thread */
	const double request_ns =
	    k->n_requests ? (double)k->execution_ns / (double)k->n_requests : 0;
	const double least_ns = (request_ns + ROUND_SETTLE_NS) / LEFT_OUT_MAX;
	return least_ns > (double)c->protocol->slice_ns ? (int64_t)least_ns : c->protocol->slice_ns;
}

/* --- start and end ------------------------------------------------------- */

static void seats_draw(struct campaign_group *g, uint64_t seed)
{
	SCOPED_FREE size_t *seat = xcalloc(g->n + 1, sizeof *seat);
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, (unsigned long)seed);
	for (size_t i = 0; i < g->n; i++)
		seat[i] = i;
	gsl_ran_shuffle(rng, seat, g->n, sizeof *seat);
	for (size_t i = 0; i < g->n; i++)
		g->member[i].step.seat = seat[i];
	gsl_rng_free(rng);
}

static void member_begin(struct campaign *c, struct group_member *m, struct run *run, size_t number)
{
	SCOPED_FREE char *name = xasprintf("run-%zu.trace", number);
	*m = (struct group_member){.run = run, .pause_fd = -1,
		.bank = bank_path(c, run->scenario, run->bank), .output = scratch_path(c, name)};
	m->step = step_of_run(c, run, run->role, role_is_program(c, run->role) ? NULL : m->bank,
			      m->output);
	m->step.member = number;
}

/* Returns the seed of a group. Seeds of groups count down from the largest number, and seeds of
 * recordings count up from 0, so they differ. */
static uint64_t group_seed(const struct campaign *c, const struct design_run *r)
{
	return design_workload_seed(c->protocol,
		UINT32_MAX - (r->block * (uint32_t)c->protocol->n_scenarios + r->scenario));
}

/* Sets up the wanted runs among the n runs from `first`. */
static void group_begin(struct campaign_group *g, struct campaign *c, size_t first, size_t n)
{
	const struct design_run *r = &c->plan.run[first];
	const uint64_t seed = group_seed(c, r);
	*g = (struct campaign_group){.c = c, .member = xcalloc(n, sizeof *g->member)};
	g->rounds = (struct rounds){.role = xcalloc(n, sizeof *g->rounds.role),
				    .slice_ns = slice_ns(c, r->scenario), .seed = seed,
				    .signal_fd = c->signal_fd, .scheduling = &c->scheduling};
	for (size_t i = first; i < first + n; i++)
		if (run_is_wanted(c, i)) {
			member_begin(c, &g->member[g->n], &c->run[i], g->n);
			g->n++;
		}
	seats_draw(g, seed);
}

static void group_release(struct campaign_group *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct group_member *m = &g->member[i];
		pause_page_free(m->page, m->pause_fd);
		side_remove(m->output);
		unlink(m->output);
		FREE_EACH(m->output, m->bank, m->target);
		round_role_release(&g->rounds.role[i]);
	}
	FREE_EACH(g->rounds.role, g->member);
}

/* --- the processes ------------------------------------------------------- */

static int member_prepare(struct campaign *c, struct group_member *m, struct err *e)
{
	if (m->reason[0])
		return 0;
	int ret = pause_page_make(&m->page, &m->pause_fd, e);
	m->step.pause_fd = m->pause_fd;
	return ret ? ret : step_prepare(c, &m->step, &m->process, &m->result, e);
}

static enum time_part part_of(const struct campaign *c, const struct group_member *m)
{
	return role_is_program(c, m->run->role) ? TIME_PROGRAM : TIME_REPLAY;
}

static bool is_foreign(const struct campaign *c, const struct run *r)
{
	return r->role >= 0 && replayer_adapter(&c->protocol->replayer[r->role]);
}

/* The path as /proc shows it. */
static char *files_path(struct campaign *c, const struct step *s)
{
	struct place *place = &c->places.place[step_target(c, s)];
	return realpath(place_seat(place, c->places.scenario[s->scenario].dir, s->seat)->path,
			NULL);
}

static int member_wait_ready(struct campaign_group *g, struct group_member *m)
{
	struct campaign *c = g->c;
	m->target = is_foreign(c, m->run) ? files_path(c, &m->step) : NULL;
	m->role = &g->rounds.role[g->rounds.n++];
	*m->role = (struct round_role){
	    .page = m->page,
	    .pid = m->process.launched.pid,
	    .by = pairing_pause(c->protocol, m->run->role < 0 ? SIZE_MAX : (size_t)m->run->role),
	    .start_ns = m->process.launched.start_ns,
	    .left_ns = m->process.spec.timeout_ns,
	    .target = m->target,
	};
	return round_role_ready(m->role, c->signal_fd);
}

/* Starts the process of a member and waits until it is ready for its first request. */
static int member_start(struct campaign_group *g, struct group_member *m)
{
	struct campaign *c = g->c;
	if (m->reason[0])
		return 0;
	const enum time_part before = time_begin(&c->time, part_of(c, m));
	step_begin(c, &m->step, &m->process, &m->result);
	int ret = m->process.failed ? 0 : member_wait_ready(g, m);
	time_end(&c->time, before);
	return ret;
}

/* Whether the rounds measured all CPU time of the run. */
static bool is_use_known(const struct campaign *c, const struct run *r)
{
	struct replay_config config;
	if (is_foreign(c, r))
		return true;
	if (c->protocol->scenario[r->scenario].observe != OBSERVE_OWN)
		return false;
	if (role_is_program(c, r->role))
		return true;
	const struct replayer *p = &c->protocol->replayer[r->role];
	return !replay_engine_find(p->engine)->program && replayer_config(p, &config, NULL) == 0 &&
	       !config.processes;
}

/* Lets the process write its trace and exit. Subtracts its CPU time from that of all processes,
 * which gives the CPU time of others. */
static int member_conclude(struct campaign *c, struct group_member *m, int64_t begin_ns,
			   int64_t rounds_ns)
{
	/* CPU time in the rounds, without a first slice that preceded the rounds */
	int64_t own_ns = 0;
	if (m->reason[0])
		return 0;
	if (m->role) {
		m->process.launched.deadline_ns =
		    m->role->state == ROUND_TIMED_OUT
			? 0
			: clock_monotonic_ns() + m->process.spec.timeout_ns;
		if (m->role->state != ROUND_TIMED_OUT)
			round_role_finish(m->role);
	}
	const enum time_part before = time_begin(&c->time, part_of(c, m));
	int ret = step_conclude(c, &m->step, &m->process, &m->result);
	time_end(&c->time, before);
	if (!m->role)
		return ret;
	for (size_t i = 0; i < m->role->slices.n; i++)
		if (m->role->slices.slice[i].open_ns >= begin_ns)
			own_ns +=
			    m->role->slices.slice[i].quiet_ns - m->role->slices.slice[i].open_ns;
	time_move(&c->time, TIME_START, part_of(c, m), (double)own_ns * 1e-9);
	m->result.launch.run_ns -= rounds_ns - own_ns;
	if (is_use_known(c, m->run)) {
		m->result.others = m->role->others;
		m->result.own_s = m->role->own_s;
	}
	return ret;
}

/* Makes the requests of all members. Returns -EINTR if the campaign must end; in this case every
 * process has exited. */
static int group_run(struct campaign_group *g, struct err *e)
{
	struct campaign *c = g->c;
	int ret = 0, interrupted = 0;
	/* missing recordings are repeated first, because a recording uses the files and the cgroup
	 * of a member */
	for (size_t i = 0; !ret && i < g->n; i++)
		ret = run_input_ensure(c, g->member[i].run, g->member[i].bank, g->member[i].reason,
				       sizeof g->member[i].reason, e);
	for (size_t i = 0; !ret && i < g->n; i++)
		ret = member_prepare(c, &g->member[i], e);
	/* not earlier, because a repeated recording uses the same files */
	for (size_t i = 0; !ret && i < g->n; i++)
		ret = run_service_set(c, g->member[i].run, g->member[i].run->role, e);
	for (size_t i = 0; !ret && !interrupted && i < g->n; i++)
		interrupted = member_start(g, &g->member[i]);
	const int64_t begin_ns = clock_monotonic_ns();
	/* the slices are counted by member_conclude() */
	const enum time_part before = time_begin(&c->time, TIME_START);
	if (!ret && !interrupted)
		interrupted = rounds_run(&g->rounds);
	time_end(&c->time, before);
	const int64_t rounds_ns = clock_monotonic_ns() - begin_ns;
	if (interrupted)
		c->interrupted = true;
	for (size_t i = 0; i < g->n; i++) {
		int bad = member_conclude(c, &g->member[i], begin_ns, rounds_ns);
		ret = ret ? ret : bad;
	}
	return ret;
}

/* --- outcomes ------------------------------------------------------------ */

static int member_take(struct campaign_group *g, struct group_member *m, struct err *e)
{
	struct run *r = m->run;
	if (m->reason[0]) {
		run_fail(r, m->reason);
		return 0;
	}
	const struct slices *slices = m->role ? &m->role->slices : NULL;
	int ret = run_take(g->c, r, &m->result, m->output, slices, e);
	r->sliced = slices != NULL;
	r->n_slices = slices ? (uint32_t)slices->n : 0;
	r->n_slices_late = slices ? m->role->n_late : 0;
	r->slice_ns = g->rounds.slice_ns;
	return ret;
}

/* Stores the results of all members. If the campaign is killed meanwhile, the last line is missing
 * and the group is repeated. */
static int group_take(struct campaign_group *g, struct err *e)
{
	int ret = 0;
	for (size_t i = 0; !ret && i < g->n; i++)
		ret = member_take(g, &g->member[i], e);
	for (size_t i = 0; !ret && i < g->n; i++)
		ret = run_journal(g->c, g->member[i].run, g->member[i].output, e);
	if (ret)
		return ret;
	const struct run *r = g->member[0].run;
	json_t *event = json_pack("{s:s, s:I, s:I}", "event", "group", "block",
				  (json_int_t)r->block, "scenario", (json_int_t)r->scenario);
	return journal_append_new(&g->c->journal, event, e);
}

static int sliced_make(struct campaign *c, size_t first, size_t n, struct err *e)
{
	SCOPED(group_release) struct campaign_group g;
	group_begin(&g, c, first, n);
	int ret = group_run(&g, e);
	ret = ret ? ret : group_take(&g, e);
	for (size_t i = 0; ret && i < g.n; i++)
		g.member[i].run->state = RUN_PENDING;
	return ret;
}

bool group_is_sliced(const struct campaign *c, size_t scenario, const char **replayer,
		     struct err *e)
{
	if (!scenario_is_sliced(c->protocol, scenario, replayer, e))
		return false;
	if (scenario_n_seats(c->protocol, scenario) == 1 ||
	    !c->places.place[c->protocol->scenario[scenario].target].lacks_copies)
		return true;
	err_set(e, ENOSPC,
		"the target has too little free space: the program and each replayer need their "
		"own copy of the files");
	return false;
}

int group_make(struct campaign *c, size_t first, size_t n, struct err *e)
{
	const char *replayer;
	size_t n_wanted = 0;
	for (size_t i = first; i < first + n; i++)
		n_wanted += run_is_wanted(c, i);
	if (n_wanted > 1 && group_is_sliced(c, c->plan.run[first].scenario, &replayer, NULL))
		return sliced_make(c, first, n, e);
	for (size_t i = first; i < first + n; i++) {
		int ret = !run_is_wanted(c, i)      ? 0
			  : campaign_interrupted(c) ? -EINTR
						    : run_make(c, (uint32_t)i, e);
		if (ret)
			return ret;
	}
	return 0;
}
