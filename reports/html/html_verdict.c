/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first screen: verdict, cause for each replayer, next step, heat map of cases by components;
 * below it the deciding interval of each case. */

#include "reports/escape.h"
#include "reports/html/html.h"
#include "reports/number.h"
#include "reports/words.h"
#include "validate/components/component.h"
#include "validate/results/identity.h"

#define DAY_NS 86400000000000
#define LEAST_SHOWN 0.05 /* smallest multiple of the limit for which the heat map shows a number */
#define BAR_SPAN 2.0     /* length of half a bar, as a multiple of the limit */

static void add_dates(struct strbuf *out, const struct results *r)
{
	int64_t first, last;
	results_span(r, &first, &last);
	const bool same_day = first / DAY_NS == last / DAY_NS;
	if (last)
		strbuf_addf(out, " · measured %s to %s UTC", date_text(first, "%Y-%m-%d %H:%M").s,
			    date_text(last, same_day ? "%H:%M" : "%Y-%m-%d %H:%M").s);
}

static void add_replayers(struct strbuf *out, const struct analysis *a)
{
	strbuf_addstr(out, "<ul class=\"lines\">\n");
	for (size_t i = 0; i < a->results->protocol.n_replayers; i++) {
		SCOPED_STRBUF line = STRBUF_INIT;
		first_screen_replayer(&line, a, i);
		html_addf(out, "<li><b>%s</b>: %s</li>\n", a->results->protocol.replayer[i].name,
			  line.s);
	}
	strbuf_addstr(out, "</ul>\n");
}

static void add_next(struct strbuf *out, const struct analysis *a)
{
	SCOPED_STRBUF text = STRBUF_INIT, command = STRBUF_INIT;
	first_screen_next(&text, &command, a, "DIR");
	if (text.len)
		html_addf(out, "<p id=\"next\" class=\"next\"><b>What to do next.</b> %s</p>\n",
			text.s);
	if (command.len)
		html_addf(out, "<p class=\"next\"><code>%s</code> <small>(DIR is the results "
			"directory of this report)</small></p>\n", command.s);
}

static void add_banner(struct strbuf *out, const struct html_page *p)
{
	const struct analysis *a = p->a;
	const unsigned int outcome = a->n_cells ? a->verdict : DECISION_NOT_APPLICABLE;
	SCOPED_STRBUF line = STRBUF_INIT;
	first_screen_verdict(&line, a);
	strbuf_addf(out,
		    "<section class=\"banner %s\" aria-label=\"Verdict\">\n<p class=\"big\">%s "
		    "%s</p>\n",
		    html_looks[outcome].class, html_looks[outcome].sign, line.s);
	strbuf_reset(&line);
	if (a->n_cells)
		add_replayers(out, a);
	else
		strbuf_addstr(out, "<p>No replayer has a complete block (one run of the program "
			"and one of the replayer) in any scenario.</p>\n");
	words_add_machine(&line, a);
	if (line.len || p->findings->n_warnings)
		strbuf_addf(out, "<p class=\"note\">%s%s", line.s, line.len ? ". " : "");
	if (p->findings->n_warnings)
		strbuf_addf(out, "<a href=\"#warnings\">%zu warning%s</a>.",
			    p->findings->n_warnings, p->findings->n_warnings == 1 ? "" : "s");
	if (line.len || p->findings->n_warnings)
		strbuf_addstr(out, "</p>\n");
	strbuf_addstr(out, "</section>\n");
}

/* --- a component over its limit ------------------------------------------ */

/* Returns a value of the component as a multiple of its limit; 0 is the ideal value. */
static double over_limit(const struct component *c, double value)
{
	if (c->kind == COMPONENT_PRECISION)
		return log(fmax(value, 1e-9)) / log(c->limit);
	if (c->limit > 0)
		return value / c->limit;
	return value > 0 ? INFINITY : 0;
}

static bool has_value(const struct component *c)
{
	return c->decision <= DECISION_INCONCLUSIVE && !c->estimate.status &&
	       !isnan(c->estimate.value) && !isnan(c->limit);
}

/* In multiples of the limit. */
static void deciding_interval(const struct component *c, double *lo, double *hi)
{
	words_deciding_interval(c, lo, hi);
	*lo = over_limit(c, *lo);
	*hi = over_limit(c, *hi);
}

static double percent_at(double multiple)
{
	return 50 + 50 * fmax(-1, fmin(1, multiple / BAR_SPAN));
}

void html_add_bar(struct strbuf *out, const struct component *c)
{
	const bool two_sided = components[c->kind]->two_sided;
	double lo, hi;
	if (!has_value(c))
		return;
	const double value = over_limit(c, c->estimate.value);
	deciding_interval(c, &lo, &hi);
	strbuf_addf(out,
		    "<svg class=\"bar %s\" aria-hidden=\"true\"><rect x=\"%s%%\" width=\"%s%%\" "
		    "y=\"1\" height=\"16\"/><line x1=\"50%%\" x2=\"50%%\" y1=\"1\" y2=\"17\"/>",
		    html_looks[c->decision].class, two_sided ? "25" : "50",
		    two_sided ? "50" : "25");
	strbuf_addf(out, "<line class=\"i\" x1=\"%.1f%%\" x2=\"%.1f%%\" y1=\"9\" y2=\"9\"/>",
		    percent_at(lo), percent_at(hi));
	if (fabs(value) <= BAR_SPAN)
		strbuf_addf(out, "<circle cx=\"%.1f%%\" cy=\"9\" r=\"3.5\"/>", percent_at(value));
	else
		strbuf_addf(out, "<text x=\"%s\" y=\"14\" text-anchor=\"%s\">%s</text>",
			    value > 0 ? "100%" : "0", value > 0 ? "end" : "start",
			    value > 0 ? "▸" : "◂");
	strbuf_addstr(out, "</svg>");
}

void html_add_bar_scale(struct strbuf *out)
{
	static const struct {
		const char *at, *anchor, *text;
	} mark[] = {{"25%", "middle", "−1"}, {"50%", "middle", "0"}, {"75%", "middle", "+1"}};
	strbuf_addstr(out, "<svg class=\"bar scale\" aria-hidden=\"true\">");
	for (size_t i = 0; i < sizeof mark / sizeof *mark; i++)
		strbuf_addf(out, "<text x=\"%s\" y=\"14\" text-anchor=\"%s\">%s</text>", mark[i].at,
			    mark[i].anchor, mark[i].text);
	strbuf_addstr(out, "</svg>");
}

/* --- the heat map -------------------------------------------------------- */

static const struct cell *find_cell(const struct analysis *a, size_t scenario, size_t replayer)
{
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cell[i].scenario == scenario && a->cell[i].replayer == replayer)
			return &a->cell[i];
	return NULL;
}

/* Appends the estimate with few digits: "+1.2 %", "+0.13". */
static void add_short_estimate(struct strbuf *out, const struct component *c)
{
	const double value = c->estimate.value;
	const enum component_unit unit = components[c->kind]->unit;
	SCOPED_STRBUF text = STRBUF_INIT;
	if (unit == COMPONENT_CHANGE)
		strbuf_addf(&text, fabs(value) < 0.0995 ? "%+.1f %%" : "%+.0f %%", 100 * value);
	else if (unit == COMPONENT_NUMBER)
		strbuf_addf(&text, components[c->kind]->two_sided ? "%+.2f" : "%.2f", value);
	else
		words_add_size(&text, c->kind, c->estimate.value);
	html_add_number(out, text.s);
}

static void add_map_cell(struct strbuf *out, const struct component *c, size_t case_number)
{
	static const double step[] = {0.25, 0.5, 0.75, 1, 1.5};
	size_t heat = 0;
	if (has_value(c)) {
		const double size = fabs(over_limit(c, c->estimate.value));
		while (heat < sizeof step / sizeof *step && size > step[heat])
			heat++;
		strbuf_addf(out, "<td class=\"h%zu\">", heat);
	} else {
		strbuf_addstr(out, "<td>");
	}
	strbuf_addf(out, "<a href=\"#case-%zu\" title=\"%s: %s\">", case_number,
		    components[c->kind]->title, decision_name(c->decision));
	strbuf_addf(out,
		    c->decision == DECISION_REJECT || c->decision == DECISION_INCONCLUSIVE
			? "<b>%s</b>"
			: "%s",
		    html_looks[c->decision].sign);
	/* numbers close to 0 would hide the others */
	if (has_value(c) && fabs(over_limit(c, c->estimate.value)) >= LEAST_SHOWN) {
		strbuf_addstr(out, "<span>");
		add_short_estimate(out, c);
		strbuf_addstr(out, "</span>");
	}
	strbuf_addstr(out, "</a></td>");
}

static void add_map_row(struct strbuf *out, const struct analysis *a, size_t scenario,
			size_t replayer)
{
	const struct replayer *r = &a->results->protocol.replayer[replayer];
	const struct cell *c = find_cell(a, scenario, replayer);
	html_addf(out, "<tr><th scope=\"row\">%s</th>",
		a->results->protocol.scenario[scenario].name);
	if (!c) {
		strbuf_addf(out, "<td class=\"v\"><small>%s</small></td></tr>\n",
			    r->applies && !r->applies[scenario] ? "not planned"
								: "no complete block");
		return;
	}
	const size_t number = (size_t)(c - a->cell) + 1;
	strbuf_addf(out, "<td class=\"v\"><a href=\"#case-%zu\">", number);
	html_add_case_chip(out, a, c);
	strbuf_addstr(out, "</a></td>");
	for (int k = 0; k < COMPONENT_N; k++)
		if (a->assessed[k])
			add_map_cell(out, &c->component[k], number);
	strbuf_addstr(out, "</tr>\n");
}

static void add_map_head(struct strbuf *out, const struct analysis *a)
{
	strbuf_addstr(out, "<thead><tr><th scope=\"col\">Scenario</th><th scope=\"col\" "
			   "class=\"v\">Verdict</th>");
	for (int k = 0; k < COMPONENT_N; k++)
		if (a->assessed[k])
			strbuf_addf(out, "<th scope=\"col\"><span>%s</span></th>",
				    components[k]->title);
	strbuf_addstr(out, "</tr>\n<tr class=\"limits\"><td>limit</td><td></td>");
	for (int k = 0; k < COMPONENT_N; k++) {
		SCOPED_STRBUF limit = STRBUF_INIT;
		if (!a->assessed[k])
			continue;
		words_add_limits(&limit, &a->results->protocol, k);
		html_addf(out, "<td>%s</td>", limit.s);
	}
	strbuf_addstr(out, "</tr></thead>\n<tbody>\n");
}

static void add_map(struct strbuf *out, const struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	size_t n_columns = 2;
	for (int k = 0; k < COMPONENT_N; k++)
		n_columns += a->assessed[k];
	html_begin_wide(out, "Cases by components");
	strbuf_addstr(out, "<table class=\"map\" id=\"which\">");
	add_map_head(out, a);
	for (size_t r = 0; r < p->n_replayers; r++) {
		html_addf(out, "<tr class=\"g\"><th scope=\"rowgroup\" colspan=\"2\">%s</th><td "
			  "colspan=\"%zu\"></td></tr>\n", p->replayer[r].name, n_columns - 2);
		for (size_t s = 0; s < p->n_scenarios; s++)
			add_map_row(out, a, s, r);
	}
	strbuf_addstr(
	    out,
	    "</tbody></table></div>\n<p class=\"key\">Colour: deviation of the estimate from its "
	    "ideal value, in percent of the limit (for Precision on a logarithmic scale): <i "
	    "class=\"h0\">up to 25 %</i><i class=\"h1\">50 %</i><i class=\"h2\">75 %</i><i "
	    "class=\"h3\">100 %</i><i class=\"h4\">150 %</i><i class=\"h5\">more</i> Sign: ✓ "
	    "accepted, ✗ rejected, ? inconclusive, – not applicable, · not assessed. A sign "
	    "without a number: the deviation is below 5 % of the limit, or there is no estimate. "
	    "Each cell is a link to its case.</p>\n");
}

/* --- the deciding intervals ---------------------------------------------- */

/* Returns the component that decides a case: the rejected or inconclusive component that deviates
 * most; for an accepted case the component whose interval is nearest to its limit. NULL: no
 * component has an estimate. */
static const struct component *deciding_component(const struct cell *c)
{
	const enum decision wanted = c->verdict == VERDICT_NOT_TRUSTED    ? DECISION_REJECT
				     : c->verdict == VERDICT_INCONCLUSIVE ? DECISION_INCONCLUSIVE
									  : DECISION_ACCEPT;
	const struct component *most = NULL;
	double size = -1, lo, hi;
	for (int k = 0; k < COMPONENT_N; k++) {
		const struct component *m = &c->component[k];
		if (m->decision != wanted || !has_value(m))
			continue;
		deciding_interval(m, &lo, &hi);
		const double here = wanted != DECISION_ACCEPT
					? fabs(over_limit(m, m->estimate.value))
				    : components[m->kind]->two_sided ? fmax(fabs(lo), fabs(hi))
								     : hi;
		if (here > size) {
			size = here;
			most = m;
		}
	}
	return most;
}

static void add_strip_row(struct strbuf *out, const struct analysis *a, const struct cell *c)
{
	const struct component *m = deciding_component(c);
	SCOPED_STRBUF text = STRBUF_INIT;
	words_add_cell(&text, a, c);
	html_addf(out, "<tr><th scope=\"row\"><a href=\"#case-%zu\">%s</a></th><td>",
		  (size_t)(c - a->cell) + 1, text.s);
	if (m) {
		strbuf_addf(out, "%s\u00a0%s</td><td class=\"bars\">", html_looks[m->decision].sign,
			    components[m->kind]->title);
		html_add_bar(out, m);
		strbuf_addstr(out, "</td><td class=\"n\">");
		strbuf_reset(&text);
		words_add_estimate(&text, m, false);
		html_add_number(out, text.s);
		strbuf_addstr(out, "</td><td class=\"n lim\">");
		strbuf_reset(&text);
		words_add_limit(&text, m->kind, m->limit);
		strbuf_addstr(out, text.s);
	} else {
		strbuf_addstr(out, "no estimate</td><td></td><td></td><td class=\"lim\">");
	}
	strbuf_addstr(out, "</td></tr>\n");
}

static void add_strip(struct strbuf *out, const struct analysis *a)
{
	strbuf_addstr(out, "<h2 id=\"intervals\">What decides each case</h2>\n<p>The table shows "
		"one component of each case. If all components are accepted, this is the component "
		"whose interval comes nearest to its limit. If components are rejected, it is the "
		"rejected component whose estimate is the largest multiple of its limit. "
		"Otherwise, it is the inconclusive component whose estimate is the largest "
		"multiple of its limit. Each bar is the interval of the test, in multiples of the "
		"limit. The shaded part is within the limit. ");
	strbuf_addf(out,
		    "%s only if no bar of its components extends beyond the limit. A bar can be "
		    "wider than the 95 %% interval beside it, because the test also allows for "
		    "dependent runs and for repeated decisions. An arrow means "
		    "that the estimate lies beyond the plotted range.</p>\n",
		    a->results->protocol.claimed ? "The claim is shown to be true for a case"
						 : "A case is trusted");
	html_begin_wide(out, "Deciding interval of each case");
	strbuf_addstr(out, "<table class=\"strip\"><thead><tr><th scope=\"col\">Case</th><th "
			   "scope=\"col\">Component</th><th scope=\"col\" class=\"bars\">");
	html_add_bar_scale(out);
	strbuf_addstr(out, "</th><th scope=\"col\" class=\"n\">Estimate [95\u00a0%]</th><th "
			   "scope=\"col\" class=\"n lim\">Limit</th></tr></thead>\n<tbody>\n");
	for (size_t r = 0; r < a->results->protocol.n_replayers; r++)
		for (size_t i = 0; i < a->n_cells; i++)
			if (a->cell[i].replayer == r)
				add_strip_row(out, a, &a->cell[i]);
	strbuf_addstr(out, "</tbody></table></div>\n");
}

void html_add_verdict(struct strbuf *out, const struct html_page *p)
{
	html_addf(out, "<header>\n<h1>%s</h1>\n<p class=\"sub\">Validation of trace replayers by "
		  "validate " VALIDATE_VERSION, words_title(p->a));
	add_dates(out, p->a->results);
	strbuf_addstr(out, "</p>\n</header>\n");
	add_banner(out, p);
	add_next(out, p->a);
	if (!p->a->n_cells)
		return;
	add_map(out, p->a);
	add_strip(out, p->a);
}
