/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/embed.h"
#include "reports/certificate/certificate.h"
#include "reports/escape.h"
#include "reports/html/html.h"
#include "reports/words.h"

/* Added to the style of the report: a certificate fills one or two sheets of A4. */
EMBED(sheet, "reports/certificate/sheet.css");

static const char *const banner_class[] = {[VERDICT_TRUSTED] = "trusted",
					   [VERDICT_NOT_TRUSTED] = "not",
					   [VERDICT_INCONCLUSIVE] = "inconclusive"};

static void add_cell(struct strbuf *out, const struct table *t, size_t row, size_t column)
{
	const struct table_cell *cell = table_at(t, row, column);
	SCOPED_STRBUF text = STRBUF_INIT;
	if (cell->kind == CELL_VERDICT) {
		strbuf_addstr(out, "<td>");
		html_add_verdict_chip(out, NULL, cell->verdict);
		strbuf_addstr(out, "</td>");
		return;
	}
	table_cell_text(&text, &t->column[column], cell, true);
	strbuf_addstr(out, column ? "<td class=\"n\">" : "<td class=\"name\">");
	if (column)
		html_add_number(out, text.s ? text.s : "");
	else
		escape_html(out, text.s ? text.s : "");
	strbuf_addstr(out, "</td>");
}

static void add_table(struct strbuf *out, const struct table *t)
{
	html_begin_wide(out, t->title);
	strbuf_addstr(out, "<table><thead><tr>");
	for (size_t i = 0; i < t->n_columns; i++) {
		bool number = i && t->column[i].format != FORMAT_VERDICT;
		strbuf_addf(out, "<th scope=\"col\"%s>", number ? " class=\"n\"" : "");
		escape_html(out, t->column[i].title);
		strbuf_addstr(out, "</th>");
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
		escape_html(out, line.s);
		strbuf_addstr(out, "<br>");
	}
	escape_html(out, text);
}

static void add_certificate(struct strbuf *out, const struct certificate *c, const char *citation)
{
	strbuf_addf(out, "<section>\n<h1>%s: ", certificate_kind(c));
	escape_html(out, c->name);
	strbuf_addf(out, "</h1>\n<p class=\"cite\">No. %s</p>\n", c->number);
	strbuf_addf(out, "<div class=\"banner %s\"><p class=\"big\">%s</p><p>",
		    banner_class[c->verdict], words_verdict(NULL, c->verdict));
	escape_html(out, c->sentence);
	strbuf_addstr(out, ".</p></div>\n<dl>\n");
	for (size_t i = 0; i < c->n_facts; i++) {
		strbuf_addf(out, "<dt>%s</dt><dd>", c->fact[i].label);
		add_lines(out, c->fact[i].text);
		strbuf_addstr(out, "</dd>\n");
	}
	strbuf_addstr(out, "</dl>\n");
	add_table(out, &c->results);
	if (c->n_left_out)
		strbuf_addf(out, "<p class=\"note\">The report has %zu more scenarios, with the "
			"same or a better verdict.</p>\n", c->n_left_out);
	add_table(out, &c->times);
	for (size_t i = 0; i < c->n_reasons; i++)
		html_add_text(out, "<p class=\"cite\">", c->reason[i], "</p>\n");
	strbuf_addstr(out, "<p class=\"note\">");
	escape_html(out, certificate_explanation);
	html_add_text(out, "</p>\n<p class=\"cite\"><strong>Cite as:</strong> ",
		      citation, "</p>\n");
	strbuf_addf(out, "<p class=\"cite\">End of No. %s</p>\n</section>\n", c->number);
}

void certificate_add_html(struct strbuf *out, const struct certificates *c)
{
	html_begin_page(out, "Method validation of replayers", false, sheet);
	strbuf_addstr(out, "<main>\n");
	for (size_t i = 0; i < c->n; i++)
		add_certificate(out, &c->one[i], c->citation);
	if (!c->n)
		strbuf_addstr(
		    out, "<p>No replayer has a complete block: there is nothing to certify.</p>\n");
	strbuf_addstr(out, "</main>\n</body>\n</html>\n");
}
