/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables over the time of a run, of issue errors by rate, and of the costs of replays. */
#include "reports/tables/tables.h"
#include "validate/analysis/costs.h"
#include "validate/analysis/courses.h"

ROWS_OF(n_courses, a->course ? a->n_cells : 0)

static size_t n_intervals(const struct analysis *a, size_t i)
{
	return a->course[i].n;
}

static void pace_item(struct table *t, const struct analysis *a, size_t i, size_t k)
{
	const struct course *c = ROW_ITEM(t, &a->course[i]);
	COL_CELL(t, a, &a->cell[i]);
	COL_NUMBER(t, NUMBER, "begin_s", "From, s", (double)k * c->width_s, NAN);
	COL_OF(t, course, c, width_s, NULL, "Width, s");
	COL_NUMBER(t, RATE, "recorded_requests", "Recorded", c->recorded[k], NAN);
	COL_NUMBER(t, RATE, "program_requests", "Program", c->program[k], NAN);
	COL_NUMBER(t, RATE, "replay_requests", "Replay", c->replay[k], NAN);
	COL_KNOWN(t, TIME, "issue_error", "Mean issue error", c->issue_error_ns[k]);
	COL_NUMBER(t, NUMBER, "program_in_flight", "In flight, program", c->in_flight_program[k],
		NAN);
	COL_NUMBER(t, NUMBER, "replay_in_flight", "In flight, replay", c->in_flight_replay[k], NAN);
}

const struct table_kind table_pace = {
	"pace", "Requests per second, requests in flight and issue error over the course of a run",
	n_courses,
	.n_items = n_intervals, .item = pace_item, .data_only = true};

static size_t n_quantiles(const struct analysis *a, size_t i)
{
	return a->course[i].timed ? SUMMARY_N_ISSUE_QUANTILES : 0;
}

static void issue_distribution_item(struct table *t, const struct analysis *a, size_t i, size_t k)
{
	COL_CELL(t, a, &a->cell[i]);
	COL_NUMBER(t, SHARE, "share", "Share of the requests",
		(double)k / (SUMMARY_N_ISSUE_QUANTILES - 1), NAN);
	COL_NUMBER(t, TIME, "issue_error", "Issued no later than", a->course[i].quantile_ns[k],
		   NAN);
}

const struct table_kind table_issue_distribution = {
	"issue-distribution", "Distribution of the issue error", n_courses,
	.n_items = n_quantiles, .item = issue_distribution_item, .data_only = true};

static size_t n_rates(const struct analysis *a, size_t i)
{
	return a->course[i].timed ? COURSE_RATE_CLASSES : 0;
}

static void issue_rate_item(struct table *t, const struct analysis *a, size_t i, size_t k)
{
	const struct course_rate *r = ROW_ITEM(t, &a->course[i].rate[k]);
	if (!t->in_heads && !(r->n_requests > 0))
		return;
	COL_CELL(t, a, &a->cell[i]);
	COL_NUMBER(t, RATE, "from", "From, requests/s", k ? ldexp(1, (int)k) : 0, NAN);
	COL_COUNT(t, "n_requests", "Requests per run", r->n_requests);
	COL_OF(t, course_rate, r, issue_error_ns, NULL, "Mean issue error");
}

const struct table_kind table_issue_rate = {"issue-rate", "Issue error by the rate of the requests",
	n_courses, .n_items = n_rates, .item = issue_rate_item, .n_row_headers = 3, .note =
	"A run is divided into up to 256 intervals. Requests are grouped by the rate in the "
	"interval in which they were issued; the table shows the mean issue error of each group. "
	"If the error grows with the rate, the replayer needs too much time for each request. If "
	"the error is about the same at all rates, the cause is the clock of the replayer, or the "
	"way in which it waits."};

static void stamps_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct cost *k = ROW_ITEM(t, &a->cost[i]);
	if (!t->in_heads && (k->own.status == STAT_NOT_ASSESSED || k->own.status == STAT_TOO_FEW))
		return;
	COL_CELL(t, a, &a->cell[i]);
	COL_NUMBER(t, TIME, "replay_mean", "By the observer", a->cell[i].x.mean, a->cell[i].x.sem);
	COL_OF(t, cost, k, own, NULL, "By the replayer [95 %]");
	COL_OF_U(t, cost, k, observed_share, "observed", "Seen by the observer", 0.001);
}

ROWS_OF(n_costs, a->cost ? a->n_cells : 0)

const struct table_kind table_stamps = {
    "stamps", "Source of the replays' times", n_costs, stamps_row,
    .note = "If an observer measures the times of the runs (table \"observation\"), this table "
    	"also has the mean time that the replayer itself measured. If the observer is the "
	"preloaded library, it can miss requests. For these requests, the times that the "
	"replayer measured are used."};

static void costs_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct cost *k = ROW_ITEM(t, &a->cost[i]);
	COL_CELL(t, a, &a->cell[i]);
	COL_COUNT(t, "n_requests", "Requests per run", k->n_requests);
	COL_KNOWN(t, BYTES, "trace", "Trace", k->trace_bytes);
	COL_OF(t, cost, k, preparation_program, "program_preparation",
	       "Outside the requests, program [95 %]");
	COL_OF(t, cost, k, preparation_replay, "replay_preparation",
	       "Outside the requests, replay [95 %]");
	COL_KNOWN(t, BYTES, "replay_memory", "Memory", k->memory_bytes);
	COL_OF(t, cost, k, cpu_program, "program_cpu", "CPU time, program [95 %]");
	COL_OF(t, cost, k, cpu_replay, "replay_cpu", "CPU time, replay [95 %]");
	COL_OF(t, cost, k, cpu_deviation, NULL, "Deviation of the CPU time [95 %]");
	COL_OF(t, cost, k, process_cpu_program, "program_process_cpu",
	       "Whole process, program [95 %]");
	COL_OF(t, cost, k, process_cpu_replay, "replay_process_cpu",
	       "Whole process, replay [95 %]");
	COL_OF(t, cost, k, peak_program, "program_peak", "Peak memory, program [95 %]");
	COL_OF(t, cost, k, peak_replay, "replay_peak", "Peak memory, replay [95 %]");
	COL_OF(t, cost, k, speedup, NULL, "Speedup [95 %]");
}

const struct table_kind table_costs = {
    "costs", "What a replay costs", n_costs, costs_row,
    .note = "Trace: size of the recording. Outside the requests: time that a process needs to "
	    "start, to read and prepare the trace, and to write the trace of the replay. CPU time: "
	    "from the first request to the last. Not assessed: a run did not record this CPU time. "
	    "The deviation of the CPU time is computed from logarithms, so it can differ from the "
	    "ratio of the stated means. Whole process: CPU time over the whole lifetime of the "
	    "process. Peak memory: largest resident memory. The CPU time of the whole process "
	    "and the peak memory include child processes. Speedup: execution time of the program "
	    "divided by that of the replay. Only the CSV has the column Memory: "
	    "anonymous memory of the replayer while its requests run. It is known only if the "
	    "protocol limits the page cache (cache-budget)."};
