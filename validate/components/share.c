/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shares of events per run against an upper limit. Runs with equal shares are judged by the pooled
 * counts. */
#include "validate/components/component.h"
#include "validate/stats/distributions.h"
#include "validate/stats/planning.h"
#include "validate/stats/multiplicity.h"

static void decide_share(struct component *c, const struct share_evidence *e,
			 const struct levels *levels)
{
	if (e->status && e->status != STAT_ZERO_VARIANCE) {
		decide_nothing(c, e->status);
		return;
	}
	if (isnan(c->limit)) {
		decide_shown(c);
		return;
	}
	/* a limit of 0: a single case rejects */
	if (c->limit <= 0) {
		c->rejected_before_holm = e->k > 0;
		c->p_reject = c->p_reject_holm = e->k > 0 ? 0 : NAN;
		c->decision = e->k > 0 ? DECISION_REJECT : DECISION_ACCEPT;
		REASON(c, SHARE_NONE, e->k, e->of);
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
		decide_component(c, limit < 1 ? p_accept : 0, sequential_p(p_reject, levels->span),
				 levels);
		if (c->decision == DECISION_REJECT)
			REASON(c, SHARE_ALIKE_BEYOND, e->k, e->of, levels->accept, 100 * lo,
			       c->limit);
		else
			REASON(c, SHARE_ALIKE, e->k, e->of, levels->accept, 100 * hi, c->decision,
			       c->limit);
		return;
	}
	struct mean_p p =
	    decide_mean_p(&e->t, &e->wide, e->n, -INFINITY, c->limit, false, levels->span);
	double lo, hi, unused;
	decide_component(c, p.accept, p.reject, levels);
	if (t_interval(&e->t, 1 - 2 * levels->accept, &lo, &hi) ||
	    t_interval(&e->wide, 1 - 2 * levels->accept, &unused, &c->accept_hi)) {
		decide_nothing(c, STAT_OUT_OF_RANGE);
		return;
	}
	if (c->decision != DECISION_REJECT)
		hi = c->accept_hi;
	if (decide_is_too_dependent(c, &e->serial))
		REASON(c, SHARE_ALONE, 100 * e->t.value, c->limit);
	else
		REASON(c, SHARE, 100 * e->t.value, levels->accept, 100 * fmax(0, lo), 100 * hi,
		       c->decision, c->limit);
	decide_dependence(c, &e->serial, e->n, p.accept_alone, levels);
}

static void plan_share(struct component *k, const struct planning *p)
{
	const struct share_evidence *e =
	    (const void *)((const char *)p->e + components[k->kind]->evidence);
	if (e->status == STAT_TOO_FEW) {
		plan_further(k, STAT_OK, PLAN_FEWEST, e->n);
	} else if (e->status == STAT_ZERO_VARIANCE && e->k == 0 && e->of > 0 && k->limit < 1) {
		/* no event in so few requests: runs are needed until (1 - limit)^requests falls to
		 * the level */
		double runs = ceil(log(p->levels->accept) / log1p(-k->limit) /
				   (e->of / (double)e->n));
		plan_further(k, runs < PLANNING_MAX_N ? STAT_OK : STAT_UNBOUNDED,
			     runs < PLANNING_MAX_N ? (uint64_t)runs : 0, e->n);
	} else if (!e->status) {
		plan_means(k, p, &(struct plan_mean){&e->t, &e->serial, e->n, -INFINITY, k->limit,
						     1, false, NULL}, 1);
	}
}

bool decide_is_untimed(struct component *c, enum stat_status s)
{
	if (s != STAT_NOT_APPLICABLE)
		return false;
	c->decision = DECISION_NOT_APPLICABLE;
	REASON(c, UNTIMED);
	return true;
}

static void decide_reordering(struct component *c, const struct deciding *d)
{
	c->estimate = d->cell->order.deciding;
	decide_share(c, &d->e->reordered, d->levels);
}

const struct component_row component_reordering = {
	.title = "Reordering", .shown = "share", .scattering = "shares",
	.meaning = "Share of the requests that are issued too late: after a request that comes "
		   "later in the trace.",
	.rule = "One-sided",
	.source = "RFC 4737, section 3 (Type-P-Reordered)",
	.replayers_own = true,
	.unit = COMPONENT_SHARE, .decide = decide_reordering,
	.evidence = offsetof(struct evidence, reordered), .plan = plan_share,
};

static void decide_share_late(struct component *c, const struct deciding *d)
{
	c->estimate = d->cell->issue_error.late;
	if (!decide_is_untimed(c, c->estimate.status))
		decide_share(c, &d->e->late, d->levels);
}

const struct component_row component_share_late = {
	.title = "Share late", .shown = "share", .scattering = "shares",
	.meaning = "Share of requests that a timed replay issues late: by more than 1 % of the "
		   "mean time between starts in the trace, and by more than 1 µs.",
	.rule = "One-sided",
	.source = "Anderson et al. 2004",
	.replayers_own = true,
	.unit = COMPONENT_SHARE, .decide = decide_share_late,
	.evidence = offsetof(struct evidence, late), .plan = plan_share,
};
