/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings and values of the literature beside what was found here. */
#include "reports/escape.h"
#include "reports/html/html.h"
#include "reports/published_words.h"

static void add_chip(struct strbuf *out, enum claim_outcome o)
{
	static const struct {
		const char *class, *sign;
	} look[] = {[CLAIM_CONFIRMED] = {"trusted", "✓"},
		    [CLAIM_NOT_CONFIRMED] = {"not", "✗"},
		    [CLAIM_INCONCLUSIVE] = {"inconclusive", "?"},
		    [CLAIM_NOT_ASSESSED] = {"none", "·"}};
	strbuf_addf(out, "<span class=\"chip %s\"><b>%s</b> %s</span>", look[o].class, look[o].sign, claim_outcome_names[o]);
}

static void add_claim(struct strbuf *out, const struct analysis *a, size_t i)
{
	const struct claim *c = &a->results->protocol.claim[i];
	struct strbuf here = STRBUF_INIT;
	strbuf_addstr(out, "<li><p>");
	add_chip(out, a->claim[i].outcome);
	strbuf_addstr(out, " <b>");
	escape_html(out, c->text);
	strbuf_addstr(out, "</b> <small>");
	escape_html(out, c->source);
	strbuf_addstr(out, "</small><br>\n");
	if (c->published) {
		strbuf_addstr(out, "Published: ");
		escape_html(out, c->published);
		strbuf_addstr(out, ". ");
	}
	strbuf_addstr(out, "Here: ");
	published_add_outcome(&here, a, i);
	html_add_number(out, here.s);
	strbuf_addstr(out, ".</p></li>\n");
	strbuf_release(&here);
}

void html_add_published(struct strbuf *out, const struct html_page *p)
{
	const struct analysis *a = p->a;
	if (!a->n_claims && !a->n_published)
		return;
	strbuf_addstr(out, "<h2 id=\"published\">What was published, and what was found here</h2>\n");
	if (a->n_claims) {
		strbuf_addstr(out, "<p>Each finding is looked at by intervals: confirmed where they lie on the published side in "
				   "every comparison, not confirmed where one lies on the other side, else inconclusive.</p>\n<ul "
				   "class=\"claims\">\n");
		for (size_t i = 0; i < a->n_claims; i++)
			add_claim(out, a, i);
		strbuf_addstr(out, "</ul>\n");
		html_add_folded_table(out, p, "finding-comparisons", "Every comparison, with its interval", NULL);
	}
	if (*published_defects(a))
		strbuf_addstr(out, "<p>Known errors in the published numbers:</p>\n<ul>\n");
	for (const char *const *defect = published_defects(a); *defect; defect++) {
		strbuf_addstr(out, "<li>");
		html_add_number(out, *defect);
		strbuf_addstr(out, "</li>\n");
	}
	if (*published_defects(a))
		strbuf_addstr(out, "</ul>\n");
	html_add_folded_table(out, p, "published", "Published values beside those measured here", NULL);
}
