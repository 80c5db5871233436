/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The head of the page: what a stranger takes away in ten seconds. */
#include <string.h>
#include <time.h>

#include "reports/escape.h"
#include "reports/first_screen.h"
#include "reports/html/html.h"
#include "reports/words.h"

#define DAY_NS 86400000000000

static const char *const verdict_class[] = {[VERDICT_TRUSTED] = "trusted",
					    [VERDICT_NOT_TRUSTED] = "not",
					    [VERDICT_INCONCLUSIVE] = "inconclusive"};
static const char *const verdict_sign[] = {
    [VERDICT_TRUSTED] = "✓", [VERDICT_NOT_TRUSTED] = "✗", [VERDICT_INCONCLUSIVE] = "?"};

static void add_date(struct strbuf *out, int64_t ns, const char *format)
{
	time_t s = (time_t)(ns / 1000000000);
	struct tm tm;
	char text[40];
	if (gmtime_r(&s, &tm) && strftime(text, sizeof text, format, &tm))
		strbuf_addstr(out, text);
}

static void add_dates(struct strbuf *out, const struct results *r)
{
	int64_t first = INT64_MAX, last = 0;
	for (size_t i = 0; i < r->n_runs; i++) {
		int64_t t = r->run[i].started_ns;
		if (t > 0 && t < first)
			first = t;
		if (t > last)
			last = t;
	}
	if (!last)
		return;
	strbuf_addstr(out, " · measured ");
	add_date(out, first, "%Y-%m-%d %H:%M");
	strbuf_addstr(out, " to ");
	add_date(out, last, first / DAY_NS == last / DAY_NS ? "%H:%M" : "%Y-%m-%d %H:%M");
	strbuf_addstr(out, " UTC");
}

static void add_replayers(struct strbuf *out, const struct analysis *a)
{
	strbuf_addstr(out, "<ul class=\"lines\">\n");
	for (size_t i = 0; i < a->results->protocol.n_replayers; i++) {
		struct strbuf line = STRBUF_INIT;
		first_screen_replayer(&line, a, i);
		html_add_text(out, "<li><b>", a->results->protocol.replayer[i].name, "</b>: ");
		escape_html(out, line.s);
		strbuf_addstr(out, "</li>\n");
		strbuf_release(&line);
	}
	strbuf_addstr(out, "</ul>\n");
}

static void add_next(struct strbuf *out, const struct analysis *a)
{
	struct strbuf text = STRBUF_INIT, command = STRBUF_INIT;
	first_screen_next(&text, &command, a, "DIR");
	if (text.len)
		html_add_text(out, "<h2 id=\"next\" class=\"next\">What to do next</h2>\n<p>",
			      text.s, "</p>\n");
	if (command.len) {
		strbuf_addstr(out, "<pre><code>");
		escape_html(out, command.s);
		strbuf_addstr(out, "</code></pre>\n<p class=\"note\">DIR is the results directory "
				   "of this report.</p>\n");
	}
	strbuf_release(&text);
	strbuf_release(&command);
}

static void add_headline(struct strbuf *out, const struct analysis *a)
{
	const char *class = a->n_cells ? verdict_class[a->verdict] : "none";
	struct strbuf line = STRBUF_INIT;
	first_screen_verdict(&line, a);
	strbuf_addf(
	    out,
	    "<section class=\"banner %s\" aria-label=\"Verdict\">\n<p class=\"big\">%s %s</p>\n",
	    class, verdict_sign[a->verdict], line.s);
	strbuf_reset(&line);
	if (a->n_cells)
		add_replayers(out, a);
	else
		strbuf_addstr(out, "<p>No scenario has a complete block of runs.</p>\n");
	words_add_machine(&line, a);
	if (line.len)
		strbuf_addf(out, "<p>%s.</p>\n", line.s);
	strbuf_release(&line);
	strbuf_addstr(out, "</section>\n");
	add_next(out, a);
}

static void add_assessed(struct strbuf *out, const struct analysis *a)
{
	strbuf_addstr(out, "<p>Assessed: ");
	words_add_components(out, a, true);
	strbuf_addstr(out, ". <b>Not assessed:</b> ");
	words_add_components(out, a, false);
	strbuf_addstr(out, ".</p>\n");
}

static void add_matrix_cell(struct strbuf *out, const struct analysis *a, size_t scenario,
			    size_t replayer)
{
	size_t i = 0;
	while (i < a->n_cells &&
	       (a->cell[i].scenario != scenario || a->cell[i].replayer != replayer))
		i++;
	if (i == a->n_cells) {
		const bool *applies = a->results->protocol.replayer[replayer].applies;
		strbuf_addf(out, "<td><small>%s</small></td>",
			    applies && !applies[scenario] ? "not planned" : "no complete block");
		return;
	}
	struct strbuf bias = STRBUF_INIT;
	strbuf_addf(out, "<td><a href=\"#case-%zu\">", i + 1);
	html_add_case_chip(out, &a->cell[i]);
	words_add_estimate(&bias, &a->cell[i].component[COMPONENT_BIAS], true);
	strbuf_addstr(out, "</a><small>bias ");
	html_add_number(out, bias.s);
	strbuf_addstr(out, "</small></td>");
	strbuf_release(&bias);
}

static void add_matrix(struct strbuf *out, const struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	html_begin_wide(out, "Verdicts");
	strbuf_addstr(out, "<table class=\"matrix\"><caption>Verdict of each replayer in each "
			   "scenario, with the bias of its mean response time (± half of "
			   "the "
			   "95 % interval)</caption>\n<thead><tr><th scope=\"col\">Scenario</th>");
	for (size_t r = 0; r < p->n_replayers; r++)
		html_add_text(out, "<th scope=\"col\">", p->replayer[r].name, "</th>");
	strbuf_addstr(out, "</tr></thead>\n<tbody>\n");
	for (size_t s = 0; s < p->n_scenarios; s++) {
		strbuf_addstr(out, text_width(p->scenario[s].name) > 34
				       ? "<tr><th scope=\"row\" class=\"l\">"
				       : "<tr><th scope=\"row\">");
		escape_html(out, p->scenario[s].name);
		strbuf_addstr(out, "</th>");
		for (size_t r = 0; r < p->n_replayers; r++)
			add_matrix_cell(out, a, s, r);
		strbuf_addstr(out, "</tr>\n");
	}
	strbuf_addstr(out, "</tbody></table></div>\n");
}

void html_add_verdict(struct strbuf *out, const struct html_page *p)
{
	static const enum verdict each[] = {VERDICT_TRUSTED, VERDICT_NOT_TRUSTED,
					    VERDICT_INCONCLUSIVE};
	strbuf_addstr(out, "<header>\n<h1>");
	escape_html(out, words_title(p->a));
	strbuf_addf(out,
		    "</h1>\n<p class=\"sub\">May these trace replayers be believed? Method "
		    "validation by validate %s",
		    VALIDATE_VERSION);
	add_dates(out, p->a->results);
	strbuf_addstr(out, "</p>\n</header>\n");
	add_headline(out, p->a);
	if (!p->a->n_cells)
		return;
	strbuf_addstr(out, "<h2 id=\"which\">Which replayer for what</h2>\n");
	add_matrix(out, p->a);
	strbuf_addstr(out, "<ul>\n");
	for (size_t i = 0; i < 3; i++) {
		strbuf_addstr(out, "<li>");
		html_add_verdict_chip(out, each[i]);
		strbuf_addf(out, " %s.</li>\n", words_verdict_meaning(each[i]));
	}
	strbuf_addstr(out, "</ul>\n<p>A case is one replayer in one scenario. A verdict holds for "
			   "the workloads, the machine and the "
			   "target named below, and for the components that were assessed. It says "
			   "nothing about others.</p>\n");
	add_assessed(out, p->a);
}
