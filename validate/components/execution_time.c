/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relative deviation of the execution time.
 *
 * Occasionally the storage delays a request by some 100 ms. In a short run this is most of the
 * time, in the program as in the replay. So the ratios of the pairs are winsorised. This could hide
 * a replay that is far off in a few runs; check_all() prevents its acceptance. */
#include "validate/components/component.h"

/* Appends both parts, because more time in requests and more time between requests are different
 * faults. */
static void say_split(struct component *k, const struct cell *c)
{
	if (k->decision == DECISION_ACCEPT || k->estimate.status || !isfinite(c->execution_service))
		return;
	REASON_ADD(k, TIME_SPLIT, c->execution_service, c->execution_schedule);
}

/* Prevents acceptance if the mean of all ratios is outside the limits and differs from 1 (P <
 * 0.05). */
static void check_all(struct component *c, const struct ratio_evidence *all)
{
	const struct paired_mean series = ratio_series(all);
	const bool above = all->t.value > log1p(c->limit);
	const bool below = c->limit < 1 && all->t.value < log1p(-c->limit);
	if (c->decision != DECISION_ACCEPT || all->status || !(above || below) ||
	    paired_mean_p(&series, 0, above).alone >= 0.05)
		return;
	c->decision = DECISION_INCONCLUSIVE;
	REASON_ADD(c, PAIRS_FAR, expm1(all->t.value));
}

static void decide_execution_time(struct component *c, const struct deciding *d)
{
	c->estimate = d->cell->execution_time;
	decide_ratio(c, &d->e->time, d->levels, false, NAN);
	check_all(c, &d->e->time_all);
	say_split(c, d->cell);
}

const struct component_row component_execution_time = {
	.title = "Execution time",
	.meaning = "Deviation of the time from the start of a run's first request to the end of "
		   "its last request. Outlying pairs have less influence (winsorised).",
	.rule = "Two-sided",
	.unit = COMPONENT_CHANGE, .two_sided = true,
	.scatter = 1, .decide = decide_execution_time,
	.evidence = offsetof(struct evidence, time), .plan = plan_ratio,
};
