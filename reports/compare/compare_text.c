/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison on one screen: the word, what differs and why, and other differences. */
#include "reports/compare/compare_forms.h"
#include "reports/escape.h"
#include "reports/number.h"

#define WIDTH 80
#define INDENT 2
#define GAP 2 /* between columns */
#define ROWS_MAX 40	   /* aspects that are not the same */
/* limit for other differences; differences that refuse a comparison are all listed */
#define DIFFERENCES_MAX 12
#define OPEN_MAX 6	   /* number of inconclusive aspects up to which each is listed */

static void paragraph_add(struct strbuf *out, const char *text, size_t first, size_t indent)
{
	for (size_t i = 0; i < first; i++)
		strbuf_addch(out, ' ');
	SCOPED_STRBUF line = STRBUF_INIT;
	escape_line(&line, text);
	text_paragraph(out, line.s, first, indent, WIDTH);
}

static void side_add(struct strbuf *out, const char *which, const struct campaign_change *c,
		     const struct baseline *b)
{
	SCOPED_STRBUF line = STRBUF_INIT;
	strbuf_addf(&line, "%s: %s", which, b->source);
	if (c->n_cells && compare_is_of_one_replayer(c))
		strbuf_addf(&line, ", replayer %s",
			(b == c->old_side ? c->cell[0].old_case : c->cell[0].new_case)->replayer);
	strbuf_addf(&line, ", %u replicates, %s", b->n_replicates, b->date);
	paragraph_add(out, line.s, 2, 7);
}

static void differences_add(struct strbuf *out, const struct campaign_change *c, bool refusing)
{
	size_t n = 0, left = 0;
	SCOPED_STRBUF line = STRBUF_INIT;
	for (size_t i = 0; i < c->n_differences; i++) {
		if (c->difference[i].refuses != refusing)
			continue;
		if (!refusing && n >= DIFFERENCES_MAX) {
			left++;
			continue;
		}
		if (!n++)
			strbuf_addstr(out,
				      refusing ? "\nNot comparable\n" : "\nOther differences\n");
		strbuf_reset(&line);
		compare_add_difference(&line, &c->difference[i]);
		paragraph_add(out, line.s, 2, 4);
	}
	if (left)
		strbuf_addf(out, "  and %zu more\n", left);
}

/* --- a row for each case ------------------------------------------------- */

enum { CASE_NAME, CASE_OUTCOME, CASE_RESPONSE, CASE_COUNTS, CASE_N };

/* A row of the table. */
struct case_row {
	struct strbuf text[CASE_N];
};

static void row_release(struct case_row *r)
{
	for (size_t k = 0; k < CASE_N; k++)
		strbuf_release(&r->text[k]);
}

static void row_make(struct case_row *r, const struct campaign_change *all,
		     const struct case_change *c)
{
	SCOPED_STRBUF name = STRBUF_INIT;
	size_t count[CHANGE_NOT_JUDGED + 1] = {0};
	*r = (struct case_row){.text = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT}};
	for (size_t k = 0; k < ASPECT_N; k++)
		count[c->aspect[k].word]++;
	compare_add_case(&name, all, c);
	escape_line(&r->text[CASE_NAME], name.s);
	strbuf_addstr(&r->text[CASE_OUTCOME], change_name(c->word));
	compare_add_change(&r->text[CASE_RESPONSE], &c->aspect[ASPECT_RESPONSE_TIME],
			   ASPECT_RESPONSE_TIME);
	strbuf_addf(&r->text[CASE_COUNTS], "%zu/%zu/%zu/%zu", count[CHANGE_WORSE],
		    count[CHANGE_INCONCLUSIVE], count[CHANGE_BETTER], count[CHANGE_SAME]);
}

static void row_measure(const struct case_row *r, size_t *width)
{
	for (size_t k = 0; k < CASE_N; k++) {
		const size_t w = text_width(r->text[k].s);
		width[k] = w > width[k] ? w : width[k];
	}
}

/* Appends a row. A name that is wider than its column gets a separate line. */
static void row_add(struct strbuf *out, const struct case_row *r, const size_t *width)
{
	const bool own_line = text_width(r->text[CASE_NAME].s) > width[CASE_NAME];
	if (own_line)
		paragraph_add(out, r->text[CASE_NAME].s, INDENT, 2 * INDENT);
	strbuf_addf(out, "%*s", INDENT, "");
	for (size_t k = 0; k < CASE_N; k++) {
		const char *text = k == CASE_NAME && own_line ? "" : r->text[k].s;
		const size_t gap = k + 1 < CASE_N ? width[k] - text_width(text) + GAP : 0;
		strbuf_addf(out, "%s%*s", text, (int)gap, "");
	}
	strbuf_addch(out, '\n');
}

static void cases_add(struct strbuf *out, const struct campaign_change *c)
{
	SCOPED(row_release) struct case_row head = {
	    .text = {STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT}};
	size_t width[CASE_N] = {0}, n = 0;
	strbuf_addstr(&head.text[CASE_NAME], compare_case_title(c));
	strbuf_addstr(&head.text[CASE_OUTCOME], "Outcome");
	strbuf_addstr(&head.text[CASE_RESPONSE], "Response time");
	strbuf_addstr(&head.text[CASE_COUNTS], "w/i/b/s");
	row_measure(&head, width);
	for (size_t i = 0; i < c->n_cells; i++) {
		SCOPED(row_release) struct case_row row;
		row_make(&row, c, &c->cell[i]);
		row_measure(&row, width);
	}
	const size_t most = WIDTH - INDENT - width[CASE_OUTCOME] - width[CASE_RESPONSE] -
			    width[CASE_COUNTS] - (CASE_N - 1) * GAP;
	width[CASE_NAME] = width[CASE_NAME] < most ? width[CASE_NAME] : most;
	strbuf_addstr(out, "\n  w/i/b/s: components worse, inconclusive, better, same\n");
	row_add(out, &head, width);
	/* if there are many rows, rows that are not "same" come first */
	for (size_t pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < c->n_cells && n < ROWS_MAX; i++)
			if (c->n_cells <= ROWS_MAX
				? pass == 0
				: (c->cell[i].word == CHANGE_SAME) == (pass == 1)) {
				SCOPED(row_release) struct case_row row;
				row_make(&row, c, &c->cell[i]);
				row_add(out, &row, width);
				n++;
			}
	if (n < c->n_cells)
		strbuf_addf(out, "  and %zu more\n", c->n_cells - n);
}

/* --- the aspects --------------------------------------------------------- */

static void aspect_add(struct strbuf *out, const struct case_change *c, enum aspect k)
{
	const struct aspect_change *a = &c->aspect[k];
	SCOPED_STRBUF line = STRBUF_INIT;
	const bool one = !strcmp(c->old_case->replayer, c->new_case->replayer);
	strbuf_addf(&line, "%s: %s of %s, replayer%s ", change_name(a->word), aspect_names[k],
		    c->scenario, one ? "" : "s");
	compare_add_replayer(&line, c);
	strbuf_addstr(&line, ": ");
	if (!a->status) {
		compare_add_change(&line, a, k);
		strbuf_addstr(&line, ", limit ");
		compare_add_limit(&line, a, k);
		strbuf_addstr(&line, "; ");
	}
	compare_add_reason(&line, a, k);
	paragraph_add(out, line.s, 2, 4);
}

static void aspects_add(struct strbuf *out, const struct campaign_change *c, enum change word,
			const char *heading)
{
	size_t n = 0, left = 0;
	for (size_t i = 0; i < c->n_cells; i++)
		for (size_t k = 0; k < ASPECT_N; k++) {
			if (c->cell[i].aspect[k].word != word)
				continue;
			if (n >= ROWS_MAX / 2) {
				left++;
				continue;
			}
			if (!n++)
				strbuf_addf(out, "\n%s\n", heading);
			aspect_add(out, &c->cell[i], (enum aspect)k);
		}
	if (left)
		strbuf_addf(out, "  and %zu more\n", left);
}

/* Orders aspects: the aspect nearest to a decision comes first; of equal aspects, the aspect with a
 * reason. */
static bool is_clearer(const struct aspect_change *a, const struct aspect_change *than)
{
	const double p = a->status || isnan(a->p) ? 2 : a->p,
		     of_than = than->status || isnan(than->p) ? 2 : than->p;
	return p < of_than || (p <= of_than && !than->n_reasons && a->n_reasons);
}

/* Appends a group of inconclusive aspects. Interval widths show what could be decided. */
static void open_group_add(struct strbuf *out, const struct campaign_change *c, enum aspect k)
{
	SCOPED_STRBUF line = STRBUF_INIT;
	const struct aspect_change *first = NULL;
	size_t n = 0, at = 0;
	double least = INFINITY, most = 0;
	for (size_t i = 0; i < c->n_cells; i++) {
		const struct aspect_change *a = &c->cell[i].aspect[k];
		if (a->word != CHANGE_INCONCLUSIVE)
			continue;
		n++;
		if (!first || is_clearer(a, first)) {
			first = a;
			at = i;
		}
		if (!a->status && a->hi95 > a->lo95) {
			least = fmin(least, (a->hi95 - a->lo95) / 2);
			most = fmax(most, (a->hi95 - a->lo95) / 2);
		}
	}
	if (!first)
		return;
	if (n == 1) {
		aspect_add(out, &c->cell[at], k);
		return;
	}
	strbuf_addf(&line, "%s in %zu of %zu cases, limit ", aspect_names[k], n, c->n_cells);
	compare_add_limit(&line, first, k);
	if (most > 0 && (aspect_scale(k) == SCALE_CHANGE || aspect_scale(k) == SCALE_DIFFERENCE))
		strbuf_addf(&line, ": intervals of ±%.3g to ±%.3g %%", 100 * least, 100 * most);
	paragraph_add(out, line.s, 2, 4);
	strbuf_reset(&line);
	strbuf_addf(&line, "for example %s: ", c->cell[at].scenario);
	compare_add_change(&line, first, k);
	strbuf_addstr(&line, "; ");
	compare_add_reason(&line, first, k);
	paragraph_add(out, line.s, 4, 6);
}

/* Lists a few inconclusive aspects one by one, and many by component: on a busy machine all aspects
 * may be inconclusive. */
static void open_add(struct strbuf *out, const struct campaign_change *c)
{
	size_t n = 0;
	for (size_t i = 0; i < c->n_cells; i++)
		for (size_t k = 0; k < ASPECT_N; k++)
			n += c->cell[i].aspect[k].word == CHANGE_INCONCLUSIVE;
	if (n <= OPEN_MAX) {
		aspects_add(out, c, CHANGE_INCONCLUSIVE, "Inconclusive");
		return;
	}
	strbuf_addstr(out, "\nInconclusive\n");
	for (size_t k = 0; k < ASPECT_N; k++)
		open_group_add(out, c, (enum aspect)k);
	paragraph_add(out, "To show that a component is the same, use more replicates, longer runs "
		      "or a quieter machine.", INDENT, 2 * INDENT);
}

static void failed_add(struct strbuf *out, const struct campaign_change *c)
{
	SCOPED_STRBUF line = STRBUF_INIT;
	if (c->n_failed_cells)
		strbuf_addstr(out, "\nFailed runs\n");
	for (int is_new = 0; is_new < 2; is_new++) {
		strbuf_reset(&line);
		compare_add_failed(&line, c, is_new);
		if (line.len)
			paragraph_add(out, line.s, 2, 4);
	}
}

static void text_add(struct strbuf *out, const struct campaign_change *c)
{
	SCOPED_STRBUF line = STRBUF_INIT;
	compare_add_title(&line, c);
	paragraph_add(out, line.s, 0, 0);
	strbuf_reset(&line);
	strbuf_addch(out, '\n');
	compare_add_word(&line, c);
	strbuf_addstr(&line, ": ");
	compare_add_counts(&line, c);
	paragraph_add(out, line.s, 0, 2);
	side_add(out, "old", c, c->old_side);
	side_add(out, "new", c, c->new_side);
	differences_add(out, c, true);
	if (c->n_cells) {
		cases_add(out, c);
		failed_add(out, c);
		aspects_add(out, c, CHANGE_WORSE, "Worse");
		aspects_add(out, c, CHANGE_BETTER, "Better");
		open_add(out, c);
	}
	differences_add(out, c, false);
	if (!c->n_cells)
		return;
	strbuf_addch(out, '\n');
	paragraph_add(out, "Same: the change is shown to be within the limit. Worse: the change is "
		       "shown to be beyond the limit, and the new replays are farther from the "
		       "program. Precision, uncertainty, reordering, concurrency and mismatches "
		       "are worse if their value is larger. Better: the change is shown to be "
		       "beyond the limit in the other direction. "
		       "Inconclusive: any other result. If nothing changed, the probability that "
		       "any component is called worse or better is at most 1 %. The 95 % "
		       "confidence of an interval holds for one component and independent runs. "
		       "The outcomes also allow for the number of components and for dependence "
		       "between runs.", 0, 2);
}

const struct compare_form compare_form_text = {"text", "the outcome on one screen", text_add};

static void baseline_line_add(struct strbuf *out, const char *what, const char *value)
{
	strbuf_addf(out, "%-13s", what);
	escape_line(out, value);
	strbuf_addch(out, '\n');
}

static void baseline_case_add(struct strbuf *out, const struct baseline *b,
			      const struct baseline_case *c)
{
	SCOPED_STRBUF line = STRBUF_INIT;
	text_cut_name(&line, b->scenario[c->scenario].name, 40);
	strbuf_addstr(&line, ", ");
	text_cut_name(&line, c->replayer, 40);
	strbuf_addf(&line, ": %zu replicate%s, bias ", c->n, c->n == 1 ? "" : "s");
	number_add_pm(&line, c->bias, (c->bias_hi95 - c->bias_lo95) / 2, number_unit_percent, true);
	strbuf_addstr(&line, isfinite(c->U95) ? ", uncertainty ±" : ", uncertainty ");
	number_add(&line, c->U95, c->U95, number_unit_percent, false);
	if (c->n_failed)
		strbuf_addf(&line, c->n_failed == 1 ? ", %u run failed" : ", %u runs failed",
			    c->n_failed);
	strbuf_addf(&line, ", %s", c->verdict);
	if (strcmp(c->verdict, "trusted") && *c->reason)
		strbuf_addf(&line, ". Reason: %s", c->reason);
	paragraph_add(out, line.s, 2, 4);
}

void baseline_text_add(struct strbuf *out, const struct baseline *b)
{
	escape_line(out, *b->title ? b->title : b->protocol);
	strbuf_addstr(out, "\n\n");
	baseline_line_add(out, "Date", b->date);
	baseline_line_add(out, "Host", b->host);
	baseline_line_add(out, "validate", b->program_version);
	baseline_line_add(out, "Protocol", b->protocol);
	baseline_line_add(out, "Conditions", b->protocol_hash);
	baseline_line_add(out, "Campaign", b->campaign);
	strbuf_addf(out, "%-13sat most %u%s\n\nCases (%zu)\n", "Replicates", b->n_replicates,
			 b->complete ? "" : ", not complete", b->n_cells);
	for (size_t i = 0; i < b->n_cells; i++)
		baseline_case_add(out, b, &b->cell[i]);
	strbuf_addf(out, "\nEnvironment (%zu)\n", b->n_facts);
	for (size_t i = 0; i < b->n_facts; i++) {
		strbuf_addstr(out, "  ");
		escape_line(out, b->fact[i].name);
		strbuf_addstr(out, ": ");
		escape_line(out, b->fact[i].value);
		strbuf_addch(out, '\n');
	}
}
