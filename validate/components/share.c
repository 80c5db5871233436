/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shares of events per run against an upper limit. Runs with equal shares are judged by the pooled
 * counts. */
#include <math.h>

#include "validate/components/component.h"
#include "validate/stats/bounds.h"
#include "validate/stats/distributions.h"
#include "validate/stats/planning.h"
#include "validate/stats/multiplicity.h"

void decide_share(struct component *c, const struct share_evidence *e, const struct levels *levels)
{
	if (e->status && e->status != STAT_ZERO_VARIANCE) {
		decide_nothing(c, e->status);
		return;
	}
	if (isnan(c->limit)) {
		decide_shown(c, c->estimate, "share", 100, " %");
		return;
	}
	/* none is allowed: the count decides */
	if (c->limit <= 0) {
		c->rejected_before_holm = e->k > 0;
		c->p_reject = c->p_reject_holm = e->k > 0 ? 0 : NAN;
		c->decision = e->k > 0 ? DECISION_REJECT : DECISION_ACCEPT;
		REASON(c, "%.0f of %.0f requests, none allowed", e->k, e->of);
		return;
	}
	if (decide_is_early(c, levels))
		return;
	if (e->status == STAT_ZERO_VARIANCE) {
		double lo, hi, limit = fmin(1, c->limit);
		double p_accept = binomial_at_most(e->k, e->of, limit),
		       p_reject = binomial_at_least(e->k, e->of, limit);
		enum stat_status s = clopper_pearson(e->k, e->of, 1 - 2 * levels->accept, &lo, &hi);
		if (s || isnan(p_accept) || isnan(p_reject)) {
			decide_nothing(c, s ? s : STAT_NOT_CONVERGED);
			return;
		}
		decide(c, limit < 1 ? p_accept : 0, sequential_p(p_reject, levels->span), levels);
		REASON(c,
		       "%.0f of %.0f requests, alike in all runs, %s limit %.2g %%, %s the limit "
		       "%s %%", e->k, e->of, c->decision == DECISION_REJECT ? "lower" : "upper",
		       100 * (c->decision == DECISION_REJECT ? lo : hi), decide_position(c),
		       shown_percent(c->limit).text);
		return;
	}
	struct mean_p p =
	    decide_mean_p(&e->t, &e->wide, e->n, -INFINITY, c->limit, false, levels->span);
	double lo, hi, unused;
	decide(c, p.accept, p.reject, levels);
	if (t_interval(&e->t, 1 - 2 * levels->accept, &lo, &hi) ||
	    t_interval(&e->wide, 1 - 2 * levels->accept, &unused, &c->accept_hi)) {
		decide_nothing(c, STAT_OUT_OF_RANGE);
		return;
	}
	if (c->decision != DECISION_REJECT)
		hi = c->accept_hi;
	if (decide_is_hardly_one(c, &e->serial))
		REASON(c, "%.3g %% of the requests, without an interval, limit %s %%",
		       100 * e->t.value, shown_percent(c->limit).text);
	else
		REASON(c,
		       "%.3g %% of the requests, one-sided limits %.3g and %.3g %%, %s the limit "
		       "%s %%", 100 * e->t.value, 100 * fmax(0, lo), 100 * hi, decide_position(c),
		       shown_percent(c->limit).text);
	decide_dependence(c, &e->serial, e->n, p.accept_alone, levels);
}

void plan_share(struct component *k, const struct share_evidence *e, double alpha_reject)
{
	if (e->status == STAT_TOO_FEW) {
		plan_further(k, STAT_OK, PLAN_FEWEST, e->n);
	} else if (e->status == STAT_ZERO_VARIANCE && e->k == 0 && e->of > 0 && k->limit < 1) {
		/* no event in so few requests: (1 - limit)^requests must fall to the level */
		double runs = ceil(log(PLAN_ACCEPT) / log1p(-k->limit) / (e->of / (double)e->n));
		plan_further(k, runs < PLANNING_MAX_N ? STAT_OK : STAT_UNBOUNDED,
			     runs < PLANNING_MAX_N ? (uint64_t)runs : 0, e->n);
	} else if (!e->status) {
		plan_mean(k, &e->t, &e->serial, e->n, -INFINITY, k->limit, alpha_reject, "shares");
	}
}

bool decide_is_untimed(struct component *c, enum stat_status s)
{
	if (s != STAT_NOT_APPLICABLE)
		return false;
	c->decision = DECISION_NOT_APPLICABLE;
	REASON(c, "requests are not issued by a timetable");
	return true;
}
