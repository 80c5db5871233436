/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/history/history_report.h"

const struct history_campaign *history_campaign_at(const struct history_study *s,
						   const struct history_charts *c, size_t place)
{
	return &s->history->campaign[c->series->entry[c->at[place]].campaign];
}

const char *history_date(const struct history_campaign *c)
{
	return c->date ? c->date : "an unknown date";
}

static void series_columns(struct table *t, const struct history_charts *c)
{
	COL_TEXT(t, "scenario", "Scenario", c->series->scenario);
	COL_TEXT(t, "replayer", "Replayer", c->series->replayer);
	t->n_row_headers = 2;
}

static void series_row(struct table *t, const struct history_charts *c)
{
	const double u = t->in_heads || c->status ? NAN : c->limits.sigma;
	series_columns(t, c);
	COL_COUNT(t, "n_entries", "Entries", c->n);
	COL_COUNT(t, "n_baseline", "For limits", c->n_base);
	COL_STATUS(t, RELATIVE, "center", "Centre", c->status, expm1(c->limits.center), u);
	COL_STATUS(t, RELATIVE, "lower", "Lower", c->status, expm1(c->limits.lower), u);
	COL_STATUS(t, RELATIVE, "upper", "Upper", c->status, expm1(c->limits.upper), u);
	COL_NUMBER_IF(t, RELATIVE, "latest", "Latest", c->n, expm1(c->x[c->n - 1]), u);
	COL_COUNT(t, "n_events", "Events", c->n_events);
	COL_COUNT(t, "n_signals", "Signals", c->n_signals);
}

size_t history_table_series(struct table *t, const struct history_study *s, size_t rows_max)
{
	table_init(t, "series", "Each replayer in each scenario");
	table_note(t,
		"An entry is a campaign that measured the replayer in the scenario. x/r is the "
		"mean response time of the replay divided by that of the program in the same block "
		"(geometric mean over the blocks). Centre, limits and latest entry are x/r minus "
		"1. The limits are those of the chart of individual values. Centre and limits are "
		"computed from the first entries (at most %zu). Entries outside these limits are "
		"left out, the next entries are used in their place, and centre and limits are "
		"computed again. The column \"For limits\" has the number of entries used.",
		s->baseline);
	TABLE_HEADS(t, series_row(t, NULL));
	size_t n = 0;
	for (size_t pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < s->history->n_series && n < rows_max; i++)
			if ((s->charts[i].n_events > 0) == (pass == 0)) {
				series_row(t, &s->charts[i]);
				n++;
			}
	return s->history->n_series - n;
}

static void table_series(struct table *t, const struct history_study *s)
{
	history_table_series(t, s, SIZE_MAX);
}

static void event_row(struct table *t, const struct history_study *s,
		      const struct history_charts *c, const struct event *e)
{
	series_columns(t, c);
	COL_TEXT(t, "kind", "Kind", event_kind_names[e->kind]);
	COL_NUMBER(t, RELATIVE, "change", "Change", expm1(e->change), e->sd);
	COL_TEXT(t, "onset", "Onset", history_date(history_campaign_at(s, c, e->onset)));
	COL_TEXT(t, "onset_lo", "Onset from", history_date(history_campaign_at(s, c, e->onset_lo)));
	COL_TEXT(t, "onset_hi", "Onset to", history_date(history_campaign_at(s, c, e->onset_hi)));
	COL_TEXT(t, "last", "Last entry",
		e->last + 1 == c->n ? "ongoing" : history_date(history_campaign_at(s, c, e->last)));
	COL_COUNT(t, "onset_number", "Onset no.", history_campaign_at(s, c, e->onset)->number);
	COL_COUNT(t, "found_number", "Found at no.", history_campaign_at(s, c, e->found)->number);
	COL_COUNT(t, "last_number", "Last no.", history_campaign_at(s, c, e->last)->number);
}

static void table_events(struct table *t, const struct history_study *s)
{
	table_init(t, "events", "Events");
	table_note(t, "x/r: mean response time of the replay, divided by that of the program. "
		"Entry: a campaign that measured the replayer in the scenario. Change: relative "
		"change of x/r from the level before the event. For a drift, this is the change "
		"from the onset to the last entry of the drift. Onset: date of the first changed "
		"entry, and the limits of its 95 %% interval. Last entry: last entry of the event. "
		"Onset no., Found at no. and Last no.: numbers of the campaigns at the onset, when "
		"the event was found, and at the last entry.");
	TABLE_HEADS(t, event_row(t, s, NULL, NULL));
	for (size_t i = 0; i < s->history->n_series; i++)
		for (size_t k = 0; k < s->charts[i].n_events; k++)
			event_row(t, s, &s->charts[i], &s->charts[i].event[k].is);
}

static void signal_row(struct table *t, const struct history_study *s,
		       const struct history_charts *c, const struct history_signal *g)
{
	series_columns(t, c);
	COL_TEXT(t, "chart", "Chart", history_chart_names[g->chart]);
	COL_TEXT(t, "kind", "Kind", history_kind_names[g->kind]);
	COL_NUMBER(t, RELATIVE, "change", "Change", g->change, c->limits.sigma);
	COL_TEXT(t, "onset", "Onset", history_date(history_campaign_at(s, c, g->onset)));
	COL_TEXT(t, "signalled", "Signalled", history_date(history_campaign_at(s, c, g->first)));
	COL_TEXT(t, "last", "Last entry",
		g->lasting ? "ongoing" : history_date(history_campaign_at(s, c, g->last)));
	COL_COUNT(t, "onset_number", "Onset no.", history_campaign_at(s, c, g->onset)->number);
	COL_COUNT(t, "signalled_number", "Signal at no.",
		  history_campaign_at(s, c, g->first)->number);
	COL_COUNT(t, "last_number", "Last no.", history_campaign_at(s, c, g->last)->number);
}

static void table_signals(struct table *t, const struct history_study *s)
{
	table_init(t, "signals", "Signals of the control charts");
	table_note(t, "Change: mean of x/r from the onset to the last entry of the signal, "
		"relative to the centre. For a jump (moving range), this is the change of x/r from "
		"the previous entry. Onset: the entry at which the change began, as the chart "
		"estimates it.");
	TABLE_HEADS(t, signal_row(t, s, NULL, NULL));
	for (size_t i = 0; i < s->history->n_series; i++)
		for (size_t k = 0; k < s->charts[i].n_signals; k++)
			signal_row(t, s, &s->charts[i], &s->charts[i].signal[k]);
}

/* Whether an earlier event of the series names the same change. */
static bool is_named_before(const struct history_charts *c, size_t k)
{
	for (size_t i = 0; i < k; i++)
		if (c->event[i].has_change && c->event[i].environment == c->event[k].environment)
			return true;
	return false;
}

static void change_row(struct table *t, const struct history_charts *c,
		       const struct history_campaign *since, const struct history_change *change)
{
	series_columns(t, c);
	COL_TEXT(t, "date", "Since", history_date(since));
	COL_COUNT(t, "number", "No.", since->number);
	COL_TEXT(t, "fact", "Fact", change->fact);
	COL_TEXT(t, "old", "Before", change->old);
	COL_TEXT(t, "new", "Since then", change->new);
}

static void change_rows(struct table *t, const struct history_study *s,
			const struct history_charts *c, size_t k)
{
	const struct history_event *g = &c->event[k];
	if (!g->has_change || is_named_before(c, k))
		return;
	const struct history_campaign *since =
	    &s->history->campaign[c->series->entry[g->environment].campaign];
	SCOPED(history_changes_release) struct history_changes list;
	history_changes_find(&list, s->history, c->series, g->environment);
	for (size_t i = 0; i < list.n; i++)
		change_row(t, c, since, &list.one[i]);
}

static void table_changes(struct table *t, const struct history_study *s)
{
	table_init(t, "changes", "What changed at the events");
	table_note(t, "Each row is a fact that differs between the campaign in column \"No.\" and "
		"the campaign before it. Only campaigns in the 95 %% interval of the onset of an "
		"event are listed. A listed difference need not be the cause of the event.");
	TABLE_HEADS(t, change_row(t, NULL, NULL, NULL));
	for (size_t i = 0; i < s->history->n_series; i++)
		for (size_t k = 0; k < s->charts[i].n_events; k++)
			change_rows(t, s, &s->charts[i], k);
}

static void campaign_row(struct table *t, const struct history_campaign *c)
{
	COL_COUNT(t, "number", "No.", c->number);
	COL_TEXT(t, "date", "Date", c->date);
	COL_TEXT(t, "label", "Label", c->label);
	COL_TEXT(t, "title", "Title", c->title);
	COL_TEXT(t, "campaign", "Campaign", c->campaign);
	COL_TEXT(t, "host", "Host", c->host);
	COL_TEXT(t, "program_version", "validate", c->program_version);
	COL_TEXT(t, "protocol_hash", "Protocol", c->protocol_hash);
	COL_TEXT(t, "clock", "Clock", c->goes_back ? "earlier than the previous campaign" : "");
}

static void table_campaigns(struct table *t, const struct history_study *s)
{
	table_init(t, "campaigns", "Campaigns");
	t->data_only = true;
	TABLE_HEADS(t, campaign_row(t, NULL));
	for (size_t i = 0; i < s->history->n_campaigns; i++)
		campaign_row(t, &s->history->campaign[i]);
}

static void entry_row(struct table *t, const struct history_study *s,
		      const struct history_charts *c, size_t i)
{
	const struct history_entry *e = t->in_heads ? NULL : &c->series->entry[c->at[i]];
	series_columns(t, c);
	COL_COUNT(t, "number", "No.", history_campaign_at(s, c, i)->number);
	COL_TEXT(t, "date", "Date", history_campaign_at(s, c, i)->date);
	COL_COUNT(t, "n_pairs", "Pairs", e->n);
	COL_NUMBER(t, NUMBER, "mean_ln", "mean_ln", e->mean, NAN);
	COL_NUMBER(t, NUMBER, "sd_ln", "sd_ln", e->sd, NAN);
	COL_NUMBER(t, NUMBER, "bias", "bias", e->bias, NAN);
	COL_NUMBER(t, NUMBER, "bias_lo95", "bias_lo95", e->bias_lo95, NAN);
	COL_NUMBER(t, NUMBER, "bias_hi95", "bias_hi95", e->bias_hi95, NAN);
	COL_NUMBER(t, NUMBER, "u_c", "u_c", e->u_c, NAN);
	COL_NUMBER(t, NUMBER, "U95", "U95", e->U95, NAN);
	COL_TEXT(t, "verdict", "Verdict", e->verdict);
	COL_YES(t, "in_baseline", "Baseline", c->in_base[i]);
	COL_STATUS(t, NUMBER, "z", "z", c->status, c->z[i], NAN);
	COL_STATUS(t, NUMBER, "moving_range", "moving_range", i ? STAT_OK : STAT_NOT_APPLICABLE,
		i ? fabs(c->x[i] - c->x[i - 1]) : 0, NAN);
	COL_STATUS(t, NUMBER, "cusum_plus", "cusum_plus", c->status, c->cusum[i].plus, NAN);
	COL_STATUS(t, NUMBER, "cusum_minus", "cusum_minus", c->status, c->cusum[i].minus, NAN);
	COL_STATUS(t, NUMBER, "ewma", "ewma", c->status, c->ewma[i], NAN);
}

static void table_entries(struct table *t, const struct history_study *s)
{
	table_init(t, "entries", "Entries");
	t->data_only = true;
	TABLE_HEADS(t, entry_row(t, s, NULL, 0));
	for (size_t i = 0; i < s->history->n_series; i++)
		for (size_t k = 0; k < s->charts[i].n; k++)
			entry_row(t, s, &s->charts[i], k);
}

void history_tables_build(struct tables *ts, const void *study)
{
	const struct history_study *s = study;
	static void (*const builders[])(struct table *, const struct history_study *) = {
	    table_series, table_events, table_changes, table_signals, table_campaigns,
	    table_entries};
	ts->n = sizeof builders / sizeof *builders;
	ts->table = xcalloc(ts->n, sizeof *ts->table);
	for (size_t i = 0; i < ts->n; i++)
		builders[i](&ts->table[i], s);
}
