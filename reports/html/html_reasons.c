/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Warnings, why something is not accepted, and how each component is judged. */
#include "reports/escape.h"
#include "reports/html/html.h"
#include "reports/words.h"
#include "validate/components/component.h"

#define MAX_FINDINGS 6 /* more of them are folded, all but half of that */

static void add_warnings(struct strbuf *out, const struct findings *f)
{
	if (!f->n_warnings)
		return;
	strbuf_addstr(out, "<h2 id=\"warnings\">Warnings</h2>\n<ul class=\"warnings\">\n");
	for (size_t i = 0; i < f->n_warnings; i++)
		html_add_text(out, "<li>", f->warning[i], "</li>\n");
	strbuf_addstr(out, "</ul>\n");
}

static void add_cases(struct strbuf *out, const struct analysis *a, const struct finding *f)
{
	for (size_t i = 0; i < f->n_cells; i++) {
		struct strbuf name = STRBUF_INIT;
		words_add_cell(&name, a, &a->cell[f->cell[i]]);
		strbuf_addf(out, "%s<a href=\"#case-%zu\">", i ? "; " : "", f->cell[i] + 1);
		escape_html(out, name.s);
		strbuf_addstr(out, "</a>");
		strbuf_release(&name);
	}
}

static void add_findings(struct strbuf *out, const struct analysis *a,
			 const struct finding_group *g, size_t from, size_t to)
{
	strbuf_addstr(out, "<ul>\n");
	for (size_t i = from; i < to; i++) {
		strbuf_addstr(out, "<li>");
		add_cases(out, a, &g->finding[i]);
		html_add_text(out, ": ", g->finding[i].reason, "</li>\n");
	}
	strbuf_addstr(out, "</ul>\n");
}

static void add_group(struct strbuf *out, const struct analysis *a, const struct finding_group *g)
{
	strbuf_addf(out, "<h3>%s ", components[g->kind]->title);
	html_add_decision(out, g->decision);
	strbuf_addf(out, " in %zu of %zu case%s</h3>\n<p>%s", g->n_cells, a->n_cells,
		    a->n_cells == 1 ? "" : "s", components[g->kind]->meaning);
	words_add_more(out, g);
	strbuf_addstr(out, "</p>\n");
	size_t n = g->n_findings > MAX_FINDINGS ? MAX_FINDINGS / 2 : g->n_findings;
	add_findings(out, a, g, 0, n);
	if (n < g->n_findings) {
		strbuf_addf(out, "<details><summary>%zu more</summary>\n", g->n_findings - n);
		add_findings(out, a, g, n, g->n_findings);
		strbuf_addstr(out, "</details>\n");
	}
}

static void add_how(struct strbuf *out, const struct html_page *p)
{
	const struct analysis *a = p->a;
	strbuf_addf(
	    out,
	    "<h2 id=\"how\">How it was judged</h2>\n"
	    "<p>A replayer is trusted in a scenario when every assessed component is accepted, "
	    "each with a risk of at most %.3g %% of accepting wrongly. It is not trusted when a "
	    "component is rejected; all rejections of this report together (%u tests) carry a "
	    "risk of at most %.3g %% of being wrong (Holm's method). Otherwise the verdict stays "
	    "open: inconclusive.",
	    100 * (a->look ? a->level_accept : 0.05), a->n_rejection_tests,
	    100 * (a->look ? a->level_reject : 0.01));
	if (a->results->protocol.n_looks > 1)
		strbuf_addf(out,
			    " Verdicts are made at planned numbers of replicates only; this is "
			    "look %u of %u, at %u "
			    "replicates, with the share "
			    "of the risk that it may spend.",
			    a->look, a->results->protocol.n_looks, a->n_replicates);
	strbuf_addstr(out, "</p>\n<details open><summary>Component by component</summary>\n<dl>\n");
	for (int k = 0; k < COMPONENT_N; k++) {
		struct strbuf limit = STRBUF_INIT;
		const struct component_row *w = components[k];
		words_add_limits(&limit, &p->a->results->protocol, k);
		strbuf_addf(out, "<dt>%s%s</dt>\n<dd>%s", w->title,
			    p->a->assessed[k] ? "" : " (not assessed)", w->meaning);
		if (limit.len)
			strbuf_addf(out, " <b>Limit %s</b>: %s.", limit.s, w->rule);
		strbuf_addf(out, " <span class=\"src\">%s</span></dd>\n", w->source);
		strbuf_release(&limit);
	}
	strbuf_addstr(out, "</dl>\n</details>\n");
}

void html_add_reasons(struct strbuf *out, const struct html_page *p)
{
	add_warnings(out, p->findings);
	html_add_why(out, p);
	if (p->findings->n_groups)
		strbuf_addstr(out, "<h2 id=\"why\">What was not accepted, and why</h2>\n");
	for (size_t i = 0; i < p->findings->n_groups; i++)
		add_group(out, p->a, &p->findings->group[i]);
	html_add_rated_range(out, p);
	if (p->a->n_cells) {
		strbuf_addstr(out,
			      "<details><summary>The numbers behind every verdict</summary>\n");
		html_add_table(out, p, "summary", NULL);
		strbuf_addstr(out, "</details>\n");
	}
	add_how(out, p);
}
