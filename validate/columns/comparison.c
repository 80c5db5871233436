/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/columns/comparison_private.h"

void comparison_compute(struct comparison *c, const struct column_sample *ref,
			const struct column_sample *rep, const struct comparison_plan *plan)
{
	static void (*const part[])(const struct comparison_part *) = {
	    compare_shift, compare_ranks, compare_budget, compare_spread, compare_means,
	    compare_paper, compare_quantiles, compare_pairs, compare_equivalence, compare_bootstrap,
	};
	*c = (struct comparison){.ref = ref, .rep = rep, .paired = plan->paired};
	answer_bias(c, plan);
	answer_precision(c, plan);
	const struct values sorted_ref = {ref->sorted, ref->sorted ? ref->x.n : 0},
			    sorted_rep = {rep->sorted, rep->sorted ? rep->x.n : 0};
	struct estimates *out = &c->estimates;
	struct comparison_part it = {
	    c, plan, out,
	    .unit = {out, {{"ref", &ref->unit, 1}, {"rep", &rep->unit, 1}}, STAT_OK},
	    .sorted = {out, {{"ref", &sorted_ref, 1}, {"rep", &sorted_rep, 1}}, STAT_OK}};
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		part[i](&it);
}

void comparison_release(struct comparison *c)
{
	estimates_release(&c->estimates);
	*c = (struct comparison){0};
}
