/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paired log ratios against limits either way: what most components of the response and execution time are.
 *
 * Accepted: the interval at 1 - 2 alpha lies inside the limits (two one-sided tests). Rejected: one of the tests shows the
 * mean outside; the P-value, doubled, goes to Holm. Source: Schuirmann (1987). */
#include <math.h>

#include "validate/components/component.h"
#include "validate/stats/conformity.h"
#include "validate/stats/distributions.h"
#include "validate/stats/planning.h"

/* Acceptance that leaves a guard band (JCGM 106) of `factor` expanded uncertainties of the bias inside the limits. It is asked
 * for besides the test, so that it can only make accepting, and rejecting, harder. */
static void guard(struct component *c, const struct ratio_evidence *e, double low, double high, double factor)
{
	double k, risk;
	const struct t_estimate *t = c->decision == DECISION_REJECT ? &e->t : &e->wide;
	if (!(factor >= 0) || t_quantile(0.975, t->df, &k) || conformity_risk(t->value, t->se, t->df, low, high, &risk))
		return;
	enum conformity guarded = conformity_guarded(t->value, low, high, factor * k * t->se);
	if ((c->decision == DECISION_ACCEPT && guarded != CONFORMITY_ACCEPT) ||
	    (c->decision == DECISION_REJECT && guarded != CONFORMITY_REJECT))
		c->decision = DECISION_INCONCLUSIVE;
	REASON_ADD(c, ", guard band %.3g U, specific risk of %s %.2g %%", factor,
		   c->decision == DECISION_REJECT ? "rejecting wrongly" : "accepting wrongly",
		   100 * (c->decision == DECISION_REJECT ? 1 - risk : risk));
}

/* All pairs have the same ratio, as whole numbers mostly have: nothing scatters, the value itself decides. */
static void decide_alike(struct component *c, const struct ratio_evidence *e, double low, double high,
			 const struct levels *levels)
{
	struct mean_p p = decide_mean_p(&e->t, &e->wide, e->n, low, high, true);
	c->estimate.status = STAT_OK;
	c->estimate.value = expm1(e->t.value);
	decide(c, p.accept, p.reject, levels);
	REASON(c, "%s %% in each of %zu pairs, %s the limits ±%s %%", shown_change(expm1(e->t.value)).text, e->n,
	       decide_position(c), shown_percent(c->limit).text);
}

void decide_ratio(struct component *c, const struct ratio_evidence *e, const struct levels *levels, bool alike,
			 double guard_band)
{
	double low = c->limit < 1 ? log1p(-c->limit) : -INFINITY, high = log1p(c->limit);
	if (e->status && !(alike && e->status == STAT_ZERO_VARIANCE)) {
		decide_nothing(c, e->status);
		return;
	}
	if (!(c->limit > 0)) {
		decide_shown(c, c->estimate, "deviation", 100, " %");
		return;
	}
	if (decide_is_early(c, levels))
		return;
	if (e->status) {
		decide_alike(c, e, low, high, levels);
		return;
	}
	struct mean_p p = decide_mean_p(&e->t, &e->wide, e->n, low, high, true);
	decide(c, p.accept, p.reject, levels);
	/* the interval that decided: 1 - 2 alpha for accepting, 1 - alpha for rejecting */
	bool reject = c->decision == DECISION_REJECT;
	double error = reject ? levels->accept : 2 * levels->accept, lo, hi;
	if (t_interval(&e->wide, 1 - 2 * levels->accept, &c->accept_lo, &c->accept_hi) ||
	    t_interval(reject ? &e->t : &e->wide, 1 - error, &lo, &hi)) {
		decide_nothing(c, STAT_OUT_OF_RANGE);
		return;
	}
	c->accept_lo = expm1(c->accept_lo);
	c->accept_hi = expm1(c->accept_hi);
	if (decide_is_hardly_one(c, &e->serial))
		REASON(c, "%s %%, of which no interval can be told, limits ±%s %%", shown_change(expm1(e->t.value)).text, shown_percent(c->limit).text);
	else
		REASON(c, "%s %%, %.*g %% interval %s to %s %%, %s the limits ±%s %%", shown_change(expm1(e->t.value)).text,
		       confidence_digits(error), 100 * (1 - error), shown_change(expm1(lo)).text, shown_change(expm1(hi)).text,
		       decide_position(c), shown_percent(c->limit).text);
	decide_dependence(c, &e->serial, e->n, p.accept_alone, levels);
	guard(c, e, low, high, guard_band);
}

void plan_ratio(struct component *k, const struct ratio_evidence *e, double alpha_reject)
{
	if (e->status == STAT_TOO_FEW)
		plan_further(k, STAT_OK, PLAN_FEWEST, e->n);
	else if (e->status == STAT_ZERO_VARIANCE && e->t.value != 0)
		plan_further(k, STAT_OK, (uint64_t)ceil(1 - log2(alpha_reject)), e->n); /* pairs that agree until P is small enough */
	else if (!e->status)
		plan_mean(k, &e->t, &e->serial, e->n, k->limit < 1 ? log1p(-k->limit) : -INFINITY, log1p(k->limit), alpha_reject / 2,
			  "ratios");
}
