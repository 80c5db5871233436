/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of how runs went over their time, of issue errors by rate, and of what replays cost. */
#include <math.h>

#include "reports/tables/tables.h"
#include "validate/analysis/costs.h"
#include "validate/analysis/courses.h"

void table_pace(struct table *t, const struct analysis *a)
{
	table_init(t, "pace", "Requests per second, in flight, and issue error over the time of a run");
	t->data_only = true;
	table_cell_columns(t);
	table_column(t, FORMAT_NUMBER, "begin_s", "From, s");
	table_column(t, FORMAT_NUMBER, "width_s", "Width, s");
	table_column(t, FORMAT_RATE, "recorded_requests", "Recorded");
	table_column(t, FORMAT_RATE, "program_requests", "Program");
	table_column(t, FORMAT_RATE, "replay_requests", "Replay");
	table_column(t, FORMAT_TIME, "issue_error", "Mean issue error");
	table_column(t, FORMAT_NUMBER, "program_in_flight", "In flight, program");
	table_column(t, FORMAT_NUMBER, "replay_in_flight", "In flight, replay");
	for (size_t i = 0; a->course && i < a->n_cells; i++) {
		const struct course *c = &a->course[i];
		for (size_t k = 0; k < c->n; k++) {
			table_cell_names(t, a, &a->cell[i]);
			table_number(t, (double)k * c->width_s);
			table_number(t, c->width_s);
			table_number(t, c->recorded[k]);
			table_number(t, c->program[k]);
			table_number(t, c->replay[k]);
			table_number_status(t, isnan(c->issue_error_ns[k]) ? STAT_NOT_ASSESSED : STAT_OK, c->issue_error_ns[k], NAN);
			table_number(t, c->in_flight_program[k]);
			table_number(t, c->in_flight_replay[k]);
		}
	}
}

void table_issue_distribution(struct table *t, const struct analysis *a)
{
	table_init(t, "issue-distribution", "Distribution of the issue error");
	t->data_only = true;
	table_cell_columns(t);
	table_column(t, FORMAT_SHARE, "share", "Share of the requests");
	table_column(t, FORMAT_TIME, "issue_error", "Issued no later than");
	for (size_t i = 0; a->course && i < a->n_cells; i++)
		for (size_t k = 0; a->course[i].timed && k < SUMMARY_N_ISSUE_QUANTILES; k++) {
			table_cell_names(t, a, &a->cell[i]);
			table_number(t, (double)k / (SUMMARY_N_ISSUE_QUANTILES - 1));
			table_number(t, a->course[i].quantile_ns[k]);
		}
}

void table_issue_rate(struct table *t, const struct analysis *a)
{
	table_init(t, "issue-rate", "Issue error by the rate of the moment");
	table_note(t, "Requests by the rate of the interval of the run in which they were issued (up to 256 intervals a run), and their mean "
		      "issue error. An error that grows with the rate is what the replayer adds between requests; one that does not "
		      "is that of its clock.");
	table_cell_columns(t);
	table_column(t, FORMAT_RATE, "from", "From, requests/s");
	t->n_row_headers = 3;
	table_column(t, FORMAT_COUNT, "n_requests", "Requests a run");
	table_column(t, FORMAT_TIME, "issue_error", "Mean issue error");
	for (size_t i = 0; a->course && i < a->n_cells; i++)
		for (int k = 0; a->course[i].timed && k < COURSE_RATE_CLASSES; k++) {
			const struct course_rate *r = &a->course[i].rate[k];
			if (!(r->n_requests > 0))
				continue;
			table_cell_names(t, a, &a->cell[i]);
			table_number(t, k ? ldexp(1, k) : 0);
			table_count(t, r->n_requests);
			table_number(t, r->issue_error_ns);
		}
}

void table_stamps(struct table *t, const struct analysis *a)
{
	table_init(t, "stamps", "Source of the replays' times");
	table_note(t, "If an observer times the runs (table \"observation\"), the mean by the replayer's own stamps is added. Requests that the "
		      "preloaded library does not see keep the replayer's times.");
	table_cell_columns(t);
	table_column(t, FORMAT_TIME, "replay_mean", "By the observer");
	table_column_estimate(t, FORMAT_TIME, "own_mean", "By the replayer [95 %]");
	table_column(t, FORMAT_SHARE, "observed", "Seen by the observer");
	for (size_t i = 0; a->cost && i < a->n_cells; i++) {
		if (a->cost[i].own.status == STAT_NOT_ASSESSED || a->cost[i].own.status == STAT_TOO_FEW)
			continue;
		table_cell_names(t, a, &a->cell[i]);
		table_number_u(t, a->cell[i].x.mean, a->cell[i].x.sem);
		table_estimate(t, &a->cost[i].own);
		table_number_u(t, a->cost[i].observed_share, 0.001);
	}
}

void table_costs(struct table *t, const struct analysis *a)
{
	table_init(t, "costs", "What a replay costs");
	table_note(t, "The recording's size; the time of a process beside its requests (starting, reading and preparing the trace, "
		      "writing the new one); anonymous memory of the replayer while its requests run, where the page cache has a "
		      "budget; CPU time while requests run; CPU time and largest resident memory of the whole process and those that it "
		      "started; and how many times as fast as the program the replay is.");
	table_cell_columns(t);
	table_column(t, FORMAT_COUNT, "n_requests", "Requests a run");
	table_column(t, FORMAT_BYTES, "trace", "Trace");
	table_column_estimate(t, FORMAT_TIME, "program_preparation", "Beside the requests, program [95 %]");
	table_column_estimate(t, FORMAT_TIME, "replay_preparation", "replay [95 %]");
	table_column(t, FORMAT_BYTES, "replay_memory", "Memory");
	table_column_estimate(t, FORMAT_TIME, "program_cpu", "CPU time, program [95 %]");
	table_column_estimate(t, FORMAT_TIME, "replay_cpu", "replay [95 %]");
	table_column_estimate(t, FORMAT_RELATIVE, "cpu_deviation", "Deviation [95 %]");
	table_column_estimate(t, FORMAT_TIME, "program_process_cpu", "Whole process, program [95 %]");
	table_column_estimate(t, FORMAT_TIME, "replay_process_cpu", "replay [95 %]");
	table_column_estimate(t, FORMAT_BYTES, "program_peak", "Peak memory, program [95 %]");
	table_column_estimate(t, FORMAT_BYTES, "replay_peak", "replay [95 %]");
	table_column_estimate(t, FORMAT_NUMBER, "speedup", "Times as fast [95 %]");
	for (size_t i = 0; a->cost && i < a->n_cells; i++) {
		const struct cost *k = &a->cost[i];
		table_cell_names(t, a, &a->cell[i]);
		table_count(t, k->n_requests);
		table_number_status(t, isnan(k->trace_bytes) ? STAT_NOT_ASSESSED : STAT_OK, k->trace_bytes, NAN);
		table_estimate(t, &k->preparation_program);
		table_estimate(t, &k->preparation_replay);
		table_number_status(t, isnan(k->memory_bytes) ? STAT_NOT_ASSESSED : STAT_OK, k->memory_bytes, NAN);
		table_estimate(t, &k->cpu_program);
		table_estimate(t, &k->cpu_replay);
		table_estimate(t, &k->cpu_deviation);
		table_estimate(t, &k->process_cpu_program);
		table_estimate(t, &k->process_cpu_replay);
		table_estimate(t, &k->peak_program);
		table_estimate(t, &k->peak_replay);
		table_estimate(t, &k->speedup);
	}
}
