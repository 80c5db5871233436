/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report/tables/NAME.tex: booktabs fragments with rounded numbers. */
#include "common/xalloc.h"
#include "reports/escape.h"
#include "reports/text_table.h"
#include "reports/output.h"
#include "reports/forms.h"
#include "reports/tables/tables.h"

#define ROWS_A_PAGE 40
#define WIDE_TEXT 32 /* characters from which a column wraps */

static bool is_text(const struct table_column *c)
{
	return c->format == FORMAT_TEXT || c->format == FORMAT_DECISION ||
	       c->format == FORMAT_VERDICT;
}

static size_t widest(const struct table *t, size_t column)
{
	size_t width = 0;
	for (size_t r = 0; r < table_n_rows(t); r++) {
		const struct table_cell *cell = table_at(t, r, column);
		size_t w = cell->kind == CELL_TEXT ? text_width(cell->text) : 0;
		width = w > width ? w : width;
	}
	return width;
}

static void add_cell(struct strbuf *out, const struct table_column *column,
		     const struct table_cell *cell)
{
	struct strbuf plain = STRBUF_INIT, signs = STRBUF_INIT;
	table_cell_text(&plain, column, cell, true);
	/* a minus sign, not a hyphen */
	for (const char *p = plain.s; *p; p++)
		if (*p == '-' && (cell->kind == CELL_NUMBER || cell->kind == CELL_ESTIMATE))
			strbuf_addstr(&signs, "−");
		else
			strbuf_addch(&signs, *p);
	escape_latex(out, signs.s);
	strbuf_release(&plain);
	strbuf_release(&signs);
}

static void add_head(struct strbuf *out, const struct table *t)
{
	strbuf_addstr(out, "\\toprule\n");
	for (size_t i = 0; i < t->n_columns; i++) {
		strbuf_addstr(out, i ? " & " : "");
		escape_latex(out, t->column[i].title);
	}
	strbuf_addstr(out, " \\\\\n\\midrule\n");
}

void latex_add_table(struct strbuf *out, const struct table *t)
{
	const bool is_long = table_n_rows(t) > ROWS_A_PAGE;
	const char *environment = is_long ? "longtable" : "tabular";
	strbuf_addstr(out, "% ");
	escape_line(out, t->title);
	strbuf_addstr(out, "; needs \\usepackage{booktabs,graphicx,longtable}\n");
	if (!is_long) /* scales the table if it is wider than the line */
		strbuf_addstr(
		    out, "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{");
	strbuf_addf(out, "\\begin{%s}{", environment);
	for (size_t i = 0; i < t->n_columns; i++) {
		if (is_text(&t->column[i]) && widest(t, i) > WIDE_TEXT)
			strbuf_addstr(out, "p{0.3\\linewidth}");
		else
			strbuf_addch(out, is_text(&t->column[i]) ? 'l' : 'r');
	}
	strbuf_addstr(out, "}\n");
	add_head(out, t);
	if (is_long)
		strbuf_addstr(out, "\\endhead\n");
	for (size_t r = 0; r < table_n_rows(t); r++) {
		for (size_t i = 0; i < t->n_columns; i++) {
			strbuf_addstr(out, i ? " & " : "");
			add_cell(out, &t->column[i], table_at(t, r, i));
		}
		strbuf_addstr(out, " \\\\\n");
	}
	strbuf_addf(out, "\\bottomrule\n\\end{%s}%s\n", environment, is_long ? "" : "}");
}

void latex_add_tables(struct strbuf *out, const struct tables *ts, bool with_data)
{
	size_t n = 0;
	for (size_t i = 0; i < ts->n; i++) {
		if (ts->table[i].data_only && !with_data)
			continue;
		strbuf_addstr(out, n++ ? "\n" : "");
		latex_add_table(out, &ts->table[i]);
	}
}

static int latex_write(const struct analysis *a, const char *report_dir, struct err *e)
{
	struct table t;
	int ret = output_dir(report_dir, "tables", e);
	for (size_t i = 0; !ret && table_build(&t, a, i); i++) {
		if (!t.data_only)
			ret = output_table(report_dir, &t, "tex", latex_add_table, e);
		table_release(&t);
	}
	return ret;
}

static int latex_print(const struct analysis *a, FILE *out, struct err *e)
{
	SCOPED(tables_release) struct tables ts;
	SCOPED_STRBUF text = STRBUF_INIT;
	tables_build(&ts, a);
	latex_add_tables(&text, &ts, false);
	return output_stream(out, &text, e);
}

const struct report_form report_form_latex = {
    .name = "latex",
    .help = "every table, rounded, as booktabs fragments",
    .write = latex_write,
    .print = latex_print,
    .beside = true,
};
