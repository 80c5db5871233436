/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/escape.h"
#include "reports/number.h"
#include "reports/history/history_report.h"
#include "reports/text_table.h"
#include "reports/words.h"

#define NAME_WIDTH 22
#define EVENTS_SHOWN 30 /* on a terminal */
#define FACTS_MAX 4
#define SERIES_MAX 60

const char history_explanation[] =
	"Events are changes of the level (shift, drift) and single deviating entries "
	"(outlier). If nothing changes, 100 entries have fewer than 0.5 events on "
	"average. A shift of 2 standard deviations is found at its third entry (median). "
	"If the environment changed within the 95 % interval of the date of an event, "
	"this change is listed as a possible cause. The event can also have another "
	"cause. Each case also has four control charts: individual values (3 sigma), moving "
	"range, CUSUM (k 0.5, h 5) and EWMA (lambda 0.2, L 2.962). Their signals are not "
	"events. If nothing changes, each chart signals about once in 370 to 500 entries "
	"(moving range: 110). This holds for limits from many entries. With limits from "
	"only 20 entries, each chart signals about once in 100 entries (moving range: 60).";

char *history_clock_warning(const struct history *h)
{
	size_t n = 0;
	const struct history_campaign *first = NULL;
	for (size_t i = 0; i < h->n_campaigns; i++)
		if (h->campaign[i].goes_back) {
			first = first ? first : &h->campaign[i];
			n++;
		}
	if (!n)
		return NULL;
	return xasprintf("Number of campaigns whose date is before the date of the previously "
		"added campaign: %zu of %zu (first: no. %lld, %s). These campaigns were added "
		"late, or a clock was set back. Entries are sorted by date",
		n, h->n_campaigns, first->number, first->date);
}

void history_sentence_add(struct strbuf *out, const struct history_study *s)
{
	const size_t n = s->history->n_series, without = n - s->n_with_limits;
	words_add_count(out, s->history->n_campaigns, "campaign", "campaigns");
	strbuf_addstr(out, ", ");
	words_add_count(out, n, "case", "cases");
	if (without == n) {
		strbuf_addf(out, ": no limits yet; a case needs at least %d entries that are not "
			"all equal", HISTORY_BASELINE_MIN);
		return;
	}
	if (s->n_events)
		strbuf_addf(out, ": %zu with events", s->n_changed);
	else
		strbuf_addstr(out, ": no event");
	if (without)
		strbuf_addf(out, ", %zu without limits", without);
}

static void value_add(struct strbuf *out, const char *value)
{
	strbuf_addf(out, "\"%s\"", value ? value : "not available");
}

static void change_sentence(struct strbuf *line, const struct history_study *s,
			    const struct history_charts *c, const struct history_event *v)
{
	const struct history_campaign *since =
	    &s->history->campaign[c->series->entry[v->environment].campaign];
	SCOPED(history_changes_release) struct history_changes list;
	history_changes_find(&list, s->history, c->series, v->environment);
	strbuf_addf(line, " Changed on %s (no. %lld): ", history_date(since), since->number);
	for (size_t i = 0; i < list.n && i < FACTS_MAX; i++) {
		strbuf_addf(line, "%s%s: ", i ? "; " : "", list.one[i].fact);
		value_add(line, list.one[i].old);
		strbuf_addstr(line, " before, ");
		value_add(line, list.one[i].new);
		strbuf_addstr(line, " now");
	}
	if (list.n > FACTS_MAX)
		strbuf_addf(line, "; and %zu more", list.n - FACTS_MAX);
}

static void event_sentence(struct strbuf *line, const struct history_study *s,
			   const struct history_charts *c, const struct history_event *v)
{
	const struct event *e = &v->is;
	const struct history_campaign *onset = history_campaign_at(s, c, e->onset),
		*lo = history_campaign_at(s, c, e->onset_lo), *hi = history_campaign_at(s, c,
		e->onset_hi), *last = history_campaign_at(s, c, e->last);
	strbuf_addf(line, "%s, %s: %s of ", c->series->scenario, c->series->replayer,
		    event_kind_names[e->kind]);
	number_add(line, expm1(e->change), e->sd, number_unit_percent, true);
	strbuf_addf(line, "%s %s %s (no. %lld", e->kind == EVENT_DRIFT ? " in total" : "",
		    e->kind == EVENT_OUTLIER ? "on" : "from", history_date(onset), onset->number);
	if (lo != hi)
		strbuf_addf(line, "; 95 %% interval: no. %lld to %lld", lo->number, hi->number);
	strbuf_addch(line, ')');
	if (e->kind != EVENT_OUTLIER)
		strbuf_addf(line, e->last + 1 == c->n ? ", ongoing" : " to no. %lld", last->number);
	strbuf_addch(line, '.');
	if (v->has_change)
		change_sentence(line, s, c, v);
	else
		strbuf_addstr(line, " No change of the environment was recorded at that time.");
}

static void events_add(struct strbuf *out, const struct history_study *s, size_t width)
{
	size_t n = 0;
	SCOPED_STRBUF line = STRBUF_INIT;
	strbuf_addstr(out, "\nEvents\n\n");
	for (size_t i = 0; i < s->history->n_series; i++)
		for (size_t k = 0; k < s->charts[i].n_events && n < EVENTS_SHOWN; k++, n++) {
			strbuf_reset(&line);
			event_sentence(&line, s, &s->charts[i], &s->charts[i].event[k]);
			text_paragraph(out, line.s, 0, 2, width);
		}
	if (s->n_events > n)
		strbuf_addf(out, "... and %zu more: use --format csv or -o\n", s->n_events - n);
}

static void text_add(struct strbuf *out, const void *study, size_t width)
{
	const struct history_study *s = study;
	SCOPED_STRBUF line = STRBUF_INIT;
	SCOPED(table_release) struct table t;
	SCOPED_FREE char *warning = history_clock_warning(s->history);
	history_sentence_add(&line, s);
	text_paragraph(out, line.s, 0, 2, width);
	if (warning) {
		strbuf_addstr(out, "Warning: ");
		text_paragraph(out, warning, 9, 2, width);
	}
	if (s->n_events)
		events_add(out, s, width);
	size_t left_out = history_table_series(&t, s, SERIES_MAX);
	strbuf_addf(out, "\n%s\n\n", t.title);
	text_add_table(out, &t, NAME_WIDTH, width);
	if (left_out)
		strbuf_addf(out, "... and %zu more: use --format csv or -o\n", left_out);
	strbuf_addch(out, '\n');
	text_paragraph(out, t.note, 0, 0, width);
	text_paragraph(out, history_explanation, 0, 0, width);
	text_paragraph(out, "Option -o DIR writes a page with the charts into DIR.", 0, 0, width);
}

const struct study_form history_form = {
	.command = "history",
	.tables_build = history_tables_build,
	.figures_build = history_figures_build,
	.text_add = text_add,
	.json_add = history_json_add,
	.html_add = history_html_add,
};
