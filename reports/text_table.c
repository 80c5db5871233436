/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/text_table.h"

#include "reports/escape.h"

#define GAP 2

/* Appends the text of a cell. Text longer than name_max is cut, numbers are not. */
static void cell_words(struct strbuf *out, const struct table *t, size_t row, size_t column,
		       size_t name_max)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	table_cell_text(&text, &t->column[column], table_at(t, row, column), true);
	if (column < t->n_row_headers)
		text_cut_name(out, text.s ? text.s : "", name_max);
	else
		text_cut(out, text.s ? text.s : "",
			 t->column[column].format == FORMAT_TEXT ? name_max : 60);
}

static size_t column_width(const struct table *t, size_t column, size_t name_max)
{
	size_t width = text_width(t->column[column].title);
	for (size_t r = 0; r < table_n_rows(t); r++) {
		SCOPED_STRBUF text = STRBUF_INIT;
		cell_words(&text, t, r, column, name_max);
		size_t w = text_width(text.s ? text.s : "");
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

static bool is_left(const struct table_column *c)
{
	return c->format == FORMAT_TEXT || c->format == FORMAT_VERDICT ||
	       c->format == FORMAT_DECISION;
}

static void row_end(struct strbuf *out)
{
	while (out->len && out->s[out->len - 1] == ' ')
		out->s[--out->len] = 0;
	strbuf_addch(out, '\n');
}

void text_add_table(struct strbuf *out, const struct table *t, size_t name_max)
{
	SCOPED_FREE size_t *width = xcalloc(t->n_columns + 1, sizeof *width);
	for (size_t i = 0; i < t->n_columns; i++) {
		width[i] = column_width(t, i, name_max);
		add_cell(out, t->column[i].title, width[i], is_left(&t->column[i]));
	}
	row_end(out);
	for (size_t r = 0; r < table_n_rows(t); r++) {
		for (size_t i = 0; i < t->n_columns; i++) {
			SCOPED_STRBUF text = STRBUF_INIT;
			cell_words(&text, t, r, i, name_max);
			add_cell(out, text.s ? text.s : "", width[i], is_left(&t->column[i]));
		}
		row_end(out);
	}
}
