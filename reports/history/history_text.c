/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/xalloc.h"
#include "reports/escape.h"
#include "reports/number.h"
#include "reports/history/history_report.h"
#include "reports/text_table.h"
#include "reports/words.h"

#define NAME_MAX 22
#define SIGNALS_MAX 30 /* shown on a terminal */
#define FACTS_MAX 4
#define SERIES_MAX 60

const char history_explanation[] =
    "The charts show x/r, the replay's mean response time divided by that of the program run again "
    "beside it, on a logarithmic scale. The first entries in control set the centre and the "
    "limits, "
    "which then stay. The chart of individuals finds one large deviation (3 sigma), the moving "
    "range a jump, CUSUM (k 0.5, h 5) and EWMA (lambda 0.2, L 2.962) small lasting shifts. In "
    "control each chart signals about once in 370 to 500 entries (moving range: 110), and three "
    "times as often if 20 entries set the limits. So some of many charts signal by chance. A "
    "change "
    "that is named with a signal is close to it in time; it need not be the cause.";

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
	return xasprintf("%zu of %zu campaigns have an earlier date than the campaign added before "
			 "(first: no. %lld, %s): a clock was set back, or they were added late; "
			 "entries stay in the order in which they were added",
			 n, h->n_campaigns, first->number, first->date);
}

void history_sentence_add(struct strbuf *out, const struct history_study *s)
{
	size_t without = 0;
	for (size_t i = 0; i < s->history->n_series; i++)
		without += s->charts[i].status != STAT_OK;
	words_add_count(out, s->history->n_campaigns, "campaign", "campaigns");
	strbuf_addstr(out, ", ");
	words_add_count(out, s->history->n_series, "chart", "charts");
	if (without == s->history->n_series) {
		strbuf_addf(out,
			    ": no limits yet; at least %d entries that differ are needed",
			    HISTORY_BASELINE_MIN);
		return;
	}
	if (s->n_signals)
		strbuf_addf(out, ": %zu with signals", s->n_signalling);
	else
		strbuf_addstr(out, ": in control");
	if (without)
		strbuf_addf(out, ", %zu without limits", without);
}

static void value_add(struct strbuf *out, const char *value)
{
	strbuf_addf(out, "\"%s\"", value ? value : "not available");
}

static void change_sentence(struct strbuf *line, const struct history_study *s,
			    const struct history_charts *c, const struct history_signal *g)
{
	const struct history_campaign *since =
	    &s->history->campaign[c->series->entry[g->environment].campaign];
	struct history_changes list;
	history_changes_find(&list, s->history, c->series, g->environment);
	strbuf_addf(line, " Nearest change, %s (no. %lld): ", history_date(since), since->number);
	for (size_t i = 0; i < list.n && i < FACTS_MAX; i++) {
		strbuf_addf(line, "%s%s, ", i ? "; " : "", list.one[i].fact);
		value_add(line, list.one[i].old);
		strbuf_addstr(line, " before, now ");
		value_add(line, list.one[i].new);
	}
	if (list.n > FACTS_MAX)
		strbuf_addf(line, "; and %zu more", list.n - FACTS_MAX);
	history_changes_release(&list);
}

static void signal_sentence(struct strbuf *line, const struct history_study *s,
			    const struct history_charts *c, const struct history_signal *g)
{
	const struct history_campaign *onset = history_campaign_at(s, c, g->onset),
				      *first = history_campaign_at(s, c, g->first);
	const struct history_campaign *last = history_campaign_at(s, c, g->last);
	strbuf_addf(line, "%s, %s: %s of ", c->series->scenario, c->series->replayer,
		    history_kind_names[g->kind]);
	number_add(line, g->change, c->limits.sigma, number_unit_percent, true);
	strbuf_addf(line, " from %s (no. %lld)", history_date(onset), onset->number);
	if (g->last > g->onset)
		strbuf_addf(line, g->lasting ? ", goes on" : " to no. %lld", last->number);
	strbuf_addf(line, "; %s", history_chart_names[g->chart]);
	if (g->first > g->onset)
		strbuf_addf(line, ", signalled %s (no. %lld)", history_date(first), first->number);
	strbuf_addch(line, '.');
	if (g->has_change_of_environment)
		change_sentence(line, s, c, g);
	else
		strbuf_addstr(line, " No change of the environment before it is known.");
}

static void signals_add(struct strbuf *out, const struct history_study *s, size_t width)
{
	size_t n = 0;
	struct strbuf line = STRBUF_INIT;
	strbuf_addstr(out, "\nSignals\n\n");
	for (size_t i = 0; i < s->history->n_series; i++)
		for (size_t k = 0; k < s->charts[i].n_signals && n < SIGNALS_MAX; k++, n++) {
			strbuf_reset(&line);
			signal_sentence(&line, s, &s->charts[i], &s->charts[i].signal[k]);
			text_wrap(out, line.s, 0, 2, width);
			strbuf_addch(out, '\n');
		}
	if (s->n_signals > n)
		strbuf_addf(out, "... and %zu more (--format csv, or -o)\n", s->n_signals - n);
	strbuf_release(&line);
}

void history_text_add(struct strbuf *out, const void *study, size_t width)
{
	const struct history_study *s = study;
	struct strbuf line = STRBUF_INIT;
	struct table t;
	char *warning = history_clock_warning(s->history);
	history_sentence_add(&line, s);
	text_wrap(out, line.s, 0, 2, width);
	strbuf_addch(out, '\n');
	if (warning) {
		strbuf_addstr(out, "Warning: ");
		text_wrap(out, warning, 9, 2, width);
		strbuf_addch(out, '\n');
	}
	if (s->n_signals)
		signals_add(out, s, width);
	size_t left_out = history_table_series(&t, s, SERIES_MAX);
	strbuf_addf(out, "\n%s\n\n", t.title);
	text_add_table(out, &t, NAME_MAX);
	if (left_out)
		strbuf_addf(out, "... and %zu more (--format csv, or -o)\n", left_out);
	strbuf_addch(out, '\n');
	text_wrap(out, history_explanation, 0, 0, width);
	strbuf_addch(out, '\n');
	table_release(&t);
	strbuf_release(&line);
	free(warning);
}

const struct study_form history_form = {
	.command = "history",
	.tables_build = history_tables_build,
	.figures_build = history_figures_build,
	.text_add = history_text_add,
	.json_add = history_json_add,
	.html_add = history_html_add,
};
