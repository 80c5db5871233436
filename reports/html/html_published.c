/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the page in addition to the verdict: published findings, parallel applications, rated
 * ranges. */
#include "reports/escape.h"
#include "reports/html/html.h"
#include "reports/words.h"

static void add_claim(struct strbuf *out, const struct analysis *a, size_t i)
{
	const struct claim *c = &a->results->protocol.claim[i];
	SCOPED_STRBUF here = STRBUF_INIT;
	strbuf_addstr(out, "<li><p>");
	html_add_chip(out, a->claim[i].outcome, claim_outcome_names[a->claim[i].outcome]);
	html_addf(out, " <b>%s</b><br>\nSource: %s. ", c->text, c->source);
	if (c->published)
		html_addf(out, "Published: %s. ", c->published);
	strbuf_addstr(out, "Here: ");
	published_add_outcome(&here, a, i);
	html_add_number(out, here.s);
	strbuf_addstr(out, ".</p></li>\n");
}

void html_add_published(struct strbuf *out, const struct html_page *p)
{
	const struct analysis *a = p->a;
	if (!a->n_claims && !a->n_published)
		return;
	strbuf_addstr(out, "<h2 id=\"published\">Published findings, tested here</h2>\n");
	if (a->n_claims) {
		strbuf_addstr(out, "<p>Confidence intervals decide each finding. A finding is "
			"confirmed if, in every comparison, its interval lies on the side that the "
			"publication states. A finding is not confirmed if an interval lies on the "
			"other side. Otherwise the finding is inconclusive. The intervals of a "
			"finding hold jointly, with 95 % confidence. They assume that runs are "
			"independent. The decisions on components do not assume this.</p>\n<ul "
			"class=\"claims\">\n");
		for (size_t i = 0; i < a->n_claims; i++)
			add_claim(out, a, i);
		strbuf_addstr(out, "</ul>\n");
		html_add_folded_table(out, p, "finding-comparisons",
				      "Every comparison, with its interval", NULL);
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
	html_add_folded_table(out, p, "published", "Published and measured values",
			      NULL);
}

void html_add_parallel(struct strbuf *out, const struct html_page *p)
{
	if (!p->a->parallel)
		return;
	strbuf_addstr(out, "<h2 id=\"parallel\">Parallel applications</h2>\n<p>The time that a "
			   "process waits depends on the other processes and on the storage. To "
			   "test whether the replay reproduces this dependence, an application is "
			   "recorded on one target and replayed on another. The application also "
			   "runs on the target of the replay: the error is the relative difference "
			   "between the execution times of the application and the replay on this "
			   "target.</p>\n");
	html_add_table(out, p, "parallel-replayers", NULL);
	html_add_figures(out, p, "parallel-error", false);
	html_add_figures(out, p, "parallel-period", true);
	html_add_figures(out, p, "parallel-nodes", true);
	html_add_figures(out, p, "bandwidth", true);
	html_add_folded_table(
	    out, p, "parallel-worst",
	    "Largest error of each application, its published value and the cost of recording",
	    NULL);
	html_add_folded_table(out, p, "parallel", "Every case, with its uncertainty", NULL);
	if (p->a->parallel->n_hosts)
		html_add_folded_table(out, p, "parallel-hosts", "Response times of each host",
				      NULL);
	strbuf_addstr(out, "<p class=\"note\">Response times of each node (traced thread): "
		"<a href=\"tables/parallel-nodes.csv\">tables/parallel-nodes.csv</a>.</p>\n");
}

void html_add_rated_range(struct strbuf *out, const struct html_page *p)
{
	const struct analysis *a = p->a;
	bool any = false;
	for (size_t i = 0; i < a->n_rated; i++)
		any |= a->rated[i].n >= 2;
	if (any)
		strbuf_addf(out, "<p>The list shows the highest rate up to which every case has "
			    "the verdict \"%s\". If the threads pause between requests, the list "
			    "also shows the shortest gap between a thread's requests: every case "
			    "with this gap or a longer gap has this verdict.</p>\n<ul "
			    "class=\"wide\">\n", words_claim_verdict(a, VERDICT_TRUSTED));
	for (size_t i = 0; i < a->n_rated; i++) {
		SCOPED_STRBUF line = STRBUF_INIT;
		if (a->rated[i].n < 2)
			continue;
		rated_add_words(&line, a, &a->rated[i], true);
		html_addf(out, "<li>%s.</li>\n", line.s);
	}
	if (any)
		strbuf_addstr(out, "</ul>\n");
	html_add_table(out, p, "rated-range", NULL);
	html_add_table(out, p, "blank", NULL);
}
