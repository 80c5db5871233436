/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of what was published beside what was measured, and of the kinds of requests by themselves. */
#include <math.h>

#include "reports/published_words.h"
#include "reports/tables/tables.h"
#include "validate/analysis/operations.h"

static void text_take(struct table *t, struct strbuf *s)
{
	table_text(t, s->s);
	strbuf_reset(s);
}

void table_published(struct table *t, const struct analysis *a)
{
	struct strbuf s = STRBUF_INIT;
	table_init(t, "published", "Published values beside those measured here");
	strbuf_addstr(&s, "Another machine, storage and time: do not expect equal numbers. What should hold again is which value is larger; the "
			  "findings judge that. A measured value has its 95 % interval behind it, a published value its published "
			  "uncertainty.");
	for (const char *const *defect = published_defects(a); *defect; defect++)
		strbuf_addf(&s, " %s", *defect);
	table_note(t, "%s", s.s);
	strbuf_reset(&s);
	table_column(t, FORMAT_TEXT, "source", "Published in");
	table_column(t, FORMAT_TEXT, "scenario", "Scenario");
	table_column(t, FORMAT_TEXT, "replayer", "Replayer");
	t->n_row_headers = 3;
	table_column(t, FORMAT_TEXT, "measure", "Measure");
	table_column(t, FORMAT_TEXT, "published", "Published");
	table_column(t, FORMAT_TEXT, "measured", "Measured [95 %]");
	for (size_t i = 0; i < a->n_published; i++) {
		const struct published_result *r = &a->published[i];
		table_text(t, r->value->source);
		table_cell_names(t, a, &a->cell[r->cell]);
		published_add_measure(&s, r->value->measure, r->value->operation);
		text_take(t, &s);
		published_add_literature(&s, r->value);
		text_take(t, &s);
		published_add_value(&s, r->value->measure, &r->measured);
		text_take(t, &s);
	}
	strbuf_release(&s);
}

void table_published_values(struct table *t, const struct analysis *a)
{
	table_init(t, "published-values", "Published values beside those measured here, in base units");
	t->data_only = true;
	table_column(t, FORMAT_TEXT, "source", "Published in");
	table_column(t, FORMAT_TEXT, "scenario", "Scenario");
	table_column(t, FORMAT_TEXT, "replayer", "Replayer");
	table_column(t, FORMAT_TEXT, "measure", "Measure");
	table_column(t, FORMAT_TEXT, "operation", "Operation");
	table_column(t, FORMAT_TEXT, "unit", "Unit");
	table_column(t, FORMAT_NUMBER, "published", "Published");
	table_column(t, FORMAT_SHARE, "published_uncertainty", "Published uncertainty");
	table_column_estimate(t, FORMAT_NUMBER, "measured", "Measured");
	for (size_t i = 0; i < a->n_published; i++) {
		const struct published_result *r = &a->published[i];
		table_text(t, r->value->source);
		table_cell_names(t, a, &a->cell[r->cell]);
		table_text(t, measure_info[r->value->measure].name);
		table_text(t, r->value->operation);
		table_text(t, published_unit(r->value->measure));
		table_number(t, r->value->value);
		table_number_status(t, isnan(r->value->uncertainty) ? STAT_NOT_ASSESSED : STAT_OK, r->value->uncertainty, NAN);
		table_estimate(t, &r->measured);
	}
}

void table_claims(struct table *t, const struct analysis *a)
{
	struct strbuf s = STRBUF_INIT;
	table_init(t, "findings", "Published findings on this machine");
	table_note(t, "Confirmed: in every comparison the interval of the difference lies on the published side (for \"alike\": within the "
		      "margin). Not confirmed: in some comparison it lies on the other side. The intervals of a finding's "
		      "comparisons hold together at 95 %%. A difference of times and of other positive measures is relative to the "
		      "second of the two; a difference of ratios is in percentage points. An F ratio is compared with 1 by its own F "
		      "test; a published critical value decides nothing.");
	table_column(t, FORMAT_TEXT, "finding", "Finding");
	table_column(t, FORMAT_TEXT, "text", "As published");
	table_column(t, FORMAT_TEXT, "source", "Published in");
	table_column(t, FORMAT_TEXT, "published", "Numbers there");
	table_column(t, FORMAT_TEXT, "reproduce", "To look at it by hand");
	table_column(t, FORMAT_TEXT, "measured", "Here");
	table_column(t, FORMAT_COUNT, "n_comparisons", "Comparisons");
	table_column(t, FORMAT_COUNT, "n_confirmed", "Confirmed");
	table_column(t, FORMAT_COUNT, "n_not_confirmed", "Not confirmed");
	table_column(t, FORMAT_COUNT, "n_inconclusive", "Inconclusive");
	table_column(t, FORMAT_TEXT, "outcome", "On this machine");
	for (size_t i = 0; i < a->n_claims; i++) {
		const struct claim *c = &a->results->protocol.claim[i];
		const struct claim_result *r = &a->claim[i];
		table_text(t, c->name);
		table_text(t, c->text);
		table_text(t, c->source);
		table_text(t, c->published);
		table_text(t, c->reproduce);
		published_add_outcome(&s, a, i);
		text_take(t, &s);
		table_count(t, (double)r->n);
		table_count(t, (double)r->n_confirmed);
		table_count(t, (double)r->n_not_confirmed);
		table_count(t, (double)r->n_inconclusive);
		table_text(t, claim_outcome_names[r->outcome]);
	}
	strbuf_release(&s);
}

/* "random-read level=2, event order=fs", or the number that a claim names. */
static void add_other(struct table *t, const struct analysis *a, const struct claim *c, const struct claim_comparison *k)
{
	const struct protocol *p = &a->results->protocol;
	if (k->than == CLAIM_NO_CELL) {
		table_text(t, c->than_text);
		return;
	}
	const struct cell *cell = &a->cell[k->than];
	if (cell->scenario == a->cell[k->cell].scenario)
		table_text(t, p->replayer[cell->replayer].name);
	else
		table_textf(t, "%s, %s", p->scenario[cell->scenario].name, p->replayer[cell->replayer].name);
}

void table_claim_comparisons(struct table *t, const struct analysis *a)
{
	struct strbuf s = STRBUF_INIT;
	table_init(t, "finding-comparisons", "Every comparison behind the findings");
	table_column(t, FORMAT_TEXT, "finding", "Finding");
	table_column(t, FORMAT_TEXT, "scenario", "Scenario");
	table_column(t, FORMAT_TEXT, "replayer", "Replayer");
	t->n_row_headers = 3;
	table_column(t, FORMAT_TEXT, "than", "Against");
	table_column(t, FORMAT_TEXT, "measure", "Measure");
	table_column(t, FORMAT_TEXT, "value", "Value [95 %]");
	table_column(t, FORMAT_TEXT, "other", "Of the other [95 %]");
	table_column(t, FORMAT_TEXT, "difference", "Difference [interval]");
	table_column(t, FORMAT_TEXT, "outcome", "On this machine");
	for (size_t i = 0; i < a->n_claims; i++)
		for (size_t k = 0; k < a->claim[i].n; k++) {
			const struct claim *c = &a->results->protocol.claim[i];
			const struct claim_comparison *q = &a->claim[i].comparison[k];
			table_text(t, c->name);
			table_cell_names(t, a, &a->cell[q->cell]);
			add_other(t, a, c, q);
			published_add_measure(&s, c->measure, c->operation);
			text_take(t, &s);
			published_add_value(&s, c->measure, &q->value);
			text_take(t, &s);
			published_add_value(&s, c->measure, &q->other);
			text_take(t, &s);
			published_add_difference(&s, c->measure, &q->difference);
			text_take(t, &s);
			table_text(t, claim_outcome_names[q->outcome]);
		}
	strbuf_release(&s);
}

void table_claim_values(struct table *t, const struct analysis *a)
{
	table_init(t, "finding-values", "Every comparison behind the findings, in base units");
	t->data_only = true;
	table_column(t, FORMAT_TEXT, "finding", "Finding");
	table_cell_columns(t);
	table_column(t, FORMAT_TEXT, "than", "Against");
	table_column(t, FORMAT_TEXT, "measure", "Measure");
	table_column(t, FORMAT_TEXT, "operation", "Operation");
	table_column(t, FORMAT_TEXT, "unit", "Unit");
	table_column_estimate(t, FORMAT_NUMBER, "value", "Value");
	table_column_estimate(t, FORMAT_NUMBER, "other", "Of the other");
	table_column(t, FORMAT_TEXT, "difference_unit", "Unit of the difference");
	table_column(t, FORMAT_NUMBER, "difference", "Difference");
	table_column(t, FORMAT_NUMBER, "difference_lo", "from");
	table_column(t, FORMAT_NUMBER, "difference_hi", "to");
	table_column(t, FORMAT_SHARE, "confidence", "Confidence");
	table_column(t, FORMAT_TEXT, "outcome", "On this machine");
	for (size_t i = 0; i < a->n_claims; i++)
		for (size_t k = 0; k < a->claim[i].n; k++) {
			const struct claim *c = &a->results->protocol.claim[i];
			const struct claim_comparison *q = &a->claim[i].comparison[k];
			bool relative = measure_info[c->measure].scale != SCALE_LINEAR;
			table_text(t, c->name);
			table_cell_names(t, a, &a->cell[q->cell]);
			add_other(t, a, c, q);
			table_text(t, measure_info[c->measure].name);
			table_text(t, c->operation);
			table_text(t, published_unit(c->measure));
			table_estimate(t, &q->value);
			table_estimate(t, &q->other);
			table_text(t, relative ? "ratio" : published_unit(c->measure));
			table_number_status(t, q->difference.status, q->difference.value, NAN);
			table_number_status(t, q->difference.status, q->difference.lo95, NAN);
			table_number_status(t, q->difference.status, q->difference.hi95, NAN);
			table_number(t, a->claim[i].confidence);
			table_text(t, claim_outcome_names[q->outcome]);
		}
}

void table_operations(struct table *t, const struct analysis *a)
{
	table_init(t, "operations", "Response times by kind of request");
	table_note(t, "Of cases with several kinds of requests, those first that take most of the program's time. 2 u_c combines bias, scatter "
		      "of the replays and scatter of the program as tables V to VII of the metrology paper do.");
	table_cell_columns(t);
	table_column(t, FORMAT_TEXT, "operation", "Request");
	t->n_row_headers = 3;
	table_column(t, FORMAT_COUNT, "n_requests", "Requests a run");
	table_column(t, FORMAT_SHARE, "share_of_time", "Share of the time");
	table_column_estimate(t, FORMAT_TIME, "program", "Program [95 %]");
	table_column_estimate(t, FORMAT_TIME, "replay", "Replay [95 %]");
	table_column_estimate(t, FORMAT_RELATIVE, "bias", "Bias [95 %]");
	table_column_estimate(t, FORMAT_SHARE, "uncertainty", "2 u_c [95 %]");
	for (size_t i = 0; i < a->n_operations; i++) {
		const struct operation_result *o = &a->operation[i];
		table_cell_names(t, a, &a->cell[o->cell]);
		table_text(t, o->op);
		table_count(t, o->n_requests);
		table_number_u(t, o->share, 0.01);
		table_estimate(t, &o->program);
		table_estimate(t, &o->replay);
		table_estimate(t, &o->bias);
		table_estimate(t, &o->uncertainty);
	}
}
