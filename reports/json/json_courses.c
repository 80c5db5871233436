/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members "courses" and "costs" of report.json. */
#include <math.h>

#include "reports/json/json_value.h"
#include "validate/analysis/costs.h"
#include "validate/analysis/courses.h"

static json_t *numbers(const double *x, size_t n)
{
	json_t *all = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(all, json_finite(x[i]));
	return all;
}

static json_t *rates(const struct course *c)
{
	json_t *all = json_array();
	for (int k = 0; k < COURSE_RATE_CLASSES; k++) {
		if (!(c->rate[k].n_requests > 0))
			continue;
		json_t *o = json_object();
		json_set_number(o, "from_per_s", k ? ldexp(1, k) : 0);
		json_set_number(o, "n_requests", c->rate[k].n_requests);
		json_set_number(o, "issue_error_ns", c->rate[k].issue_error_ns);
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *of_case(const struct analysis *a, size_t i)
{
	const struct protocol *p = &a->results->protocol;
	json_t *o = json_object();
	json_set_text(o, "scenario", p->scenario[a->cell[i].scenario].name);
	json_set_text(o, "replayer", p->replayer[a->cell[i].replayer].name);
	return o;
}

json_t *json_courses(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; a->course && i < a->n_cells; i++) {
		const struct course *c = &a->course[i];
		json_t *o = of_case(a, i);
		json_set_number(o, "width_s", c->width_s);
		json_object_set_new(o, "recorded_per_s", numbers(c->recorded, c->n));
		json_object_set_new(o, "program_per_s", numbers(c->program, c->n));
		json_object_set_new(o, "replay_per_s", numbers(c->replay, c->n));
		json_object_set_new(o, "program_in_flight", numbers(c->in_flight_program, c->n));
		json_object_set_new(o, "replay_in_flight", numbers(c->in_flight_replay, c->n));
		if (c->bandwidth_program && c->bandwidth_replay) {
			json_object_set_new(o, "program_bytes_per_s", numbers(c->bandwidth_program, c->n));
			json_object_set_new(o, "replay_bytes_per_s", numbers(c->bandwidth_replay, c->n));
		}
		if (c->timed) {
			json_object_set_new(o, "issue_error_ns", numbers(c->issue_error_ns, c->n));
			json_object_set_new(o, "issue_error_quantiles_ns", numbers(c->quantile_ns, SUMMARY_N_ISSUE_QUANTILES));
			json_object_set_new(o, "issue_error_by_rate", rates(c));
		}
		json_array_append_new(all, o);
	}
	return all;
}

json_t *json_costs(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; a->cost && i < a->n_cells; i++) {
		const struct cost *k = &a->cost[i];
		json_t *o = of_case(a, i);
		json_set_number(o, "n_requests", k->n_requests);
		json_set_number(o, "trace_bytes", k->trace_bytes);
		json_set_number(o, "memory_bytes", k->memory_bytes);
		json_set_estimate(o, "preparation_program_ns", &k->preparation_program);
		json_set_estimate(o, "preparation_replay_ns", &k->preparation_replay);
		json_set_estimate(o, "cpu_program_ns", &k->cpu_program);
		json_set_estimate(o, "cpu_replay_ns", &k->cpu_replay);
		json_set_estimate(o, "cpu_deviation", &k->cpu_deviation);
		json_set_estimate(o, "process_cpu_program_ns", &k->process_cpu_program);
		json_set_estimate(o, "process_cpu_replay_ns", &k->process_cpu_replay);
		json_set_estimate(o, "peak_program_bytes", &k->peak_program);
		json_set_estimate(o, "peak_replay_bytes", &k->peak_replay);
		json_set_estimate(o, "speedup", &k->speedup);
		json_set_estimate(o, "own_mean_ns", &k->own);
		json_set_number(o, "observed_share", k->observed_share);
		json_array_append_new(all, o);
	}
	return all;
}
