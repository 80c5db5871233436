/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of the behaviour of a replay: time, order, concurrency, issue error, requests replayed. */
#include "reports/tables/tables.h"

static void time_row(struct table *t, const struct cell *c)
{
	COL_NUMBER(t, TIME, "program_time", "Program", c->r_time.mean, c->r_time.sem);
	COL_NUMBER(t, TIME, "replay_time", "Replay", c->x_time.mean, c->x_time.sem);
	COL_OF(t, cell, c, execution_time, NULL, "Difference [95 %]");
	COL_DECISION(t, "decision", "Decision", c->component[COMPONENT_EXECUTION_TIME].decision);
	COL_OF_U(t, cell, c, execution_service, "service", "Service", 0.001);
	COL_OF_U(t, cell, c, execution_schedule, "schedule", "Schedule", 0.001);
	COL_NUMBER(t, RATE, "program_rate", "Program, requests", c->r_rate.mean, c->r_rate.sem);
	COL_NUMBER(t, RATE, "replay_rate", "Replay, requests", c->x_rate.mean, c->x_rate.sem);
}

const struct table_kind table_time = {
    "execution-time", "Execution time and throughput", .cell = time_row,
    .note = "Execution time: from the first start to the last end. The "
    	"difference has two parts. Service: change of the threads' time in requests. Schedule: "
    	"change of their time between requests. Both are relative to the program's execution "
    	"time. Requests per second are means over the runs."};

static void order_row(struct table *t, const struct cell *c)
{
	COL_OF(t, cell, c, order.n_received, NULL, "Requests");
	COL_OF(t, cell, c, order.n_reordered, NULL, "Reordered");
	COL_OF(t, cell, c, order.deciding, "reordered", "Share (deciding) [95 %]");
	COL_DECISION(t, "decision", "Decision", c->component[COMPONENT_REORDERING].decision);
	COL_OF(t, cell, c, order.all, "reordered_all", "All");
	COL_OF(t, cell, c, order.thread, "reordered_thread", "By thread");
	COL_OF(t, cell, c, order.object, "reordered_file", "By file");
	COL_OF(t, cell, c, order.n_descents, NULL, "Descents");
}

const struct table_kind table_order = {"order", "Order of the requests", .cell = order_row,
	.note =
	"A request is reordered if a request that follows it in the trace is issued before it (RFC "
	"4737). \"All\" counts over the whole replay, \"by thread\" and \"by file\" over the "
	"requests of each thread or file. The verdict uses the share marked \"deciding\": \"all\" "
	"if the replayer promises a total order, otherwise \"by thread\". The key "
	"\"reorder-scope\" of the protocol can choose another share. Descents count only "
	"neighbours in the wrong order, for comparison with other tools. This count is never "
	"larger than the number of reordered requests."};

static void in_flight_row(struct table *t, const struct cell *c)
{
	COL_OF_U(t, cell, c, concurrency.mean_r, "program_mean_level", "Program, mean", 0.1);
	COL_OF_U(t, cell, c, concurrency.mean_x, "replay_mean_level", "Replay, mean", 0.1);
	COL_OF(t, cell, c, concurrency.in_flight, NULL, "Difference [95 %]");
	COL_DECISION(t, "decision", "Decision", c->component[COMPONENT_IN_FLIGHT].decision);
	COL_OF_U(t, cell, c, concurrency.max_r, "program_max_level", "Program, maximum", 0.1);
	COL_OF_U(t, cell, c, concurrency.max_x, "replay_max_level", "Replay, maximum", 0.1);
	COL_OF(t, cell, c, concurrency.in_flight_max, NULL, "Difference [95 %]");
	COL_DECISION(t, "max_decision", "Decision, maximum",
		     c->component[COMPONENT_IN_FLIGHT_MAX].decision);
}

const struct table_kind table_in_flight = {
    "in-flight", "Requests in flight", .cell = in_flight_row,
    .note = "Mean and maximum number of requests in flight in a run, as means over the runs, "
    	"and the difference between replay and program."};

static void concurrency_row(struct table *t, const struct cell *c)
{
	COL_OF(t, cell, c, concurrency.time, NULL, "By time [95 %]");
	COL_OF(t, cell, c, concurrency.request, NULL, "By request [95 %]");
	COL_DECISION(t, "decision", "Decision", c->component[COMPONENT_CONCURRENCY].decision);
	COL_OF(t, cell, c, concurrency.distance_time, NULL, "In pairs, by time [95 %]");
	COL_OF(t, cell, c, concurrency.distance_request, NULL, "In pairs, by request [95 %]");
}

const struct table_kind table_concurrency = {
    "concurrency", "Distance of the concurrency distributions", .cell = concurrency_row,
    .note = "Largest distance between the distributions of the number of requests in flight of "
	    "program and replay. Each distribution is the mean over the runs. By time: how long "
	    "each number lasted. By request: the number in flight at the start of each request, "
	    "including this request. 0: equal, 1: entirely different. In pairs: mean of the "
	    "distances within the pairs. "
	    "These distances also contain the scatter of the runs."};

static void issue_error_row(struct table *t, const struct cell *c)
{
	COL_OF(t, cell, c, issue_error.p50, "issue_error_p50", "Median");
	COL_OF(t, cell, c, issue_error.p99, "issue_error_p99", "p99");
	COL_OF(t, cell, c, issue_error.max, "issue_error_max", "Maximum");
	COL_DECISION(t, "decision", "Decision, p99",
		     c->component[COMPONENT_ISSUE_ERROR].decision);
	COL_OF(t, cell, c, issue_error.late, "share_late", "Late [95 %]");
	COL_DECISION(t, "share_late_decision", "Decision, late",
		c->component[COMPONENT_SHARE_LATE].decision);
	COL_OF(t, cell, c, issue_error.cpu_delayed, NULL, "No CPU");
	COL_OF(t, cell, c, issue_error.others_p99, "issue_error_others_p99",
		"p99 of requests with a CPU");
	COL_OF(t, cell, c, schedule_error, NULL, "Schedule");
}

const struct table_kind table_issue_error = {
    "issue-error", "Issue error and schedule", .cell = issue_error_row,
    .note = "Issue error: start of a request minus the time at which it was due; only timed "
    	"replays have one. Late: issued after the due time by more than 1 % of the mean time "
    	"between starts in the trace, and by more than 1 µs. No CPU: the thread had no CPU when "
    	"its request was due, which is not a fault of the replayer. Schedule: start of a request "
    	"in the replay minus its start in the trace, each counted from the first start; mean over "
    	"the requests. Replays without timing also have this value."};

static void fidelity_row(struct table *t, const struct cell *c)
{
	COL_OF(t, cell, c, n_requests, NULL, "Requests");
	COL_OF(t, cell, c, n_lost, NULL, "Lost");
	COL_OF(t, cell, c, n_extra, NULL, "Extra");
	COL_OF(t, cell, c, n_mismatched, NULL, "Mismatched");
	COL_OF(t, cell, c, n_skipped, NULL, "Skipped");
	COL_DECISION(t, "decision", "Decision", c->component[COMPONENT_FIDELITY].decision);
	COL_OF(t, cell, c, n_blocks, NULL, "Blocks");
	COL_OF(t, cell, c, n_failed_program, NULL, "Failed runs, program");
	COL_OF(t, cell, c, n_failed_replayer, NULL, "Failed runs, replay");
	COL_TEXT(t, "first_failure", "First failure", *c->first_failure ? c->first_failure : NULL);
}

const struct table_kind table_fidelity = {
    "fidelity", "What was replayed, and failed runs", .cell = fidelity_row,
    .note = "Requests of all runs. Lost: in the trace, but not replayed. Extra: replayed more "
    	"often than in the trace. Mismatched: a return value that differs from the trace. Skipped: "
    	"not replayed by design (on pipes and similar objects, or excluded by an option); these "
    	"are not judged."};

static void diagnostics_row(struct table *t, const struct cell *c)
{
	COL_OF_U(t, cell, c, diagnostics.lag1, NULL, "Lag-1 correlation", 0.1);
	COL_OF_U(t, cell, c, diagnostics.n_effective, NULL, "Independent pairs", 1);
	COL_OF(t, cell, c, diagnostics.runs_p, NULL, "P-value of \"random order\"");
	COL_OF(t, cell, c, diagnostics.trend_p, NULL, "P-value of \"no trend\"");
}

const struct table_kind table_diagnostics = {
    "diagnostics", "Were the replicates independent?", .cell = diagnostics_row,
    .note =
	"The differences of the mean response times are examined in the order in which the "
	"pairs ran: correlation of successive pairs (0 is ideal), and the number of "
	"independent pairs that would give as much information (at most the number of pairs). "
	"This number is computed from one case. The decisions use other numbers, which are "
	"computed from all cases of the replayer. If such a number is smaller than the number "
	"of pairs, the reason for the decision states it, except for a rejection. The "
	"P-values are for the hypotheses \"random order\" (of the values above and "
	"below the median) and \"no trend\". A small P-value shows that the pairs depend on "
	"each other, for example by drift. A P-value is undefined if there are too few "
	"different values."};
