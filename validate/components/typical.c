/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relative bias of the typical response time, the mean of the fastest 90 % of a run's requests. A
 * replayer whose usual requests are too fast and whose slow requests are too slow can have the
 * right mean. */
#include "validate/components/component.h"

SUMMARY_VALUE(run_typical, s->response_typical)

static void measure_typical(const struct measuring *m)
{
	struct family *f = &m->e->family[COMPONENT_TYPICAL];
	if (pairs_have(m->pairs, run_typical))
		family_add_ratio(f, "", m->pairs, run_typical);
	else
		f->status = STAT_NOT_ASSESSED;
}

const struct component_row component_typical = {
    .title = "Typical response", .shown = "deviation",
    .words = {"mean of the fastest 90 % of the requests", true},
    .meaning = "Deviation of the mean response time of the fastest 90 % of the requests.",
    .rule = "Two-sided", .source = "trimmed mean (Tukey 1962)",
    .unit = COMPONENT_CHANGE,
    .two_sided = true,
    .scatter = 1, .relative = true, .measure = measure_typical, .decide = decide_parts,
    .plan = plan_parts,
};
