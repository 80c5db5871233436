/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>

#include "reports/escape.h"
#include "reports/html/html.h"
#include "reports/words.h"

#define MANY_ROWS 60   /* more rows are folded */
#define MANY_COLUMNS 9 /* with more columns, cells wrap and the interval is below its value */
#define DENSE_COLUMNS 14 /* with more columns, the cells are closer to each other */
/* On a narrow screen, each row of a table with more columns than this (long texts: than the second
 * number), and at most this number of rows, becomes a paragraph. */
#define STACK_COLUMNS 4
#define STACK_LONG_COLUMNS 2
#define STACK_ROWS 24
/* number of wide figures of a section that are shown; the others are folded */
#define OPEN_FIGURES 2
#define LONG_TEXT 40 /* a column with a longer text wraps */
#define LONG_NAME 34 /* a longer name wraps */

void html_begin_wide(struct strbuf *out, const char *name)
{
	html_addf(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">\n",
		name);
}

const struct html_look html_looks[] = {
    [DECISION_ACCEPT] = {"trusted", "✓"},
    [DECISION_REJECT] = {"not", "✗"},
    [DECISION_INCONCLUSIVE] = {"inconclusive", "?"},
    [DECISION_NOT_ASSESSED] = {"none", "·"},
    [DECISION_NOT_APPLICABLE] = {"none", "–"},
};

_Static_assert((int)VERDICT_INCONCLUSIVE == (int)DECISION_INCONCLUSIVE &&
	       (int)CLAIM_NOT_ASSESSED == (int)DECISION_NOT_ASSESSED, "the numbers are the same");

void html_add_chip(struct strbuf *out, unsigned int outcome, const char *word)
{
	strbuf_addf(out, "<span class=\"chip %s\"><b>%s</b> %s</span>", html_looks[outcome].class,
		    html_looks[outcome].sign, word);
}

void html_add_verdict_chip(struct strbuf *out, const struct analysis *a, enum verdict v)
{
	html_add_chip(out, v, words_claim_verdict(a, v));
}

void html_add_case_chip(struct strbuf *out, const struct analysis *a, const struct cell *c)
{
	html_add_chip(out, c->verdict, c->verdict == VERDICT_INCONCLUSIVE
					   ? words_tendency_short(cell_tendency(c))
					   : words_claim_verdict(a, c->verdict));
}

static bool is_shown(const struct html_table_view *v, const struct table_column *c)
{
	const size_t len = strlen(c->key);
	if (!v || !v->keys)
		return true;
	for (const char *k = v->keys; (k = strstr(k, c->key)); k++)
		if ((k == v->keys || k[-1] == ' ') && (k[len] == ' ' || !k[len]))
			return true;
	return false;
}

static bool row_shown(const struct html_table_view *v, const struct table *t, size_t row)
{
	return !v || !v->wanted || v->wanted(t, row, v->arg);
}

static bool has_long_text(const struct table *t, size_t column)
{
	for (size_t r = 0; r < table_n_rows(t); r++)
		if (table_at(t, r, column)->kind == CELL_TEXT &&
		    strlen(table_at(t, r, column)->text) > LONG_TEXT)
			return true;
	return false;
}

void html_add_number(struct strbuf *out, const char *text)
{
	SCOPED_STRBUF signs = STRBUF_INIT;
	for (const char *p = text; *p; p++)
		if (*p == '-' && p[1] >= '0' && p[1] <= '9') /* a minus is no hyphen */
			strbuf_addstr(&signs, "−");
		/* a number keeps its unit; its interval may be on the next line */
		else if (*p == ' ' && p[1] != '[' && p > text && strchr("0123456789,", p[-1]))
			strbuf_addstr(&signs, "\u00a0");
		else
			strbuf_addch(&signs, *p);
	size_t value = strcspn(signs.s, "[");
	SCOPED_STRBUF part = STRBUF_INIT;
	strbuf_add(&part, signs.s, value);
	escape_html(out, part.s);
	if (signs.s[value])
		html_addf(out, "<small>%s</small>", signs.s + value);
}

static void add_number_html(struct strbuf *out, const struct table_column *c,
			    const struct table_cell *cell)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	table_cell_text(&text, c, cell, false);
	if (cell->status == STAT_OK && cell->kind != CELL_NONE)
		html_add_number(out, text.s);
	else
		html_addf(out, "<small>%s</small>", text.s);
}

/* "2026-01-27T00:00:00Z", which does not break at a hyphen */
static bool is_date(const char *text)
{
	int year, month, day, n = 0;
	return sscanf(text, "%4d-%2d-%2dT%n", &year, &month, &day, &n) == 3 && n == 11;
}

/* `a`: may be NULL; of the words of verdicts. */
static void add_cell_html(struct strbuf *out, const struct analysis *a,
			  const struct table_column *c, const struct table_cell *cell)
{
	switch (cell->kind) {
	case CELL_TEXT:
		html_addf(out, is_date(cell->text) ? "<time>%s</time>" : "%s", cell->text);
		break;
	case CELL_DECISION:
		html_add_chip(out, cell->decision, decision_name(cell->decision));
		break;
	case CELL_VERDICT:
		html_add_verdict_chip(out, a, cell->verdict);
		break;
	case CELL_NONE:
	case CELL_NUMBER:
	case CELL_ESTIMATE:
		add_number_html(out, c, cell);
		break;
	}
}

static bool same_text(const struct table *t, size_t row, size_t other, size_t column)
{
	const struct table_cell *x = table_at(t, row, column), *y = table_at(t, other, column);
	return x->kind == CELL_TEXT && y->kind == CELL_TEXT && !strcmp(x->text, y->text);
}

/* Whether the first column becomes a separate line above the rows that share its text, which leaves
 * more width for numbers. */
static bool is_grouped(const struct table *t)
{
	for (size_t r = 1; t->n_row_headers > 1 && r < table_n_rows(t); r++)
		if (same_text(t, r, r - 1, 0))
			return true;
	return false;
}

static void add_group(struct strbuf *out, const struct analysis *a, const struct table *t,
		      const struct html_table_view *v, size_t r)
{
	size_t n = 0;
	for (size_t i = 1; i < t->n_columns; i++)
		n += is_shown(v, &t->column[i]);
	strbuf_addf(out, "<tr class=\"g\"><th scope=\"rowgroup\" colspan=\"%zu\">", n);
	add_cell_html(out, a, &t->column[0], table_at(t, r, 0));
	strbuf_addstr(out, "</th></tr>\n");
}

static bool is_long(const struct table_cell *cell)
{
	return cell->kind == CELL_TEXT && text_width(cell->text) > LONG_NAME;
}

/* Whether the rows contain texts that are the same after the header of the row. */
static bool same_texts(const struct table *t, size_t row, size_t other)
{
	for (size_t i = 1; i < t->n_columns; i++)
		if (!same_text(t, row, other, i))
			return false;
	return t->n_row_headers == 1 && t->n_columns > 1;
}

/* Whether the first row that contains the same texts is an earlier row. */
static bool is_merged(const struct table *t, size_t row)
{
	size_t first = 0;
	while (first < row && !same_texts(t, row, first))
		first++;
	return first < row;
}

/* Appends the headers of all rows that contain the same texts as the row, or "every scenario". */
static void add_merged(struct strbuf *out, const struct table *t, size_t row)
{
	SCOPED_STRBUF names = STRBUF_INIT;
	size_t n = 0;
	for (size_t i = row; i < table_n_rows(t); i++)
		if (i == row || same_texts(t, i, row))
			strbuf_addf(&names, "%s%s", n++ ? ", " : "", table_at(t, i, 0)->text);
	if (n > 1 && n == table_n_rows(t)) {
		strbuf_reset(&names);
		strbuf_addf(&names, "every %c%s", tolower(t->column[0].title[0]),
			    t->column[0].title + 1);
	}
	escape_html(out, names.s);
}

/* wide[n_columns]: has_long_text */
static void add_row(struct strbuf *out, const struct analysis *a, const struct table *t,
		    const struct html_table_view *v, size_t r, bool grouped, bool stack,
		    const bool *wide)
{
	strbuf_addstr(out, "<tr>");
	for (size_t i = grouped; i < t->n_columns; i++) {
		const struct table_column *c = &t->column[i];
		if (!is_shown(v, c))
			continue;
		bool head = i < t->n_row_headers,
		     broad = head ? is_long(table_at(t, r, i)) : wide[i];
		strbuf_addstr(out, head ? "<th scope=\"row\"" : "<td");
		if (!table_column_is_text(c) || broad)
			strbuf_addf(out, " class=\"%s\"",
				    !table_column_is_text(c) ? "n" : head ? "l" : "w");
		if (stack && !head)
			html_addf(out, " data-l=\"%s\"", c->title);
		strbuf_addstr(out, ">");
		if (i == 0 && table_at(t, r, 0)->kind == CELL_TEXT)
			add_merged(out, t, r);
		else
			add_cell_html(out, a, c, table_at(t, r, i));
		strbuf_addstr(out, head ? "</th>" : "</td>");
	}
	strbuf_addstr(out, "</tr>\n");
}

/* A title breaks between words, but not between a number and "%". */
static void add_title(struct strbuf *out, const char *title)
{
	const char *percent = strstr(title, " %");
	SCOPED_FREE char *before = xasprintf("%.*s", percent ? (int)(percent - title) : 0, title);
	html_addf(out, percent ? "%s\u00a0%s" : "%s%s", before, percent ? percent + 1 : title);
}

static void add_head(struct strbuf *out, const struct table *t, const struct html_table_view *v,
		     bool grouped)
{
	strbuf_addstr(out, "<thead><tr>");
	for (size_t i = grouped; i < t->n_columns; i++) {
		if (!is_shown(v, &t->column[i]))
			continue;
		strbuf_addstr(out, table_column_is_text(&t->column[i])
				       ? "<th scope=\"col\">"
				       : "<th scope=\"col\" class=\"n\">");
		add_title(out, t->column[i].title);
		strbuf_addstr(out, "</th>");
	}
	strbuf_addstr(out, "</tr></thead>\n<tbody>\n");
}

static size_t n_shown(const struct table *t, const struct html_table_view *v)
{
	size_t n = 0;
	for (size_t r = 0; r < table_n_rows(t); r++)
		n += row_shown(v, t, r);
	return n;
}

static void add_table(struct strbuf *out, const struct analysis *a, const struct table *t,
		      const struct html_table_view *view)
{
	bool grouped = is_grouped(t);
	SCOPED_FREE bool *wide = xcalloc(t->n_columns + 1, sizeof *wide);
	size_t last = SIZE_MAX, n_columns = 0, n_long = 0;
	html_begin_wide(out, t->title);
	for (size_t i = 0; i < t->n_columns; i++) {
		wide[i] = has_long_text(t, i);
		n_columns += is_shown(view, &t->column[i]);
		n_long += wide[i] && is_shown(view, &t->column[i]);
	}
	bool stack = n_columns > (n_long ? STACK_LONG_COLUMNS : STACK_COLUMNS) &&
		     n_shown(t, view) <= STACK_ROWS;
	strbuf_addf(out, "<table class=\"%s%s\">", n_columns > DENSE_COLUMNS  ? "wrap dense"
						     : n_columns > MANY_COLUMNS ? "wrap"
										: "",
		    stack ? " stack" : "");
	html_addf(out, "<caption>%s</caption>\n", t->title);
	add_head(out, t, view, grouped);
	for (size_t r = 0; r < table_n_rows(t); r++) {
		if (!row_shown(view, t, r) || is_merged(t, r))
			continue;
		if (grouped && (last == SIZE_MAX || !same_text(t, r, last, 0)))
			add_group(out, a, t, view, r);
		add_row(out, a, t, view, r, grouped, stack, wide);
		last = r;
	}
	html_addf(out,
		  "</tbody></table></div>\n<p class=\"note\">%s%s%s%sCSV: "
		  "<a href=\"tables/%s.csv\">tables/%s.csv</a>.</p>\n",
		  t->note ? t->note : "", t->note ? " " : "", view && view->note ? view->note : "",
		  view && view->note ? " " : "", t->name, t->name);
}

static const struct table *table_get(const struct html_page *p, const char *name,
				     struct table *made)
{
	*made = (struct table){0};
	if (p->tables)
		return tables_find(p->tables, name);
	return table_build_named(made, p->a, name) ? made : NULL;
}

void html_add_table(struct strbuf *out, const struct html_page *p, const char *name,
		    const struct html_table_view *view)
{
	SCOPED(table_release) struct table made;
	const struct table *t = table_get(p, name, &made);
	size_t n = t ? n_shown(t, view) : 0;
	if (n > MANY_ROWS)
		html_addf(out, "<details><summary>%s (%zu rows)</summary>\n", t->title, n);
	if (n)
		add_table(out, p->a, t, view);
	if (n > MANY_ROWS)
		strbuf_addstr(out, "</details>\n");
}

void html_add_folded_table(struct strbuf *out, const struct html_page *p, const char *name,
			   const char *summary, const struct html_table_view *view)
{
	SCOPED(table_release) struct table made;
	const struct table *t = table_get(p, name, &made);
	if (t && n_shown(t, view)) {
		strbuf_addf(out, "<details><summary>%s</summary>\n", summary);
		add_table(out, p->a, t, view);
		strbuf_addstr(out, "</details>\n");
	}
}

void html_add_figure(struct strbuf *out, const struct figure *f, bool above)
{
	SCOPED_STRBUF caption = STRBUF_INIT;
	html_addf(&caption, "<figcaption>%s</figcaption>", f->caption);
	strbuf_addf(out, "<figure class=\"%s\">%s<div class=\"plot\">\n", f->section,
		    above ? caption.s : "");
	strbuf_add(out, f->svg.s, f->svg.len);
	strbuf_addf(out, "</div>%s</figure>\n", above ? "" : caption.s);
}

void html_add_figures(struct strbuf *out, const struct html_page *p, const char *section,
		      bool small)
{
	size_t n = 0;
	for (size_t i = 0; i < p->figures->n; i++) {
		const struct figure *f = &p->figures->figure[i];
		if (strcmp(f->section, section) || !f->svg.len)
			continue;
		if (n == 0 && small)
			strbuf_addstr(out, "<div class=\"grid\">\n");
		if (n++ == OPEN_FIGURES && !small)
			strbuf_addstr(out, "<details><summary>More of these figures</summary>\n");
		html_add_figure(out, f, small);
	}
	if (n && small)
		strbuf_addstr(out, "</div>\n");
	if (n > OPEN_FIGURES && !small)
		strbuf_addstr(out, "</details>\n");
}

void html_add_missing(struct strbuf *out, const struct figures *fs)
{
	size_t n = 0;
	for (size_t i = 0; i < fs->n; i++)
		n += !fs->figure[i].svg.len;
	if (!n)
		return;
	strbuf_addf(out, "<p class=\"note\">%zu figure%s missing here", n,
		    n == 1 ? " is" : "s are");
	if (fs->missing)
		html_addf(out, " (%s)", fs->missing);
	strbuf_addstr(out, ". Data and scripts are in <code>plots/</code>.</p>\n");
}
