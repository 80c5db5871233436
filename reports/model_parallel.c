/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of report.json for parallel applications (model.h). */
#include "reports/model_rows.h"
#include "reports/words.h"

#define S cell
GET_AT(size_t, cell_index, (size_t)((const struct cell *)at->s - at->a->cell))

static const char *application_name(const struct model_at *at)
{
	parallel_add_application(at->scratch, cell_scenario(at->a, cell_index(at)));
	return at->scratch->s;
}

static const char *target_name(const struct model_at *at)
{
	const struct scenario *s = cell_scenario(at->a, cell_index(at));
	return at->a->results->protocol.target[at->m->index ? s->recorded_on : s->target].name;
}

static const struct model_list model_parallel_cell = {
    .member = (const struct model_member[]){
		INLINE(NULL, case)
		BY_TEXT(application_name, "application",
			"Name of the application, its `size` if that is not 1, and its number of "
			"ranks.")
		BY_TEXT(target_name, "target", NULL)
		BY_TEXT(target_name, "recorded_on", "Target of the recording.", .index = 1) {0}}};
#undef S

#define S causality_summary
GET_AT(double, predicted_error, causality_predicted_error(at->s))

MODEL(S, "How the recording was made.",
	ROW(uint64_t, n_nodes, "n_nodes", COUNT, NULL)
	ROW(uint64_t, n_throttled, "n_delayed", COUNT, "Delayed nodes (traced threads).")
	ROW(uint64_t, n_runs, "n_runs", COUNT, "Number of runs of the capture, including the run "
					       "without delays.")
	ROW(uint64_t, period, "period", COUNT, "Number P: the first request of a delayed node "
					       "is delayed, and every P-th request after it.")
	ROW(uint64_t, n_waits, "n_waits", COUNT, NULL)
	ROW(uint64_t, n_signals, "n_signals", COUNT, NULL)
	ROW(int64_t, application_ns, "application_ns", TIME, NULL, .real_number = true)
	ROW(int64_t, tracing_ns, "tracing_ns", TIME, "Time of all capture runs.",
	    .real_number = true)
	BY_REAL(predicted_error, "predicted_error", RELATIVE,
		"(a - p) / a for the recording: a is the application's execution time, p is the "
		"execution time that the dependencies predict.")
	ROW(int64_t, compute_ns, "compute_ns", TIME, "Computing time, summed over the nodes.",
	    .real_number = true))
#undef S

#define S parallel_case
MODEL(S, "A case: execution times of application and replay, and (application - replay) / "
	"application with its uncertainty.",
	INLINE_CASE(cell, parallel_cell)
	ROW(struct estimate, program, "program_ns", TIME, NULL)
	ROW(struct estimate, replay, "replay_ns", TIME, NULL)
	ROW(struct estimate, error, "error", RELATIVE, NULL)
	ROW(double, u, "u", SHARE, "Standard uncertainty of the error.")
	ROW(double, k, "k", NUMBER, "Coverage factor for 95 %.")
	ROW(double, U, "U", SHARE, "Expanded uncertainty.")
	ROW(struct estimate, bandwidth_program, "program_bytes_per_s", BYTES, NULL)
	ROW(struct estimate, bandwidth_replay, "replay_bytes_per_s", BYTES, NULL)
	ROW(double, tracing_time, "tracing_time", NUMBER,
	    "Total time of all capture runs, divided by the execution time of the application.")
	ROW(double, tracing_increase, "tracing_increase", NUMBER,
	    "Execution time of a run with a delayed node, divided by that of the application; mean "
	    "of these runs.")
	POINTER(recording, "recording", NULL, NULLABLE))
#undef S

#define S parallel_worst
GET(const void *, worst_cell, parallel_worst, w,
    &at->a->cell[w->cell == PARALLEL_NO_CELL ? w->first : w->cell])
GET(double, published_size, parallel_worst, w, w->published ? fabs(w->published->value) : NAN)
GET(const char *, published_source, parallel_worst, w, w->published ? w->published->source : NULL)

MODEL(S, "The case with the largest error, among cases that differ only in the target of the "
	"recording.",
	INLINE(worst_cell, parallel_cell)
	ROW(size_t, n_cells, "n_recorded_on", COUNT, "Number of targets of recordings.")
	ROW(struct estimate, size, "error_size", SHARE, "Error without its sign.")
	BY_REAL(published_size, "published", SHARE, NULL)
	BY_TEXT(published_source, "published_in", NULL, NULLABLE)
	ROW(double, tracing_time, "tracing_time", NUMBER, NULL)
	ROW(double, tracing_increase, "tracing_increase", NUMBER, NULL))
#undef S

#define S parallel_node
MODEL(S, "Response times of one node (traced thread).",
	INLINE_CASE(cell, parallel_cell)
	ROW(uint64_t, node, "node", COUNT, NULL)
	ROW(double, n_requests, "n_requests", NUMBER, "Per run.")
	ROW(struct estimate, program, "program_ns", TIME, NULL)
	ROW(struct estimate, replay, "replay_ns", TIME, NULL)
	ROW(struct estimate, bias, "bias", RELATIVE, NULL)
	ROW(double, U, "U", SHARE, "Expanded uncertainty of the mean of one replay, after "
				   "correction for the bias.")
	ROW(double, busy_program_s, "program_busy_s", NUMBER,
	    "From the start of the node's first request to the end of its last request, in s.")
	ROW(double, busy_replay_s, "replay_busy_s", NUMBER, NULL))
#undef S

#define S parallel_host
MODEL(S, "Response times of the nodes (traced threads) on one host of the application.",
	INLINE_CASE(cell, parallel_cell)
	TEXT(host, "host", NULL)
	ROW(uint64_t, n_nodes, "n_nodes", COUNT, NULL)
	ROW(double, n_requests, "n_requests", NUMBER, "Per run.")
	ROW(struct estimate, program, "program_ns", TIME, NULL)
	ROW(struct estimate, replay, "replay_ns", TIME, NULL)
	ROW(struct estimate, bias, "bias", RELATIVE, NULL)
	ROW(double, U, "U", SHARE, "Expanded uncertainty of the mean of one replay, after "
				   "correction for the bias.")
	ROW(double, busy_program_s, "program_busy_s", NUMBER, "Longest busy time of a node, in s.")
	ROW(double, busy_replay_s, "replay_busy_s", NUMBER, NULL))
#undef S

#define S parallel_sum
GET(double, worst_size, parallel_sum, s,
    s->worst == PARALLEL_NO_CELL ? NAN : at->a->parallel->worst[s->worst].size.value)

MODEL(S, "A replayer over all its cases.",
	REPLAYER(replayer, "replayer", NULL)
	ROW(size_t, n_cells, "n_cases", COUNT, NULL)
	ROW(double, mean_size, "mean_error_size", SHARE, NULL)
	ROW(double, mean_worst_size, "mean_worst_error_size", SHARE, NULL)
	BY_REAL(worst_size, "worst_error_size", SHARE, NULL))
#undef S

#define S parallel_analysis
MODEL(S, "Execution times of parallel applications; absent if the protocol has none.",
	ARRAY(of_case, n_cases, "cases", NULL)
	ARRAY(worst, n_worst, "worst", NULL)
	ARRAY(node, n_nodes, "nodes", NULL)
	ARRAY(host, n_hosts, "hosts", "Only if the application ran on several hosts.")
	ARRAY(sum, n_sums, "replayers", NULL))
#undef S
