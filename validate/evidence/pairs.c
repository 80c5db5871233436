/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selection of the runs that count, and pairing of replays with references. */
#include "validate/evidence/evidence.h"

static bool is_replicate(const struct run *run)
{
	return run->block > 0 && run->role != ROLE_RECORD;
}

unsigned int blocks_complete(const struct results *r)
{
	unsigned int n_blocks = 0;
	for (size_t i = 0; i < r->n_runs; i++)
		if (is_replicate(&r->run[i]) && r->run[i].block > n_blocks &&
		    r->run[i].block <= r->n_runs)
			n_blocks = r->run[i].block; /* larger than n_runs: damaged */
	SCOPED_FREE bool *seen = xcalloc((size_t)n_blocks + 1, sizeof *seen),
			 *pending = xcalloc((size_t)n_blocks + 1, sizeof *pending);
	for (size_t i = 0; i < r->n_runs; i++)
		if (is_replicate(&r->run[i]) && r->run[i].block <= n_blocks) {
			seen[r->run[i].block] = true;
			pending[r->run[i].block] |= r->run[i].state == RUN_PENDING;
		}
	unsigned int m = 0;
	while (m < n_blocks && seen[m + 1] && !pending[m + 1])
		m++;
	return m;
}

static bool is_good(const struct run *run)
{
	return run && run->state == RUN_OK && run->has_summary;
}

static void note_failure(struct cell *c, const struct run *run, const char *who)
{
	if (!c->first_failure[0])
		phrase_add(c->first_failure, sizeof c->first_failure, "block %u, %s: %s",
			   run->block, who,
			   run->reason        ? run->reason
			   : run->has_summary ? "failed"
					      : "no summary");
}

static bool has_outcome(const struct run *run)
{
	return run && run->state != RUN_PENDING;
}

/* Adds the two runs of a block as a pair or as a failure; adds nothing if a run is pending. */
static void take_block(struct pairs *p, struct cell *c, const struct run *x, const struct run *r)
{
	if (!has_outcome(x) || !has_outcome(r))
		return;
	c->n_blocks++;
	if (!is_good(r)) {
		c->n_failed_program++;
		note_failure(c, r, "program");
	}
	if (!is_good(x)) {
		c->n_failed_replayer++;
		note_failure(c, x, "replayer");
		p->n_lost = sum_cut(p->n_lost, x->n_lost);
		p->n_lost_most = x->n_lost > p->n_lost_most ? x->n_lost : p->n_lost_most;
	}
	if (is_good(x))
		p->replay[p->n_replays++] = x;
	if (is_good(x) && is_good(r)) {
		p->x[p->n] = x;
		p->r[p->n++] = r;
	}
}

/* Returns the recording of a scenario with this number in the bank; NULL: none. */
static const struct run *recording_find(const struct results *r, size_t scenario, uint32_t bank)
{
	const size_t recorded = scenario_recording(&r->protocol, scenario);
	for (const struct run *run = NULL; (run = run_of_scenario(r, recorded, run));)
		if (run->role == ROLE_RECORD && run->bank == bank)
			return run;
	return NULL;
}

/* Whether replays share references: replays of one recording share one reference value, which has
 * no scatter. */
static bool shares_references(const struct pairs *p)
{
	for (size_t i = 1; i < p->n; i++)
		for (size_t j = 0; j < i; j++)
			if (p->r[i] == p->r[j])
				return true;
	return false;
}

void pairs_collect(struct pairs *p, struct cell *c, const struct results *r, unsigned int n_blocks)
{
	bool from_trace = r->protocol.reference == REFERENCE_TRACE;
	unsigned int last = 0;
	for (const struct run *run = NULL; (run = run_of_scenario(r, c->scenario, run));)
		if (run->block <= n_blocks && run->block > last)
			last = run->block;
	const struct run **x = xcalloc((size_t)last + 1, sizeof *x),
			 **ref = xcalloc((size_t)last + 1, sizeof *ref);
	for (const struct run *run = NULL; (run = run_of_scenario(r, c->scenario, run));) {
		if (!is_replicate(run) || run->block > last)
			continue;
		if (run->role == ROLE_PROGRAM)
			ref[run->block] = run;
		else if (run->role >= 0 && (size_t)run->role == c->replayer)
			x[run->block] = run;
	}
	*p = (struct pairs){.x = xcalloc((size_t)last + 1, sizeof *p->x),
			    .r = xcalloc((size_t)last + 1, sizeof *p->r),
			    .replay = xcalloc((size_t)last + 1, sizeof *p->replay),
			    .verdicts_only = r->verdicts_only};
	for (unsigned int b = 1; b <= last; b++) {
		if (from_trace && x[b])
			ref[b] = recording_find(r, c->scenario, x[b]->bank);
		take_block(p, c, x[b], ref[b]);
	}
	FREE_EACH(x, ref);
	c->n_pairs = (unsigned int)p->n;
	c->one_recording = !from_trace && p->n > 1 && p->x[0]->summary.has_input;
	for (size_t i = 1; i < p->n; i++)
		c->one_recording &= p->x[i]->bank == p->x[0]->bank;
	for (size_t i = 0; i < p->n; i++)
		c->no_responses |= !p->r[i]->summary.response.n;
	c->single_reference = p->shared = from_trace && shares_references(p);
}

double run_request_ns(const struct run_summary *s)
{
	double sum = 0;
	for (uint64_t level = 1; level < s->n_levels; level++)
		sum += (double)level * (double)s->ns_at_level[level];
	return sum;
}

double run_in_flight(const struct run_summary *s)
{
	double total = 0;
	for (uint64_t level = 0; level < s->n_levels; level++)
		total += (double)s->ns_at_level[level];
	return run_request_ns(s) / total;
}

double run_in_flight_max(const struct run_summary *s)
{
	uint64_t level = s->n_levels;
	while (level > 0 && !s->ns_at_level[level - 1] && !s->requests_at_level[level - 1])
		level--;
	return level ? (double)(level - 1) : NAN;
}

double run_n_threads(const struct scenario *scenario, const struct run_summary *s)
{
	if (!scenario->script && !scenario->trace)
		return scenario->level ? (double)scenario->level : 1;
	if (s->n_nodes)
		return (double)s->n_nodes;
	return run_in_flight_max(s) <= 1 ? 1 : NAN;
}

double run_thread_ns(const struct scenario *scenario, const struct run_summary *s)
{
	return (double)(s->n_slices ? s->execution_ns : s->facts.wall_ns) *
	       run_n_threads(scenario, s);
}

double run_n_lanes(const struct scenario *scenario, const struct run_summary *s)
{
	double n = run_n_threads(scenario, s);
	return run_in_flight_max(s) <= n ? n : NAN;
}

void pairs_release(struct pairs *p)
{
	FREE_EACH(p->x, p->r, p->replay);
	*p = (struct pairs){0};
}
