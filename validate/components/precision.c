/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ratio of the scatters of replay and program, or the repeatability of replays of one
 * recording. */
#include "validate/components/component.h"
#include "validate/stats/distributions.h"
#include "validate/stats/planning.h"
#include "validate/stats/multiplicity.h"
#include "validate/stats/spread_ratio.h"

/* Decides the ratio. Accepting uses P-values that allow for dependence between pairs. */
static void decide_both(struct component *c, const struct evidence *e, const struct levels *levels)
{
	const struct serial *serial = &e->precision_serial;
	const struct pair_spread spread = {e->precision, *serial, e->permutation_above,
					   e->permutation_below};
	struct spread_ratio_p p;
	double lower, upper, wide;
	enum stat_status s = e->precision_status;
	if (!s && !(c->limit > 0)) {
		decide_shown(c);
		if (!c->estimate.status)
			REASON(c, SCATTER_SHOWN, c->estimate.value / 100);
		return;
	}
	if (!s && decide_is_early(c, levels))
		return;
	s = s ? s : pair_spread_p(&spread, c->limit, &p);
	s = s ? s : pitman_morgan_limits(&e->precision, levels->accept, &lower, &upper);
	s = s ? s : pair_spread_upper(&spread, levels->accept, &wide);
	if (s) {
		decide_nothing(c, s);
		return;
	}
	decide_component(c, p.below, sequential_p(p.above, levels->span), levels);
	c->accept_hi = wide;
	upper = c->decision == DECISION_REJECT ? upper : wide;
	REASON(c, SCATTER, e->precision.ratio, levels->accept, lower, upper,
	       upper <= c->limit  ? DECISION_ACCEPT
	       : lower > c->limit ? DECISION_REJECT
				  : DECISION_INCONCLUSIVE,
	       c->limit);
	if (c->decision == DECISION_INCONCLUSIVE && p.normal_above <= levels->accept)
		REASON_ADD(c, SCATTER_CHANCE, p.above);
	else if (c->decision == DECISION_INCONCLUSIVE && upper <= c->limit)
		REASON_ADD(c, DIFFERENCE_CHANCE, p.below);
	decide_dependence(c, serial, e->precision.n, p.below_alone, levels);
}

/* Decides the coefficient of variation of the replays, as the standard deviation of logarithms. */
static void decide_repeatability(struct component *c, const struct deciding *d)
{
	const struct evidence *e = d->e;
	const struct cell *cell = d->cell;
	const struct levels *levels = d->levels;
	const struct spread_evidence *x = &e->repeatability;
	double lower, upper;
	c->limit = d->accept->repeatability > 0 ? d->accept->repeatability : NAN;
	if (!(c->limit > 0)) {
		c->decision = DECISION_NOT_APPLICABLE;
		REASON(c, REPEATABILITY_ONLY);
		if (isfinite(cell->x.cv))
			REASON_ADD(c, REPEATABILITY_VALUE, cell->x.cv);
		return;
	}
	enum stat_status s = x->status;
	if (!s && decide_is_early(c, levels))
		return;
	s = s ? s : spread_limits(x, levels->accept, &lower, &upper);
	if (s) {
		decide_nothing(c, s);
		return;
	}
	struct spread_p p = spread_p(x, c->limit);
	c->estimate = spread_estimate(x, x->sd);
	decide_component(c, p.below, sequential_p(p.above, levels->span), levels);
	REASON(c, REPEATABILITY, x->sd, levels->accept, lower, upper, c->decision, c->limit);
	const struct spread_evidence alone = spread_independent(x, &e->replays, cell->x.n);
	c->accept_hi = upper;
	decide_dependence(c, &e->replays, cell->x.n, spread_p(&alone, c->limit).below, levels);
}

static void decide_precision(struct component *c, const struct deciding *d)
{
	c->estimate = d->cell->precision_ratio;
	if (d->cell->single_reference)
		decide_repeatability(c, d);
	else
		decide_both(c, d->e, d->levels);
}

static void plan_precision(struct component *k, const struct planning *p)
{
	const struct evidence *e = p->e;
	const struct pitman_morgan *pm = &e->precision;
	uint64_t needed = 0;
	double below, above;
	/* the ratio is unknown: plan as for a replayer with the program's precision */
	if (e->precision_status == STAT_TOO_FEW) {
		if (!replicates_for_precision(1, 0, k->limit, p->levels->accept, PLAN_ASSURANCE,
					      &needed))
			plan_further(k, STAT_OK, needed, e->bias.n);
		return;
	}
	if (e->precision_status)
		return;
	const bool inside = pm->ratio < k->limit;
	double alpha = plan_level(p, inside, 1);
	enum stat_status s = replicates_for_precision(pm->ratio, pm->correlation, k->limit, alpha,
						      PLAN_ASSURANCE, &needed);
	/* with fewer pairs, no permutation has so small a probability */
	uint64_t least = (uint64_t)ceil(-log2(alpha));
	needed = needed < least ? least : needed;
	if (!s && inside)
		needed = plan_as_dependent(&e->precision_serial, pm->n, needed);
	if (plan_further(k, s, needed, pm->n) && !ratio_for_precision(pm->n, pm->correlation,
	    k->limit, alpha, PLAN_ASSURANCE, &below, &above)) {
		if (inside)
			REASON_ADD(k, PLAN_RATIO_MOST, (double)pm->n, below);
		else
			REASON_ADD(k, PLAN_RATIO_LEAST, (double)pm->n, above);
	}
}

const struct component_row component_precision = {
	.title = "Precision",
	.meaning = "Standard deviation of the replay's results from run to run, divided by the "
		   "program's.",
	.rule = "One-sided. A permutation test, which exchanges replay and program within pairs, "
		"must agree.",
	.source = "ISO 5725-1; Pitman and Morgan 1939",
	.unit = COMPONENT_NUMBER,
	.relative = true, .decide = decide_precision, .plan = plan_precision,
};
