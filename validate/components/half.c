/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relative bias of the first and second half of a run's requests. A replay that is too fast at
 * first and too slow at the end can have the right mean. */
#include "validate/components/component.h"

SUMMARY_VALUE(half_first, s->has_halves && s->half[0].n ? s->half[0].mean : NAN)
SUMMARY_VALUE(half_second, s->has_halves && s->half[1].n ? s->half[1].mean : NAN)

static void measure_halves(const struct measuring *m)
{
	struct family *f = &m->e->family[COMPONENT_HALF];
	if (!pairs_have(m->pairs, half_first) || !pairs_have(m->pairs, half_second)) {
		f->status = STAT_NOT_ASSESSED;
		return;
	}
	family_add_ratio(f, "first half", m->pairs, half_first);
	family_add_ratio(f, "second half", m->pairs, half_second);
}

const struct component_row component_half = {
    .title = "Bias by half", .shown = "largest deviation",
    .words = {"of the run", true},
    .meaning = "Deviation of the mean response time in the first and in the second half of a "
	       "run's requests.",
    .rule = "Two-sided, each half",
    .unit = COMPONENT_CHANGE,
    .two_sided = true,
    .scatter = M_SQRT2, .relative = true, .measure = measure_halves, .decide = decide_parts,
    .plan = plan_parts,
};
