/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sources of uncertainty of a campaign: rows of the budget, sources that are only named, and
 * conditions that are not fulfilled, which are warnings. The categories are those of the
 * cause-and-effect diagram in the method-validation protocol. */

#include "common/units.h"
#include "validate/analysis/analysis_private.h"
#include "validate/results/identity.h"

enum { IN_BUDGET = 1, WARNING = 2 };

/* Adds a source. The pointer is valid until the next source is added. */
static struct uncertainty_source *source_add(struct analysis *a, enum source_kind kind, int flags,
					     double x, double y)
{
	a->source = xreallocarray(a->source, a->n_sources + 1, sizeof *a->source);
	struct uncertainty_source *s = &a->source[a->n_sources++];
	*s = (struct uncertainty_source){.kind = kind, .number = {x, y},
					 .in_budget = flags & IN_BUDGET,
					 .warning = flags & WARNING};
	return s;
}

static void sources_workload(struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	for (size_t i = 0; i < a->n_not_visible; i++)
		source_add(a, SOURCE_NOT_VISIBLE, 0, 0, 0)->text[0] = a->not_visible[i];
	source_add(a, SOURCE_SEEDED, IN_BUDGET, 0, 0);
	if (p->min_duration_ns > 0)
		source_add(a, SOURCE_LEAST_TIME, IN_BUDGET, (double)p->min_duration_ns * 1e-6, 0);
	else
		source_add(a, SOURCE_GIVEN_COUNTS, 0, 0, 0);
}

/* Whether each thread is bound to one CPU: by `pin`, or by `cpus` of a replayer of another
 * project. */
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

/* Warns if only program or replayer is pinned. Sequential requests took 25 % longer when they were
 * pinned on a machine with two CPUs. */
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
		source_add(a, SOURCE_PINNING, WARNING, (double)n_unlike, (double)a->n_cells)
		    ->text[0] = p->replayer[first->replayer].name;
}

static void sources_replayer(struct analysis *a)
{
	source_add(a, SOURCE_WAITING, 0, 0, 0);
	source_add(a, SOURCE_ISSUE_TIME, 0, 0, 0);
	source_add(a, SOURCE_REPEATABILITY, IN_BUDGET, 0, 0);
	pinned_alike(a);
}

/* Returns the largest value() over the cells; NaN: unknown in all cells. */
static double cells_largest(const struct analysis *a, double (*value)(const struct cell *c))
{
	double most = NAN;
	for (size_t i = 0; i < a->n_cells; i++)
		most = fmax(most, value(&a->cell[i]));
	return most;
}

static double cell_stolen(const struct cell *c)
{
	return fmax(c->diagnostics.stolen_x, c->diagnostics.stolen_r);
}

static void cold_caches(struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	double most = NAN;
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell_diagnostics *g = &a->cell[i].diagnostics;
		if (p->target[p->scenario[a->cell[i].scenario].target].cache == CACHE_COLD)
			most = fmax(most, fmax(g->resident_x, g->resident_r));
	}
	if (isnan(most))
		return;
	source_add(a, SOURCE_CACHED, most > 0.01 ? WARNING : 0, 100 * most, 0);
}

static void sources_testbed(struct analysis *a)
{
	double steal = cells_largest(a, cell_stolen);
	if (isnan(a->between_process_cv))
		source_add(a, SOURCE_NOISE_UNKNOWN, 0, 0, 0);
	else
		source_add(a, SOURCE_NOISE, IN_BUDGET, 100 * a->between_process_cv, 0);
	if (isnan(steal))
		source_add(a, SOURCE_STOLEN_UNKNOWN, 0, 0, 0);
	else
		source_add(a, SOURCE_STOLEN, steal > 0.01 ? WARNING : 0, 100 * steal, 0);
	cold_caches(a);
	source_add(a, SOURCE_ONE_MACHINE, 0, 0, 0);
}

static void sources_reference(struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	bool single = false;
	for (size_t i = 0; i < a->n_cells; i++)
		single |= a->cell[i].single_reference;
	source_add(a, p->reference == REFERENCE_RERUN ? SOURCE_RERUN : SOURCE_RECORDED, IN_BUDGET,
		   0, 0);
	if (single)
		source_add(a, SOURCE_ONE_RECORDING, WARNING, 0, 0);
	const json_t *standard = json_object_get(a->results->environment, "standard");
	if (standard) {
		const json_t *u = json_object_get(standard, "expanded_uncertainty");
		source_add(a, SOURCE_STANDARD, IN_BUDGET,
			   100 * json_number_value(json_object_get(standard, "bias")),
			   100 * json_number_value(u))
		    ->text[0] = json_string_value(json_object_get(standard, "made"));
	}
	source_add(a, SOURCE_STAMPS, 0, 0, 0);
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
	source_add(a, SOURCE_RESOLUTION, IN_BUDGET, resolution, 0);
	if (cost > 0) /* unknown for the kernel's tracepoints */
		source_add(a, SOURCE_READ_COST, IN_BUDGET, cost, 0);
	if (back_ns > 0)
		source_add(a, SOURCE_CLOCK_BACK, WARNING, (double)back_ns * 1e-9, 0);
	if (correction > 0)
		source_add(a, SOURCE_CORRECTION, IN_BUDGET, correction, 0);
	if (a->n_events_lost)
		source_add(a, SOURCE_EVENTS_LOST, WARNING, (double)a->n_events_lost, 0);
	if (a->n_cut)
		source_add(a, SOURCE_CUT, WARNING, (double)a->n_cut, 0);
	if (a->n_programs_unseen)
		source_add(a, SOURCE_PROGRAMS_UNSEEN, WARNING, (double)a->n_programs_unseen, 0);
	if (a->n_requests_unseen)
		source_add(a, SOURCE_REQUESTS_UNSEEN, WARNING, (double)a->n_requests_unseen, 0);
}

/* Warns if a requested memory cgroup was missing in some run. */
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
		source_add(a, SOURCE_NO_CGROUP, WARNING, (double)(n_wanted - n_had),
			   (double)n_wanted);
	else if (n_wanted)
		source_add(a, SOURCE_CGROUP, 0, 0, 0);
}

/* Adds the source of cold names and inodes, which matter for captured programs. Built-in workloads
 * open their files once. */
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
		source_add(a, SOURCE_WARM_METADATA, WARNING, (double)n_warm,
			   (double)(n_warm + n_cold));
	else if (n_cold)
		source_add(a, SOURCE_COLD_METADATA, 0, 0, 0);
}

static void sources_procedure(struct analysis *a)
{
	unsigned int n_failed = 0, n_drift = 0, n_ordered = 0;
	/* a failed run of the program is missing in several cells, but counts once */
	for (size_t i = 0; i < a->results->n_runs; i++) {
		const struct run *run = &a->results->run[i];
		n_failed +=
		    run->state == RUN_FAILED && run->block > 0 && run->block <= a->n_replicates;
	}
	for (size_t i = 0; i < a->n_cells; i++) {
		n_drift += a->cell[i].diagnostics.trend_p * (double)a->n_cells <= 0.01;
		for (size_t k = 0; k < a->cell[i].budget.n_rows; k++)
			n_ordered += !strcmp(a->cell[i].budget.row[k].source, BUDGET_ORDER) &&
				     a->cell[i].budget.row[k].u > 0;
	}
	source_add(a, SOURCE_DRIFT, n_drift ? WARNING : IN_BUDGET, n_drift, (double)a->n_cells);
	source_add(a, SOURCE_ORDER, IN_BUDGET, n_ordered, (double)a->n_cells);
	if (n_failed)
		source_add(a, SOURCE_FAILED_RUNS, WARNING, n_failed, 0);
	if (a->results->n_damaged_journal_lines)
		source_add(a, SOURCE_JOURNAL, WARNING, (double)a->results->n_damaged_journal_lines,
			   0);
	if (!a->complete)
		source_add(a, SOURCE_UNFINISHED, WARNING, 0, 0);
}

/* Adds limitations of environment.json, "replaced_or_skipped": [{"what": ..., "why": ...,
 * "instead": ...}]. */
static void sources_limitations(struct analysis *a)
{
	const json_t *list = json_object_get(a->results->environment, "replaced_or_skipped"), *item;
	size_t i;
	json_array_foreach(list, i, item)
	{
		const char *what = json_string_value(json_object_get(item, "what"));
		if (!what)
			continue;
		struct uncertainty_source *s = source_add(a, SOURCE_UNMET, WARNING, 0, 0);
		s->text[0] = what;
		s->text[1] = json_string_value(json_object_get(item, "why"));
		s->text[2] = json_string_value(json_object_get(item, "instead"));
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
