/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of how the replay went about its work: time, order, concurrency, issue error, what was replayed. */
#include <math.h>

#include "reports/tables/tables.h"

void table_time(struct table *t, const struct analysis *a)
{
	table_init(t, "execution-time", "Execution time and throughput");
	table_note(t, "Execution time: first begin to last end. Its difference is split into what "
		      "requests took longer (service) and what the replay waited longer between "
		      "them (schedule), both relative to the program's time. Requests per second "
		      "are means over the runs.");
	table_cell_columns(t);
	table_column(t, FORMAT_TIME, "program_time", "Program");
	table_column(t, FORMAT_TIME, "replay_time", "Replay");
	table_column_estimate(t, FORMAT_RELATIVE, "execution_time", "Difference [95 %]");
	table_column(t, FORMAT_DECISION, "decision", "Decision");
	table_column(t, FORMAT_RELATIVE, "service", "Service");
	table_column(t, FORMAT_RELATIVE, "schedule", "Schedule");
	table_column(t, FORMAT_RATE, "program_rate", "Program, requests");
	table_column(t, FORMAT_RATE, "replay_rate", "Replay, requests");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		table_cell_names(t, a, c);
		table_number_u(t, c->r_time.mean, c->r_time.sem);
		table_number_u(t, c->x_time.mean, c->x_time.sem);
		table_estimate(t, &c->execution_time);
		table_decision(t, c->component[COMPONENT_EXECUTION_TIME].decision);
		table_number_u(t, c->execution_service, 0.001);
		table_number_u(t, c->execution_schedule, 0.001);
		table_number_u(t, c->r_rate.mean, c->r_rate.sem);
		table_number_u(t, c->x_rate.mean, c->x_rate.sem);
	}
}

void table_order(struct table *t, const struct analysis *a)
{
	table_init(t, "order", "Order of the requests");
	table_note(
	    t,
	    "A request is reordered when it was issued after one that follows it in the trace "
	    "(RFC 4737). \"All\" looks at the whole replay, \"by thread\" and \"by file\" at the "
	    "sequence of each thread or file; the one named as deciding is what the verdict uses. "
	    "Descents count only direct neighbours in the wrong order: other tools' figure, a "
	    "lower bound, for comparison.");
	table_cell_columns(t);
	table_column(t, FORMAT_COUNT, "n_received", "Requests");
	table_column(t, FORMAT_COUNT, "n_reordered", "Reordered");
	table_column_estimate(t, FORMAT_SHARE, "reordered", "Share (deciding) [95 %]");
	table_column(t, FORMAT_DECISION, "decision", "Decision");
	table_column_estimate(t, FORMAT_SHARE, "reordered_all", "All");
	table_column_estimate(t, FORMAT_SHARE, "reordered_thread", "By thread");
	table_column_estimate(t, FORMAT_SHARE, "reordered_file", "By file");
	table_column(t, FORMAT_COUNT, "n_descents", "Descents");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		table_cell_names(t, a, c);
		table_count(t, (double)c->n_received);
		table_count(t, (double)c->n_reordered);
		table_estimate(t, &c->reordered);
		table_decision(t, c->component[COMPONENT_REORDERING].decision);
		table_estimate(t, &c->reordered_all);
		table_estimate(t, &c->reordered_thread);
		table_estimate(t, &c->reordered_object);
		table_count(t, (double)c->n_descents);
	}
}

void table_in_flight(struct table *t, const struct analysis *a)
{
	table_init(t, "in-flight", "Requests in flight");
	table_note(t, "Mean and maximum number of requests in flight in a run, each the mean over the runs, and by how much the replay's "
		      "differ from the program's.");
	table_cell_columns(t);
	table_column(t, FORMAT_NUMBER, "program_mean_level", "Program, mean");
	table_column(t, FORMAT_NUMBER, "replay_mean_level", "Replay, mean");
	table_column_estimate(t, FORMAT_RELATIVE, "in_flight", "Difference [95 %]");
	table_column(t, FORMAT_DECISION, "decision", "Decision");
	table_column(t, FORMAT_NUMBER, "program_max_level", "Program, maximum");
	table_column(t, FORMAT_NUMBER, "replay_max_level", "Replay, maximum");
	table_column_estimate(t, FORMAT_RELATIVE, "in_flight_max", "Difference [95 %]");
	table_column(t, FORMAT_DECISION, "max_decision", "Decision");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		table_cell_names(t, a, c);
		table_number_u(t, c->concurrency_mean_r, 0.1);
		table_number_u(t, c->concurrency_mean_x, 0.1);
		table_estimate(t, &c->in_flight);
		table_decision(t, c->component[COMPONENT_IN_FLIGHT].decision);
		table_number_u(t, c->concurrency_max_r, 0.1);
		table_number_u(t, c->concurrency_max_x, 0.1);
		table_estimate(t, &c->in_flight_max);
		table_decision(t, c->component[COMPONENT_IN_FLIGHT_MAX].decision);
	}
}

void table_concurrency(struct table *t, const struct analysis *a)
{
	table_init(t, "concurrency", "Distance of the concurrency distributions");
	table_note(
	    t, "Largest distance between the distributions of the number of requests in flight of program and replay, each the "
	       "mean over the runs: by time (how long each level lasted) and by request (which level a request found). 0 is "
	       "equal, 1 is entirely different. Beside it the distance within a pair, which holds the scatter of the runs too.");
	table_cell_columns(t);
	table_column_estimate(t, FORMAT_NUMBER, "distance_of_means_by_time", "By time [95 %]");
	table_column_estimate(t, FORMAT_NUMBER, "distance_of_means_by_request", "By request [95 %]");
	table_column(t, FORMAT_DECISION, "decision", "Decision");
	table_column_estimate(t, FORMAT_NUMBER, "distance_by_time", "In pairs, by time [95 %]");
	table_column_estimate(t, FORMAT_NUMBER, "distance_by_request", "In pairs, by request [95 %]");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		table_cell_names(t, a, c);
		table_estimate(t, &c->concurrency_time);
		table_estimate(t, &c->concurrency_request);
		table_decision(t, c->component[COMPONENT_CONCURRENCY].decision);
		table_estimate(t, &c->concurrency_distance_time);
		table_estimate(t, &c->concurrency_distance_request);
	}
}

void table_issue_error(struct table *t, const struct analysis *a)
{
	table_init(t, "issue-error", "Issue error and schedule");
	table_note(
	    t,
	    "Issue error: begin of a request minus the time it was meant for; only replays that keep times have one. "
	    "Late: "
	    "issued later than 1 %% of the mean traced gap or 1 µs, whichever is larger. Held up: by the machine, which took the processor "
	    "away from the thread that waited for the request's time; not a fault of the replayer. Schedule: how far a request's "
	    "begin has moved from its place in the trace, in any replay.");
	table_cell_columns(t);
	table_column_estimate(t, FORMAT_TIME, "issue_error_p50", "Median");
	table_column_estimate(t, FORMAT_TIME, "issue_error_p99", "p99");
	table_column(t, FORMAT_TIME, "issue_error_max", "Maximum");
	table_column(t, FORMAT_DECISION, "decision", "Decision");
	table_column_estimate(t, FORMAT_SHARE, "share_late", "Late [95 %]");
	table_column(t, FORMAT_DECISION, "share_late_decision", "Decision");
	table_column_estimate(t, FORMAT_SHARE, "held_up", "Held up");
	table_column_estimate(t, FORMAT_TIME, "issue_error_others_p99", "p99 of the others");
	table_column_estimate(t, FORMAT_TIME, "schedule_error", "Schedule");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		enum stat_status timed = c->issue_error_p50.status;
		table_cell_names(t, a, c);
		table_estimate(t, &c->issue_error_p50);
		table_estimate(t, &c->issue_error_p99);
		table_number_status(t, timed, c->issue_error_max, NAN);
		table_decision(t, c->component[COMPONENT_ISSUE_ERROR].decision);
		table_estimate(t, &c->late);
		table_decision(t, c->component[COMPONENT_SHARE_LATE].decision);
		table_estimate(t, &c->held_up);
		table_estimate(t, &c->issue_error_others_p99);
		table_estimate(t, &c->schedule_error);
	}
}

void table_fidelity(struct table *t, const struct analysis *a)
{
	table_init(t, "fidelity", "What was replayed, and failed runs");
	table_note(t, "Requests over all runs. Lost: in the trace, never replayed. Extra: replayed more often than "
		      "traced. Mismatched: "
		      "another return value than in the trace. Skipped: what the replayer says it does not make (pipes and "
		      "the like, what its options leave out); not judged.");
	table_cell_columns(t);
	table_column(t, FORMAT_COUNT, "n_requests", "Requests");
	table_column(t, FORMAT_COUNT, "n_lost", "Lost");
	table_column(t, FORMAT_COUNT, "n_extra", "Extra");
	table_column(t, FORMAT_COUNT, "n_mismatched", "Mismatched");
	table_column(t, FORMAT_COUNT, "n_passed", "Skipped");
	table_column(t, FORMAT_DECISION, "decision", "Decision");
	table_column(t, FORMAT_COUNT, "n_blocks", "Blocks");
	table_column(t, FORMAT_COUNT, "n_failed_program", "Failed runs, program");
	table_column(t, FORMAT_COUNT, "n_failed_replayer", "Failed runs, replay");
	table_column(t, FORMAT_TEXT, "first_failure", "First failure");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		table_cell_names(t, a, c);
		table_count(t, (double)c->n_requests);
		table_count(t, (double)c->n_lost);
		table_count(t, (double)c->n_extra);
		table_count(t, (double)c->n_mismatched);
		table_count(t, (double)c->n_passed);
		table_decision(t, c->component[COMPONENT_FIDELITY].decision);
		table_count(t, c->n_blocks);
		table_count(t, c->n_failed_program);
		table_count(t, c->n_failed_replayer);
		table_text(t, *c->first_failure ? c->first_failure : NULL);
	}
}

void table_diagnostics(struct table *t, const struct analysis *a)
{
	table_init(t, "diagnostics", "Were the replicates independent?");
	table_note(
	    t, "Of the pairs in the order in which they were run: correlation of neighbours (0 is ideal), how "
	       "many independent pairs the pairs are taken for when a verdict rests on them, p of \"no runs above or below "
	       "the median\", p of \"no trend\". Small p tell of drift.");
	table_cell_columns(t);
	table_column(t, FORMAT_NUMBER, "lag1", "Lag-1 correlation");
	table_column(t, FORMAT_NUMBER, "n_effective", "Pairs count as");
	table_column(t, FORMAT_P, "runs_p", "p of the runs test");
	table_column(t, FORMAT_P, "trend_p", "p of the trend test");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		table_cell_names(t, a, c);
		table_number_u(t, c->lag1, 0.1);
		table_number_u(t, c->n_effective, 1);
		table_number(t, c->runs_p);
		table_number(t, c->trend_p);
	}
}
