/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/escape.h"
#include "reports/pool/pool_report.h"
#include "reports/text_table.h"
#include "reports/words.h"

#define NAME_WIDTH 22

const char pool_explanation[] =
    "Each result is x/r: the value of a replay divided by the value of the program, which ran "
    "beside it on the same machine. So laboratories with different machines can be compared. "
    "s_r: scatter within a laboratory; s_L: scatter between laboratories; s_R: both together. "
    "Two results of one laboratory differ by more than r in 5 % of cases, and results of two "
    "laboratories by more than R. Outliers and stragglers are named, but not left out (ISO "
    "5725-2).";

static size_t n_suspect(const struct pool *p, bool outliers)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n_laboratories; i++)
		n += (outliers ? p->laboratory[i].n_outlying : p->laboratory[i].n_straggling) > 0;
	return n;
}

static void suspects_add(struct strbuf *out, const struct pool *p, bool outliers)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n_laboratories; i++) {
		const struct pool_laboratory *l = &p->laboratory[i];
		const size_t n_marked = outliers ? l->n_outlying : l->n_straggling;
		if (!n_marked)
			continue;
		if (n++)
			strbuf_addstr(out, ", ");
		else
			strbuf_addstr(out, outliers ? ": outlier " : "; straggler ");
		strbuf_addf(out, "%s (in %zu of %zu)", l->name, n_marked, l->n_cases);
	}
}

void pool_sentence_add(struct strbuf *out, const struct pool *p)
{
	strbuf_addf(out, "%zu laboratories, ", p->n_laboratories);
	words_add_count(out, p->n_cases, "case", "cases");
	if (!n_suspect(p, true) && !n_suspect(p, false))
		strbuf_addstr(out, ": no outlier and no straggler");
	else if (!n_suspect(p, true))
		strbuf_addstr(out, ": no outlier");
	suspects_add(out, p, true);
	suspects_add(out, p, false);
}

static void warning_add(struct strbuf *out, const char *text, size_t width)
{
	strbuf_addstr(out, "Warning: ");
	text_paragraph(out, text, 9, 2, width);
}

/* Whether the table is only on the page and in CSV, because it is wider than a terminal. */
static bool is_wide(const char *name)
{
	return !strcmp(name, "laboratories") || !strcmp(name, "classes") ||
	       !strcmp(name, "machines");
}

void pool_text_add(struct strbuf *out, const void *study, size_t width)
{
	const struct pool *p = study;
	SCOPED_STRBUF line = STRBUF_INIT;
	SCOPED(tables_release) struct tables ts;
	pool_sentence_add(&line, p);
	text_paragraph(out, line.s, 0, 2, width);
	if (p->difference)
		warning_add(out, p->difference, width);
	for (size_t i = 0; i < p->n_warnings; i++)
		warning_add(out, p->warning[i], width);
	pool_tables_build(&ts, p);
	for (size_t i = 0; i < ts.n; i++) {
		if (!table_n_rows(&ts.table[i]) || is_wide(ts.table[i].name))
			continue;
		strbuf_addf(out, "\n%s\n\n", ts.table[i].title);
		text_add_table(out, &ts.table[i], NAME_WIDTH);
	}
	strbuf_addch(out, '\n');
	text_paragraph(out, pool_explanation, 0, 0, width);
}

const struct study_form pool_form = {
	.command = "pool",
	.tables_build = pool_tables_build,
	.figures_build = pool_figures_build,
	.text_add = pool_text_add,
	.json_add = pool_json_add,
	.html_add = pool_html_add,
};
