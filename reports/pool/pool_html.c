/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/escape.h"
#include "reports/html/html.h"
#include "reports/pool/pool_report.h"

static bool has_outlier(const struct pool *p)
{
	for (size_t i = 0; i < p->n_laboratories; i++)
		if (p->laboratory[i].n_outlying)
			return true;
	return false;
}

static void warning_add(struct strbuf *out, const char *text)
{
	strbuf_addstr(out, "<p class=\"warnings\"><strong>Warning:</strong> ");
	escape_html(out, text);
	strbuf_addstr(out, "</p>\n");
}

void pool_html_add(struct strbuf *out, const struct pool *p, const struct tables *ts, const struct figures *fs)
{
	const struct html_page page = {NULL, ts, fs, NULL};
	struct strbuf sentence = STRBUF_INIT;
	pool_sentence_add(&sentence, p);
	strbuf_addstr(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
			   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n"
			   "<title>Between laboratories: ");
	escape_html(out, p->laboratory[0].baseline->title);
	strbuf_addstr(out, "</title>\n");
	html_add_style(out);
	strbuf_addstr(out, "</head>\n<body>\n");
	svg_add_symbols(out);
	strbuf_addstr(out, "<main>\n<h1>Between laboratories: ");
	escape_html(out, p->laboratory[0].baseline->title);
	strbuf_addf(out, "</h1>\n<div class=\"banner %s\"><p class=\"big\">", has_outlier(p) ? "inconclusive" : "trusted");
	escape_html(out, sentence.s);
	strbuf_addstr(out, "</p></div>\n<p>");
	escape_html(out, pool_explanation);
	strbuf_addstr(out, "</p>\n");
	if (p->difference)
		warning_add(out, p->difference);
	for (size_t i = 0; i < p->n_warnings; i++)
		warning_add(out, p->warning[i]);
	html_add_table(out, &page, "tally", NULL);
	strbuf_addstr(out, "<h2>How far results differ</h2>\n");
	html_add_table(out, &page, "pool", NULL);
	strbuf_addstr(out, "<h2>Who differs</h2>\n");
	html_add_figures(out, &page, "mandel-h", false);
	html_add_figures(out, &page, "mandel-k", false);
	html_add_table(out, &page, "suspects", NULL);
	html_add_table(out, &page, "laboratories", NULL);
	html_add_table(out, &page, "missing", NULL);
	strbuf_addstr(out, "</main>\n</body>\n</html>\n");
	strbuf_release(&sentence);
}
