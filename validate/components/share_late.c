/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Share of requests that a timed replay issues late. */
#include "validate/components/component.h"

static void decide_share_late(struct component *c, const struct deciding *d)
{
	c->estimate = d->cell->late;
	if (!decide_is_untimed(c, c->estimate.status))
		decide_share(c, &d->e->late, d->levels);
}

static void plan_share_late(struct component *c, const struct planning *p)
{
	plan_share(c, &p->e->late, p->alpha_reject);
}

const struct component_row component_share_late = {
	.title = "Share late",
	.meaning = "Share of the requests that a timed replay issues later than intended by more "
		   "than 1 % of the mean gap, or 1 µs.",
	.rule = "accepted when the one-sided 95 % upper limit of the share is at most the limit, "
		"rejected when the lower limit exceeds it",
	.source = "Anderson et al. 2004 (issue error)",
	.above = "%s of the requests are issued late", .replayers_own = true,
	.unit = COMPONENT_SHARE, .decide = decide_share_late, .plan = plan_share_late,
};
