/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relative bias of the mean response time. */
#include "validate/components/component.h"

static void decide_bias(struct component *c, const struct deciding *d)
{
	c->estimate = d->cell->bias;
	decide_ratio(c, &d->e->bias, d->levels, false,
		     d->accept->guard_band > 0 ? d->accept->guard_band : NAN);
}

const struct component_row component_bias = {
	.title = "Bias",
	.meaning = "Relative deviation of a replay's mean response time from the program's (+: "
		   "longer).",
	.rule = "Two-sided",
	.source = "VIM 2.18",
	.unit = COMPONENT_CHANGE, .two_sided = true,
	.scatter = 1, .relative = true, .decide = decide_bias,
	.evidence = offsetof(struct evidence, bias), .plan = plan_ratio,
};
