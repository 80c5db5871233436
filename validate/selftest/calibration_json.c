/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of the self-test of capture as JSON: the file of a calibration. */
#include "capture/op.h"
#include "validate/selftest/calibration.h"

static json_t *real(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *row_to_json(uint16_t op, unsigned int level, const struct capture_estimate *x)
{
	json_t *o = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I}", "op", op_name(op), "threads",
			      (json_int_t)level, "n_own", (json_int_t)x->n_own, "n_matched",
			      (json_int_t)x->n_matched, "n_missed", (json_int_t)x->n_missed,
			      "n_extra", (json_int_t)x->n_extra);
	const struct {
		const char *name;
		double value;
	} members[] = {{"bias_ns", x->bias_ns},
		       {"bias_half95_ns", x->bias_half_ns},
		       {"bias_sd_ns", x->bias_sd_ns},
		       {"begin_bias_ns", x->begin_ns},
		       {"begin_half95_ns", x->begin_half_ns},
		       {"scatter_median_ns", x->scatter_median_ns},
		       {"scatter_p99_ns", x->scatter_p99_ns},
		       {"cost_ratio", x->cost_ratio},
		       {"cost_low95", x->cost_low},
		       {"cost_high95", x->cost_high}};
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		json_object_set_new(o, members[i].name, real(members[i].value));
	return o;
}

static json_t *table(const struct capture_trial *t, size_t method)
{
	json_t *rows = json_array();
	struct capture_estimate x;
	for (uint16_t op = 0; op < OP_N; op++)
		for (size_t l = 0; l < CAPTURE_N_LEVELS; l++)
			if (capture_estimate(&t->study, method, op, capture_levels[l], &x))
				json_array_append_new(rows, row_to_json(op, capture_levels[l], &x));
	return rows;
}

static json_t *calibrations(const struct capture_trial *t, size_t method)
{
	json_t *list = json_array();
	struct capture_calibration c;
	for (uint16_t op = 0; op < OP_N; op++)
		if (!capture_calibrate(&t->study, method, op, &c))
			json_array_append_new(list,
				json_pack("{s:s, s:f, s:f, s:f, s:f, s:I, s:I}", "op", op_name(op),
				"bias_ns", c.bias_ns, "u_ns", c.u_ns, "low_ns", c.low_ns, "high_ns",
				c.high_ns, "n_conditions", (json_int_t)c.n_conditions, "n_requests",
				(json_int_t)c.n_requests));
	return list;
}

static json_t *clock_to_json(const struct capture_trial *t, size_t method)
{
	struct capture_clock c;
	if (capture_clock(&t->study, method, &c))
		return json_null();
	return json_pack("{s:f, s:f, s:I, s:I}", "offset_ns", c.offset_ns, "u_ns", c.u_ns,
			 "n_processes", (json_int_t)c.n_processes, "n_conditions",
			 (json_int_t)c.n_conditions);
}

json_t *calibration_to_json(const struct capture_trial *t, const json_t *environment)
{
	json_t *methods = json_array(), *workloads = json_array();
	for (size_t i = 0; i < CAPTURE_N_WORKLOADS; i++)
		json_array_append_new(workloads, json_string(capture_workload_names[i]));
	for (size_t i = 0; i < CAPTURE_N_METHODS; i++) {
		const struct capture_standing *s = &t->method[i];
		bool had = !s->left_out[0];
		json_array_append_new(
		    methods,
		    json_pack("{s:s, s:s?, s:o, s:I, s:o, s:o, s:o}", "method",
			      capture_methods[i].name, "left_out", had ? NULL : s->left_out,
			      "resolution_ns", had ? real(s->resolution_ns) : json_null(),
			      "n_events_lost", (json_int_t)s->n_lost, "table", table(t, i), "clock",
			      clock_to_json(t, i), "calibration", calibrations(t, i)));
	}
	return json_pack("{s:i, s:s, s:I, s:I, s:o, s:o, s:O}", "schema", 1, "validate_version",
			 VALIDATE_VERSION, "n_runs", (json_int_t)t->study.n_runs, "seed",
			 (json_int_t)t->seed, "workloads", workloads, "methods", methods,
			 "environment", environment);
}
