/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/components/decide.h"

#include <assert.h>

#include "validate/stats/distributions.h"
#include "validate/stats/multiplicity.h"

/* Plans with many looks leave almost no error for the first looks. Quantiles below this level
 * cannot be computed. */
#define LEAST_LEVEL 1e-12

void component_add_reason(struct component *c, enum reason_code code, const char *text,
			  const double number[REASON_NUMBERS + 1])
{
	assert(c->n_reasons < COMPONENT_MAX_REASONS);
	struct reason *r = &c->reasons[c->n_reasons++];
	r->code = code;
	r->text = text;
	memcpy(r->number, number + 1, sizeof r->number);
}

bool decide_is_early(struct component *c, const struct levels *levels)
{
	if (levels->accept >= LEAST_LEVEL)
		return false;
	c->decision = DECISION_INCONCLUSIVE;
	REASON(c, TOO_EARLY, levels->accept);
	return true;
}

double decide_reject_level(const struct levels *levels)
{
	return sequential_p(levels->accept, levels->span);
}

void decide_component(struct component *c, double p_accept, double p_reject,
		      const struct levels *levels)
{
	c->p_reject = fmin(1, p_reject);
	c->rejected_before_holm = c->p_reject <= decide_reject_level(levels);
	c->decision = c->rejected_before_holm      ? DECISION_REJECT
		      : p_accept <= levels->accept ? DECISION_ACCEPT
						   : DECISION_INCONCLUSIVE;
}

void decide_nothing(struct component *c, enum stat_status s)
{
	c->decision = s == STAT_NOT_APPLICABLE ? DECISION_NOT_APPLICABLE : DECISION_INCONCLUSIVE;
	if (s == STAT_NOT_APPLICABLE)
		REASON(c, NO_REPLAY);
	else if (s == STAT_NOT_ASSESSED)
		REASON(c, NOT_COMPARED, s);
	else
		REASON(c, STATUS, s, s);
}

void decide_shown(struct component *c)
{
	c->decision = c->estimate.status == STAT_NOT_APPLICABLE ? DECISION_NOT_APPLICABLE
								: DECISION_NOT_ASSESSED;
	if (c->estimate.status)
		REASON(c, SHOWN_STATUS, c->estimate.status);
	else
		REASON(c, SHOWN, c->estimate.value);
}

bool decide_is_settled(struct component *c, enum stat_status s, const struct levels *levels)
{
	if (s)
		decide_nothing(c, s);
	else if (!(c->limit > 0))
		decide_shown(c);
	else
		return decide_is_early(c, levels);
	return true;
}

static double p_inside(const struct t_estimate *t, double lo, double hi)
{
	return fmax(isfinite(lo) ? t_above((t->value - lo) / t->se, t->df) : 0,
		    isfinite(hi) ? t_below((t->value - hi) / t->se, t->df) : 0);
}

struct mean_p decide_mean_p(const struct t_estimate *t, const struct t_estimate *wide, size_t n,
			    double lo, double hi, bool two_sided, double span)
{
	const double times = two_sided ? 2 : 1;
	if (!(t->se > 0)) {
		bool inside = t->value >= lo && t->value <= hi;
		double signs = sequential_p(ldexp(1, n > 1000 ? -1000 : -(int)n), span);
		return (struct mean_p){inside ? 0 : 1, inside ? 1 : fmin(1, 2 * signs),
				       inside ? 0 : 1};
	}
	double outside = fmin(isfinite(lo) ? t_below((t->value - lo) / t->se, t->df) : 1,
			      isfinite(hi) ? t_above((t->value - hi) / t->se, t->df) : 1);
	return (struct mean_p){p_inside(wide, lo, hi), fmin(1, times * sequential_p(outside, span)),
			       p_inside(t, lo, hi)};
}

/* Fewer independent runs give an interval with one degree of freedom, which may be arbitrarily
 * wide. */
#define FEWEST_EFFECTIVE 2

bool decide_is_too_dependent(const struct component *c, const struct serial *s)
{
	return c->decision == DECISION_INCONCLUSIVE && s->n_effective < FEWEST_EFFECTIVE;
}

/* Adds the reason: either the measured correlation or the allowance for hidden correlation. */
static void say_too_dependent(struct component *c, const struct serial *s, size_t n)
{
	const double count = (double)n, fewest =
		count / serial_inflation(serial_rho_among(-1 / count, count, count), count);
	if (fewest < FEWEST_EFFECTIVE || s->lag1 <= 0)
		REASON_ADD(c, FEW_RUNS, count);
	else
		REASON_ADD(c, RUNS_ALIKE, s->lag1, count);
	if (c->dependent)
		REASON_ADD(c, IF_INDEPENDENT);
}

void decide_only_interval(struct component *c, bool beyond, const struct levels *levels)
{
	if (!beyond || c->decision != DECISION_INCONCLUSIVE)
		return;
	if (c->n_parts > 1)
		REASON_ADD(c, ONLY_INTERVAL_OF_PARTS, (double)c->n_parts, c->p_reject,
			   decide_reject_level(levels));
	else
		REASON_ADD(c, ONLY_INTERVAL, c->p_reject, decide_reject_level(levels));
}

void decide_dependence(struct component *c, const struct serial *s, size_t n, double p_alone,
		       const struct levels *levels)
{
	c->lag1 = s->lag1;
	c->n_effective = s->n_effective;
	c->dependent = c->decision == DECISION_INCONCLUSIVE && p_alone <= levels->accept;
	if (decide_is_too_dependent(c, s))
		say_too_dependent(c, s, n);
	else if (c->dependent)
		REASON_ADD(c, DEPENDENT, (double)n, s->n_effective);
	else if (c->decision != DECISION_REJECT && s->inflation > 1.005)
		REASON_ADD(c, COUNTED_AS, (double)n, s->n_effective);
}
