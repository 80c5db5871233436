/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rated ranges, and limits of quantification. */
#include "reports/escape.h"
#include "reports/html/html.h"
#include "reports/rated_words.h"
#include "validate/analysis/rated_range.h"

void html_add_rated_range(struct strbuf *out, const struct html_page *p)
{
	const struct analysis *a = p->a;
	size_t n = 0;
	for (size_t i = 0; i < a->n_rated; i++)
		n += a->rated[i].n > 1;
	if (n) {
		strbuf_addstr(out, "<h2 id=\"rated\">Rated range</h2>\n<p>Up to which rate, and down to which gap between a thread's "
				   "requests, everything was trusted.</p>\n<ul>\n");
		for (size_t i = 0; i < a->n_rated; i++) {
			struct strbuf line = STRBUF_INIT;
			if (a->rated[i].n < 2)
				continue;
			rated_add_words(&line, a, &a->rated[i]);
			strbuf_addstr(out, "<li>");
			escape_html(out, line.s);
			strbuf_addstr(out, ".</li>\n");
			strbuf_release(&line);
		}
		strbuf_addstr(out, "</ul>\n");
		html_add_folded_table(out, p, "rated-range", "Every case by rate and gap", NULL);
	}
	html_add_folded_table(out, p, "blank", "Limit of quantification: replays without calls", NULL);
}
