/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Share of reordered requests. */
#include "validate/components/component.h"

static void decide_reordering(struct component *c, const struct deciding *d)
{
	c->estimate = d->cell->reordered;
	decide_share(c, &d->e->reordered, d->levels);
}

static void plan_reordering(struct component *c, const struct planning *p)
{
	plan_share(c, &p->e->reordered, p->alpha_reject);
}

const struct component_row component_reordering = {
	.title = "Reordering",
	.meaning = "Share of requests that were issued after a request that follows them in the "
		   "trace.",
	.rule = "accepted when the one-sided 95 % upper limit of the share is at most the limit, "
		"rejected when the lower limit exceeds it",
	.source = "RFC 4737, section 3 (Type-P-Reordered)",
	.above = "%s of the requests are out of order", .replayers_own = true,
	.unit = COMPONENT_SHARE, .decide = decide_reordering, .plan = plan_reordering,
};
