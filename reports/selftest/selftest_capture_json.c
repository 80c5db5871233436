/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON of the self-test of capture, which is the file of a calibration: its members (model.h).
 * A test makes doc/selftest-capture-schema.json from them. */
#include "capture/op.h"
#include "reports/json/json_model.h"
#include "reports/model_rows.h"
#include "reports/selftest/selftest.h"

#define CAPTURE_SCHEMA 1

struct capture_document {
	const struct capture_trial *trial;
	const json_t *environment;
};

static const struct capture_study *study_of(const struct model_at *at)
{
	const struct capture_document *d = at->root;
	return &d->trial->study;
}

/* The results of an operation: an element of an array. */
struct capture_row {
	uint16_t op;
	uint64_t threads;
	struct capture_estimate estimate;
	struct capture_calibration calibration;
};

#define S capture_row
GET(const char *, operation, capture_row, r, op_name(r->op))

LIST(row, "Results of one operation with one number of threads, over all workloads. A difference "
	"is the captured value minus the program's own value. The suffix half95 means the "
	"half-width of the 95 % interval of the mean over the runs. The cost is the program's own "
	"mean response time with capture, divided by that without.",
	BY_TEXT(operation, "op", NULL)
	ROW(uint64_t, threads, "threads", COUNT, NULL)
	ROW(uint64_t, estimate.n_own, "n_own", COUNT, NULL)
	ROW(uint64_t, estimate.n_matched, "n_matched", COUNT, NULL)
	ROW(uint64_t, estimate.n_missed, "n_missed", COUNT, NULL)
	ROW(uint64_t, estimate.n_extra, "n_extra", COUNT, NULL)
	FINITE(estimate.bias_ns, "bias_ns", TIME, NULL)
	FINITE(estimate.bias_half_ns, "bias_half95_ns", TIME, NULL)
	FINITE(estimate.bias_sd_ns, "bias_sd_ns", TIME, NULL)
	FINITE(estimate.begin_ns, "begin_bias_ns", TIME, NULL)
	FINITE(estimate.begin_half_ns, "begin_half95_ns", TIME, NULL)
	FINITE(estimate.scatter_median_ns, "scatter_median_ns", TIME, NULL)
	FINITE(estimate.scatter_p99_ns, "scatter_p99_ns", TIME, NULL)
	FINITE(estimate.cost_ratio, "cost_ratio", NUMBER, NULL)
	FINITE(estimate.cost_low, "cost_low95", NUMBER, NULL)
	FINITE(estimate.cost_high, "cost_high95", NUMBER, NULL))
LIST(operation, "Bias that validate slice --calibration subtracts from the response times of an "
	"operation, with its standard uncertainty u_ns. low_ns and high_ns: smallest and largest "
	"of the mean biases of the conditions (workload, threads).",
	BY_TEXT(operation, "op", NULL)
	DEFINED(calibration.bias_ns, "bias_ns", TIME, NULL)
	DEFINED(calibration.u_ns, "u_ns", TIME, NULL)
	DEFINED(calibration.low_ns, "low_ns", TIME, NULL)
	DEFINED(calibration.high_ns, "high_ns", TIME, NULL)
	ROW(size_t, calibration.n_conditions, "n_conditions", COUNT, NULL)
	ROW(uint64_t, calibration.n_requests, "n_requests", COUNT, NULL))
#undef S

/* at->i is the number of the method. */
static json_t *rows_json(const struct model_at *at)
{
	json_t *list = json_array();
	struct capture_row r = {0};
	for (r.op = 0; r.op < OP_N; r.op++)
		for (size_t l = 0; l < CAPTURE_N_LEVELS; l++)
			if (capture_estimate(study_of(at), at->i, r.op, capture_levels[l],
					     &r.estimate)) {
				r.threads = capture_levels[l];
				json_array_append_new(list, json_model(&model_row, &r));
			}
	return list;
}

static json_t *calibrations_json(const struct model_at *at)
{
	json_t *list = json_array();
	struct capture_row r = {0};
	for (r.op = 0; r.op < OP_N; r.op++)
		if (!capture_calibrate(study_of(at), at->i, r.op, &r.calibration))
			json_array_append_new(list, json_model(&model_operation, &r));
	return list;
}

#define S capture_clock
LIST(clock, "Agreement of the program's clock with that of the capture. offset_ns: mean of the "
	"captured start minus the start that the program measured. u_ns: standard deviation of "
	"this mean between processes under the same condition (workload, threads). Null if too few "
	"runs have requests.",
	DEFINED(offset_ns, "offset_ns", TIME, NULL)
	DEFINED(u_ns, "u_ns", TIME, NULL)
	ROW(size_t, n_processes, "n_processes", COUNT, NULL)
	ROW(size_t, n_conditions, "n_conditions", COUNT, NULL))
#undef S

static json_t *clock_agreement(const struct model_at *at)
{
	struct capture_clock c;
	return capture_clock(study_of(at), at->i, &c) ? json_null() : json_model(&model_clock, &c);
}

#define S capture_standing
static const char *const method_names[] = {"app", "vfs", "strace", NULL};
GET_AT(const char *, method_name, capture_methods[at->i].name)
GET(double, resolution_ns, capture_standing, s, s->left_out[0] ? NAN : s->resolution_ns)

LIST(method, NULL,
	BY_TEXT(method_name, "method", NULL, .words = method_names)
	TEXT(left_out, "left_out", "Reason why the method was not measured.", NULLABLE)
	BY_FINITE(resolution_ns, "resolution_ns", TIME, NULL)
	ROW(uint64_t, n_lost, "n_events_lost", COUNT, NULL)
	BY_JSON(rows_json, "array", "table", NULL, .of = &model_row)
	BY_JSON(clock_agreement, "object|null", "clock", NULL, .of = &model_clock)
	BY_JSON(calibrations_json, "array", "calibration", NULL, .of = &model_operation))
#undef S

#define S capture_document
GET(const char *, version, capture_document, d, d->trial ? VALIDATE_VERSION : NULL)
GET(uint64_t, n_runs, capture_document, d, d->trial->study.n_runs)
GET(uint64_t, seed, capture_document, d, d->trial->seed)
GET_AT(const char *, workload_name, capture_workload_names[at->i])
GET(const void *, method_at, capture_document, d, &d->trial->method[at->i])
GET(json_t *, environment, capture_document, d, json_incref((json_t *)d->environment))

MODEL(S, "Comparison of the capture methods with the program's own time stamps in the same runs. "
	"The file is a calibration.",
	FIXED_COUNT(CAPTURE_SCHEMA, "schema", NULL)
	BY_TEXT(version, "validate_version", NULL)
	BY_COUNT(n_runs, "n_runs", NULL)
	BY_COUNT(seed, "seed", NULL)
	BY_TEXTS(NULL, workload_name, "workloads", NULL, .n = CAPTURE_N_WORKLOADS)
	BY_ARRAY(NULL, method_at, method, "methods", NULL, .n = CAPTURE_N_METHODS)
	BY_JSON(environment, "object", "environment",
		"The same as environment.json of a results directory (results.md)."))
#undef S

json_t *selftest_capture_json(const struct capture_trial *t, const json_t *environment)
{
	const struct capture_document d = {t, environment};
	return json_model(&model_capture_document, &d);
}
