/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Campaign with a budget: choice of the next group, and end of the campaign. */
#include "common/clock.h"
#include "common/units.h"
#include "validate/campaign/campaign_state.h"
#include "validate/campaign/choice.h"
#include "validate/results/summaries.h"

struct forecast { /* state of the scenarios, and their next groups */
	struct choice_scenario *scenario; /* [n_scenarios] */
	uint64_t *n_further;              /* [n_scenarios * n_replayers], for the scenarios */
	size_t *next;                     /* [n_scenarios] a run of the next group; n_runs: none */
	size_t n_decided, n_cases;
};

/* Seconds that the campaign has run, over all sessions. */
static double budget_spent_s(const struct campaign *c)
{
	return (double)(c->spent_before_ns + clock_monotonic_ns() - c->started_ns) * 1e-9;
}

/* --- decided cases ------------------------------------------------------- */

static void summary_take(struct campaign *c, struct run *r)
{
	struct err why = ERR_INIT;
	SCOPED_FREE char *path = results_run_path(c->dir, r->id);
	json_auto_t *o = NULL;
	if (r->state != RUN_OK || r->has_summary)
		return;
	if (json_read_file(path, &o, &why) < 0 || run_summary_take(r, o, path, true, &why) < 0) {
		r->state = RUN_FAILED;
		free(r->reason);
		r->reason = xasprintf("its summary cannot be read: %s", why.msg);
	} else {
		run_summary_leave_out_course(r);
	}
}

/* Finds the number of blocks of a scenario in which every wanted run has an outcome. Returns the
 * first run of the next block, or n_runs. */
static size_t next_of(const struct campaign *c, size_t scenario, uint64_t *n_done)
{
	uint32_t block = 0;
	for (size_t i = c->plan.n_bank_runs; i < c->plan.n_runs; i++) {
		if (c->plan.run[i].scenario != scenario)
			continue;
		block = c->plan.run[i].block;
		if (run_is_wanted(c, i)) {
			*n_done = block ? block - 1 : 0;
			return i;
		}
	}
	*n_done = block;
	return c->plan.n_runs;
}

size_t group_find(const struct campaign *c, size_t id, size_t *n)
{
	const struct design_run *run = c->plan.run;
	size_t first = id, end = id;
	while (first > c->plan.n_bank_runs && run[first - 1].block == run[id].block &&
	       run[first - 1].scenario == run[id].scenario)
		first--;
	while (end < c->plan.n_runs && run[end].block == run[id].block &&
	       run[end].scenario == run[id].scenario)
		end++;
	*n = end - first;
	return first;
}

/* --- choice of the next group -------------------------------------------- */

/* Whether the run is a replay beyond the minimum number of pairs that decides nothing: its case is
 * decided, or its verdict does not count. */
static bool is_needless(const struct campaign *c, const struct design_run *r)
{
	const struct protocol *p = c->protocol;
	return r->role >= 0 && r->block > p->n_replicates_min &&
	       (p->replayer[r->role].comparison ||
		c->look_case[r->scenario * p->n_replayers + (size_t)r->role].decided);
}

/* Expected seconds of the next group of a scenario, from earlier groups of this session and the
 * number of its runs. */
static double group_seconds(const struct campaign *c, size_t id)
{
	size_t n, n_wanted = 0, first = group_find(c, id, &n);
	const struct spent *s = &c->spent[c->plan.run[id].scenario];
	double expected_s = 0;
	for (size_t i = first; i < first + n; i++)
		if (run_is_wanted(c, i) && !is_needless(c, &c->plan.run[i])) {
			n_wanted++;
			expected_s += run_seconds(c, &c->plan.run[i]);
		}
	return s->n_runs ? s->seconds / (double)s->n_runs * (double)n_wanted : expected_s;
}

static void forecast_release(struct forecast *o)
{
	FREE_EACH(o->scenario, o->n_further, o->next);
}

/* Before the first analysis every case is inconclusive. */
static void forecast_make(struct forecast *o, const struct campaign *c)
{
	const struct protocol *p = c->protocol;
	*o = (struct forecast){
	    .scenario = xcalloc(p->n_scenarios, sizeof *o->scenario),
	    .n_further = xcalloc(p->n_scenarios * p->n_replayers + 1, sizeof *o->n_further),
	    .next = xcalloc(p->n_scenarios, sizeof *o->next)};
	for (size_t s = 0; s < p->n_scenarios; s++) {
		struct choice_scenario *at = &o->scenario[s];
		uint64_t *n_further = o->n_further + s * p->n_replayers;
		at->n_further = n_further;
		o->next[s] = next_of(c, s, &at->n_done);
		at->pair_s = o->next[s] < c->plan.n_runs ? group_seconds(c, o->next[s]) : 0;
		for (size_t r = 0; r < p->n_replayers; r++) {
			const struct look_case *k = &c->look_case[s * p->n_replayers + r];
			if (!p->replayer[r].applies[s] || p->replayer[r].comparison)
				continue;
			o->n_cases++;
			o->n_decided += k->decided;
			if (!k->decided)
				n_further[at->n_inconclusive++] = k->n_further;
		}
	}
}

/* Returns the first group, in plan order, within the minimum number of pairs; n_runs: no such group
 * is left. */
static size_t first_pairs(const struct campaign *c)
{
	const size_t end = design_n_runs_until(&c->plan, c->protocol->n_replicates_min);
	for (size_t i = c->plan.n_bank_runs; i < end; i++)
		if (run_is_wanted(c, i))
			return i;
	return c->plan.n_runs;
}

struct next {
	size_t id; /* a run of the group; n_runs: the campaign ends */
	const char *why;
	/* expected number of further pairs of the scenario's first inconclusive case; 0 unknown */
	uint64_t n_further;
};

static struct next next_choose(const struct campaign *c, const struct forecast *o, double left_s)
{
	const struct protocol *p = c->protocol;
	const struct choice_scenario *s = o->scenario;
	const size_t first = first_pairs(c);
	if (first < c->plan.n_runs)
		return group_seconds(c, first) <= left_s
			   ? (struct next){first, "first", 0}
			   : (struct next){c->plan.n_runs, "budget", 0};
	const struct choice_limits l = {p->n_replicates_max, left_s, p->seed, c->n_choices};
	bool drawn;
	const size_t at = choice_next(s, p->n_scenarios, &l, &drawn);
	struct next next = {c->plan.n_runs, o->n_decided == o->n_cases ? "decided" : "budget", 0};
	if (at != CHOICE_NONE)
		next = (struct next){o->next[at], drawn ? "drawn" : "prospect", s[at].n_further[0]};
	bool all = at == CHOICE_NONE;
	for (size_t i = 0; i < p->n_scenarios; i++)
		all &= !s[i].n_inconclusive || s[i].n_done >= p->n_replicates_max;
	if (all && o->n_decided < o->n_cases)
		next.why = "replicates";
	return next;
}

/* Marks the needless replays of the group, in this session and when it is resumed. */
static int choice_note(struct campaign *c, const struct next *next, size_t first, size_t n,
		       struct err *e)
{
	const struct design_run *r = &c->plan.run[first];
	json_t *left_out = json_array();
	for (size_t i = first; i < first + n; i++)
		if (c->run[i].state == RUN_PENDING && is_needless(c, &c->plan.run[i])) {
			c->left_out[i] = true;
			json_array_append_new(left_out, json_integer((json_int_t)i));
		}
	json_t *event = json_pack("{s:s, s:I, s:I, s:s, s:f, s:o}", "event", "choice", "block",
				  (json_int_t)r->block, "scenario", (json_int_t)r->scenario, "why",
				  next->why, "spent_s", budget_spent_s(c), "left_out", left_out);
	if (next->n_further)
		json_object_set_new(event, "further", json_integer((json_int_t)next->n_further));
	const enum time_part before = time_begin(&c->time, TIME_JOURNAL);
	int ret = journal_append_new(&c->journal, event, e);
	time_end(&c->time, before);
	return ret;
}

static int budget_note(struct campaign *c, const char *why, struct err *e)
{
	json_t *event = json_pack("{s:s, s:s, s:f}", "event", "budget", "why", why, "spent_s",
				  budget_spent_s(c));
	return journal_append_new(&c->journal, event, e);
}

static void spent_resume(struct campaign *c, const json_t *event)
{
	const json_t *spent = json_object_get(event, "spent_s");
	const double spent_s = json_number_value(spent);
	if (json_is_number(spent) && spent_s >= 0 && spent_s < 1e9)
		c->spent_before_ns = (int64_t)(spent_s * 1e9);
}

/* Reads back a choice. Accepts only runs of the plan, and only replays. */
void choice_resume(struct campaign *c, const json_t *event)
{
	const json_t *list = json_object_get(event, "left_out"), *one;
	const char *why = json_string_value(json_object_get(event, "why"));
	size_t i;
	json_array_foreach(list, i, one)
	{
		const json_int_t id = json_integer_value(one);
		if (id >= (json_int_t)c->plan.n_bank_runs && id < (json_int_t)c->plan.n_runs &&
		    c->plan.run[id].role >= 0)
			c->left_out[id] = true;
	}
	c->n_choices += why && strcmp(why, "first");
	spent_resume(c, event);
}

/* Reads back the budget and the time used. The budget of the resumed session may be larger. */
void budget_resume(struct campaign *c, const json_t *event)
{
	const char *why = json_string_value(json_object_get(event, "why"));
	spent_resume(c, event);
	c->budget_over = why && (strcmp(why, "budget") || c->spent_before_ns >= c->budget_ns);
}

/* --- the loop ------------------------------------------------------------ */

static void budget_progress(struct campaign *c, const struct forecast *o, size_t id)
{
	SCOPED_STRBUF progress = STRBUF_INIT;
	const struct design_run *r = &c->plan.run[id];
	strbuf_addf(&progress, "budget: %s of %s used",
		    duration_text(floor(budget_spent_s(c)) * 1e9).s,
		    duration_text((double)c->budget_ns).s);
	if (r->block <= c->protocol->n_replicates_min)
		strbuf_addf(&progress, "; block %u of at least %llu", r->block,
			    (unsigned long long)c->protocol->n_replicates_min);
	else
		strbuf_addf(&progress, "; %zu of %zu cases decided", o->n_decided, o->n_cases);
	strbuf_addf(&progress, "; %s", c->protocol->scenario[r->scenario].name);
	progress_step(&c->progress, 0, budget_spent_s(c), progress.s);
}

/* Makes the recording of a group before its first use. If it fails, its reason becomes the reason
 * of the replays. */
static int recording_make(struct campaign *c, size_t id, struct err *e)
{
	const size_t scenario = scenario_recording(c->protocol, c->plan.run[id].scenario);
	int ret = 0;
	for (size_t i = 0; i < c->plan.n_bank_runs && !ret; i++)
		if (c->plan.run[i].scenario == scenario &&
		    c->plan.run[i].bank == c->plan.run[id].bank && run_is_wanted(c, i)) {
			ret = run_make(c, (uint32_t)i, e);
			/* the recording is the reference of the looks */
			if (!ret && c->protocol->reference == REFERENCE_TRACE)
				summary_take(c, &c->run[i]);
		}
	return ret;
}

static int group_measure(struct campaign *c, size_t first, size_t n, struct err *e)
{
	struct spent *s = &c->spent[c->plan.run[first].scenario];
	const int64_t begin_ns = clock_monotonic_ns();
	size_t n_wanted = 0;
	for (size_t i = first; i < first + n; i++)
		n_wanted += run_is_wanted(c, i);
	int ret = recording_make(c, first, e);
	ret = ret ? ret : group_make(c, first, n, e);
	s->seconds += (double)(clock_monotonic_ns() - begin_ns) * 1e-9;
	s->n_runs += n_wanted;
	const enum time_part before = time_begin(&c->time, TIME_ANALYSIS);
	for (size_t i = first; i < first + n; i++) {
		if (!ret && c->run[i].state == RUN_FAILED && !c->left_out[i])
			ret = failed_run(c, i, e);
		summary_take(c, &c->run[i]);
	}
	time_end(&c->time, before);
	return ret;
}

int budget_runs_make(struct campaign *c, struct err *e)
{
	int ret = 0;
	/* Read the summaries of earlier sessions. */
	summaries_read(c->dir, c->run, c->plan.n_runs, false);
	for (size_t i = 0; i < c->plan.n_runs; i++)
		summary_take(c, &c->run[i]);
	progress_start(&c->progress, PROGRESS_UNKNOWN, (double)c->budget_ns * 1e-9,
		       !c->options->quiet);
	for (;;) {
		struct forecast o;
		size_t n;
		const enum time_part before = time_begin(&c->time, TIME_ANALYSIS);
		if (first_pairs(c) == c->plan.n_runs)
			ret = look_cases(c, e);
		time_end(&c->time, before);
		if (ret)
			return ret;
		forecast_make(&o, c);
		const struct next next =
		    next_choose(c, &o, (double)c->budget_ns * 1e-9 - budget_spent_s(c));
		if (next.id == c->plan.n_runs) {
			forecast_release(&o);
			return budget_note(c, next.why, e);
		}
		budget_progress(c, &o, next.id);
		forecast_release(&o);
		const size_t first = group_find(c, next.id, &n);
		ret = choice_note(c, &next, first, n, e);
		c->n_choices += strcmp(next.why, "first") != 0;
		ret = ret ? ret : group_measure(c, first, n, e);
		if (ret)
			return ret;
	}
}
