/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "reports/history/history_report.h"
#include "reports/html/html.h"

void history_html_add(struct strbuf *out, const void *study, const struct tables *ts,
		      const struct figures *fs)
{
	const struct history_study *s = study;
	const struct html_page page = {NULL, ts, fs, NULL};
	struct strbuf title = STRBUF_INIT, sentence = STRBUF_INIT;
	char *warning = history_clock_warning(s->history);
	history_sentence_add(&sentence, s);
	strbuf_addf(&title, "History: %s", s->history->source);
	html_begin_page(out, title.s, true, NULL);
	svg_add_symbols(out);
	html_add_text(out, "<main>\n<h1>", title.s, "</h1>\n");
	strbuf_addf(out, "<div class=\"banner %s\">", s->n_signals ? "inconclusive" : "trusted");
	html_add_text(out, "<p class=\"big\">", sentence.s, "</p></div>\n");
	html_add_text(out, "<p>", history_explanation, "</p>\n");
	if (warning)
		html_add_text(out, "<p class=\"warnings\"><strong>Warning:</strong> ", warning,
			      "</p>\n");
	html_add_table(out, &page, "series", NULL);
	strbuf_addstr(out, "<h2>What changed, and when</h2>\n");
	html_add_table(out, &page, "signals", NULL);
	html_add_table(out, &page, "changes", NULL);
	strbuf_addstr(out, "<h2>Charts</h2>\n");
	html_add_figures(out, &page, "history", false);
	strbuf_addstr(out, "</main>\n</body>\n</html>\n");
	strbuf_release(&title);
	strbuf_release(&sentence);
	free(warning);
}
