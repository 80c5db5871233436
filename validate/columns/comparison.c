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
	struct comparison_part it = {c, plan, &c->estimates};
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		part[i](&it);
}

void comparison_release(struct comparison *c)
{
	estimates_release(&c->estimates);
	*c = (struct comparison){0};
}
