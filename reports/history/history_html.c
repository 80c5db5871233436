/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "reports/escape.h"
#include "reports/history/history_report.h"
#include "reports/html/html.h"

void history_html_add(struct strbuf *out, const struct history_study *s, const struct tables *ts, const struct figures *fs)
{
	const struct html_page page = {NULL, ts, fs, NULL};
	struct strbuf sentence = STRBUF_INIT;
	char *warning = history_clock_warning(s->history);
	history_sentence_add(&sentence, s);
	strbuf_addstr(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
			   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n"
			   "<title>History: ");
	escape_html(out, s->history->source);
	strbuf_addstr(out, "</title>\n");
	html_add_style(out);
	strbuf_addstr(out, "</head>\n<body>\n");
	svg_add_symbols(out);
	strbuf_addstr(out, "<main>\n<h1>History: ");
	escape_html(out, s->history->source);
	strbuf_addf(out, "</h1>\n<div class=\"banner %s\"><p class=\"big\">", s->n_signals ? "inconclusive" : "trusted");
	escape_html(out, sentence.s);
	strbuf_addstr(out, "</p></div>\n<p>");
	escape_html(out, history_explanation);
	strbuf_addstr(out, "</p>\n");
	if (warning) {
		strbuf_addstr(out, "<p class=\"warnings\"><strong>Warning:</strong> ");
		escape_html(out, warning);
		strbuf_addstr(out, "</p>\n");
	}
	html_add_table(out, &page, "series", NULL);
	strbuf_addstr(out, "<h2>What changed, and when</h2>\n");
	html_add_table(out, &page, "signals", NULL);
	html_add_table(out, &page, "changes", NULL);
	strbuf_addstr(out, "<h2>Charts</h2>\n");
	html_add_figures(out, &page, "history", false);
	strbuf_addstr(out, "</main>\n</body>\n</html>\n");
	strbuf_release(&sentence);
	free(warning);
}
