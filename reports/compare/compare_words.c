/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of a comparison, which are the same in every form. */
#include "reports/compare/compare_forms.h"
#include "reports/escape.h"
#include "reports/number.h"
#include "reports/reasons.h"

#define HEADLINE_MAX 140

static bool is_percent(enum aspect k)
{
	return aspect_scale(k) == SCALE_CHANGE || aspect_scale(k) == SCALE_DIFFERENCE ||
	       k == ASPECT_UNCERTAINTY || k == ASPECT_PRECISION;
}

void compare_add_value(struct strbuf *out, double value, enum aspect k)
{
	if (isnan(value))
		strbuf_addstr(out, "unknown");
	else
		number_add(out, value, fabs(value) / 10, is_percent(k) ? number_unit_percent
			: number_unit_plain, aspect_is_deviation(k));
}

void compare_add_change(struct strbuf *out, const struct aspect_change *a, enum aspect k)
{
	bool ratio = aspect_scale(k) == SCALE_RATIO, count = aspect_scale(k) == SCALE_COUNT;
	struct number_unit unit = ratio || count ? number_unit_plain : number_unit_percent;
	double half = (a->hi95 - a->lo95) / 2;
	if (a->status) {
		strbuf_addstr(out, "unknown");
		return;
	}
	if (!(half > 0) || !isfinite(half)) {
		number_add(out, a->change, NAN, unit, !ratio);
		return;
	}
	number_add(out, a->change, half, unit, !ratio);
	strbuf_addch(out, ' ');
	number_add_interval(out, a->lo95, a->hi95,
			    number_decimals(a->change * unit.scale, half * unit.scale), unit);
}

void compare_add_limit(struct strbuf *out, const struct aspect_change *a, enum aspect k)
{
	if (isnan(a->limit)) {
		strbuf_addstr(out, "none");
		return;
	}
	bool percent = aspect_scale(k) == SCALE_CHANGE || aspect_scale(k) == SCALE_DIFFERENCE;
	bool sided = aspect_scale(k) != SCALE_RATIO && a->limit > 0;
	strbuf_addf(out, percent ? "%s%.4g %%" : "%s%.4g", sided ? "±" : "",
		    percent ? 100 * a->limit : a->limit);
}

void compare_add_reasons(struct strbuf *out, const struct aspect_change *a)
{
	/* templates (reports/reasons.c) */
	static const char *const words[CHANGE_REASON_N] = {
	    [CHANGE_BEYOND_FEW] =
		"not judged: fewer than %.0f of the %.0f requests of a run lie beyond this "
		"quantile",
	    [CHANGE_ONE_RECORDING] =
		"the old and the new results each have one recording as their "
		"reference, and the difference between recordings is unknown: ",
	    [CHANGE_STATUS] = "%M",
	    [CHANGE_FAILED] = ": %.0f runs failed before, %.0f now",
	    [CHANGE_NO_LIMIT] = "no limit set",
	    [CHANGE_NEARER_UNKNOWN] =
		"the new replays differ from the old replays, but it is unknown whether they are "
		"nearer to the program",
	    [CHANGE_IF_INDEPENDENT] = "the outcome would be \"same\" if the runs were known to "
				      "be independent of each other",
	    [CHANGE_SAME_RUNS] = "the old and the new results are the same runs",
	    [CHANGE_OLD_INCOMPLETE] = "traces of the old results are incomplete",
	    [CHANGE_NEW_INCOMPLETE] = "traces of the new results are incomplete",
	    [CHANGE_COUNTS] = "%g lost, extra or mismatched requests in %.0f runs before, %g in "
			      "%.0f runs now; at most %g in one run before, %g now",
	    [CHANGE_OLD_LOST] = "; %.0f more runs failed before than now; all requests of a "
				"failed run count as lost",
	    [CHANGE_NEW_LOST] = "; %.0f more runs failed now than before; all requests of a "
				"failed run count as lost",
	};
	for (unsigned int i = 0; i < a->n_reasons; i++) {
		const enum change_reason_code code = a->reason[i].code;
		if (i && (code == CHANGE_SAME_RUNS || code == CHANGE_OLD_INCOMPLETE ||
			  code == CHANGE_NEW_INCOMPLETE))
			strbuf_addstr(out, "; ");
		words_add_template(out, words[code], a->reason[i].number, "", COMPONENT_N);
	}
}

void compare_add_reason(struct strbuf *out, const struct aspect_change *a, enum aspect k)
{
	if (a->status) {
		compare_add_reasons(out, a);
		return;
	}
	if (k == ASPECT_MISMATCHES) {
		compare_add_reasons(out, a);
	} else {
		if (aspect_scale(k) == SCALE_CHANGE)
			strbuf_addstr(out, "deviation from the program: ");
		compare_add_value(out, a->old_value, k);
		strbuf_addstr(out, " before, ");
		compare_add_value(out, a->new_value, k);
		strbuf_addstr(out, " now");
		if (!isnan(a->quantile))
			strbuf_addf(out, ", at the %.3g %% quantile of the program",
				    100 * a->quantile);
		if (a->n_reasons) {
			strbuf_addstr(out, "; ");
			compare_add_reasons(out, a);
		}
	}
	if (!isnan(a->p_holm) && a->word != CHANGE_SAME) {
		strbuf_addstr(out, "; P-value (smaller is stronger evidence) of a change beyond "
				   "the limit: ");
		number_add_p(out, a->p);
		strbuf_addstr(out, "; P-value of any change (corrected for all tests): ");
		number_add_p(out, a->p_holm);
	}
	if (a->word == CHANGE_SAME && k != ASPECT_MISMATCHES) {
		strbuf_addstr(out, "; P-value (smaller is stronger evidence) of a change within "
				   "the limit: ");
		number_add_p(out, a->p_same);
	}
}

void compare_add_replayer(struct strbuf *out, const struct case_change *c)
{
	strbuf_addstr(out, c->old_case->replayer);
	if (strcmp(c->old_case->replayer, c->new_case->replayer))
		strbuf_addf(out, " and %s", c->new_case->replayer);
}

const char *compare_new_value(const struct difference *d)
{
	if (d->kind != DIFFERENCE_REQUESTS)
		return d->new_value;
	return d->unknown ? "unknown: an earlier version of validate made the results, or no "
			    "recording succeeded"
			  : "different operations, files, offsets, lengths or numbers of requests "
			    "(min-duration = 0 keeps the number of requests constant)";
}

bool compare_is_of_one_replayer(const struct campaign_change *c)
{
	for (size_t i = 1; i < c->n_cells; i++)
		if (strcmp(c->cell[i].old_case->replayer, c->cell[0].old_case->replayer) ||
		    strcmp(c->cell[i].new_case->replayer, c->cell[0].new_case->replayer))
			return false;
	return true;
}

const char *compare_case_title(const struct campaign_change *c)
{
	return compare_is_of_one_replayer(c) ? "Scenario" : "Scenario, replayer";
}

void compare_add_case(struct strbuf *out, const struct campaign_change *all,
		      const struct case_change *c)
{
	strbuf_addstr(out, c->scenario);
	if (compare_is_of_one_replayer(all))
		return;
	strbuf_addstr(out, ", ");
	compare_add_replayer(out, c);
}

void compare_add_difference(struct strbuf *out, const struct difference *d)
{
	if (d->old_replayer) {
		strbuf_addf(out, "settings before: replayer %s, %s; settings now: replayer %s, %s",
			    d->old_replayer, d->old_value, d->what, d->new_value);
		return;
	}
	strbuf_addf(out, "%s%s%s%s: ", d->refuses ? "not comparable: " : "",
		    difference_names[d->kind],
		    d->kind == DIFFERENCE_SETTINGS ? " of replayer " : ": ", d->what);
	if (d->kind == DIFFERENCE_REQUESTS)
		strbuf_addstr(out, compare_new_value(d));
	else if (d->old_value && d->new_value)
		strbuf_addf(out, "%s before, %s now", d->old_value, d->new_value);
	else if (d->old_value)
		strbuf_addf(out, "%s before", d->old_value);
	else
		strbuf_addf(out, "%s now", d->new_value ? d->new_value : "nothing");
}

void compare_add_title(struct strbuf *out, const struct campaign_change *c)
{
	strbuf_addstr(out, *c->new_side->title ? c->new_side->title : c->new_side->protocol);
}

/* Appends the first aspect that has this word (worse or inconclusive). */
static void example_add(struct strbuf *out, const struct campaign_change *c, enum change word)
{
	for (size_t i = 0; i < c->n_cells; i++)
		for (size_t k = 0; k < ASPECT_N; k++) {
			const struct aspect_change *a = &c->cell[i].aspect[k];
			if (a->word != word)
				continue;
			strbuf_addf(out, "; %s ", aspect_names[k]);
			compare_add_change(out, a, (enum aspect)k);
			strbuf_addf(out, " in %s", c->cell[i].scenario);
			return;
		}
}

void compare_add_word(struct strbuf *out, const struct campaign_change *c)
{
	strbuf_addstr(out, c->n_refusing ? "not comparable" : change_name(c->word));
}

void compare_add_counts(struct strbuf *out, const struct campaign_change *c)
{
	if (c->n_refusing) {
		strbuf_addf(out, "%zu difference%s", c->n_refusing, c->n_refusing == 1 ? "" : "s");
		for (size_t i = 0; i < c->n_differences; i++)
			if (c->difference[i].refuses) {
				strbuf_addf(out, c->n_refusing == 1 ? ": %s" : ", the first in %s",
					    c->difference[i].what);
				break;
			}
		return;
	}
	strbuf_addf(out, "%zu of %zu case%s worse, %zu inconclusive, %zu better, %zu the same",
		    c->n_worse, c->n_cells, c->n_cells == 1 ? "" : "s", c->n_inconclusive,
		    c->n_better, c->n_same);
	if (c->n_missing)
		strbuf_addf(out, ", %zu missing in the old or the new results", c->n_missing);
	if (c->n_failed_cells)
		strbuf_addf(out, "; runs failed in %zu case%s", c->n_failed_cells,
			    c->n_failed_cells == 1 ? "" : "s");
	if (c->n_same_runs == c->n_cells)
		strbuf_addstr(out, "; the old and the new results are the same runs");
	if (c->word == CHANGE_WORSE || c->word == CHANGE_BETTER)
		example_add(out, c, c->word);
}

void compare_add_failed(struct strbuf *out, const struct campaign_change *c, bool is_new)
{
	const struct failed_runs *f = is_new ? &c->failed_new : &c->failed_old;
	if (f->n)
		strbuf_addf(out,
			    "%" PRIu64 " run%s of the %s results failed, in %zu of %zu cases. The "
			    "first is in scenario %s; the report of that campaign gives the reason",
			    f->n, f->n == 1 ? "" : "s", is_new ? "new" : "old", f->n_cells,
			    c->n_cells, f->scenario);
}

void compare_add_headline(struct strbuf *out, const struct campaign_change *c)
{
	SCOPED_STRBUF text = STRBUF_INIT, line = STRBUF_INIT;
	compare_add_word(&text, c);
	strbuf_addstr(&text, ": ");
	compare_add_counts(&text, c);
	escape_line(&line, text.s);
	/* characters of two and three bytes */
	text_cut(out, line.s, line.len > HEADLINE_MAX ? HEADLINE_MAX - 20 : HEADLINE_MAX);
}
