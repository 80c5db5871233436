/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report/tables/NAME.tex: booktabs fragments with rounded numbers. */
#include "reports/escape.h"
#include "reports/forms.h"
#include "reports/forms/table_forms.h"
#include "reports/output.h"

#define LINES_A_PIECE 40 /* fit on a page */
#define WIDE_TEXT 32	 /* a column with at least this number of characters wraps */
#define WRAPPED_TEXT 18	 /* smallest number of characters of a wrapped line */

static bool has_wide_text(const struct table *t, size_t column)
{
	for (size_t r = 0; r < table_n_rows(t); r++) {
		const struct table_cell *cell = table_at(t, r, column);
		if (cell->kind == CELL_TEXT && text_width(cell->text) > WIDE_TEXT)
			return true;
	}
	return false;
}

static void add_cell(struct strbuf *out, const struct table_column *column,
		     const struct table_cell *cell)
{
	SCOPED_STRBUF plain = STRBUF_INIT, signs = STRBUF_INIT;
	table_cell_text(&plain, column, cell, true);
	/* a minus sign, not a hyphen */
	for (const char *p = plain.s; *p; p++)
		if (*p == '-' && (cell->kind == CELL_NUMBER || cell->kind == CELL_ESTIMATE))
			strbuf_addstr(&signs, "−");
		else
			strbuf_addch(&signs, *p);
	escape_latex(out, signs.s);
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

/* Sets wrapped[n_columns]. */
static void wrapped_find(const struct table *t, bool *wrapped)
{
	for (size_t i = 0; i < t->n_columns; i++)
		wrapped[i] = table_column_is_text(&t->column[i]) && has_wide_text(t, i);
}

static size_t n_lines(const struct table *t, const bool *wrapped, size_t row)
{
	size_t lines = 1;
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct table_cell *cell = table_at(t, row, i);
		if (cell->kind != CELL_TEXT || !wrapped[i])
			continue;
		const size_t n = (text_width(cell->text) + WRAPPED_TEXT - 1) / WRAPPED_TEXT;
		lines = n > lines ? n : lines;
	}
	return lines;
}

/* Returns the end of the piece that begins with row `from`. A longer table is divided, because a
 * scaled table cannot break over pages. */
static size_t piece_end(const struct table *t, const bool *wrapped, size_t from)
{
	size_t lines = 0, r = from;
	for (; r < table_n_rows(t); r++) {
		lines += n_lines(t, wrapped, r);
		if (r > from && lines > LINES_A_PIECE)
			break;
	}
	return r;
}

/* Appends a piece of the table, scaled if it is wider than the line. */
static void add_piece(struct strbuf *out, const struct table *t, const bool *wrapped, size_t from,
		      size_t to)
{
	strbuf_addstr(
	    out, "\\noindent\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}"
		 "{!}{\\begin{tabular}{");
	for (size_t i = 0; i < t->n_columns; i++)
		strbuf_addstr(out, wrapped[i]			     ? "p{0.3\\linewidth}"
				   : table_column_is_text(&t->column[i]) ? "l"
									   : "r");
	strbuf_addstr(out, "}\n");
	add_head(out, t);
	for (size_t r = from; r < to; r++) {
		for (size_t i = 0; i < t->n_columns; i++) {
			strbuf_addstr(out, i ? " & " : "");
			add_cell(out, &t->column[i], table_at(t, r, i));
		}
		strbuf_addstr(out, " \\\\\n");
	}
	strbuf_addstr(out, "\\bottomrule\n\\end{tabular}}\n");
}

void latex_add_table(struct strbuf *out, const struct table *t)
{
	strbuf_addstr(out, "% ");
	escape_line(out, t->title);
	strbuf_addstr(out, "; needs \\usepackage{booktabs,graphicx}\n");
	SCOPED_FREE bool *wrapped = xcalloc(t->n_columns + 1, sizeof *wrapped);
	wrapped_find(t, wrapped);
	size_t from = 0;
	do {
		const size_t to = piece_end(t, wrapped, from);
		strbuf_addstr(out, from ? "\\par\\medskip\n" : "");
		add_piece(out, t, wrapped, from, to);
		from = to;
	} while (from < table_n_rows(t));
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
