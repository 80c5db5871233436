/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A section for each case: figures, components, reasons; and the causes of the differences. */
#include "reports/escape.h"
#include "reports/html/html.h"
#include "reports/words.h"
#include "validate/components/component.h"

#define MOST_SENTENCES 8 /* number of sentences about causes that are shown unfolded */
#define OPEN_CASES 4     /* sections that are unfolded when the page opens */

/* --- causes -------------------------------------------------------------- */

/* Returns whether there is a case that is not trusted. */
static bool add_causes(struct strbuf *out, const struct analysis *a)
{
	size_t n = 0;
	SCOPED_STRBUF notes = STRBUF_INIT;
	words_add_why_notes(&notes, a);
	for (size_t i = 0; a->why && i < a->n_cells; i++) {
		if (!a->why[i].shown || !a->why[i].rejected)
			continue;
		if (!n)
			strbuf_addf(out, "<h2 id=\"causes\">Why the replays differ</h2>\n<p>For "
				"each case with the verdict \"%s\", the list states how the "
				"replay differs from the program, and which causes the runs show. "
				"Unexplained service time is the part of a difference for which no "
				"cause was measured.%s</p>\n<ul class=\"wide\">\n",
				words_claim_verdict(a, VERDICT_NOT_TRUSTED), notes.s);
		if (n++ == MOST_SENTENCES)
			strbuf_addstr(out, "</ul>\n<details><summary>More of these "
					   "cases</summary>\n<ul class=\"wide\">\n");
		SCOPED_STRBUF name = STRBUF_INIT;
		words_add_cell(&name, a, &a->cell[i]);
		html_addf(out, "<li><a href=\"#case-%zu\">%s</a>:<ul class=\"wide\">\n", i + 1,
			  name.s);
		strbuf_reset(&name);
		words_add_why(&name, &a->why[i]);
		for (const char *part = name.s, *end; part; part = end ? end + 2 : NULL) {
			end = strstr(part, "; ");
			SCOPED_FREE char *text =
			    xasprintf("%.*s", end ? (int)(end - part) : INT_MAX, part);
			html_addf(out, "<li>%s</li>\n", text);
		}
		strbuf_addstr(out, "</ul></li>\n");
	}
	if (n)
		strbuf_addstr(out, n > MOST_SENTENCES ? "</ul>\n</details>\n" : "</ul>\n");
	return n;
}

/* --- a case -------------------------------------------------------------- */

static void add_component(struct strbuf *out, const struct component *c)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	strbuf_addf(out, "<tr><th scope=\"row\">%s</th><td>", components[c->kind]->title);
	html_add_chip(out, c->decision, decision_name(c->decision));
	strbuf_addstr(out, "</td><td class=\"n\">");
	words_add_estimate(&text, c, false);
	html_add_number(out, text.s);
	strbuf_addstr(out, "</td><td class=\"bars\">");
	html_add_bar(out, c);
	strbuf_addstr(out, "</td><td class=\"n lim\">");
	strbuf_reset(&text);
	words_add_limit(&text, c->kind, c->limit);
	strbuf_addf(out, "%s</td></tr>\n", text.s);
}

static void add_components(struct strbuf *out, const struct analysis *a, const struct cell *c,
			   const char *name)
{
	html_begin_wide(out, name);
	strbuf_addstr(out, "<table class=\"strip\"><thead><tr><th scope=\"col\">Component</th><th "
			   "scope=\"col\">Decision</th><th scope=\"col\" class=\"n\">Estimate "
			   "[95\u00a0%]</th><th scope=\"col\" class=\"bars\">");
	html_add_bar_scale(out);
	strbuf_addstr(out,
		      "</th><th scope=\"col\" class=\"n lim\">Limit</th></tr></thead>\n<tbody>\n");
	for (int k = 0; k < COMPONENT_N; k++)
		if (a->assessed[k] && c->component[k].decision != DECISION_NOT_APPLICABLE &&
		    c->component[k].decision != DECISION_NOT_ASSESSED)
			add_component(out, &c->component[k]);
	strbuf_addstr(out, "</tbody></table></div>\n");
}

static void add_reason(struct strbuf *out, struct strbuf *names, const struct strbuf *reason)
{
	strbuf_addf(out, "<li>%s: %s.</li>\n", names->s, reason->s);
	strbuf_reset(names);
}

/* Appends why components are not accepted, and what would decide the inconclusive components.
 * Neighbours with the same reason share a line. */
static void add_reasons(struct strbuf *out, const struct cell *c)
{
	SCOPED_STRBUF names = STRBUF_INIT, reason = STRBUF_INIT;
	for (int k = 0; k < COMPONENT_N; k++) {
		const struct component *m = &c->component[k];
		if (m->decision != DECISION_REJECT && m->decision != DECISION_INCONCLUSIVE)
			continue;
		SCOPED_STRBUF text = STRBUF_INIT;
		escape_html(&text, m->reason);
		if (m->decision == DECISION_INCONCLUSIVE && m->n_more && !m->impractical)
			words_add_decides(&text, m->n_more, "component");
		if (names.len && strcmp(text.s, reason.s))
			add_reason(out, &names, &reason);
		strbuf_addf(&names, "%s%s", names.len ? ", " : "", components[k]->title);
		strbuf_reset(&reason);
		strbuf_add(&reason, text.s, text.len);
	}
	if (names.len)
		add_reason(out, &names, &reason);
}

static void add_facts(struct strbuf *out, const struct analysis *a, size_t i)
{
	const struct cell *c = &a->cell[i];
	SCOPED_STRBUF text = STRBUF_INIT;
	strbuf_addf(out, "<p class=\"facts\">%u pair%s of runs", c->n_pairs,
		    c->n_pairs == 1 ? "" : "s");
	if (c->n_failed_program || c->n_failed_replayer)
		strbuf_addf(out, "; failed: %u run%s of the program and %u replay%s",
			    c->n_failed_program, c->n_failed_program == 1 ? "" : "s",
			    c->n_failed_replayer, c->n_failed_replayer == 1 ? "" : "s");
	html_addf(out, *c->first_failure ? ", the first: %s. " : "%s. ", c->first_failure);
	words_add_uncertainty(&text, c, 1);
	if (text.len)
		strbuf_addf(out, "%s. ", text.s);
	strbuf_reset(&text);
	if (a->why && a->why[i].shown && !a->why[i].rejected) {
		words_add_why(&text, &a->why[i]);
		html_addf(out, "Comparison with the program: %s.", text.s);
	}
	strbuf_addstr(out, "</p>\n");
}

static void add_figures(struct strbuf *out, const struct html_page *p, size_t i)
{
	static const char *const kinds[] = {"distribution", "runs", "concurrency", "causes"};
	size_t n = 0;
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		char name[40];
		snprintf(name, sizeof name, "%s-%zu", kinds[k], i + 1);
		const struct figure *f = figure_find(p->figures, name);
		if (!f || !f->svg.len)
			continue;
		strbuf_addstr(out, n++ ? "" : "<div class=\"four\">\n");
		html_add_figure(out, f, true);
	}
	strbuf_addstr(out, n ? "</div>\n" : "");
}

static void add_case(struct strbuf *out, const struct html_page *p, size_t i, bool open)
{
	const struct cell *c = &p->a->cell[i];
	SCOPED_STRBUF text = STRBUF_INIT;
	words_add_cell(&text, p->a, c);
	html_addf(out, open ? "<details open><summary>%s " : "<details><summary>%s ", text.s);
	html_add_case_chip(out, p->a, c);
	strbuf_addf(out, "</summary>\n<div id=\"case-%zu\">\n", i + 1);
	add_facts(out, p->a, i);
	strbuf_addstr(out, "<div class=\"case\">\n");
	add_figures(out, p, i);
	add_components(out, p->a, c, text.s);
	strbuf_addstr(out, "</div>\n");
	strbuf_reset(&text);
	add_reasons(&text, c);
	if (text.len)
		strbuf_addf(out, "<ul class=\"wide\">\n%s</ul>\n", text.s);
	strbuf_addstr(out, "</div>\n</details>\n");
}

/* Chooses which sections are unfolded: at most OPEN_CASES, cases that are not trusted first. */
static bool *choose_open(const struct analysis *a)
{
	static const enum verdict order[] = {VERDICT_NOT_TRUSTED, VERDICT_INCONCLUSIVE,
					     VERDICT_TRUSTED};
	bool *open = xcalloc(a->n_cells + 1, sizeof *open);
	size_t n = 0;
	for (size_t k = 0; k < sizeof order / sizeof *order; k++)
		for (size_t i = 0; i < a->n_cells; i++)
			if (a->cell[i].verdict == order[k])
				open[i] = n++ < OPEN_CASES;
	return open;
}

void html_add_cases(struct strbuf *out, const struct html_page *p)
{
	const struct analysis *a = p->a;
	if (!a->n_cells)
		return;
	const bool has_causes = add_causes(out, a);
	strbuf_addstr(out, "<h2 id=\"cases\">Every case</h2>\n<p>A case is one replayer in one "
		"scenario. Its verdict holds for this scenario on this machine, and for the "
		"components that were assessed.");
	if (!has_causes)
		words_add_why_notes(out, a);
	words_add_not_visible(out, " The recordings do not show these requests: ", a, ".");
	if (p->figures->n_left_out)
		strbuf_addf(out, " To keep the page small, %zu plot%s left out. The "
			"tables have the numbers.", p->figures->n_left_out,
			p->figures->n_left_out == 1 ? " is" : "s are");
	strbuf_addstr(out, "</p>\n");
	html_add_missing(out, p->figures);
	SCOPED_FREE bool *open = choose_open(a);
	for (size_t i = 0; i < a->n_cells; i++)
		add_case(out, p, i, open[i]);
}
