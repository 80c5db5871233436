/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/embed.h"
#include "reports/certificate/certificate.h"
#include "reports/escape.h"
#include "reports/html/html.h"
#include "reports/words.h"

/* Added to the style of the report: a certificate fills one or two sheets of A4. */
EMBED(sheet, "reports/certificate/sheet.css");

static void add_cell(struct strbuf *out, const struct table *t, size_t row, size_t column)
{
	const struct table_cell *cell = table_at(t, row, column);
	SCOPED_STRBUF text = STRBUF_INIT;
	if (cell->kind == CELL_VERDICT) {
		html_addf(out, "<td data-l=\"%s\">", t->column[column].title);
		html_add_verdict_chip(out, NULL, cell->verdict);
		strbuf_addstr(out, "</td>");
		return;
	}
	table_cell_text(&text, &t->column[column], cell, true);
	if (!column) {
		html_addf(out, "<td class=\"name\">%s</td>", text.s);
		return;
	}
	html_addf(out, "<td class=\"n\" data-l=\"%s\">", t->column[column].title);
	html_add_number(out, text.s);
	strbuf_addstr(out, "</td>");
}

static void add_table(struct strbuf *out, const struct table *t)
{
	html_begin_wide(out, t->title);
	strbuf_addstr(out, "<table class=\"stack\"><thead><tr>");
	for (size_t i = 0; i < t->n_columns; i++) {
		bool number = i && t->column[i].format != FORMAT_VERDICT;
		html_addf(out, number ? "<th scope=\"col\" class=\"n\">%s</th>"
				      : "<th scope=\"col\">%s</th>", t->column[i].title);
	}
	strbuf_addstr(out, "</tr></thead>\n<tbody>\n");
	for (size_t r = 0; r < table_n_rows(t); r++) {
		strbuf_addstr(out, "<tr>");
		for (size_t i = 0; i < t->n_columns; i++)
			add_cell(out, t, r, i);
		strbuf_addstr(out, "</tr>\n");
	}
	strbuf_addstr(out, "</tbody></table></div>\n");
}

/* Adds several notes under one label, each on a line. */
static void add_lines(struct strbuf *out, const char *text)
{
	static const char bar[] = " | ";
	for (const char *end; (end = strstr(text, bar)); text = end + strlen(bar)) {
		SCOPED_STRBUF line = STRBUF_INIT;
		strbuf_add(&line, text, (size_t)(end - text));
		html_addf(out, "%s<br>", line.s);
	}
	escape_html(out, text);
}

static void add_certificate(struct strbuf *out, const struct certificate *c, const char *citation)
{
	html_addf(out, "<section>\n<h1>%s: %s</h1>\n<p class=\"cite\">No. %s</p>\n",
		  certificate_kind(c), c->name, c->number);
	html_addf(out, "<div class=\"banner %s\"><p class=\"big\">%s</p><p>%s.</p></div>\n<dl>\n",
		  html_looks[c->verdict].class, words_verdict(NULL, c->verdict), c->sentence);
	for (size_t i = 0; i < c->n_facts; i++) {
		strbuf_addf(out, "<dt>%s</dt><dd>", c->fact[i].label);
		add_lines(out, c->fact[i].text);
		strbuf_addstr(out, "</dd>\n");
	}
	strbuf_addstr(out, "</dl>\n");
	add_table(out, &c->results);
	if (c->n_left_out)
		strbuf_addf(out, "<p class=\"note\">The report has %zu more scenario%s, with no "
			"verdict worse than the worst verdict shown here.</p>\n",
			c->n_left_out, c->n_left_out == 1 ? "" : "s");
	add_table(out, &c->times);
	for (size_t i = 0; i < c->n_reasons; i++)
		html_addf(out, "<p class=\"cite\">%s</p>\n", c->reason[i]);
	html_addf(out,
		  "<p class=\"note\">%s</p>\n<p class=\"cite\"><strong>Cite as:</strong> %s</p>\n"
		  "<p class=\"cite\">End of No. %s</p>\n</section>\n", certificate_explanation,
		  citation, c->number);
}

void certificate_add_html(struct strbuf *out, const struct certificates *c)
{
	html_begin_page(out, "Method validation of replayers", false, sheet);
	for (size_t i = 0; i < c->n; i++)
		add_certificate(out, &c->one[i], c->citation);
	if (!c->n)
		strbuf_addstr(
		    out, "<p>No replayer has a complete block (one run of the program and one of "
			 "the replayer): there is nothing to certify.</p>\n");
	html_end_page(out);
}
