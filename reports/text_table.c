/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/text_table.h"

#include "reports/escape.h"

#define GAP 2
#define TEXT_LEAST 20 /* least width of a column of text that is cut */

/* Appends the text of a cell. Text longer than name_max is cut, numbers are not. */
static void cell_words(struct strbuf *out, const struct table *t, size_t row, size_t column,
		       size_t name_max)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	table_cell_text(&text, &t->column[column], table_at(t, row, column), true);
	if (column < t->n_row_headers)
		text_cut_name(out, text.s, name_max);
	else
		text_cut(out, text.s, t->column[column].format == FORMAT_TEXT ? name_max : 60);
}

static size_t column_width(const struct table *t, size_t column, size_t name_max)
{
	size_t width = text_width(t->column[column].title);
	for (size_t r = 0; r < table_n_rows(t); r++) {
		SCOPED_STRBUF text = STRBUF_INIT;
		cell_words(&text, t, r, column, name_max);
		size_t w = text_width(text.s);
		width = w > width ? w : width;
	}
	return width;
}

/* Appends a cell: names are aligned left, numbers right. */
static void add_cell(struct strbuf *out, const char *text, size_t width, bool left)
{
	size_t w = text_width(text), pad = width > w ? width - w : 0;
	strbuf_addf(out, "%*s%s%*s", left ? 0 : (int)pad, "", text, left ? (int)(pad + GAP) : GAP,
		    "");
}

static void row_end(struct strbuf *out)
{
	while (out->len && out->s[out->len - 1] == ' ')
		out->s[--out->len] = 0;
	strbuf_addch(out, '\n');
}

/* Finds the columns from `first` that fit beside the row headers. A column of text that does not
 * fit is made narrower if it keeps TEXT_LEAST columns. Returns the end of the columns, at least
 * first + 1. */
static size_t columns_fitting(const struct table *t, size_t first, size_t *width, size_t most)
{
	size_t used = 0, end = first;
	for (size_t i = 0; i < t->n_row_headers; i++)
		used += width[i] + GAP;
	for (; end < t->n_columns; end++) {
		const bool cut = t->column[end].format == FORMAT_TEXT && most >= used + TEXT_LEAST;
		if (used + width[end] > most && !cut)
			break;
		if (used + width[end] > most)
			width[end] = most - used;
		used += width[end] + GAP;
	}
	return end > first ? end : first + 1;
}

/* Appends the cells first to end - 1 of a row; SIZE_MAX is the row of titles. */
static void add_cells(struct strbuf *out, const struct table *t, size_t row, size_t first,
		      size_t end, const size_t *width)
{
	for (size_t i = first; i < end; i++) {
		SCOPED_STRBUF text = STRBUF_INIT, shown = STRBUF_INIT;
		if (row == SIZE_MAX)
			strbuf_addstr(&text, t->column[i].title);
		else
			cell_words(&text, t, row, i, width[i]);
		text_cut(&shown, text.s, width[i]);
		add_cell(out, shown.s, width[i], table_column_is_text(&t->column[i]));
	}
}

void text_add_table(struct strbuf *out, const struct table *t, size_t name_max, size_t width_max)
{
	SCOPED_FREE size_t *width = xcalloc(t->n_columns + 1, sizeof *width);
	const size_t n_heads = t->n_row_headers < t->n_columns ? t->n_row_headers : 0,
		     head_max = width_max / 2;
	for (size_t i = 0; i < t->n_columns; i++)
		width[i] = column_width(t, i, i < n_heads && head_max < name_max ? head_max
										: name_max);
	for (size_t first = n_heads, end; first < t->n_columns; first = end) {
		end = columns_fitting(t, first, width, width_max);
		for (size_t r = 0; r <= table_n_rows(t); r++) {
			const size_t row = r ? r - 1 : SIZE_MAX;
			add_cells(out, t, row, 0, n_heads, width);
			add_cells(out, t, row, first, end, width);
			row_end(out);
		}
	}
}
