/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sources of uncertainty of a campaign: rows of the budget, sources that are only named, and unmet
 * requests, which are warnings. Categories: the cause-and-effect diagram of the method-validation
 * protocol. */

#include "common/units.h"
#include "validate/analysis/analysis_private.h"
#include "validate/results/identity.h"

enum { IN_BUDGET = 1, WARNING = 2 };

static void __attribute__((format(printf, 5, 6)))
add(struct analysis *a, const char *category, int flags, const char *name, const char *note, ...)
{
	va_list ap;
	a->source = xreallocarray(a->source, a->n_sources + 1, sizeof *a->source);
	struct uncertainty_source *s = &a->source[a->n_sources++];
	*s = (struct uncertainty_source){
	    .category = category, .in_budget = flags & IN_BUDGET, .warning = flags & WARNING};
	phrase_add(s->name, sizeof s->name, "%s", name);
	va_start(ap, note);
	phrase_vadd(s->note, sizeof s->note, note, ap);
	va_end(ap);
}

static void sources_workload(struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	for (size_t i = 0; i < a->n_not_visible; i++)
		add(a, "workload", 0, "not visible in the recordings", "%s", a->not_visible[i]);
	add(a, "workload", IN_BUDGET, "requests and their offsets",
	    "seeded (%llu): the program and the replays of a block issue the same requests; their "
	    "variation between blocks is in the repeatability", (unsigned long long)p->seed);
	if (p->min_duration_ns > 0)
		add(a, "workload", IN_BUDGET, "length of a run",
		    "at least %.0f ms, so that short disturbances average out",
		    (double)p->min_duration_ns * 1e-6);
	else
		add(a, "workload", 0, "length of a run", "request counts as given, no minimum "
			"duration: short runs measure the scheduler");
}

/* Threads bound to one CPU each: `pin`, or `cpus` of another replayer. */
static bool is_pinned(const struct setting *option, size_t n)
{
	int pinned = 0, value;
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(option[i].key, "pin") && !parse_bool(option[i].value, &value, NULL))
			pinned |= value;
		pinned |= !strcmp(option[i].key, "cpus");
	}
	return pinned;
}

/* Warns if only one side is pinned. Sequential requests took 25 % longer when pinned on a machine
 * with two CPUs. */
static void pinned_alike(struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	size_t n_unlike = 0;
	const struct cell *first = NULL;
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct scenario *s = &p->scenario[a->cell[i].scenario];
		const struct replayer *r = &p->replayer[a->cell[i].replayer];
		if (s->script || s->trace || (r->engine && !strcmp(r->engine, "program")) ||
		    is_pinned(s->option, s->n_options) == is_pinned(r->option, r->n_options))
			continue;
		first = n_unlike++ ? first : &a->cell[i];
	}
	if (n_unlike)
		add(a, "trace replayer", WARNING, "pinning",
		    "in %zu of %zu cases, for example of %s, either only the program or only the "
		    "replayer pins each thread to a CPU (pin, cpus); the effect on response times "
		    "(25 %% on some machines) is part of the bias",
		    n_unlike, a->n_cells, p->replayer[first->replayer].name);
}

static void sources_replayer(struct analysis *a)
{
	add(a, "trace replayer", 0, "waiting for predecessors", "the cost of the order policy is "
		"part of the bias, which is stated apart from the uncertainty");
	add(a, "trace replayer", 0, "time of issue", "late or early issue changes concurrency and "
		"with it response times; shown as issue and schedule error");
	add(a, "trace replayer", IN_BUDGET, "repeatability",
	    "scatter of the replays of a scenario from run to run");
	pinned_alike(a);
}

/* Largest value() over the cells; NaN: unknown in all. */
static double cells_largest(const struct analysis *a, double (*value)(const struct cell *c))
{
	double most = NAN;
	for (size_t i = 0; i < a->n_cells; i++)
		most = fmax(most, value(&a->cell[i]));
	return most;
}

static double cell_stolen(const struct cell *c)
{
	return fmax(c->stolen_x, c->stolen_r);
}

static void cold_caches(struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	double most = NAN;
	for (size_t i = 0; i < a->n_cells; i++)
		if (p->target[p->scenario[a->cell[i].scenario].target].cache == CACHE_COLD)
			most = fmax(most, fmax(a->cell[i].resident_x, a->cell[i].resident_r));
	if (isnan(most))
		return;
	add(a, "testbed", most > 0.01 ? WARNING : 0, "page cache before a run",
	    "cold caches were requested, but up to %.2g %% of the files' bytes stayed cached (mean "
	    "of a scenario)", 100 * most);
}

static void sources_testbed(struct analysis *a)
{
	double steal = cells_largest(a, cell_stolen);
	if (isnan(a->between_process_cv))
		add(a, "testbed", 0, "noise between processes",
		    "not known: the program was not run again often enough");
	else
		add(a, "testbed", IN_BUDGET, "noise between processes",
		    "the program's own mean response time varies by %.2g %% from run to run "
		    "(median over scenarios)", 100 * a->between_process_cv);
	if (isnan(steal))
		add(a, "testbed", 0, "CPU time stolen by other virtual machines", "not known");
	else
		add(a, "testbed", steal > 0.01 ? WARNING : 0,
		    "CPU time stolen by other virtual machines",
		    "up to %.2g %% of a run's time (mean of a scenario)", 100 * steal);
	cold_caches(a);
	add(a, "testbed", 0, "this machine",
	    "one machine, one kernel, one storage device: the results do not cover others");
}

static void sources_reference(struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	bool single = false;
	for (size_t i = 0; i < a->n_cells; i++)
		single |= a->cell[i].single_reference;
	if (p->reference == REFERENCE_RERUN)
		add(a, "reference", IN_BUDGET, "the program run again", "with the same seed, at a "
			"random place of every block, so that pairs share state and drift");
	else
		add(a, "reference", IN_BUDGET, "times recorded in the trace",
		    "recorded before the replays: drift since then is not cancelled");
	if (single)
		add(a, "reference", WARNING, "scatter of the reference",
		    "one recording serves several replays: its own scatter is not in the budget");
	const json_t *standard = json_object_get(a->results->environment, "standard");
	if (standard)
		add(a, "reference", IN_BUDGET, BUDGET_DEVIATION, "certified %s: |bias| at most "
			"%.2g %%, U at most %.2g %% (95 %%); program and replay meet it alike, so "
			"it only scales the bias", json_string_value(json_object_get(standard,
			"made")), 100 * json_number_value(json_object_get(standard, "bias")),
			100 * json_number_value(json_object_get(standard, "expanded_uncertainty")));
	add(a, "reference", 0, "instrumentation",
	    "the program's stamps are taken in the program itself, just around the call");
}

static void sources_instruments(struct analysis *a)
{
	const int64_t back_ns = results_clock_back_ns(a->results);
	double resolution = 0, cost = 0, correction = 0;
	for (size_t i = 0; i < a->results->n_runs; i++) {
		const struct run *run = &a->results->run[i];
		if (run->state != RUN_OK || !run->has_summary)
			continue;
		resolution = fmax(resolution, run->summary.clock_resolution_ns);
		cost = fmax(cost, run->summary.clock_read_cost_ns);
		correction = fmax(correction, run->summary.correction_u_ns);
	}
	add(a, "clock", IN_BUDGET, "resolution", "steps of at most %.3g ns", resolution);
	add(a, "clock", IN_BUDGET, "read cost", "at most %.3g ns for the two stamps of a request, "
		"alike in program and replay: their difference is in the budget", cost);
	if (back_ns > 0)
		add(a, "clock", WARNING, "wall clock",
		    "set back by at least %.3g s between two runs: dates are not in the order of "
		    "the runs; no measurement depends on them", (double)back_ns * 1e-9);
	if (correction > 0)
		add(a, "clock", IN_BUDGET, BUDGET_CORRECTION,
		    "response times were corrected for the bias of capture; the standard "
		    "uncertainty of that is at most %.3g ns", correction);
	if (a->n_events_lost)
		add(a, "clock", WARNING, "events lost", "%llu %s lost in capture",
		    (unsigned long long)a->n_events_lost,
		    a->n_events_lost == 1 ? "event was" : "events were");
	if (a->n_cut)
		add(a, "clock", WARNING, "cut trace",
		    "the traces of %llu %s were made from a trace without an end: its writer was "
		    "killed or ran out of space, and requests may be missing",
		    (unsigned long long)a->n_cut, a->n_cut == 1 ? "run" : "runs");
	if (a->n_programs_unseen)
		add(a, "clock", WARNING, "calls unseen",
		    "%llu programs can make calls that capture does not see: traces are incomplete",
		    (unsigned long long)a->n_programs_unseen);
	if (a->n_requests_unseen)
		add(a, "clock", WARNING, "requests unseen", "%llu asynchronous requests, or "
			"submissions of them, are not in the traces: traces are incomplete",
			(unsigned long long)a->n_requests_unseen);
}

/* Warns if a requested memory cgroup was missing in at least one run. */
static void cache_budget(struct analysis *a)
{
	const struct results *r = a->results;
	size_t n_wanted = 0, n_had = 0;
	for (size_t i = 0; i < r->n_runs; i++) {
		const struct run *run = &r->run[i];
		if (run->state != RUN_OK || run->scenario >= r->protocol.n_scenarios)
			continue;
		const struct target *t =
		    &r->protocol.target[r->protocol.scenario[run->scenario].target];
		if (!t->cache_budget_bytes && !t->memory_limit_bytes)
			continue;
		n_wanted++;
		n_had += run->cgroup_limit_bytes > 0;
	}
	if (n_had < n_wanted)
		add(a, "testbed", WARNING, "page-cache budget",
		    "%zu of %zu runs had no memory cgroup, which the protocol requests: only the "
		    "memory of the machine limits them", n_wanted - n_had, n_wanted);
	else if (n_wanted)
		add(a, "testbed", 0, "page-cache budget",
		    "all runs were inside a memory cgroup with the requested budget or limit");
}

/* Cold names and inodes matter for captured programs. Built-in workloads open their files once. */
static void sources_metadata(struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	size_t n_cold = 0, n_warm = 0;
	for (size_t i = 0; i < p->n_scenarios; i++) {
		const struct target *t = &p->target[p->scenario[i].target];
		if ((!p->scenario[i].script && !p->scenario[i].trace) || t->cache != CACHE_COLD)
			continue;
		n_cold += t->evict == EVICT_ALL;
		n_warm += t->evict != EVICT_ALL;
	}
	if (n_warm)
		add(a, "testbed", WARNING, "warm metadata",
		    "in %zu of %zu scenarios with cold files their names and inodes were in "
		    "memory: response times of open, stat and readdir are those of warm metadata; "
		    "evict = all (root) drops them", n_warm, n_warm + n_cold);
	else if (n_cold)
		add(a, "testbed", 0, "cold metadata",
		    "dentries and inodes were dropped before each run");
}

static void sources_procedure(struct analysis *a)
{
	unsigned int n_failed = 0, n_drift = 0, n_ordered = 0;
	/* a failed run of the program is missing in several cells */
	for (size_t i = 0; i < a->results->n_runs; i++) {
		const struct run *run = &a->results->run[i];
		n_failed +=
		    run->state == RUN_FAILED && run->block > 0 && run->block <= a->n_replicates;
	}
	for (size_t i = 0; i < a->n_cells; i++) {
		n_drift += a->cell[i].trend_p * (double)a->n_cells <= 0.01;
		for (size_t k = 0; k < a->cell[i].budget.n_rows; k++)
			n_ordered += !strcmp(a->cell[i].budget.row[k].source, BUDGET_ORDER) &&
				     a->cell[i].budget.row[k].u > 0;
	}
	add(a, "procedure", n_drift ? WARNING : IN_BUDGET, "order and drift",
	    "order randomised within blocks; a trend over the blocks (Mann-Kendall, P <= 0.01 over "
	    "all cases together) in %u of %zu cases", n_drift, a->n_cells);
	add(a, "procedure", IN_BUDGET, "order in the block",
	    "a replay runs before or after its program: this order had an effect (P <= 0.05) in %u "
	    "of %zu cases, and is a row of their budgets", n_ordered, a->n_cells);
	if (n_failed)
		add(a, "procedure", WARNING, "failed runs",
		    n_failed == 1 ? "%u run failed and its pairs are left out"
				  : "%u runs failed and their pairs are left out",
		    n_failed);
	if (a->results->n_damaged_journal_lines)
		add(a, "procedure", WARNING, "journal", "%zu damaged lines were left out",
		    a->results->n_damaged_journal_lines);
	if (!a->complete)
		add(a, "procedure", WARNING, "unfinished", "not all planned runs were made");
}

/* Reads environment.json, "replaced_or_skipped": [{"what": ..., "why": ..., "instead": ...}]. */
static void sources_limitations(struct analysis *a)
{
	const json_t *list = json_object_get(a->results->environment, "replaced_or_skipped"), *item;
	size_t i;
	json_array_foreach(list, i, item)
	{
		const char *what = json_string_value(json_object_get(item, "what"));
		const char *why = json_string_value(json_object_get(item, "why"));
		const char *instead = json_string_value(json_object_get(item, "instead"));
		if (what)
			add(a, "procedure", WARNING, what, "%s%s%s", why ? why : "not available",
			    instead ? "; instead: " : "", instead ? instead : "");
	}
}

void sources_list(struct analysis *a)
{
	sources_workload(a);
	sources_replayer(a);
	sources_testbed(a);
	cache_budget(a);
	sources_metadata(a);
	sources_reference(a);
	sources_instruments(a);
	sources_procedure(a);
	sources_limitations(a);
}
