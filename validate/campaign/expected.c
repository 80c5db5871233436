/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/expected.h"

#include "common/units.h"
#include "common/wait.h"
#include "microbench/microbench.h"
#include "validate/campaign/campaign_state.h"

#define OVERHEAD_S 0.15        /* time in addition to the run: preparation, start, summary */
#define SERVICE_GUESS_NS 3e4   /* assumed time of a request before any measurement */
#define OVERSHOOT_GUESS_NS 7e4 /* of a sleep */
/* Number of runs that determine the request count of a workload. Other programs run twice, parallel
 * applications once. */
#define CALIBRATION_RUNS 4
/* Assumed time and requests of a real program of size 1, with the preparation of its files.
 * Proportional to the size. */
#define SCRIPT_GUESS_S 0.6
#define SCRIPT_GUESS_REQUESTS 2e4

static int scenario_bytes(const struct protocol *p, size_t i, const struct microbench_config *c,
			  uint64_t *bytes, struct err *e)
{
	SCOPED(microbench_files_release) struct fileset files;
	int ret = microbench_files(workload_find(p->scenario[i].type), c, &files, e);
	*bytes = 0;
	for (size_t k = 0; !ret && k < files.n; k++)
		*bytes += files.entry[k].size;
	return ret;
}

/* Like blank_wanted(), for a protocol without a campaign. */
static bool blanks_expected(const struct protocol *p, size_t i, const struct replayer *r)
{
	const struct scenario *s = &p->scenario[i];
	const struct target *t = &p->target[s->target];
	return !s->parallel.is && !t->device && !t->volume && s->observe != OBSERVE_BLOCK &&
	       !replayer_adapter(r) && strcmp(r->engine, "program");
}

static void runs_expect(const struct protocol *p, size_t i, struct expected *x)
{
	const uint64_t replicates = protocol_n_blocks(p) - 1;
	const uint64_t n_blank_blocks =
	    replicates < DESIGN_BLANK_BLOCKS ? replicates : DESIGN_BLANK_BLOCKS;
	uint64_t roles = p->reference == REFERENCE_RERUN;
	for (size_t r = 0; r < p->n_replayers; r++) {
		roles += p->replayer[r].applies[i];
		if (p->replayer[r].applies[i] && blanks_expected(p, i, &p->replayer[r]))
			x->n_blanks += n_blank_blocks;
	}
	x->n_runs = protocol_n_bank(p) + roles * protocol_n_blocks(p);
}

static void recording_expect(const struct protocol *p, size_t i, struct expected *x)
{
	x->recording_s = recording_seconds(&p->scenario[i].parallel, x->run_s);
	x->overhead_s = RANKS_OVERHEAD_S;
	x->n_calibrations = 1;
	for (size_t k = 0; k < i; k++)
		if (p->scenario[k].target == p->scenario[i].target &&
		    scenario_same_application(&p->scenario[k], &p->scenario[i]))
			x->n_calibrations = 0;
	if (scenario_recording(p, i) == i)
		return;
	x->recording_s = 0;
	x->n_runs -= protocol_n_bank(p);
}

int expected_scenario(const struct protocol *p, size_t i, struct expected *x, struct err *e)
{
	struct microbench_config c;
	*x = (struct expected){.overhead_s = OVERHEAD_S, .n_calibrations = CALIBRATION_RUNS};
	if (p->scenario[i].script || p->scenario[i].trace) {
		x->guessed = true;
		x->run_s = SCRIPT_GUESS_S * (double)(p->scenario[i].size + 1);
		x->requests = SCRIPT_GUESS_REQUESTS;
		x->n_calibrations = 2;
		runs_expect(p, i, x);
		if (p->scenario[i].parallel.is)
			recording_expect(p, i, x);
		return 0;
	}
	int ret = scenario_config(&p->scenario[i], &c, e);
	ret = ret ? ret : scenario_bytes(p, i, &c, &x->file_bytes, e);
	if (ret)
		return ret;
	const struct workload_script *script = workload_find(p->scenario[i].type)->script;
	double n_per_unit = script ? script->n_per_unit : 1;
	double one_ns = (double)c.pause_ns + n_per_unit * SERVICE_GUESS_NS;
	if (c.pause_ns && c.pause_by == WAIT_NANOSLEEP)
		one_ns += OVERSHOOT_GUESS_NS;
	double least_ns = (double)p->min_duration_ns * 1.4,
	       as_given_ns = (double)c.n_requests * one_ns;
	x->run_s = (as_given_ns > least_ns ? as_given_ns : least_ns) * 1e-9;
	x->blank_s = x->run_s * (double)c.pause_ns / one_ns;
	x->requests = x->run_s * 1e9 / one_ns * (double)c.level;
	if (x->requests < (double)(c.n_requests * c.level))
		x->requests = (double)(c.n_requests * c.level);
	x->requests *= n_per_unit;
	runs_expect(p, i, x);
	return 0;
}

void expected_add(struct expected_total *t, const struct protocol *p, const struct expected *x)
{
	const double n_bank = (double)protocol_n_bank(p), n_blocks = (double)protocol_n_blocks(p);
	const double runs_s = (double)x->n_runs * (x->run_s + x->overhead_s),
		     blanks_s = (double)x->n_blanks * (x->blank_s + OVERHEAD_S);
	t->s += runs_s + blanks_s + (double)x->n_calibrations * (x->run_s + x->overhead_s) +
		x->recording_s * n_bank;
	t->recordings_s += x->recording_s * n_bank;
	t->pair_s += (runs_s + blanks_s + x->recording_s * n_bank) / n_blocks;
	t->n_calibrations += x->n_calibrations;
	t->bank_bytes += x->requests * (double)sizeof(struct trace_record) * n_bank;
}

double expected_pairs(const struct protocol *p, const struct expected_total *t)
{
	const double before_s = t->s - t->pair_s * (double)protocol_n_blocks(p),
		     n = ((double)p->budget_ns * 1e-9 - before_s) / t->pair_s - 1;
	return n < 0 ? 0 : n > (double)p->n_replicates_max ? (double)p->n_replicates_max : n;
}

int expected_budget_check(const struct protocol *p, struct err *e)
{
	struct expected_total t = {0};
	if (!p->budget_ns)
		return 0;
	for (size_t i = 0; i < p->n_scenarios; i++) {
		struct expected x;
		int ret = expected_scenario(p, i, &x, e);
		if (ret)
			return ret;
		if (x.guessed)
			x.run_s = x.recording_s = 0;
		expected_add(&t, p, &x);
	}
	const double n = expected_pairs(p, &t),
		     left_out = (double)protocol_n_blocks(p) - 1 - (double)p->n_replicates_min;
	if (2 * n >= (double)p->n_replicates_min)
		return 0;
	return err_set(e, EINVAL, "%s: the budget suffices for about %.0f pairs of each "
		"scenario, but the first decision needs %llu pairs, which take about %s: set a "
		"larger budget, or allow-undecidable = yes in the protocol",
		p->path ? p->path : "the protocol", n, (unsigned long long)p->n_replicates_min,
		duration_text((t.s - t.pair_s * left_out) * 1e9).s);
}
