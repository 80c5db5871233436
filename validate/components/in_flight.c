/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relative deviations of the mean and the largest number of requests in flight. */
#include "validate/components/component.h"

static void decide_in_flight(struct component *c, const struct deciding *d)
{
	const bool mean = c->kind == COMPONENT_IN_FLIGHT;
	c->estimate = mean ? d->cell->concurrency.in_flight : d->cell->concurrency.in_flight_max;
	decide_ratio(c, mean ? &d->e->in_flight : &d->e->in_flight_max, d->levels, true, NAN);
}

const struct component_row component_in_flight = {
	.title = "In flight",
	.meaning = "Deviation of the mean number of requests in flight.",
	.rule = "Two-sided",
	.unit = COMPONENT_CHANGE, .two_sided = true,
	.scatter = M_SQRT1_2, .decide = decide_in_flight,
	.evidence = offsetof(struct evidence, in_flight), .plan = plan_ratio,
};

const struct component_row component_in_flight_max = {
	.title = "Maximum in flight",
	.meaning = "Deviation of the largest number of requests in flight in a run.",
	.rule = "Two-sided. If all pairs have the same deviation, this deviation decides.",
	.unit = COMPONENT_CHANGE,
	.two_sided = true, .decide = decide_in_flight,
	.evidence = offsetof(struct evidence, in_flight_max), .plan = plan_ratio,
};
