/* SPDX-License-Identifier: GPL-3.0-or-later */
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
	html_add_text(out, "<p class=\"warnings\"><strong>Warning:</strong> ", text, "</p>\n");
}

void pool_html_add(struct strbuf *out, const void *study, const struct tables *ts,
		   const struct figures *fs)
{
	const struct pool *p = study;
	const struct html_page page = {NULL, ts, fs, NULL};
	struct strbuf title = STRBUF_INIT, sentence = STRBUF_INIT;
	pool_sentence_add(&sentence, p);
	strbuf_addf(&title, "Between laboratories: %s", p->laboratory[0].baseline->title);
	html_begin_page(out, title.s, true, NULL);
	svg_add_symbols(out);
	html_add_text(out, "<main>\n<h1>", title.s, "</h1>\n");
	strbuf_addf(out, "<div class=\"banner %s\">", has_outlier(p) ? "inconclusive" : "trusted");
	html_add_text(out, "<p class=\"big\">", sentence.s, "</p></div>\n");
	html_add_text(out, "<p>", pool_explanation, "</p>\n");
	if (p->difference)
		warning_add(out, p->difference);
	for (size_t i = 0; i < p->n_warnings; i++)
		warning_add(out, p->warning[i]);
	html_add_table(out, &page, "tally", NULL);
	strbuf_addstr(out, "<h2>How far results differ</h2>\n");
	html_add_table(out, &page, "pool", NULL);
	strbuf_addstr(out, "<h2>Laboratories that differ</h2>\n");
	html_add_figures(out, &page, "mandel-h", false);
	html_add_figures(out, &page, "mandel-k", false);
	html_add_table(out, &page, "suspects", NULL);
	html_add_table(out, &page, "laboratories", NULL);
	html_add_table(out, &page, "missing", NULL);
	strbuf_addstr(out, "</main>\n</body>\n</html>\n");
	strbuf_release(&title);
	strbuf_release(&sentence);
}
