/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of published values beside measured values, and of each kind of request. */
#include "reports/words.h"
#include "reports/tables/tables.h"
#include "validate/analysis/operations.h"

ROWS_OF(published_n, a->n_published)

static void published_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct published_result *r = ROW_ITEM(t, &a->published[i]);
	COL_TEXT(t, "source", "Published in", r->value->source);
	COL_CELL(t, a, &a->cell[r->cell]);
	COL_WORDS(t, "measure", "Measure",
		published_add_measure(&s_, r->value->measure, r->value->operation));
	COL_WORDS(t, "published", "Published", published_add_literature(&s_, r->value));
	COL_WORDS(t, "measured", "Measured [95 %]",
		published_add_value(&s_, r->value->measure, &r->measured));
	if (!t->in_heads)
		return;
	SCOPED_STRBUF s = STRBUF_INIT;
	strbuf_addstr(&s,
		"The published values come from another machine, other storage and another time, "
		"so do not expect equal numbers. But if one published value is larger than "
		"another, the same should hold here. A measured value is followed by its 95 % "
		"interval, and a published value by its uncertainty if the publication states it.");
	for (const char *const *defect = published_defects(a); *defect; defect++)
		strbuf_addf(&s, " %s", *defect);
	table_note(t, "%s", s.s);
}

const struct table_kind table_published = {"published",
	"Published and measured values", published_n, published_row,
	.n_row_headers = 3};

static void published_values_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct published_result *r = ROW_ITEM(t, &a->published[i]);
	COL_TEXT(t, "source", "Published in", r->value->source);
	COL_CELL(t, a, &a->cell[r->cell]);
	COL_TEXT(t, "measure", "Measure", measure_info[r->value->measure].name);
	COL_TEXT(t, "operation", "Operation", r->value->operation);
	COL_TEXT(t, "unit", "Unit", published_unit(r->value->measure));
	COL_NUMBER(t, NUMBER, "published", "Published", r->value->value, NAN);
	COL_STATUS(t, SHARE, "published_uncertainty", "Published uncertainty",
		isnan(r->value->uncertainty) ? STAT_NOT_ASSESSED : STAT_OK, r->value->uncertainty,
		NAN);
	COL_ESTIMATE(t, NUMBER, "measured", "Measured", &r->measured);
}

ROWS_OF(published_values_n, a->n_published)

const struct table_kind table_published_values = {
    "published-values", "Published and measured values, in base units",
    published_values_n, published_values_row, .data_only = true};

ROWS_OF(claims_n, a->n_claims)

static void claims_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct claim *c = ROW_ITEM(t, &a->results->protocol.claim[i]);
	const struct claim_result *r = ROW_ITEM(t, &a->claim[i]);
	COL_TEXT(t, "finding", "Finding", c->name);
	COL_TEXT(t, "text", "As published", c->text);
	COL_TEXT(t, "source", "Published in", c->source);
	COL_TEXT(t, "published", "Published numbers", c->published);
	COL_TEXT(t, "reproduce", "Commands to check it by hand", c->reproduce);
	COL_WORDS(t, "measured", "Here", published_add_outcome(&s_, a, i));
	COL_COUNT(t, "n_comparisons", "Comparisons", r->n);
	COL_OF(t, claim_result, r, n_confirmed, NULL, "Confirmed");
	COL_OF(t, claim_result, r, n_not_confirmed, NULL, "Not confirmed");
	COL_OF(t, claim_result, r, n_inconclusive, NULL, "Inconclusive");
	COL_TEXT(t, "outcome", "On this machine", claim_outcome_names[r->outcome]);
}

const struct table_kind table_claims = {
    "findings",
    "Published findings on this machine",
    claims_n,
    claims_row,
    .n_row_headers = 1,
    .note = "Confirmed: in every comparison the interval of the difference lies on the side that "
    	"the publication states (for \"alike\": within the margin). Not confirmed: in at least one "
    	"comparison the interval lies on the other side. The intervals of a finding hold jointly, "
    	"with 95 % confidence. Differences of times and other positive measures are relative to "
    	"the second of the two values; differences of ratios are in percentage points. An F ratio "
    	"is compared with 1 by its own F test, not with a published critical value."};

/* Adds "random-read level=2, event order=fs", or a number: that of the claim, but 1 for an F
 * ratio. */
static void add_other(struct table *t, const struct analysis *a, const struct claim *c,
		      const struct claim_comparison *k)
{
	const struct protocol *p = &a->results->protocol;
	if (k->than == CLAIM_NO_CELL) {
		table_text(t, c->measure == MEASURE_F_RATIO ? "1" : c->than_text);
		return;
	}
	const struct cell *cell = &a->cell[k->than];
	if (cell->scenario == a->cell[k->cell].scenario)
		table_text(t, p->replayer[cell->replayer].name);
	else
		table_textf(t, "%s, %s", p->scenario[cell->scenario].name,
			    p->replayer[cell->replayer].name);
}

static size_t n_comparisons(const struct analysis *a, size_t i)
{
	return a->claim[i].n;
}

static void comparisons_item(struct table *t, const struct analysis *a, size_t i, size_t k)
{
	const struct claim *c = ROW_ITEM(t, &a->results->protocol.claim[i]);
	const struct claim_comparison *q = ROW_ITEM(t, &a->claim[i].comparison[k]);
	COL_TEXT(t, "finding", "Finding", c->name);
	COL_CELL(t, a, &a->cell[q->cell]);
	COL(t, TEXT, "than", "Compared with", add_other(t, a, c, q));
	COL_WORDS(t, "measure", "Measure", published_add_measure(&s_, c->measure, c->operation));
	COL_WORDS(t, "value", "Value [95 %]", published_add_value(&s_, c->measure, &q->value));
	COL_WORDS(t, "other", "Second value [95 %]",
		published_add_value(&s_, c->measure, &q->other));
	COL_WORDS(t, "difference", "Difference [interval]",
		published_add_difference(&s_, c->measure, &q->difference));
	COL_TEXT(t, "outcome", "On this machine", claim_outcome_names[q->outcome]);
}

const struct table_kind table_claim_comparisons = {"finding-comparisons",
	"Every comparison behind the findings", claims_n, .n_items = n_comparisons,
	.item = comparisons_item, .n_row_headers = 3};

static void claim_values_item(struct table *t, const struct analysis *a, size_t i, size_t k)
{
	const struct claim *c = ROW_ITEM(t, &a->results->protocol.claim[i]);
	const struct claim_comparison *q = ROW_ITEM(t, &a->claim[i].comparison[k]);
	const struct estimate *d = q ? &q->difference : NULL;
	COL_TEXT(t, "finding", "Finding", c->name);
	COL_CELL(t, a, &a->cell[q->cell]);
	COL(t, TEXT, "than", "Compared with", add_other(t, a, c, q));
	COL_TEXT(t, "measure", "Measure", measure_info[c->measure].name);
	COL_TEXT(t, "operation", "Operation", c->operation);
	COL_TEXT(t, "unit", "Unit", published_unit(c->measure));
	COL_ESTIMATE(t, NUMBER, "value", "Value", &q->value);
	COL_ESTIMATE(t, NUMBER, "other", "Second value", &q->other);
	COL_TEXT(t, "difference_unit", "Unit of the difference",
		 measure_info[c->measure].scale != SCALE_LINEAR ? "ratio"
								: published_unit(c->measure));
	COL_OF(t, estimate, d, value, "difference", "Difference");
	COL_STATUS(t, NUMBER, "difference_lo", "from", d->status, d->lo95, NAN);
	COL_STATUS(t, NUMBER, "difference_hi", "to", d->status, d->hi95, NAN);
	COL_NUMBER(t, SHARE, "confidence", "Confidence", a->claim[i].confidence, NAN);
	COL_TEXT(t, "outcome", "On this machine", claim_outcome_names[q->outcome]);
}

const struct table_kind table_claim_values = {"finding-values",
	"Every comparison behind the findings, in base units", claims_n, .n_items = n_comparisons,
	.item = claim_values_item, .data_only = true};

static void operations_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct operation_result *o = ROW_ITEM(t, &a->operation[i]);
	COL_CELL(t, a, &a->cell[o->cell]);
	COL_TEXT(t, "operation", "Request", o->op);
	COL_COUNT(t, "n_requests", "Requests per run", o->n_requests);
	COL_OF_U(t, operation_result, o, share, NULL, "Share of the time", 0.01);
	COL_OF(t, operation_result, o, program, NULL, "Program [95 %]");
	COL_OF(t, operation_result, o, replay, NULL, "Replay [95 %]");
	COL_OF(t, operation_result, o, bias, NULL, "Bias [95 %]");
	COL_OF(t, operation_result, o, uncertainty, NULL, "2 u_c [95 %]");
}

ROWS_OF(operations_n, a->n_operations)

const struct table_kind table_operations = {
    "operations",
    "Response times by kind of request",
    operations_n,
    operations_row,
    .n_row_headers = 3,
    .note = "Cases with several kinds of requests. Kinds that take most of the program's "
    	"time come first. The column \"2 u_c\" is computed as in tables V to VII of the "
    	"metrology paper (Pereira et al. 2016): it combines bias, scatter of the replays and "
    	"scatter of the program. The U of the uncertainty budget does not contain the bias."};
