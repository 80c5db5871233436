/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "reports/certificate/certificate.h"
#include "reports/escape.h"
#include "reports/words.h"

#define LABEL 14 /* columns of the labels at the left */
#define NAME_MAX 40
#define COLUMNS_MAX 8
#define GAP 2

static void add_wrapped(struct strbuf *out, const char *text, size_t column, size_t indent, size_t width)
{
	text_wrap(out, text, column, indent, width);
	strbuf_addch(out, '\n');
}

static void add_fact(struct strbuf *out, const struct certificate_fact *f, size_t width)
{
	strbuf_addf(out, "%-*s", LABEL, f->label);
	add_wrapped(out, f->text, LABEL, LABEL, width);
}

/* --- the table ------------------------------------------------------------------------------------------------------ */

static void cell_words(struct strbuf *out, const struct table *t, size_t row, size_t column)
{
	struct strbuf text = STRBUF_INIT;
	table_cell_text(&text, &t->column[column], table_at(t, row, column), true);
	text_cut(out, text.s ? text.s : "", column ? 60 : NAME_MAX);
	strbuf_release(&text);
}

static size_t column_width(const struct table *t, size_t column)
{
	size_t width = text_width(t->column[column].title);
	for (size_t r = 0; r < table_n_rows(t); r++) {
		struct strbuf text = STRBUF_INIT;
		cell_words(&text, t, r, column);
		size_t w = text_width(text.s ? text.s : "");
		width = w > width ? w : width;
		strbuf_release(&text);
	}
	return width;
}

/* Names to the left, numbers to the right. */
static void add_cell(struct strbuf *out, const char *text, size_t width, bool left)
{
	size_t w = text_width(text), pad = width > w ? width - w : 0;
	strbuf_addf(out, "%*s%s%*s", left ? 0 : (int)pad, "", text, left ? (int)(pad + GAP) : GAP, "");
}

static void row_end(struct strbuf *out)
{
	while (out->len && out->s[out->len - 1] == ' ')
		out->s[--out->len] = 0;
	strbuf_addch(out, '\n');
}

static void add_table(struct strbuf *out, const struct table *t)
{
	size_t width[COLUMNS_MAX];
	for (size_t i = 0; i < t->n_columns; i++) {
		bool left = !i || t->column[i].format == FORMAT_VERDICT;
		width[i] = column_width(t, i);
		add_cell(out, t->column[i].title, width[i], left);
	}
	row_end(out);
	for (size_t r = 0; r < table_n_rows(t); r++) {
		for (size_t i = 0; i < t->n_columns; i++) {
			struct strbuf text = STRBUF_INIT;
			cell_words(&text, t, r, i);
			add_cell(out, text.s ? text.s : "", width[i], !i || t->column[i].format == FORMAT_VERDICT);
			strbuf_release(&text);
		}
		row_end(out);
	}
}

/* --- the page ------------------------------------------------------------------------------------------------------- */

static void add_certificate(struct strbuf *out, const struct certificate *c, size_t width)
{
	struct strbuf line = STRBUF_INIT;
	strbuf_addf(&line, "Certificate of method validation: %s", c->name);
	add_wrapped(out, line.s, 0, 2, width);
	strbuf_reset(&line);
	strbuf_addf(&line, "%s: %s", words_verdict(c->verdict), c->sentence);
	strbuf_addch(out, '\n');
	add_wrapped(out, line.s, 0, 2, width);
	strbuf_addch(out, '\n');
	for (size_t i = 0; i < c->n_facts; i++)
		add_fact(out, &c->fact[i], width);
	strbuf_addch(out, '\n');
	add_table(out, &c->results);
	if (c->n_left_out)
		strbuf_addf(out, "and %zu more scenarios in the report, none of which is trusted less\n", c->n_left_out);
	strbuf_addch(out, '\n');
	strbuf_release(&line);
}

void certificate_add_text(struct strbuf *out, const struct certificates *c, size_t width)
{
	for (size_t i = 0; i < c->n; i++) {
		if (i)
			strbuf_addstr(out, "\n\f\n"); /* a printer takes a new page */
		add_certificate(out, &c->one[i], width);
		add_wrapped(out, certificate_explanation, 0, 0, width);
		strbuf_addstr(out, "\nCite as: ");
		add_wrapped(out, c->citation, 9, 9, width);
	}
	if (!c->n)
		strbuf_addstr(out, "No replayer has a complete block: there is nothing to certify.\n");
}
