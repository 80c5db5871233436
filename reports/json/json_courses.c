/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members "courses" and "costs" of report.json. */
#include <math.h>

#include "reports/json/json_report.h"
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
		json_append(all, J_NUMBER("from_per_s", k ? ldexp(1, k) : 0),
			J_NUMBER("n_requests", c->rate[k].n_requests),
			J_NUMBER("issue_error_ns", c->rate[k].issue_error_ns));
	}
	return all;
}

static json_t *of_case(const struct analysis *a, size_t i)
{
	const struct protocol *p = &a->results->protocol;
	return json_make(J_TEXT("scenario", p->scenario[a->cell[i].scenario].name),
		J_TEXT("replayer", p->replayer[a->cell[i].replayer].name));
}

json_t *json_courses(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; a->course && i < a->n_cells; i++) {
		const struct course *c = &a->course[i];
		json_t *o = of_case(a, i);
		json_add(o, J_NUMBER("width_s", c->width_s),
			J_VALUE("recorded_per_s", numbers(c->recorded, c->n)),
			J_VALUE("program_per_s", numbers(c->program, c->n)),
			J_VALUE("replay_per_s", numbers(c->replay, c->n)),
			J_VALUE("program_in_flight", numbers(c->in_flight_program, c->n)),
			J_VALUE("replay_in_flight", numbers(c->in_flight_replay, c->n)));
		if (c->bandwidth_program && c->bandwidth_replay) {
			json_add(o, J_VALUE("program_bytes_per_s", numbers(c->bandwidth_program,
				c->n)),
				J_VALUE("replay_bytes_per_s", numbers(c->bandwidth_replay, c->n)));
		}
		if (c->timed) {
			json_add(o, J_VALUE("issue_error_ns", numbers(c->issue_error_ns, c->n)),
				J_VALUE("issue_error_quantiles_ns", numbers(c->quantile_ns,
					SUMMARY_N_ISSUE_QUANTILES)),
				J_VALUE("issue_error_by_rate", rates(c)));
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
		json_add(o, J_NUMBER("n_requests", k->n_requests),
			J_NUMBER("trace_bytes", k->trace_bytes),
			J_NUMBER("memory_bytes", k->memory_bytes),
			J_ESTIMATE("preparation_program_ns", &k->preparation_program),
			J_ESTIMATE("preparation_replay_ns", &k->preparation_replay),
			J_ESTIMATE("cpu_program_ns", &k->cpu_program),
			J_ESTIMATE("cpu_replay_ns", &k->cpu_replay),
			J_ESTIMATE("cpu_deviation", &k->cpu_deviation),
			J_ESTIMATE("process_cpu_program_ns", &k->process_cpu_program),
			J_ESTIMATE("process_cpu_replay_ns", &k->process_cpu_replay),
			J_ESTIMATE("peak_program_bytes", &k->peak_program),
			J_ESTIMATE("peak_replay_bytes", &k->peak_replay),
			J_ESTIMATE("speedup", &k->speedup), J_ESTIMATE("own_mean_ns", &k->own),
			J_NUMBER("observed_share", k->observed_share));
		json_array_append_new(all, o);
	}
	return all;
}
