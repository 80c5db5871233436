/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of the behaviour of a replay: time, order, concurrency, issue error, requests replayed. */
#include "reports/tables/tables.h"

static void time_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct cell *c = ROW_ITEM(t, &a->cell[i]);
	COL_CELL(t, a, c);
	COL_NUMBER(t, TIME, "program_time", "Program", c->r_time.mean, c->r_time.sem);
	COL_NUMBER(t, TIME, "replay_time", "Replay", c->x_time.mean, c->x_time.sem);
	COL_ESTIMATE(t, RELATIVE, "execution_time", "Difference [95 %]", &c->execution_time);
	COL_DECISION(t, "decision", "Decision", c->component[COMPONENT_EXECUTION_TIME].decision);
	COL_NUMBER(t, RELATIVE, "service", "Service", c->execution_service, 0.001);
	COL_NUMBER(t, RELATIVE, "schedule", "Schedule", c->execution_schedule, 0.001);
	COL_NUMBER(t, RATE, "program_rate", "Program, requests", c->r_rate.mean, c->r_rate.sem);
	COL_NUMBER(t, RATE, "replay_rate", "Replay, requests", c->x_rate.mean, c->x_rate.sem);
}

const struct table_kind table_time = {
    "execution-time", "Execution time and throughput", table_n_cells, time_row,
    .note = "Execution time: from the first start to the last end. Its difference is split into "
    	"longer requests (service) and longer waits between requests (schedule), both relative "
    	"to the program's time. Requests per second are means over the runs."};

static void order_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct cell *c = ROW_ITEM(t, &a->cell[i]);
	COL_CELL(t, a, c);
	COL_COUNT(t, "n_received", "Requests", c->n_received);
	COL_COUNT(t, "n_reordered", "Reordered", c->n_reordered);
	COL_ESTIMATE(t, SHARE, "reordered", "Share (deciding) [95 %]", &c->reordered);
	COL_DECISION(t, "decision", "Decision", c->component[COMPONENT_REORDERING].decision);
	COL_ESTIMATE(t, SHARE, "reordered_all", "All", &c->reordered_all);
	COL_ESTIMATE(t, SHARE, "reordered_thread", "By thread", &c->reordered_thread);
	COL_ESTIMATE(t, SHARE, "reordered_file", "By file", &c->reordered_object);
	COL_COUNT(t, "n_descents", "Descents", c->n_descents);
}

const struct table_kind table_order = {"order", "Order of the requests", table_n_cells, order_row,
	.note =
	"A request is reordered if it was issued after a request that follows it in the trace "
	"(RFC 4737). \"All\" counts over the whole replay, \"by thread\" and \"by file\" over "
	"the requests of each thread or file. The table names the scope that the verdict uses. "
	"Descents count only neighbours in the wrong order. They are a lower bound, for "
	"comparison with other tools."};

static void in_flight_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct cell *c = ROW_ITEM(t, &a->cell[i]);
	COL_CELL(t, a, c);
	COL_NUMBER(t, NUMBER, "program_mean_level", "Program, mean", c->concurrency_mean_r, 0.1);
	COL_NUMBER(t, NUMBER, "replay_mean_level", "Replay, mean", c->concurrency_mean_x, 0.1);
	COL_ESTIMATE(t, RELATIVE, "in_flight", "Difference [95 %]", &c->in_flight);
	COL_DECISION(t, "decision", "Decision", c->component[COMPONENT_IN_FLIGHT].decision);
	COL_NUMBER(t, NUMBER, "program_max_level", "Program, maximum", c->concurrency_max_r, 0.1);
	COL_NUMBER(t, NUMBER, "replay_max_level", "Replay, maximum", c->concurrency_max_x, 0.1);
	COL_ESTIMATE(t, RELATIVE, "in_flight_max", "Difference [95 %]", &c->in_flight_max);
	COL_DECISION(t, "max_decision", "Decision", c->component[COMPONENT_IN_FLIGHT_MAX].decision);
}

const struct table_kind table_in_flight = {
    "in-flight", "Requests in flight", table_n_cells, in_flight_row,
    .note = "Mean and maximum number of requests in flight in a run, as means over the runs, "
    	"and the difference between replay and program."};

static void concurrency_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct cell *c = ROW_ITEM(t, &a->cell[i]);
	COL_CELL(t, a, c);
	COL_ESTIMATE(t, NUMBER, "distance_of_means_by_time", "By time [95 %]",
		&c->concurrency_time);
	COL_ESTIMATE(t, NUMBER, "distance_of_means_by_request", "By request [95 %]",
		&c->concurrency_request);
	COL_DECISION(t, "decision", "Decision", c->component[COMPONENT_CONCURRENCY].decision);
	COL_ESTIMATE(t, NUMBER, "distance_by_time", "In pairs, by time [95 %]",
		&c->concurrency_distance_time);
	COL_ESTIMATE(t, NUMBER, "distance_by_request", "In pairs, by request [95 %]",
		&c->concurrency_distance_request);
}

const struct table_kind table_concurrency = {
    "concurrency", "Distance of the concurrency distributions", table_n_cells, concurrency_row,
    .note = "Largest distance between the distributions of the number of requests in flight of "
    	"program and replay, as a mean over the runs. By time: how long each number lasted. By "
    	"request: which number a request found. 0: equal, 1: entirely different. The distance "
    	"within a pair also contains the scatter of the runs."};

static void issue_error_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct cell *c = ROW_ITEM(t, &a->cell[i]);
	enum stat_status timed = t->in_heads ? STAT_OK : c->issue_error_p50.status;
	COL_CELL(t, a, c);
	COL_ESTIMATE(t, TIME, "issue_error_p50", "Median", &c->issue_error_p50);
	COL_ESTIMATE(t, TIME, "issue_error_p99", "p99", &c->issue_error_p99);
	COL_STATUS(t, TIME, "issue_error_max", "Maximum", timed, c->issue_error_max, NAN);
	COL_DECISION(t, "decision", "Decision", c->component[COMPONENT_ISSUE_ERROR].decision);
	COL_ESTIMATE(t, SHARE, "share_late", "Late [95 %]", &c->late);
	COL_DECISION(t, "share_late_decision", "Decision",
		c->component[COMPONENT_SHARE_LATE].decision);
	COL_ESTIMATE(t, SHARE, "held_up", "No CPU", &c->share_cpu_delayed);
	COL_ESTIMATE(t, TIME, "issue_error_others_p99", "p99 of the others",
		&c->issue_error_others_p99);
	COL_ESTIMATE(t, TIME, "schedule_error", "Schedule", &c->schedule_error);
}

const struct table_kind table_issue_error = {
    "issue-error", "Issue error and schedule", table_n_cells, issue_error_row,
    .note = "Issue error: start of a request minus the time at which it was due; only replays "
    	"that keep times have one. Late: issued later than 1 % of the mean traced gap or 1 µs, "
    	"whichever is larger. No CPU: the thread had no CPU when its request was due; this is "
    	"not a fault of the replayer. Schedule: how far the start of a request has moved from "
    	"its place in the trace, in any replay."};

static void fidelity_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct cell *c = ROW_ITEM(t, &a->cell[i]);
	COL_CELL(t, a, c);
	COL_COUNT(t, "n_requests", "Requests", c->n_requests);
	COL_COUNT(t, "n_lost", "Lost", c->n_lost);
	COL_COUNT(t, "n_extra", "Extra", c->n_extra);
	COL_COUNT(t, "n_mismatched", "Mismatched", c->n_mismatched);
	COL_COUNT(t, "n_skipped", "Skipped", c->n_skipped);
	COL_DECISION(t, "decision", "Decision", c->component[COMPONENT_FIDELITY].decision);
	COL_COUNT(t, "n_blocks", "Blocks", c->n_blocks);
	COL_COUNT(t, "n_failed_program", "Failed runs, program", c->n_failed_program);
	COL_COUNT(t, "n_failed_replayer", "Failed runs, replay", c->n_failed_replayer);
	COL_TEXT(t, "first_failure", "First failure", *c->first_failure ? c->first_failure : NULL);
}

const struct table_kind table_fidelity = {
    "fidelity", "What was replayed, and failed runs", table_n_cells, fidelity_row,
    .note = "Requests of all runs. Lost: in the trace, but not replayed. Extra: replayed more "
    	"often than in the trace. Mismatched: another return value than in the trace. Skipped: "
    	"not replayed by design (on pipes and similar objects, or excluded by an option); these "
    	"are not judged."};

static void diagnostics_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct cell *c = ROW_ITEM(t, &a->cell[i]);
	COL_CELL(t, a, c);
	COL_NUMBER(t, NUMBER, "lag1", "Lag-1 correlation", c->lag1, 0.1);
	COL_NUMBER(t, NUMBER, "n_effective", "Pairs count as", c->n_effective, 1);
	COL_NUMBER(t, P, "runs_p", "p of the runs test", c->runs_p, NAN);
	COL_NUMBER(t, P, "trend_p", "p of the trend test", c->trend_p, NAN);
}

const struct table_kind table_diagnostics = {
    "diagnostics", "Were the replicates independent?", table_n_cells, diagnostics_row,
    .note =
	"The pairs are examined in the order in which they ran: correlation of neighbours (0 is "
	"ideal), number of independent pairs as which they count, P-value of \"no runs above or "
	"below the median\", P-value of \"no trend\". A small P-value shows drift."};
