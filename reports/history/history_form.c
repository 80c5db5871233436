/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/history/history_report.h"

static void tables_of(struct tables *ts, const void *s)
{
	history_tables_build(ts, s);
}

static void figures_of(struct figures *fs, const void *s)
{
	history_figures_build(fs, s);
}

static void text_of(struct strbuf *out, const void *s, size_t width)
{
	history_text_add(out, s, width);
}

static void json_of(struct strbuf *out, const void *s)
{
	history_json_add(out, s);
}

static void html_of(struct strbuf *out, const void *s, const struct tables *ts, const struct figures *fs)
{
	history_html_add(out, s, ts, fs);
}

const struct study_form history_form = {"history", tables_of, figures_of, text_of, json_of, html_of};
