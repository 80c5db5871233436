/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/analysis/costs.h"

#include "common/text.h"
#include "validate/analysis/analysis_private.h"
#include "validate/analysis/measure_values.h"

typedef double run_value(const struct run *run);

static double preparation_ns(const struct run *run)
{
	return run->run_s * 1e9 - (double)run->summary.execution_ns;
}

static double cpu_ns(const struct run *run)
{
	const struct run_facts *f = &run->summary.facts;
	return run->summary.has_facts ? (double)f->cpu_user_ns + (double)f->cpu_system_ns : NAN;
}

static double process_cpu_ns(const struct run *run)
{
	return run->cpu_s > 0 ? run->cpu_s * 1e9 : NAN;
}

static double peak_bytes(const struct run *run)
{
	return run->peak_bytes ? (double)run->peak_bytes : NAN;
}

static double own_ns(const struct run *run)
{
	return run->has_own ? run->own_mean_ns : NAN;
}

static double observed_share(const struct run *run)
{
	return run->has_own ? run->observed_share : NAN;
}

static struct estimate mean_estimate(const struct run *const *runs, size_t n, run_value *value)
{
	SCOPED_FREE double *x = xcalloc(n + 1, sizeof *x);
	for (size_t i = 0; i < n; i++)
		x[i] = value(runs[i]);
	return estimate_of_mean(x, n);
}

/* Estimate of value() over the runs; STAT_NOT_ASSESSED if some run has no such value. */
static struct estimate known_estimate(const struct run *const *runs, size_t n, run_value *value)
{
	struct estimate e = mean_estimate(runs, n, value);
	return e.status == STAT_NOT_FINITE ? estimate_none(STAT_NOT_ASSESSED) : e;
}

static double number_of(const json_t *o)
{
	return json_is_number(o) && json_number_value(o) > 0 ? json_number_value(o) : NAN;
}

static void cost_compute(void *analysis, size_t index)
{
	const struct analysis *a = analysis;
	const struct cell *c = &a->cell[index];
	struct cost *k = &a->cost[index];
	const struct protocol *p = &a->results->protocol;
	const json_t *facts = json_with_text(json_object_get(a->results->environment, "scenarios"),
					     "name", p->scenario[c->scenario].name);
	SCOPED(measure_runs_release) struct measure_runs m;
	measure_runs_of_cell(&m, a, index);
	*k = (struct cost){.trace_bytes = measure_value(MEASURE_TRACE_SIZE, NULL, &m),
			   .memory_bytes =
			       number_of(json_object_get(json_object_get(facts, "anonymous_bytes"),
							 p->replayer[c->replayer].name))};
	for (size_t i = 0; i < m.n; i++)
		k->n_requests += summary_n_ended(&m.x[i]->summary) / (double)m.n;
	k->preparation_program = mean_estimate(m.r, m.n, preparation_ns);
	k->preparation_replay = mean_estimate(m.x, m.n, preparation_ns);
	k->cpu_program = known_estimate(m.r, m.n, cpu_ns);
	k->cpu_replay = known_estimate(m.x, m.n, cpu_ns);
	k->process_cpu_program = known_estimate(m.r, m.n, process_cpu_ns);
	k->process_cpu_replay = known_estimate(m.x, m.n, process_cpu_ns);
	k->peak_program = known_estimate(m.r, m.n, peak_bytes);
	k->peak_replay = known_estimate(m.x, m.n, peak_bytes);
	struct estimate share = mean_estimate(m.x, m.n, observed_share);
	k->own = known_estimate(m.x, m.n, own_ns);
	k->observed_share = share.value;
	k->cpu_deviation = measure_estimate(MEASURE_CPU_TIME, NULL, &m);
	k->speedup = measure_estimate(MEASURE_SPEEDUP, NULL, &m);
}

void costs_compute(struct analysis *a)
{
	a->cost = xcalloc(a->n_cells + 1, sizeof *a->cost);
	analysis_each(a, a->n_cells, cost_compute);
}
