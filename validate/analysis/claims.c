/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/analysis/claims.h"

#include "validate/analysis/analysis_private.h"
#include "validate/analysis/measures.h"
#include "validate/protocol/selector.h"

const char *const claim_outcome_names[] = {"confirmed", "not confirmed", "inconclusive",
					   "not assessed", NULL};

#define ALPHA 0.05

static const struct replayer *replayer_of(const struct analysis *a, size_t cell)
{
	return &a->results->protocol.replayer[a->cell[cell].replayer];
}

static bool case_fits(const struct analysis *a, size_t cell, const struct selector *scenario,
		      const struct selector *replayer)
{
	return selector_fits_scenario(scenario, &a->results->protocol, cell_scenario(a, cell)) &&
	       selector_fits_replayer(replayer, replayer_of(a, cell));
}

/* --- selection of cases -------------------------------------------------- */

static bool is_other(const struct analysis *a, const struct claim *c, size_t cell, size_t than)
{
	bool elsewhere = c->than_scenario.n_terms > 0, another = c->than.n_terms > 0;
	if (cell == than || !case_fits(a, than, elsewhere ? &c->than_scenario : &c->scenario,
				       another ? &c->than : &c->replayer))
		return false;
	if (elsewhere ? !selector_scenarios_agree(&c->scenario, cell_scenario(a, cell),
						  &c->than_scenario, cell_scenario(a, than))
		      : a->cell[cell].scenario != a->cell[than].scenario)
		return false;
	return another ? selector_replayers_agree(&c->replayer, replayer_of(a, cell), &c->than,
						  replayer_of(a, than))
		       : a->cell[cell].replayer == a->cell[than].replayer;
}

static void comparison_add(struct claim_result *r, size_t *cap, size_t cell, size_t than)
{
	APPEND(r->comparison, r->n, *cap, (struct claim_comparison){.cell = cell, .than = than,
		.outcome = CLAIM_INCONCLUSIVE});
}

static void comparisons_find(struct claim_result *r, const struct analysis *a,
			     const struct claim *c)
{
	size_t cap = 0;
	for (size_t i = 0; i < a->n_cells; i++) {
		if (!case_fits(a, i, &c->scenario, &c->replayer))
			continue;
		if (!isnan(c->limit))
			comparison_add(r, &cap, i, CLAIM_NO_CELL);
		for (size_t k = 0; isnan(c->limit) && k < a->n_cells; k++)
			if (is_other(a, c, i, k))
				comparison_add(r, &cap, i, k);
	}
}

/* --- outcomes ------------------------------------------------------------ */

/* Returns the outcome of a comparison over n runs. If the values of all runs are equal, as counts
 * may be, there is no interval. Then the sign test decides: n runs on the same side of a number
 * have probability 2^(1 - n). */
static enum claim_outcome outcome_of(const struct claim *c, const struct estimate *d, size_t n,
				     double confidence)
{
	const bool alike = d->status == STAT_ZERO_VARIANCE && exp2(1 - (double)n) <= 1 - confidence;
	double lo = alike ? d->value : d->lo95, hi = alike ? d->value : d->hi95;
	if (d->status && !alike)
		return CLAIM_INCONCLUSIVE;
	switch (c->direction) {
	case CLAIM_LARGER:
		return lo > 0 ? CLAIM_CONFIRMED : hi < 0 ? CLAIM_NOT_CONFIRMED : CLAIM_INCONCLUSIVE;
	case CLAIM_SMALLER:
		return hi < 0 ? CLAIM_CONFIRMED : lo > 0 ? CLAIM_NOT_CONFIRMED : CLAIM_INCONCLUSIVE;
	default:
		if (lo >= -c->margin && hi <= c->margin)
			return CLAIM_CONFIRMED;
		return lo > c->margin || hi < -c->margin ? CLAIM_NOT_CONFIRMED : CLAIM_INCONCLUSIVE;
	}
}

static bool is_f_test(const struct claim *c)
{
	return c->measure == MEASURE_F_RATIO && !isnan(c->limit);
}

/* Compares an F ratio with 1. A test that finds nothing confirms nothing. So "no more scatter" is
 * confirmed only within the limit on the precision ratio, and only if the shown F test does not
 * find more scatter. */
static void f_test_make(struct claim_comparison *k, const struct analysis *a, const struct claim *c,
			const struct measure_runs *runs, double confidence)
{
	const double ratio = a->results->protocol.accept.precision_ratio;
	struct variance_ratio v;
	k->other = estimate_none(STAT_OK);
	k->other.value = 1;
	k->difference = measure_f_excess(c->operation, runs, confidence, &v);
	k->outcome = outcome_of(c, &k->difference, runs->n, confidence);
	if (k->difference.status)
		return;
	k->f_p = v.p_greater;
	if (variance_ratio_critical(ALPHA, false, v.df_x, v.df_r, &k->f_critical))
		k->f_critical = NAN;
	if (c->direction == CLAIM_SMALLER && k->outcome == CLAIM_INCONCLUSIVE && k->f_p > ALPHA &&
	    k->difference.hi95 <= ratio * ratio - 1)
		k->outcome = CLAIM_CONFIRMED;
}

static void comparison_make(struct claim_comparison *k, const struct analysis *a,
			    const struct claim *c, double confidence)
{
	struct measure_runs runs, other = {0};
	measure_runs_of_cell(&runs, a, k->cell);
	k->value = measure_estimate(c->measure, c->operation, &runs);
	k->f_p = k->f_critical = NAN;
	if (is_f_test(c)) {
		f_test_make(k, a, c, &runs, confidence);
		measure_runs_release(&runs);
		return;
	}
	if (k->than == CLAIM_NO_CELL) {
		k->other = estimate_none(STAT_OK);
		k->other.value = c->limit;
		other.n = runs.n;
		k->difference =
		    measure_excess(c->measure, c->operation, &runs, c->limit, confidence);
	} else {
		measure_runs_of_cell(&other, a, k->than);
		k->other = measure_estimate(c->measure, c->operation, &other);
		k->difference =
		    measure_difference(c->measure, c->operation, &runs, &other, confidence);
	}
	k->outcome = outcome_of(c, &k->difference, runs.n < other.n ? runs.n : other.n, confidence);
	measure_runs_release(&runs);
	measure_runs_release(&other);
}

static void claim_compute(struct claim_result *r, const struct analysis *a, const struct claim *c)
{
	comparisons_find(r, a, c);
	r->least = r->most = NAN;
	r->confidence = r->n ? 1 - ALPHA / (double)r->n : NAN;
	for (size_t i = 0; i < r->n; i++) {
		comparison_make(&r->comparison[i], a, c, r->confidence);
		if (a->results->seal.state == SEAL_BROKEN)
			r->comparison[i].outcome = CLAIM_INCONCLUSIVE;
		/* fmin() and fmax() skip NaN */
		r->least = fmin(r->least, r->comparison[i].difference.value);
		r->most = fmax(r->most, r->comparison[i].difference.value);
		r->n_confirmed += r->comparison[i].outcome == CLAIM_CONFIRMED;
		r->n_not_confirmed += r->comparison[i].outcome == CLAIM_NOT_CONFIRMED;
		r->n_inconclusive += r->comparison[i].outcome == CLAIM_INCONCLUSIVE;
		r->n_significant += r->comparison[i].f_p <= ALPHA;
		r->n_above_published += is_f_test(c) && r->comparison[i].value.value > c->limit;
	}
	r->outcome = !r->n			 ? CLAIM_NOT_ASSESSED
		     : r->n_not_confirmed	 ? CLAIM_NOT_CONFIRMED
		     : r->n_confirmed == r->n ? CLAIM_CONFIRMED
						 : CLAIM_INCONCLUSIVE;
}

static void published_compute(struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	size_t cap = 0;
	for (size_t i = 0; i < p->n_published; i++)
		for (size_t k = 0; k < a->n_cells; k++) {
			const struct published_value *v = &p->published[i];
			SCOPED(measure_runs_release) struct measure_runs runs = {0};
			if (!case_fits(a, k, &v->scenario, &v->replayer))
				continue;
			measure_runs_of_cell(&runs, a, k);
			APPEND(a->published, a->n_published, cap, (struct published_result){v, k,
				measure_estimate(v->measure, v->operation, &runs)});
		}
}

void claims_compute(struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	a->n_claims = p->n_claims;
	a->claim = xcalloc(p->n_claims + 1, sizeof *a->claim);
	for (size_t i = 0; i < p->n_claims; i++)
		claim_compute(&a->claim[i], a, &p->claim[i]);
	published_compute(a);
}

void analysis_claims_release(struct analysis *a)
{
	for (size_t i = 0; i < a->n_claims; i++)
		free(a->claim[i].comparison);
	FREE_EACH(a->claim, a->published);
}
