/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/pool/pool_report.h"

static void tables_of(struct tables *ts, const void *p)
{
	pool_tables_build(ts, p);
}

static void figures_of(struct figures *fs, const void *p)
{
	pool_figures_build(fs, p);
}

static void text_of(struct strbuf *out, const void *p, size_t width)
{
	pool_text_add(out, p, width);
}

static void json_of(struct strbuf *out, const void *p)
{
	pool_json_add(out, p);
}

static void html_of(struct strbuf *out, const void *p, const struct tables *ts, const struct figures *fs)
{
	pool_html_add(out, p, ts, fs);
}

const struct study_form pool_form = {"pool", tables_of, figures_of, text_of, json_of, html_of};
