/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paired log ratios against two-sided limits: most components of response and execution time.
 *
 * One-sided P-values come from re-randomisation (stats/paired_mean.h). Accepted: both one-sided
 * tests are significant. Rejected: a test shows that the mean is outside; twice its P-value enters
 * Holm's correction. For accepting, P is increased for dependence within a role; if recordings are
 * reused, the means by recording must be accepted as well. Source: Schuirmann (1987) for the two
 * tests. */
#include "validate/components/component.h"
#include "validate/stats/conformity.h"
#include "validate/stats/distributions.h"
#include "validate/stats/multiplicity.h"

/* Applies a guard band (JCGM 106) of `factor` expanded uncertainties of the bias inside the limits.
 * It applies in addition to the test, so it can only make accepting and rejecting harder. */
static void guard_apply(struct component *c, const struct ratio_evidence *e, double low,
			double high, double factor)
{
	double k, risk;
	const struct t_estimate *t = c->decision == DECISION_REJECT ? &e->t : &e->wide;
	if (!(factor >= 0) || t_quantile(0.975, t->df, &k) ||
	    conformity_risk(t->value, t->se, t->df, low, high, &risk))
		return;
	enum conformity guarded = conformity_guarded(t->value, low, high, factor * k * t->se);
	if ((c->decision == DECISION_ACCEPT && guarded != CONFORMITY_ACCEPT) ||
	    (c->decision == DECISION_REJECT && guarded != CONFORMITY_REJECT))
		c->decision = DECISION_INCONCLUSIVE;
	if (c->decision == DECISION_REJECT)
		REASON_ADD(c, GUARD_REJECT, factor, 100 * (1 - risk));
	else
		REASON_ADD(c, GUARD_ACCEPT, factor, 100 * risk);
}

/* --- P-values and limits ------------------------------------------------- */

struct mean_p ratio_p(const struct ratio_evidence *e, double low, double high,
		      const struct levels *levels)
{
	if (e->status == STAT_ZERO_VARIANCE)
		return decide_mean_p(&e->t, &e->wide, e->n, low, high, true, levels->span);
	const struct paired_mean series = ratio_series(e);
	struct paired_mean cautious = series;
	struct mean_p p = {0};
	double outside = 1;
	const double at[2] = {low, high};
	if (levels->cautious) {
		const struct serial serial = serial_cautious(&e->serial, e->n);
		paired_mean_widen(&cautious, &serial);
	}
	for (int i = 0; i < 2; i++) {
		if (!isfinite(at[i]))
			continue;
		bool inside_is_above = i == 0;
		struct mean_side inside = paired_mean_p(&series, at[i], inside_is_above);
		p.accept = fmax(p.accept, inside.wide);
		p.accept_alone = fmax(p.accept_alone, inside.alone);
		if (inside_is_above ? e->t.value < at[i] : e->t.value > at[i]) {
			const struct mean_side p_out =
			    paired_mean_p(&cautious, at[i], !inside_is_above);
			outside = fmin(outside, levels->cautious ? p_out.wide : p_out.alone);
		}
	}
	p.reject = fmin(1, 2 * sequential_p(outside, levels->span));
	return p;
}

bool ratio_limits(const struct ratio_evidence *e, double alpha, bool widen, double *lo, double *hi)
{
	const struct paired_mean series = ratio_series(e);
	if (e->status != STAT_ZERO_VARIANCE)
		return paired_mean_limits(&series, alpha, widen, lo, hi);
	*lo = *hi = e->t.value;
	return true;
}

void decide_recordings(struct component *c, const struct ratio_evidence *e)
{
	if (e->recordings.inflation > 1.05 && c->decision == DECISION_INCONCLUSIVE)
		REASON_ADD(c, RECORDINGS, (double)e->n, (double)e->recordings.n);
}

/* --- one ratio ----------------------------------------------------------- */

/* Adds the deciding interval: 1 - 2 alpha for accepting, 1 - alpha for rejecting. */
static void say_interval(struct component *c, const struct ratio_evidence *e,
			 const struct bounds *b, const struct levels *levels)
{
	bool reject = c->decision == DECISION_REJECT;
	double error = reject ? levels->accept : 2 * levels->accept, lo, hi;
	if (!ratio_limits(e, levels->accept, true, &c->accept_lo, &c->accept_hi)) {
		decide_nothing(c, STAT_OUT_OF_RANGE);
		return;
	}
	lo = c->accept_lo;
	hi = c->accept_hi;
	if (reject && !ratio_limits(e, error / 2, levels->cautious, &lo, &hi)) {
		decide_nothing(c, STAT_OUT_OF_RANGE);
		return;
	}
	c->accept_lo = expm1(c->accept_lo);
	c->accept_hi = expm1(c->accept_hi);
	if (decide_is_too_dependent(c, &e->serial)) {
		REASON(c, RATIO_ALONE, expm1(e->t.value), c->limit);
		return;
	}
	REASON(c, RATIO, expm1(e->t.value), error, expm1(lo), expm1(hi), c->decision, c->limit);
	decide_only_interval(c, lo > b->high || hi < b->low, levels);
}

void decide_ratio(struct component *c, const struct ratio_evidence *e, const struct levels *levels,
		  bool alike, double guard_band)
{
	const struct bounds b = bounds_of(c, true);
	const enum stat_status s = alike && e->status == STAT_ZERO_VARIANCE ? STAT_OK : e->status;
	if (decide_is_settled(c, s, levels))
		return;
	struct mean_p p = ratio_p(e, b.low, b.high, levels);
	decide_component(c, p.accept, p.reject, levels);
	if (e->status) {
		/* all pairs have the same ratio, as integers often do: there is no scatter, so the
		 * value decides */
		c->estimate.status = STAT_OK;
		c->estimate.value = expm1(e->t.value);
		REASON(c, RATIO_ALIKE, c->estimate.value, (double)e->n, c->decision, c->limit);
		return;
	}
	say_interval(c, e, &b, levels);
	decide_dependence(c, &e->serial, e->n, p.accept_alone, levels);
	decide_recordings(c, e);
	guard_apply(c, e, b.low, b.high, guard_band);
}

void plan_ratio(struct component *k, const struct planning *p)
{
	const struct ratio_evidence *e =
	    (const void *)((const char *)p->e + components[k->kind]->evidence);
	const struct bounds b = bounds_of(k, true);
	if (e->status == STAT_TOO_FEW)
		plan_further(k, STAT_OK, PLAN_FEWEST, e->n);
	else if (e->status == STAT_ZERO_VARIANCE && e->t.value != 0)
		/* number of equal pairs until P is small enough */
		plan_further(k, STAT_OK, (uint64_t)ceil(-log2(plan_level(p, false, 2))), e->n);
	if (e->status)
		return;
	plan_means(k, p, &(struct plan_mean){&e->t, &e->serial, e->n, b.low, b.high, 2, true,
					     &e->recordings}, 1);
}
