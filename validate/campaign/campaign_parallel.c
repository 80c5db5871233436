/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings of parallel applications. Each consists of many runs, and the search for the period
 * needs several recordings. */

#include "common/clock.h"
#include "common/files.h"
#include "common/hosts.h"
#include "common/mpi_launch.h"
#include "validate/campaign/campaign_state.h"

#define PERIOD_FIRST 1000

char *recordings_dir(const struct campaign *c)
{
	return results_path(c->dir, "recordings");
}

static char *runs_dir(const struct campaign *c, const struct run *r)
{
	return xasprintf("%s/recordings/runs-%04zu-%06u", c->dir,
			 scenario_recording(c->protocol, r->scenario), r->bank);
}

/* --- requirements -------------------------------------------------------- */

/* The traces of a run are in the scratch directory, where the collectors of all hosts write. */
static int hosts_possible(const struct protocol *p, const struct scenario *s, struct err *e)
{
	SCOPED_FREE char *hosts = scenario_hosts(s);
	const char *launcher = scenario_launcher(s);
	if (hosts && !p->scratch)
		return err_set(e, EINVAL, "[workload %s] sets hosts, but [protocol] does not set "
			"scratch: set scratch to a directory on storage that all hosts share; "
			"nothing was started",
			s->workload);
	if (hosts && host_launcher_find(launcher ? launcher : HOSTS_LAUNCHER, e))
		return err_context(e, "nothing was started: [workload %s]", s->workload);
	return 0;
}

int launchers_possible(const struct protocol *p, bool with_default, struct err *e)
{
	for (size_t i = 0; i < p->n_scenarios; i++) {
		const int ret = hosts_possible(p, &p->scenario[i], e);
		if (ret)
			return ret;
	}
	for (size_t i = 0; i < p->n_scenarios; i++)
		for (size_t k = 0; p->scenario[i].parallel.is && k < p->n_replayers; k++) {
			SCOPED(words_list_release) struct words_list w = {0};
			const char *launcher = replayer_option(&p->replayer[k], "launcher");
			if (!p->replayer[k].applies[i] || !replayer_is_of_nodes(&p->replayer[k]) ||
			    (!launcher && !with_default))
				continue;
			int ret = mpi_launch_words(&w, launcher, 2, e);
			if (ret)
				return err_context(e, "nothing was started: [replayer %s] needs "
					"MPI to replay the parallel application [workload %s]",
					p->replayer[k].name, p->scenario[i].workload);
		}
	return 0;
}

/* --- expected time ------------------------------------------------------- */

#define RANKS_GUESS 8
#define DELAY_GUESS 2.0 /* factor of a run at period 1 */
#define PERIODS_GUESS 4 /* periods tried if it is searched */

double recording_seconds(const struct scenario_parallel *s, double run_s)
{
	const double nodes = (double)(s->n_throttled ? s->n_throttled
				      : s->n_ranks   ? s->n_ranks
						     : RANKS_GUESS);
	const double longer = 1 + DELAY_GUESS / (double)(s->period ? s->period : 100);
	return run_s * (1 + nodes * longer) * (s->period ? 1 : PERIODS_GUESS);
}

/* --- the period ---------------------------------------------------------- */

/* Returns the replayer with which the error of a period is measured. */
static int32_t causal_replayer(const struct protocol *p, size_t scenario)
{
	for (size_t i = 0; i < p->n_replayers; i++)
		if (p->replayer[i].applies[scenario] && replayer_is_causal(&p->replayer[i]))
			return (int32_t)i;
	return ROLE_PROGRAM;
}

struct period_outcome {
	const char *recording, *replay;
	double error;
	uint64_t n_most; /* requests of the busiest node */
};

/* Work for helper_do(). */
static int error_read(void *context, struct err *e)
{
	struct period_outcome *o = context;
	struct run_summary x, r;
	int ret = summary_compute(&r, o->recording, NULL, NULL, e);
	if (ret)
		return ret;
	const double program_ns = (double)r.execution_ns;
	o->n_most = 1;
	for (uint64_t i = 0; i < r.n_nodes; i++)
		o->n_most = r.node[i].response.n > o->n_most ? r.node[i].response.n : o->n_most;
	summary_release(&r);
	ret = summary_compute(&x, o->replay, o->recording, NULL, e);
	if (ret)
		return ret;
	o->error =
	    program_ns > 0 ? fabs(program_ns - (double)x.execution_ns) / program_ns : INFINITY;
	summary_release(&x);
	return 0;
}

/* Measures the error of a replay on the storage on which the application was recorded. Returns 0
 * with a reason if it cannot be measured. */
static int error_measure(struct campaign *c, const struct step *recorded, struct period_outcome *o,
			 char *reason, size_t size, struct err *e)
{
	struct err why = ERR_INIT;
	struct step_result result;
	SCOPED_FREE char *replay = scratch_path(c, "period.trace");
	const struct step s = {.scenario = recorded->scenario,
			       .role = causal_replayer(c->protocol, recorded->scenario),
			       .seed = recorded->seed, .n_requests = recorded->n_requests,
			       .input = recorded->output, .output = replay, .where_recorded = true};
	int ret = step_make(c, &s, &result, e);
	o->recording = recorded->output;
	o->replay = replay;
	if (!ret && result.reason[0])
		snprintf(reason, size,
			 "the recording with period = %llu could not be replayed: %.400s",
			 (unsigned long long)recorded->period, result.reason);
	else if (!ret && (ret = helper_do(c, error_read, o, sizeof *o, &why)) != 0 &&
		 ret != -EINTR) {
		snprintf(reason, size,
			 "the error of the replay with period = %llu cannot be measured: %.400s",
			 (unsigned long long)recorded->period, why.msg);
		ret = 0;
	}
	unlink(replay);
	return ret;
}

static int period_journal(struct campaign *c, const struct run *r, const struct step *s,
			  double error, json_t *skipped, struct err *e)
{
	json_t *event = json_pack(
	    "{s:s, s:I, s:I, s:I, s:o, s:O}", "event", "period", "scenario",
	    (json_int_t)r->scenario, "bank", (json_int_t)r->bank, "period", (json_int_t)s->period,
	    "error", isfinite(error) ? json_real(error) : json_null(), "skipped", skipped);
	return journal_append_new(&c->journal, event, e);
}

/* Returns the next period to try. Skips periods above the request count of every node: they all
 * delay only the first request, as the last period did. */
static uint64_t period_next(uint64_t period, uint64_t n_most, json_t *skipped)
{
	json_array_clear(skipped);
	for (period /= 2; period > 1 && period >= n_most; period /= 2)
		json_array_append_new(skipped, json_integer((json_int_t)period));
	return period;
}

/* Halves the period, starting at 1000, until a replay is close enough to the application. */
static int period_search(struct campaign *c, struct run *r, struct step *s,
			 struct step_result *result, struct err *e)
{
	const struct scenario_parallel *x = &c->protocol->scenario[r->scenario].parallel;
	const int64_t begin_ns = clock_monotonic_ns();
	json_auto_t *skipped = json_array();
	int ret;
	for (s->period = PERIOD_FIRST;;) {
		struct period_outcome o = {.error = NAN, .n_most = 1};
		ret = step_make(c, s, result, e);
		if (!ret && !result->reason[0])
			ret = error_measure(c, s, &o, result->reason, sizeof result->reason, e);
		if (!ret && !result->reason[0])
			ret = period_journal(c, r, s, o.error, skipped, e);
		r->search.n_periods++;
		r->search.error = o.error;
		r->search.ns = clock_monotonic_ns() - begin_ns;
		if (ret || result->reason[0] || o.error <= x->error || s->period == 1)
			break;
		s->period = period_next(s->period, o.n_most, skipped);
	}
	return ret;
}

int parallel_record(struct campaign *c, struct run *r, struct step *s, struct step_result *result,
		    struct err *e)
{
	const struct scenario_parallel *x = &c->protocol->scenario[r->scenario].parallel;
	char *dir = runs_dir(c, r), *parent = recordings_dir(c);
	s->runs_dir = dir;
	s->period = x->period;
	bool earlier = path_exists(dir); /* left by a killed session */
	int ret = dir_create(parent, e);
	ret = ret ? ret : dir_create(dir, e);
	if (!ret)
		ret = x->period ? step_make(c, s, result, e) : period_search(c, r, s, result, e);
	/* earlier runs may have used another device: repeat all */
	if (!ret && earlier && result->reason[0]) {
		dir_remove_tree(dir, NULL);
		s->period = x->period;
		ret = dir_create(dir, e);
		if (!ret)
			ret = x->period ? step_make(c, s, result, e)
					: period_search(c, r, s, result, e);
	}
	/* a resumed campaign reuses the runs of an interrupted recording */
	if (ret != -EINTR)
		dir_remove_tree(dir, NULL);
	FREE_EACH(dir, parent);
	return ret;
}
