/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the differences come from: a sentence for each case that is not trusted or differs
 * significantly; the numbers are folded. */
#include "reports/escape.h"
#include "reports/html/html.h"
#include "reports/words.h"
#include "validate/analysis/why.h"

static bool is_shown(const struct why *w, bool rejected)
{
	return w->shown && w->rejected == rejected;
}

static size_t n_shown(const struct analysis *a, bool rejected)
{
	size_t n = 0;
	for (size_t i = 0; a->why && i < a->n_cells; i++)
		n += is_shown(&a->why[i], rejected);
	return n;
}

static void add_sentences(struct strbuf *out, const struct analysis *a, bool rejected)
{
	strbuf_addstr(out, "<ul>\n");
	for (size_t i = 0; i < a->n_cells; i++) {
		struct strbuf name = STRBUF_INIT;
		if (!is_shown(&a->why[i], rejected))
			continue;
		words_add_cell(&name, a, &a->cell[i]);
		strbuf_addf(out, "<li><a href=\"#case-%zu\">", i + 1);
		escape_html(out, name.s);
		html_add_text(out, "</a>: ", a->why[i].sentence, ".</li>\n");
		strbuf_release(&name);
	}
	strbuf_addstr(out, "</ul>\n");
}

static bool row_wanted(const struct table *t, size_t row, const void *arg)
{
	const bool *rejected = arg;
	return (table_at(t, row, 2)->verdict == VERDICT_NOT_TRUSTED) == *rejected;
}

static void add_table(struct strbuf *out, const struct html_page *p, bool rejected,
		      const char *summary)
{
	static const char *const keys[] = {"scenario", "replayer", "difference_of", "cause",
					   "part",     "share",    "obtained_by",   NULL};
	html_add_folded_table(out, p, "why", summary,
			      &(struct html_table_view){.keys = keys, .wanted = row_wanted, .arg = &rejected});
}

void html_add_why(struct strbuf *out, const struct html_page *p)
{
	static const struct {
		bool rejected;
		const char *heading, *summary;
	} part[] = {{true, "Cases that are not trusted:",
		     "Every part with its interval, and how it was obtained"},
		    {false,
		     "Other cases whose difference is significant (its 95 % interval excludes 0):",
		     "Every part with its interval, for the other cases"}};
	if (!n_shown(p->a, true) && !n_shown(p->a, false))
		return;
	strbuf_addstr(out, "<h2 id=\"causes\">Why the replays differ</h2>\n<p>Each difference from "
			   "the program is split into the "
			   "causes that the runs show.</p>\n");
	for (size_t i = 0; i < 2; i++) {
		if (!n_shown(p->a, part[i].rejected))
			continue;
		strbuf_addf(out, "<p>%s</p>\n", part[i].heading);
		add_sentences(out, p->a, part[i].rejected);
		add_table(out, p, part[i].rejected, part[i].summary);
	}
}
