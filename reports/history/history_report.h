/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The forms of a history. They only format: all numbers are computed before. */
#pragma once

#include "reports/forms/study_form.h"
#include "validate/history/changes.h"
#include "validate/history/charts.h"

/* Makes tables with a row for each series, event, changed fact, signal, campaign and entry.
 * Ownership: tables_release. */
void history_tables_build(struct tables *ts, const void *study);
/* Makes the table of series with at most rows_max rows, series with events first. Returns how many
 * rows are left out. Ownership: table_release. */
size_t history_table_series(struct table *t, const struct history_study *s, size_t rows_max);
/* Makes the four charts of at most HISTORY_FIGURES series, series with events first. A chart shows
 * the last HISTORY_DRAWN entries. */
#define HISTORY_FIGURES 12
#define HISTORY_DRAWN 500
void history_figures_build(struct figures *fs, const void *study);

/* Appends one line, not escaped. */
void history_sentence_add(struct strbuf *out, const struct history_study *s);
/* Returns a warning if dates go backwards, otherwise NULL. The caller frees it. */
char *history_clock_warning(const struct history *h);
void history_json_add(struct strbuf *out, const void *study);
void history_html_add(struct strbuf *out, const void *study, const struct tables *ts,
		      const struct figures *fs);

extern const char history_explanation[];
extern const struct study_form history_form; /* a study is a struct history_study */

/* Returns the campaign of a charted entry; history_date returns its date, or "an unknown date". */
const struct history_campaign *history_campaign_at(const struct history_study *s,
						   const struct history_charts *c, size_t place);
const char *history_date(const struct history_campaign *c);
