/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison as a self-contained page. */
#include <ctype.h>

#include "reports/compare/compare_forms.h"
#include "reports/escape.h"
#include "reports/html/html.h"

static const char *class_of(enum change w)
{
	return w == CHANGE_SAME || w == CHANGE_BETTER ? "trusted"
	       : w == CHANGE_WORSE                    ? "not"
	       : w == CHANGE_INCONCLUSIVE             ? "inconclusive"
						      : "none";
}

static const char *sign_of(enum change w)
{
	static const char *const signs[] = {"=", "↑", "↓", "?", "·"};
	return signs[w];
}

static void chip_add(struct strbuf *out, enum change w)
{
	strbuf_addf(out, "<span class=\"chip %s\"><b>%s</b> %s</span>", class_of(w), sign_of(w),
		    change_name(w));
}

/* Appends text with numbers: a hyphen before a digit becomes a minus sign. */
static void escape_numbers(struct strbuf *out, const char *text)
{
	SCOPED_STRBUF signs = STRBUF_INIT;
	for (const char *p = text; *p; p++) {
		const bool begins = p == text || p[-1] == ' ' || p[-1] == '[';
		if (*p == '-' && begins &&
		    (isdigit((unsigned char)p[1]) || !strncmp(p + 1, "∞", strlen("∞"))))
			strbuf_addstr(&signs, "−");
		else
			strbuf_addch(&signs, *p);
	}
	escape_html(out, signs.s);
}

static void escaped_by(struct strbuf *out, void (*add)(struct strbuf *,
	const struct aspect_change *, enum aspect), const struct aspect_change *a, enum aspect k)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	add(&text, a, k);
	escape_numbers(out, text.s);
}

static void banner_add(struct strbuf *out, const struct campaign_change *c)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	strbuf_addstr(out, "<h1>");
	compare_add_title(&text, c);
	escape_html(out, text.s);
	strbuf_addf(out, "</h1>\n<div class=\"banner %s\"><p class=\"big\">",
		    c->n_refusing ? "inconclusive" : class_of(c->word));
	strbuf_reset(&text);
	compare_add_word(&text, c);
	text.s[0] = (char)toupper((unsigned char)text.s[0]);
	escape_html(out, text.s);
	strbuf_addstr(out, "</p><p>");
	strbuf_reset(&text);
	compare_add_counts(&text, c);
	/* here "Of 3 cases" begins a sentence */
	text.s[0] = text.s[0] == 'o' ? 'O' : text.s[0];
	escape_numbers(out, text.s);
	strbuf_addstr(out, "</p></div>\n");
}

static const char *const side_labels[] = {"Results", "Replayer", "Date", "Host", "validate",
	"Protocol"};

static void side_row(struct strbuf *out, const char *which, const struct campaign_change *c,
		     const struct baseline *b)
{
	const char *const replayer =
		!c->n_cells || !compare_is_of_one_replayer(c) ? "several"
		: b == c->old_side ? c->cell[0].old_case->replayer
				   : c->cell[0].new_case->replayer;
	const char *const text[] = {b->source, replayer, b->date, b->host, b->program_version,
		b->protocol};
	strbuf_addf(out, "<tr><th scope=\"row\">%s</th>", which);
	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		strbuf_addf(out, "<td class=\"b\" data-l=\"%s\">", side_labels[i]);
		escape_html(out, text[i]);
		strbuf_addstr(out, "</td>");
	}
	strbuf_addf(out, "<td class=\"n b\" data-l=\"Replicates\">%u</td></tr>\n", b->n_replicates);
}

static void sides_add(struct strbuf *out, const struct campaign_change *c)
{
	html_begin_wide(out, "The two sides");
	strbuf_addstr(out, "<table class=\"stack\"><thead><tr><td></td>");
	for (size_t i = 0; i < sizeof side_labels / sizeof *side_labels; i++)
		strbuf_addf(out, "<th scope=\"col\">%s</th>", side_labels[i]);
	strbuf_addstr(out, "<th scope=\"col\" class=\"n\">Replicates</th></tr></thead><tbody>\n");
	side_row(out, "old", c, c->old_side);
	side_row(out, "new", c, c->new_side);
	strbuf_addstr(out, "</tbody></table></div>\n");
}

/* Returns the ratio in percent. A value that would be printed as -0.0 becomes 0. */
static double pct_of(double ratio)
{
	return fabs(ratio) < 5e-4 ? 0 : 100 * ratio;
}

/* Adds a cell with a sign and the change, unless it rounds to 0. The title of the cell has the
 * interval. */
static void aspect_cell(struct strbuf *out, const struct aspect_change *a, enum aspect k)
{
	static const char *const heat[] = {[CHANGE_SAME] = "h0",
					   [CHANGE_BETTER] = "h1",
					   [CHANGE_WORSE] = "h5",
					   [CHANGE_INCONCLUSIVE] = "h2",
					   [CHANGE_NOT_JUDGED] = ""};
	SCOPED_STRBUF text = STRBUF_INIT;
	compare_add_change(&text, a, k);
	const enum aspect_scale scale = aspect_scale(k);
	strbuf_addf(out, "<td class=\"%s\" title=\"%s: ", heat[a->word], change_name(a->word));
	escape_numbers(out, text.s);
	strbuf_addf(out, "\">%s <span>", sign_of(a->word));
	strbuf_reset(&text);
	const double change =
	    scale == SCALE_RATIO || scale == SCALE_COUNT ? a->change : pct_of(a->change);
	if (!a->status && change != 0)
		strbuf_addf(&text,
			    scale == SCALE_RATIO   ? "%.2f"
			    : scale == SCALE_COUNT ? "%+.0f"
						   : "%+.1f %%",
			    change);
	escape_numbers(out, text.s);
	strbuf_addstr(out, "</span></td>");
}

/* Whether an aspect is shown: it must have a limit in some case. */
static bool is_shown(const struct campaign_change *c, size_t k)
{
	for (size_t i = 0; i < c->n_cells; i++)
		if (c->cell[i].aspect[k].word != CHANGE_NOT_JUDGED)
			return true;
	return false;
}

/* --- dumbbells ----------------------------------------------------------- */

/* A column of dumbbells: both sides of one aspect, and the range of its axis. */
struct dumbbells {
	enum aspect aspect;
	double lo, hi;
};

static bool has_both(const struct aspect_change *a)
{
	return !a->status && isfinite(a->old_value) && isfinite(a->new_value);
}

static void find_range(struct dumbbells *d, const struct campaign_change *c)
{
	d->lo = d->hi = 0;
	for (size_t i = 0; i < c->n_cells; i++) {
		const struct aspect_change *a = &c->cell[i].aspect[d->aspect];
		if (!has_both(a))
			continue;
		d->lo = fmin(d->lo, fmin(a->old_value, a->new_value));
		d->hi = fmax(d->hi, fmax(a->old_value, a->new_value));
	}
	const double margin = 0.08 * fmax(d->hi - d->lo, 1e-3);
	d->lo -= margin;
	d->hi += margin;
}

static double place_of(const struct dumbbells *d, double value)
{
	return 100 * (value - d->lo) / (d->hi - d->lo);
}

static void dumbbell_add(struct strbuf *out, const struct dumbbells *d,
			 const struct aspect_change *a)
{
	SCOPED_STRBUF title = STRBUF_INIT;
	strbuf_addstr(out, "<td class=\"bars\">");
	if (has_both(a)) {
		const double zero = place_of(d, 0), from = place_of(d, a->old_value),
			     to = place_of(d, a->new_value);
		strbuf_addf(&title, "%+.1f to %+.1f %%", pct_of(a->old_value),
			    pct_of(a->new_value));
		strbuf_addf(out, "<svg class=\"bar %s\" role=\"img\" aria-label=\"",
			    class_of(a->word));
		escape_numbers(out, title.s);
		strbuf_addf(out, "\"><line x1=\"%.1f%%\" x2=\"%.1f%%\" y1=\"0\" y2=\"18\"/><line "
			"class=\"i\" x1=\"%.1f%%\" x2=\"%.1f%%\" y1=\"9\" y2=\"9\"/><circle "
			"class=\"o\" cx=\"%.1f%%\" cy=\"9\" r=\"4\"/><circle cx=\"%.1f%%\" "
			"cy=\"9\" r=\"4\"/></svg>", zero, zero, from, to, from, to);
	}
	strbuf_addstr(out, "</td><td class=\"n lim\">");
	escape_numbers(out, title.s);
	strbuf_addstr(out, "</td>");
}

static void dumbbell_chart(struct strbuf *out, const struct campaign_change *c)
{
	struct dumbbells column[] = {{ASPECT_RESPONSE_TIME, 0, 0}, {ASPECT_EXECUTION_TIME, 0, 0}};
	static const char *const titles[] = {"Response time", "Execution time"};
	strbuf_addstr(out,
		"<h2>Old against new</h2>\n<p>Deviation of the replay from the program: ○ old, "
		"● new. At the vertical line, the replay takes as long as the program. The "
		"outcome of a case covers all components. The colour of a bar shows the outcome "
		"of one component: <span class=\"chip trusted\">same or better</span>, <span "
		"class=\"chip inconclusive\">inconclusive</span>, <span class=\"chip "
		"not\">worse</span>.</p>\n");
	html_begin_wide(out, "Old against new");
	strbuf_addf(out, "<table class=\"strip\"><thead><tr><th scope=\"col\">%s</th><th "
			 "scope=\"col\">Outcome</th>", compare_case_title(c));
	for (size_t k = 0; k < sizeof column / sizeof *column; k++) {
		find_range(&column[k], c);
		strbuf_addf(out, "<th scope=\"col\" class=\"bars\">%s</th><th scope=\"col\" "
				 "class=\"n lim\">Old to new</th>", titles[k]);
	}
	strbuf_addstr(out, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < c->n_cells; i++) {
		SCOPED_STRBUF name = STRBUF_INIT;
		compare_add_case(&name, c, &c->cell[i]);
		html_addf(out, "<tr><th scope=\"row\" class=\"l\">%s</th><td>", name.s);
		chip_add(out, c->cell[i].word);
		strbuf_addstr(out, "</td>");
		for (size_t k = 0; k < sizeof column / sizeof *column; k++)
			dumbbell_add(out, &column[k], &c->cell[i].aspect[column[k].aspect]);
		strbuf_addstr(out, "</tr>\n");
	}
	strbuf_addstr(out, "</tbody></table></div>\n");
}

/* --- tables -------------------------------------------------------------- */

static void limits_row(struct strbuf *out, const struct campaign_change *c)
{
	strbuf_addstr(out, "<tr class=\"limits\"><td>limit of the change</td><td></td>");
	for (size_t k = 0; k < ASPECT_N; k++)
		if (is_shown(c, k)) {
			strbuf_addstr(out, "<td>");
			escaped_by(out, compare_add_limit, &c->cell[0].aspect[k], (enum aspect)k);
			strbuf_addstr(out, "</td>");
		}
	strbuf_addstr(out, "</tr>\n");
}

static void matrix_add(struct strbuf *out, const struct campaign_change *c)
{
	strbuf_addstr(out, "<h2>Every component</h2>\n");
	html_begin_wide(out, "Every component");
	strbuf_addf(out, "<table class=\"map\"><thead><tr><th scope=\"col\">%s</th><th "
			 "scope=\"col\" class=\"v\">Outcome</th>", compare_case_title(c));
	for (size_t k = 0; k < ASPECT_N; k++)
		if (is_shown(c, k))
			strbuf_addf(out, "<th scope=\"col\"><span>%s</span></th>", aspect_names[k]);
	strbuf_addstr(out, "</tr>\n");
	limits_row(out, c);
	strbuf_addstr(out, "</thead><tbody>\n");
	for (size_t i = 0; i < c->n_cells; i++) {
		const struct case_change *cell = &c->cell[i];
		SCOPED_STRBUF name = STRBUF_INIT;
		compare_add_case(&name, c, cell);
		html_addf(out, "<tr><th scope=\"row\">%s</th>", name.s);
		strbuf_addf(out, "<td class=\"v\" title=\"%zu %s\">",
			    cell->paired ? cell->n : cell->new_case->n,
			    cell->paired ? "pairs" : "runs");
		chip_add(out, cell->word);
		strbuf_addstr(out, "</td>");
		for (size_t k = 0; k < ASPECT_N; k++)
			if (is_shown(c, k))
				aspect_cell(out, &cell->aspect[k], (enum aspect)k);
		strbuf_addstr(out, "</tr>\n");
	}
	strbuf_addstr(out, "</tbody></table></div>\n<p class=\"key\">= same, ↑ better, ↓ worse, "
			   "? inconclusive, · not judged. A sign without a number: the change "
			   "rounds to 0. precision: scatter of the new replays divided by that "
			   "of the old replays.</p>\n");
}

static void reason_row(struct strbuf *out, const struct case_change *c, enum aspect k)
{
	const struct aspect_change *a = &c->aspect[k];
	strbuf_addstr(out, "<tr><td>");
	chip_add(out, a->word);
	strbuf_addstr(out, "</td><th scope=\"row\" class=\"l\">");
	escape_html(out, c->scenario);
	strbuf_addf(out, "</th><td>%s</td><td class=\"c\">", aspect_names[k]);
	escaped_by(out, compare_add_change, a, k);
	strbuf_addstr(out, "</td><td data-l=\"limit\">");
	escaped_by(out, compare_add_limit, a, k);
	strbuf_addstr(out, "</td><td class=\"w\">");
	escaped_by(out, compare_add_reason, a, k);
	strbuf_addstr(out, "</td></tr>\n");
}

static void columns_head(struct strbuf *out, const char *title, const char *const *column)
{
	html_begin_wide(out, title);
	strbuf_addstr(out, "<table class=\"stack\"><thead><tr>");
	for (; *column; column++)
		strbuf_addf(out, **column ? "<th scope=\"col\">%s</th>" : "<td>%s</td>", *column);
	strbuf_addstr(out, "</tr></thead><tbody>\n");
}

/* Adds a row for each component that has this word. */
static void reasons_of(struct strbuf *out, const struct campaign_change *c, enum change word)
{
	static const char *const column[] = {"Outcome", "Scenario", "Component",
					     "Change, 95 % interval", "Limit", "Why", NULL};
	columns_head(out, change_name(word), column);
	for (size_t i = 0; i < c->n_cells; i++)
		for (size_t k = 0; k < ASPECT_N; k++)
			if (c->cell[i].aspect[k].word == word)
				reason_row(out, &c->cell[i], (enum aspect)k);
	strbuf_addstr(out, "</tbody></table></div>\n");
}

static size_t count_word(const struct campaign_change *c, enum change word)
{
	size_t n = 0;
	for (size_t i = 0; i < c->n_cells; i++)
		for (size_t k = 0; k < ASPECT_N; k++)
			n += c->cell[i].aspect[k].word == word;
	return n;
}

static void reasons_add(struct strbuf *out, const struct campaign_change *c)
{
	const size_t n_worse = count_word(c, CHANGE_WORSE), n_better = count_word(c, CHANGE_BETTER),
		     n_open = count_word(c, CHANGE_INCONCLUSIVE);
	if (n_worse + n_better + n_open)
		strbuf_addstr(out, "<h2>Components that changed or are inconclusive</h2>\n");
	if (n_worse)
		reasons_of(out, c, CHANGE_WORSE);
	if (n_better)
		reasons_of(out, c, CHANGE_BETTER);
	if (!n_open)
		return;
	strbuf_addf(out, "<details><summary>Inconclusive components of all cases: %zu</summary>\n",
		    n_open);
	reasons_of(out, c, CHANGE_INCONCLUSIVE);
	strbuf_addstr(out, "</details>\n");
}

static void differences_add(struct strbuf *out, const struct campaign_change *c)
{
	static const char *const column[] = {"Kind", "What", "Old", "New", "", NULL};
	if (!c->n_differences)
		return;
	strbuf_addstr(out, "<h2>Other differences</h2>\n");
	columns_head(out, "Other differences", column);
	for (size_t i = 0; i < c->n_differences; i++) {
		const struct difference *d = &c->difference[i];
		const char *const text[] = {d->what, d->old_value, compare_new_value(d)};
		strbuf_addf(out, "<tr><td>%s</td>", difference_names[d->kind]);
		for (size_t k = 0; k < 3; k++) {
			strbuf_addf(out, "<td class=\"w\"%s>%s",
				    k ? k == 1 ? " data-l=\"old\"" : " data-l=\"new\"" : "",
				    !k && d->kind == DIFFERENCE_SETTINGS ? "replayer " : "");
			escape_html(out, text[k] ? text[k] : "");
			strbuf_addstr(out, "</td>");
		}
		strbuf_addf(out, "<td>%s</td></tr>\n", d->refuses ? "not comparable" : "");
	}
	strbuf_addstr(out, "</tbody></table></div>\n");
}

static void rules_explain(struct strbuf *out, const struct campaign_change *c)
{
	strbuf_addf(out,
		"<h2>How it is judged</h2>\n<p>The value of a replicate is the result of the "
		"replay divided by that of the program, which ran in the same block. A component "
		"is <b>the same</b> if two one-sided tests at %.3g show that its change is within "
		"the limit. A component is <b>worse</b> or <b>better</b> if two other tests agree: "
		"a one-sided test at %.3g shows a change beyond the limit, and a two-sided test at "
		"%.3g, after Holm's correction for %zu tests, shows that there is a change at all. "
		"All other components are <b>inconclusive</b>. Worse means farther from the "
		"program. For precision, uncertainty, reordering, concurrency and mismatches, a "
		"larger value is worse. The tests allow for runs that depend on each "
		"other.%s</p>\n",
		c->level_same, c->level_same, c->level_worse, c->n_tests,
		c->span > 0 ? " A campaign with a budget can decide after each replicate, so all "
			      "P-values are corrected for these repeated decisions." : "");
}

static void failed_runs_add(struct strbuf *out, const struct campaign_change *c)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	for (int is_new = 0; is_new < 2; is_new++) {
		strbuf_reset(&text);
		compare_add_failed(&text, c, is_new);
		if (!text.len)
			continue;
		html_addf(out, "<p>%s.</p>\n", text.s);
	}
}

static void html_add(struct strbuf *out, const struct campaign_change *c)
{
	SCOPED_STRBUF title = STRBUF_INIT;
	compare_add_word(&title, c);
	strbuf_addstr(&title, ": ");
	compare_add_title(&title, c);
	html_begin_page(out, title.s, false, NULL);
	banner_add(out, c);
	sides_add(out, c);
	if (c->n_cells) {
		failed_runs_add(out, c);
		dumbbell_chart(out, c);
		matrix_add(out, c);
		reasons_add(out, c);
	}
	differences_add(out, c);
	if (c->n_cells)
		rules_explain(out, c);
	html_end_page(out);
}

const struct compare_form compare_form_html = {"html", "one self-contained page", html_add};
