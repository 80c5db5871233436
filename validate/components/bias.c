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
	.meaning = "By how much a replay's mean response time is longer (+) or shorter (-) than "
		   "the program's.",
	.rule = "The component is accepted if the 90 % interval lies inside the limits (two "
		"one-sided tests at 5 %). It is rejected if the 95 % interval lies entirely "
		"outside the limits.",
	.source = "VIM 2.18 (bias); Schuirmann 1987 (equivalence)",
	.unit = COMPONENT_CHANGE, .two_sided = true,
	.scatter = 1, .relative = true, .decide = decide_bias,
	.evidence = offsetof(struct evidence, bias), .plan = plan_ratio,
};
