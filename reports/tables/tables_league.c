/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The replayers beside each other, and who observed them. */
#include <math.h>

#include "reports/tables/tables.h"
#include "reports/words.h"
#include "validate/analysis/at_device.h"
#include "validate/analysis/league.h"

static void worst(struct table *t, const struct analysis *a, const struct league_row *row, enum league_quantity q)
{
	const struct estimate none = {.status = STAT_NOT_ASSESSED, .value = NAN, .lo95 = NAN, .hi95 = NAN, .lo90 = NAN, .hi90 = NAN};
	table_estimate(t, row->worst[q] == LEAGUE_NO_CELL ? &none : league_estimate(&a->cell[row->worst[q]], q));
}

static void league_row(struct table *t, const struct analysis *a, const struct league_row *row, size_t rank)
{
	const struct replayer *r = &a->results->protocol.replayer[row->replayer];
	struct strbuf options = STRBUF_INIT;
	words_add_options(&options, r);
	table_count(t, (double)rank);
	table_text(t, r->name);
	table_text(t, options.len ? options.s : NULL);
	strbuf_release(&options);
	table_text(t, words_league_verdict(row));
	if (row->judged)
		table_textf(t, "%zu / %zu / %zu", row->n_trusted, row->n_inconclusive, row->n_not_trusted);
	else
		table_none(t);
	table_number_status(t, isnan(row->deviation) ? STAT_NOT_ASSESSED : STAT_OK, row->deviation,
			    NAN);
	for (int q = 0; q < LEAGUE_N; q++)
		worst(t, a, row, q);
	if (row->judged)
		table_count(t, (double)row->n_infidelities);
	else
		table_none(t);
	table_count(t, (double)row->n_failed);
	table_number_status(t, isnan(row->cpu_per_request_ns) ? STAT_NOT_ASSESSED : STAT_OK, row->cpu_per_request_ns, NAN);
	if (row->absent)
		table_text(t, r->absent);
	else if (row->worst[LEAGUE_BIAS] == LEAGUE_NO_CELL)
		table_none(t);
	else
		table_textf(t, "largest bias in %s", a->results->protocol.scenario[a->cell[row->worst[LEAGUE_BIAS]].scenario].name);
}

void table_league(struct table *t, const struct analysis *a)
{
	table_init(t, "league", "League table");
	table_note(t, "A row for each replayer, the best first: by its verdict, which is the "
		      "worst of its cases, then by how many of them are trusted, then by the "
		      "deviation: the mean over all judged components, each as a multiple of its "
		      "limit (10 at most). Of each quantity the case is shown where it is "
		      "largest, with its 95 %% interval.");
	table_column(t, FORMAT_COUNT, "rank", "Rank");
	table_column(t, FORMAT_TEXT, "replayer", "Replayer");
	table_column(t, FORMAT_TEXT, "options", "Options");
	table_column(t, FORMAT_TEXT, "verdict", "Verdict");
	table_column(t, FORMAT_TEXT, "cases", "Cases trusted / inconclusive / not trusted");
	table_column(t, FORMAT_NUMBER, "deviation", "Deviation, in limits");
	table_column_estimate(t, FORMAT_RELATIVE, "bias", "Bias [95 %]");
	table_column_estimate(t, FORMAT_RELATIVE, "execution_time", "Execution time [95 %]");
	table_column_estimate(t, FORMAT_RELATIVE, "in_flight", "In flight [95 %]");
	table_column_estimate(t, FORMAT_NUMBER, "concurrency", "Concurrency CDF [95 %]");
	table_column_estimate(t, FORMAT_SHARE, "reordered", "Reordered [95 %]");
	table_column_estimate(t, FORMAT_TIME, "issue_error_p99", "Issue error, p99 [95 %]");
	table_column(t, FORMAT_COUNT, "n_mismatched_lost_extra", "Mismatches");
	table_column(t, FORMAT_COUNT, "n_failed_runs", "Failed runs");
	table_column(t, FORMAT_TIME, "cpu_per_request", "CPU time a request");
	table_column(t, FORMAT_TEXT, "remark", "Remark");
	t->n_row_headers = 2;
	for (size_t i = 0; a->league && i < a->n_league; i++)
		league_row(t, a, &a->league[i], i + 1);
}

void table_observation(struct table *t, const struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	table_init(t, "observation", "Whose times count");
	table_note(t, "Of each scenario, the program and all replayers are timed in the same way.");
	table_column(t, FORMAT_TEXT, "scenario", "Scenario");
	table_column(t, FORMAT_TEXT, "observed_by", "Timed by");
	table_column(t, FORMAT_TEXT, "why", "Why");
	for (size_t i = 0; i < p->n_scenarios; i++) {
		struct strbuf by = STRBUF_INIT;
		words_add_observation(&by, &p->scenario[i]);
		table_text(t, p->scenario[i].name);
		table_text(t, by.s);
		table_text(t, p->scenario[i].observe_why);
		strbuf_release(&by);
	}
}

static void at_device_row(struct table *t, const struct cell *c, const struct at_device *d)
{
	table_number_u(t, c->r.mean, c->r.sem);
	table_estimate(t, &d->program.response);
	table_number_u(t, c->x.mean, c->x.sem);
	table_estimate(t, &d->replay.response);
	table_number(t, c->concurrency_mean_r);
	table_number(t, d->program.in_flight);
	table_number(t, c->concurrency_mean_x);
	table_number(t, d->replay.in_flight);
	table_number(t, c->concurrency_max_r);
	table_number(t, d->program.in_flight_max);
	table_number(t, c->concurrency_max_x);
	table_number(t, d->replay.in_flight_max);
	table_number(t, d->reordered_program);
	table_estimate(t, &c->reordered_all);
	table_number_u(t, d->seen, 0.0001);
	table_number(t, d->n_split);
	table_number(t, d->n_extra);
}

void table_device(struct table *t, const struct analysis *a)
{
	table_init(t, "device", "At the device, and by own stamps");
	table_note(t, "Cases that were observed at their device, by the kernel's tracepoints. Beside it what the program's and the replayer's own "
		      "stamps say. Reordered: share of the requests that the device was given after one that follows them in the order "
		      "of the program.");
	table_cell_columns(t);
	table_column(t, FORMAT_TIME, "program", "Response time, program: device");
	table_column_estimate(t, FORMAT_TIME, "program_own", "own [95 %]");
	table_column(t, FORMAT_TIME, "replay", "replay: device");
	table_column_estimate(t, FORMAT_TIME, "replay_own", "own [95 %]");
	table_column(t, FORMAT_NUMBER, "program_in_flight", "In flight, program: device");
	table_column(t, FORMAT_NUMBER, "program_own_in_flight", "own");
	table_column(t, FORMAT_NUMBER, "replay_in_flight", "replay: device");
	table_column(t, FORMAT_NUMBER, "replay_own_in_flight", "own");
	table_column(t, FORMAT_NUMBER, "program_in_flight_max", "Maximum, program: device");
	table_column(t, FORMAT_NUMBER, "program_own_in_flight_max", "own");
	table_column(t, FORMAT_NUMBER, "replay_in_flight_max", "replay: device");
	table_column(t, FORMAT_NUMBER, "replay_own_in_flight_max", "own");
	table_column(t, FORMAT_SHARE, "program_reordered", "Reordered, program");
	table_column_estimate(t, FORMAT_SHARE, "replay_reordered", "replay [95 %]");
	table_column(t, FORMAT_SHARE, "seen", "Seen by the device");
	table_column(t, FORMAT_NUMBER, "n_split", "Split, a run");
	table_column(t, FORMAT_NUMBER, "n_extra", "Extra, a run");
	for (size_t i = 0; a->device && i < a->n_cells; i++) {
		if (!a->device[i].there)
			continue;
		table_cell_names(t, a, &a->cell[i]);
		at_device_row(t, &a->cell[i], &a->device[i]);
	}
}
