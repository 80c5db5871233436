/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables that compare the replayers, and the table of the observers that time them. */
#include "reports/tables/tables.h"
#include "reports/words.h"
#include "validate/analysis/at_device.h"
#include "validate/analysis/league.h"

static void worst_column(struct table *t, const struct analysis *a, const struct league_row *row,
	enum league_quantity q, enum table_format format, const char *key, const char *title)
{
	if (!table_head(t, format, key, title, true))
		return;
	const size_t worst = row->worst[q];
	table_estimate(t, worst == LEAGUE_NO_CELL ? NULL : league_estimate(&a->cell[worst], q));
}

static void add_remark(struct table *t, const struct analysis *a, const struct league_row *row)
{
	const struct protocol *p = &a->results->protocol;
	const size_t worst = row->worst[LEAGUE_BIAS];
	if (row->absent)
		table_text(t, p->replayer[row->replayer].absent);
	else if (worst == LEAGUE_NO_CELL)
		table_none(t);
	else
		table_textf(t, "largest bias in %s", p->scenario[a->cell[worst].scenario].name);
}

ROWS_OF(league_n, a->league ? a->n_league : 0)

static void league_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct league_row *row = ROW_ITEM(t, &a->league[i]);
	const struct replayer *replayer = a->results->protocol.replayer;
	COL_COUNT(t, "rank", "Rank", i + 1);
	COL_TEXT(t, "replayer", "Replayer", replayer[row->replayer].name);
	COL_WORDS_IF(t, "options", "Options", words_add_options(&s_, &replayer[row->replayer]));
	COL_TEXT(t, "verdict", "Verdict", words_league_verdict(a, row));
	COL(t, TEXT, "cases", a->results->protocol.claimed
		? "Cases: claim shown / inconclusive / refuted"
		: "Cases trusted / inconclusive / not trusted",
		if (!row->judged) table_none(t); else table_textf(t, "%zu / %zu / %zu",
		row->n_trusted, row->n_inconclusive, row->n_not_trusted));
	COL_KNOWN(t, NUMBER, "deviation", "Mean deviation / limit", row->deviation);
	worst_column(t, a, row, LEAGUE_BIAS, FORMAT_RELATIVE, "bias", "Bias [95 %]");
	worst_column(t, a, row, LEAGUE_EXECUTION_TIME, FORMAT_RELATIVE, "execution_time",
		     "Execution time [95 %]");
	worst_column(t, a, row, LEAGUE_IN_FLIGHT, FORMAT_RELATIVE, "in_flight", "In flight [95 %]");
	worst_column(t, a, row, LEAGUE_CONCURRENCY, FORMAT_NUMBER, "concurrency",
		     "Concurrency [95 %]");
	worst_column(t, a, row, LEAGUE_REORDERED, FORMAT_SHARE, "reordered", "Reordering [95 %]");
	worst_column(t, a, row, LEAGUE_ISSUE_ERROR, FORMAT_TIME, "issue_error_p99",
		     "Issue error, p99 [95 %]");
	COL_COUNT_IF(t, "n_mismatched_lost_extra", "Mismatches", row->judged, row->n_infidelities);
	COL_OF(t, league_row, row, n_failed, NULL, "Failed runs");
	COL_KNOWN(t, TIME, "cpu_per_request", "CPU time per request", row->cpu_per_request_ns);
	COL(t, TEXT, "remark", "Remark", add_remark(t, a, row));
}

const struct table_kind table_league = {"league", "League table", league_n, league_row,
	.n_row_headers = 2, .note =
	"The order is by the worst verdict of the replayer's cases. Replayers with the same worst "
	"verdict are ordered by the share of cases with the best possible verdict, then by the "
	"share with the worst, then by the mean deviation. Mean deviation: mean over all judged "
	"components, in multiples of their limits. A multiple above 10 counts as 10. Each column "
	"with an interval shows the case with the largest absolute value of this column. "
	"CPU time per request: CPU time of the replayer's "
	"processes over their whole lifetime, summed over all runs, divided by the number of their "
	"requests."};

static const char *observe_text(const struct scenario *s)
{
	const bool device = s->observe == OBSERVE_BLOCK;
	switch (s->observe_why) {
	case OBSERVE_RANKS:
		return "the preloaded library stamps the calls of the application, and the ranks "
		       "of a replay stamp their own calls in the same way";
	case OBSERVE_CAPTURED:
		return device ? "the program's requests are captured at its device"
			      : "the program is captured by the preloaded library";
	case OBSERVE_FOREIGN:
		return device ? "not all replayers take time stamps in the same way as the "
				"program, but the requests of all replayers reach the "
				"device"
			      : "not all replayers take time stamps in the same way as the "
				"program, but the preloaded library sees the calls of all "
				"replayers";
	case OBSERVE_ALIKE:
		return "the program and every replayer take stamps around their calls in the same "
		       "way";
	case OBSERVE_SET:
		return "set in the protocol";
	case OBSERVE_UNRESOLVED:
		break;
	}
	return NULL;
}

static void observation_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct scenario *s = ROW_ITEM(t, &a->results->protocol.scenario[i]);
	COL_TEXT(t, "scenario", "Scenario", s->name);
	COL_WORDS(t, "observed_by", "Timed by", words_add_observation(&s_, s));
	COL_TEXT(t, "why", "Why", observe_text(s));
}

const struct table_kind table_observation = {"observation", "Source of the times",
	table_n_scenarios, observation_row, .n_row_headers = 1, .note =
	"The times of program and replayers in a scenario are measured in the same way."};

ROWS_OF(device_n, a->device ? a->n_cells : 0)

static void device_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct cell *c = ROW_ITEM(t, &a->cell[i]);
	const struct at_device *d = ROW_ITEM(t, &a->device[i]);
	if (!t->in_heads && !d->there)
		return;
	COL_CELL(t, a, c);
	COL_NUMBER(t, TIME, "program", "Response time, program: device", c->r.mean, c->r.sem);
	COL_ESTIMATE(t, TIME, "program_own", "own [95 %]", &d->program.response);
	COL_NUMBER(t, TIME, "replay", "replay: device", c->x.mean, c->x.sem);
	COL_ESTIMATE(t, TIME, "replay_own", "own [95 %]", &d->replay.response);
	COL_OF(t, cell, c, concurrency.mean_r, "program_in_flight", "In flight, program: device");
	COL_NUMBER(t, NUMBER, "program_own_in_flight", "own", d->program.in_flight, NAN);
	COL_OF(t, cell, c, concurrency.mean_x, "replay_in_flight", "replay: device");
	COL_NUMBER(t, NUMBER, "replay_own_in_flight", "own", d->replay.in_flight, NAN);
	COL_OF(t, cell, c, concurrency.max_r, "program_in_flight_max", "Maximum, program: device");
	COL_NUMBER(t, NUMBER, "program_own_in_flight_max", "own", d->program.in_flight_max, NAN);
	COL_OF(t, cell, c, concurrency.max_x, "replay_in_flight_max", "replay: device");
	COL_NUMBER(t, NUMBER, "replay_own_in_flight_max", "own", d->replay.in_flight_max, NAN);
	COL_OF(t, at_device, d, reordered_program, "program_reordered", "Reordered, program");
	COL_OF(t, cell, c, order.all, "replay_reordered", "replay [95 %]");
	COL_OF_U(t, at_device, d, seen, "seen", "Seen by the device", 0.0001);
	COL_OF(t, at_device, d, n_split, NULL, "Split, per run");
	COL_OF(t, at_device, d, n_extra, NULL, "Extra, per run");
}

const struct table_kind table_device = {"device", "At the device, and by stamps of program and "
	"replayer", device_n,
	device_row, .note =
	"Values measured at the device by the kernel's tracepoints, next to the values that "
	"program and replayer measured themselves. Reordered: share of the requests that reach "
	"the device too late: after a request that comes later in the order of the program. "
	"Seen: share of the replay's requests that the device received. Split: requests that "
	"reached the device in several parts. Extra: requests at the device that belong to "
	"no request of the replay."};
