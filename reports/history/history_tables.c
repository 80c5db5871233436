/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdint.h>

#include "common/xalloc.h"
#include "reports/history/history_report.h"

const struct history_campaign *history_campaign_at(const struct history_study *s, const struct history_charts *c, size_t place)
{
	return &s->history->campaign[c->series->entry[c->at[place]].campaign];
}

const char *history_date(const struct history_campaign *c)
{
	return c->date ? c->date : "an unknown date";
}

static void series_columns(struct table *t)
{
	table_column(t, FORMAT_TEXT, "scenario", "Scenario");
	table_column(t, FORMAT_TEXT, "replayer", "Replayer");
	t->n_row_headers = 2;
}

static void series_names(struct table *t, const struct history_charts *c)
{
	table_text(t, c->series->scenario);
	table_text(t, c->series->replayer);
}

static void series_row(struct table *t, const struct history_charts *c)
{
	double u = c->status ? NAN : c->limits.sigma;
	series_names(t, c);
	table_count(t, (double)c->n);
	table_count(t, (double)c->n_base);
	table_number_status(t, c->status, expm1(c->limits.center), u);
	table_number_status(t, c->status, expm1(c->limits.lower), u);
	table_number_status(t, c->status, expm1(c->limits.upper), u);
	if (c->n)
		table_number_u(t, expm1(c->x[c->n - 1]), u);
	else
		table_none(t);
	table_count(t, (double)c->n_signals);
}

size_t history_table_series(struct table *t, const struct history_study *s, size_t rows_max)
{
	table_init(t, "series", "Each replayer in each scenario");
	table_note(t, "Of x/r, the replay's mean response time over that of the program run again beside it. Centre and limits: of the individuals "
		      "chart, relative, from the first entries in control (%zu are wanted).", s->baseline);
	series_columns(t);
	table_column(t, FORMAT_COUNT, "n_entries", "Entries");
	table_column(t, FORMAT_COUNT, "n_baseline", "Base");
	table_column(t, FORMAT_RELATIVE, "center", "Centre");
	table_column(t, FORMAT_RELATIVE, "lower", "Lower");
	table_column(t, FORMAT_RELATIVE, "upper", "Upper");
	table_column(t, FORMAT_RELATIVE, "latest", "Latest");
	table_column(t, FORMAT_COUNT, "n_signals", "Signals");
	size_t n = 0;
	for (size_t pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < s->history->n_series && n < rows_max; i++)
			if ((s->charts[i].n_signals > 0) == (pass == 0)) {
				series_row(t, &s->charts[i]);
				n++;
			}
	return s->history->n_series - n;
}

static void table_series(struct table *t, const struct history_study *s)
{
	history_table_series(t, s, SIZE_MAX);
}

static void signal_row(struct table *t, const struct history_study *s, const struct history_charts *c, const struct history_signal *g)
{
	series_names(t, c);
	table_text(t, history_chart_names[g->chart]);
	table_text(t, history_kind_names[g->kind]);
	table_number_u(t, g->change, c->limits.sigma);
	table_text(t, history_date(history_campaign_at(s, c, g->onset)));
	table_text(t, history_date(history_campaign_at(s, c, g->first)));
	table_text(t, g->lasting ? "goes on" : history_date(history_campaign_at(s, c, g->last)));
	table_count(t, (double)history_campaign_at(s, c, g->onset)->number);
	table_count(t, (double)history_campaign_at(s, c, g->first)->number);
	table_count(t, (double)history_campaign_at(s, c, g->last)->number);
}

static void table_signals(struct table *t, const struct history_study *s)
{
	table_init(t, "signals", "Signals");
	table_note(t, "Change: of x/r, mean from onset to end relative to the centre; of a moving range, between the two entries. Onset: as far as the "
		      "chart tells, before it signalled.");
	series_columns(t);
	table_column(t, FORMAT_TEXT, "chart", "Chart");
	table_column(t, FORMAT_TEXT, "kind", "It is");
	table_column(t, FORMAT_RELATIVE, "change", "Change");
	table_column(t, FORMAT_TEXT, "onset", "Onset");
	table_column(t, FORMAT_TEXT, "signalled", "Signalled");
	table_column(t, FORMAT_TEXT, "last", "Last");
	table_column(t, FORMAT_COUNT, "onset_number", "from no.");
	table_column(t, FORMAT_COUNT, "signalled_number", "seen at");
	table_column(t, FORMAT_COUNT, "last_number", "to");
	for (size_t i = 0; i < s->history->n_series; i++)
		for (size_t k = 0; k < s->charts[i].n_signals; k++)
			signal_row(t, s, &s->charts[i], &s->charts[i].signal[k]);
}

/* Whether a signal before this one of the same series names the same change. */
static bool is_told(const struct history_charts *c, size_t k)
{
	for (size_t i = 0; i < k; i++)
		if (c->signal[i].has_change_of_environment && c->signal[i].environment == c->signal[k].environment)
			return true;
	return false;
}

static void change_rows(struct table *t, const struct history_study *s, const struct history_charts *c, size_t k)
{
	const struct history_signal *g = &c->signal[k];
	if (!g->has_change_of_environment || is_told(c, k))
		return;
	const struct history_campaign *since = &s->history->campaign[c->series->entry[g->environment].campaign];
	struct history_changes list;
	history_changes_find(&list, s->history, c->series, g->environment);
	for (size_t i = 0; i < list.n; i++) {
		series_names(t, c);
		table_text(t, history_date(since));
		table_count(t, (double)since->number);
		table_text(t, list.one[i].fact);
		table_text(t, list.one[i].old);
		table_text(t, list.one[i].new);
	}
	history_changes_release(&list);
}

static void table_changes(struct table *t, const struct history_study *s)
{
	table_init(t, "changes", "What changed nearest to the signals");
	table_note(t, "Facts that differ between the named campaign and the one before it in the series: nearest to a signal's onset, and not after the "
		      "signal. That it is near does not make it the cause.");
	series_columns(t);
	table_column(t, FORMAT_TEXT, "date", "Since");
	table_column(t, FORMAT_COUNT, "number", "No.");
	table_column(t, FORMAT_TEXT, "fact", "Fact");
	table_column(t, FORMAT_TEXT, "old", "Before");
	table_column(t, FORMAT_TEXT, "new", "Since then");
	for (size_t i = 0; i < s->history->n_series; i++)
		for (size_t k = 0; k < s->charts[i].n_signals; k++)
			change_rows(t, s, &s->charts[i], k);
}

static void table_campaigns(struct table *t, const struct history_study *s)
{
	table_init(t, "campaigns", "Campaigns");
	t->data_only = true;
	table_column(t, FORMAT_COUNT, "number", "No.");
	t->n_row_headers = 1;
	table_column(t, FORMAT_TEXT, "date", "Date");
	table_column(t, FORMAT_TEXT, "label", "Label");
	table_column(t, FORMAT_TEXT, "title", "Title");
	table_column(t, FORMAT_TEXT, "campaign", "Campaign");
	table_column(t, FORMAT_TEXT, "host", "Host");
	table_column(t, FORMAT_TEXT, "program_version", "validate");
	table_column(t, FORMAT_TEXT, "protocol_hash", "Protocol");
	table_column(t, FORMAT_TEXT, "clock", "Clock");
	for (size_t i = 0; i < s->history->n_campaigns; i++) {
		const struct history_campaign *c = &s->history->campaign[i];
		table_count(t, (double)c->number);
		const char *const text[] = {c->date, c->label, c->title, c->campaign, c->host, c->program_version, c->protocol_hash,
					    c->goes_back ? "earlier than the one before" : ""};
		for (size_t k = 0; k < sizeof text / sizeof *text; k++)
			table_text(t, text[k]);
	}
}

static void entry_row(struct table *t, const struct history_study *s, const struct history_charts *c, size_t i)
{
	const struct history_entry *e = &c->series->entry[c->at[i]];
	series_names(t, c);
	table_count(t, (double)history_campaign_at(s, c, i)->number);
	table_text(t, history_campaign_at(s, c, i)->date);
	table_count(t, (double)e->n);
	const double number[] = {e->mean, e->sd, e->bias, e->bias_lo95, e->bias_hi95, e->u_c, e->U95};
	for (size_t k = 0; k < sizeof number / sizeof *number; k++)
		table_number(t, number[k]);
	table_text(t, e->verdict);
	table_text(t, c->in_base[i] ? "yes" : "no");
	table_number_status(t, c->status, c->z[i], NAN);
	table_number_status(t, i ? STAT_OK : STAT_NOT_APPLICABLE, i ? fabs(c->x[i] - c->x[i - 1]) : 0, NAN);
	table_number_status(t, c->status, c->cusum[i].plus, NAN);
	table_number_status(t, c->status, c->cusum[i].minus, NAN);
	table_number_status(t, c->status, c->ewma[i], NAN);
}

static void table_entries(struct table *t, const struct history_study *s)
{
	static const char *const number[] = {"mean_ln", "sd_ln", "bias", "bias_lo95", "bias_hi95", "u_c", "U95"};
	static const char *const chart[] = {"z", "moving_range", "cusum_plus", "cusum_minus", "ewma"};
	table_init(t, "entries", "Entries");
	t->data_only = true;
	series_columns(t);
	table_column(t, FORMAT_COUNT, "number", "No.");
	table_column(t, FORMAT_TEXT, "date", "Date");
	table_column(t, FORMAT_COUNT, "n_pairs", "Pairs");
	for (size_t k = 0; k < sizeof number / sizeof *number; k++)
		table_column(t, FORMAT_NUMBER, number[k], number[k]);
	table_column(t, FORMAT_TEXT, "verdict", "Verdict");
	table_column(t, FORMAT_TEXT, "in_baseline", "Base");
	for (size_t k = 0; k < sizeof chart / sizeof *chart; k++)
		table_column(t, FORMAT_NUMBER, chart[k], chart[k]);
	for (size_t i = 0; i < s->history->n_series; i++)
		for (size_t k = 0; k < s->charts[i].n; k++)
			entry_row(t, s, &s->charts[i], k);
}

void history_tables_build(struct tables *ts, const void *study)
{
	const struct history_study *s = study;
	static void (*const builders[])(struct table *, const struct history_study *) = {table_series, table_signals, table_changes, table_campaigns,
											   table_entries};
	ts->n = sizeof builders / sizeof *builders;
	ts->table = xcalloc(ts->n, sizeof *ts->table);
	for (size_t i = 0; i < ts->n; i++)
		builders[i](&ts->table[i], s);
}
