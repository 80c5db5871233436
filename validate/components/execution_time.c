/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relative deviation of the execution time. */
#include <math.h>

#include "validate/components/component.h"

/* Deviation by waiting differently is another fault than deviation by requests that take longer:
 * the reason tells them apart. */
static void say_split(struct component *k, const struct cell *c)
{
	if (k->decision == DECISION_ACCEPT || k->estimate.status || !isfinite(c->execution_service))
		return;
	REASON_ADD(k, "; requests account for %s %%, waiting between them for %s %%", shown_change(c->execution_service).text,
		   shown_change(c->execution_schedule).text);
}

static void decide_execution_time(struct component *c, const struct deciding *d)
{
	c->estimate = d->cell->execution_time;
	decide_ratio(c, &d->e->time, d->levels, false, NAN);
	say_split(c, d->cell);
}

static void plan_execution_time(struct component *c, const struct planning *p)
{
	plan_ratio(c, &p->e->time, p->alpha_reject);
}

const struct component_row component_execution_time = {
	.title = "Execution time",
	.meaning =
		"By how much the whole replay, from the first request's begin to the last "
		"one's end, takes longer (+) or shorter (-) than the program.",
	.rule =
		"accepted when the 90 % interval lies inside the limits, rejected when the "
		"95 % interval lies wholly outside",
	.source = "as bias",
	.above = "execution time is %s longer",
	.below = "execution time is %s shorter",
	.unit = COMPONENT_CHANGE,
	.two_sided = true,
	.decide = decide_execution_time,
	.plan = plan_execution_time,
};
