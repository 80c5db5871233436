/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relative bias of the mean of a run's slowest 1 % of requests. A quantile would not limit the
 * values above it. */
#include "validate/components/component.h"

#define FEWEST_REQUESTS 500 /* of a run: 1 % is at least five */

SUMMARY_VALUE(run_tail, s->response_tail)

static void measure_tail(const struct measuring *m)
{
	struct family *f = &m->e->family[COMPONENT_TAIL];
	uint64_t fewest = pairs_fewest_requests(m->pairs);
	if (m->pairs->n && fewest < FEWEST_REQUESTS)
		f->status = STAT_NOT_APPLICABLE;
	else if (!pairs_have(m->pairs, run_tail))
		f->status = STAT_NOT_ASSESSED;
	else
		family_add_ratio(f, "", m->pairs, run_tail);
	m->cell->n_fewest_requests = fewest;
}

static void decide_tail(struct component *c, const struct deciding *d)
{
	decide_parts(c, d);
	if (d->e->family[COMPONENT_TAIL].status == STAT_NOT_APPLICABLE)
		REASON(c, TAIL_FEW, (double)d->cell->n_fewest_requests, FEWEST_REQUESTS);
}

const struct component_row component_tail = {
    .title = "Tail", .shown = "deviation",
    .words = {"mean of the slowest 1 % of the requests", true},
    .meaning = "Deviation of the mean response time of the slowest 1 % of the requests.",
    .rule = "Two-sided. Not applicable to runs of fewer than 500 requests.",
    .source = "conditional tail expectation (Acerbi and Tasche 2002)",
    .unit = COMPONENT_CHANGE,
    .two_sided = true,
    .scatter = 2, .relative = true, .measure = measure_tail, .decide = decide_tail,
    .plan = plan_parts,
};
