/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Issue errors of timed replays against an upper limit. */
#include "validate/components/component.h"

/* Judges the 99th percentiles of the issue errors of the runs. Only timed replays have issue
 * errors. */
static void decide_issue_error(struct component *c, const struct deciding *d)
{
	const struct mean_evidence *e = &d->e->issue_error;
	const struct levels *levels = d->levels;
	double lo = NAN, hi = NAN, unused;
	c->estimate = d->cell->issue_error.p99;
	const enum stat_status s = e->status == STAT_ZERO_VARIANCE ? STAT_OK : e->status;
	if (decide_is_untimed(c, c->estimate.status) || decide_is_settled(c, s, levels))
		return;
	struct mean_p p =
	    decide_mean_p(&e->t, &e->wide, e->n, -INFINITY, c->limit, false, levels->span);
	decide_component(c, p.accept, p.reject, levels);
	REASON(c, PERCENTILE, e->t.value);
	if (!e->status && !t_interval(&e->t, 1 - 2 * levels->accept, &lo, &hi) &&
	    !t_interval(&e->wide, 1 - 2 * levels->accept, &unused, &c->accept_hi)) {
		hi = c->decision == DECISION_REJECT ? hi : c->accept_hi;
		REASON_ADD(c, PERCENTILE_INTERVAL, levels->accept, fmax(0, lo), hi);
	}
	REASON_ADD(c, PERCENTILE_LIMIT, c->decision, c->limit);
	if (!e->status)
		decide_dependence(c, &e->serial, e->n, p.accept_alone, levels);
}

/* Plans in units of the limit, so that the scatter is a share of it. */
static void plan_issue_error(struct component *k, const struct planning *p)
{
	const struct mean_evidence *e = &p->e->issue_error;
	struct t_estimate t = e->t;
	if (e->status)
		return;
	t.value /= k->limit;
	t.se /= k->limit;
	plan_means(k, p,
		   &(struct plan_mean){&t, &e->serial, e->n, -INFINITY, 1, 1, false, NULL}, 1);
}

const struct component_row component_issue_error = {
	.title = "Issue error", .shown = "99th percentile", .scattering = "99th percentiles",
	.meaning = "99th percentile of the time by which a timed replay issues requests late (mean "
		   "of the runs).",
	.rule = "One-sided",
	.source = "Anderson et al. 2004",
	.replayers_own = true, .unit = COMPONENT_TIME,
	.decide = decide_issue_error, .plan = plan_issue_error,
};
