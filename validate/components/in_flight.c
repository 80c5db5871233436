/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relative deviations of the mean and the largest number of requests in flight. */
#include "validate/components/component.h"

static void decide_in_flight(struct component *c, const struct deciding *d)
{
	c->estimate = d->cell->concurrency.in_flight;
	decide_ratio(c, &d->e->in_flight, d->levels, true, NAN);
}

static void plan_in_flight(struct component *c, const struct planning *p)
{
	plan_ratio(c, &p->e->in_flight, p->alpha_reject);
}

const struct component_row component_in_flight = {
	.title = "In flight",
	.meaning = "By how much the mean number of requests in flight is larger (+) or smaller (-) "
		   "in the replay than in the program.",
	.rule = RULE_WITHIN, .source = "as for bias",
	.unit = COMPONENT_CHANGE, .two_sided = true,
	.scatter = M_SQRT1_2, .decide = decide_in_flight,
	.plan = plan_in_flight,
};

static void decide_in_flight_max(struct component *c, const struct deciding *d)
{
	c->estimate = d->cell->concurrency.in_flight_max;
	decide_ratio(c, &d->e->in_flight_max, d->levels, true, NAN);
}

static void plan_in_flight_max(struct component *c, const struct planning *p)
{
	plan_ratio(c, &p->e->in_flight_max, p->alpha_reject);
}

const struct component_row component_in_flight_max = {
	.title = "Maximum in flight",
	.meaning = "By how much the largest number of requests in flight at any time of a run is "
		   "larger (+) or smaller (-) in the replay.",
	.rule = RULE_WITHIN " If all pairs have the same value, this value decides.",
	.source = "as for bias", .unit = COMPONENT_CHANGE,
	.two_sided = true, .decide = decide_in_flight_max, .plan = plan_in_flight_max,
};
