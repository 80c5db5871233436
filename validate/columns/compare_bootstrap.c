/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BCa intervals of the bias of means and of quantiles. */
#include "validate/columns/comparison_private.h"

static void interval_add(const struct comparison_part *part, const char *const name[4],
			 enum stat_status s, const struct resample_interval *i, const char *params)
{
	estimates_add(part->out, name[0], params, s, i->lo);
	estimates_add(part->out, name[1], params, s, i->hi);
	estimates_add(part->out, name[2], params, s, i->se);
	estimates_add(part->out, name[3], params, s, i->percentile);
}

/* Returns the block length for both samples: the longer of the two. */
static size_t block_of(const struct comparison *c)
{
	return c->ref->block > c->rep->block ? c->ref->block : c->rep->block;
}

static void bootstrap_means(const struct comparison_part *part, const struct resample_plan *plan)
{
	static const char *const bias[] = {"boot_bias_lo_pct", "boot_bias_hi_pct",
					   "boot_bias_se_pct", "boot_bias_percentile"};
	static const char *const diff[] = {"boot_diff_lo", "boot_diff_hi", "boot_diff_se",
					   "boot_diff_percentile"};
	const struct values ref = part->c->ref->x, rep = part->c->rep->x;
	struct resample_interval i = {0};
	SCOPED(estimates_release) struct estimates text = {0};
	size_t block = block_of(part->c);
	estimates_addf(&text, "", STAT_OK, 0, "resamples=%llu;seed=%llu;conf=%.12g;block=%zu",
		       (unsigned long long)plan->n_resamples, (unsigned long long)plan->seed,
		       plan->conf, block);
	enum stat_status s =
	    resample_means(ref.x, ref.n, rep.x, rep.n, block, RESAMPLE_RELATIVE_PCT, plan, &i);
	interval_add(part, bias, s, &i, text.e[0].params);
	/* with many values the result would equal the other interval */
	if (part->plan->all && rep.n <= RESAMPLE_PLAIN_MAX) {
		s = resample_means(ref.x, ref.n, rep.x, rep.n, block, RESAMPLE_DIFFERENCE, plan,
				   &i);
		interval_add(part, diff, s, &i, text.e[0].params);
	}
}

static void bootstrap_quantiles(const struct comparison_part *part,
				const struct resample_plan *plan)
{
	static const char *const name[] = {"boot_quantile_bias_lo_pct", "boot_quantile_bias_hi_pct",
					   "boot_quantile_bias_se_pct",
					   "boot_quantile_bias_percentile"};
	const struct column_sample *ref = part->c->ref, *rep = part->c->rep;
	for (const double *p = quantile_levels; *p > 0; p++) {
		struct resample_interval i = {0};
		enum stat_status s = part->plan->time_ordered ? STAT_NOT_APPLICABLE : STAT_OK;
		if (!s && (!ref->sorted || !rep->sorted))
			s = STAT_TOO_FEW;
		if (!s)
			s = resample_quantiles(ref->sorted, ref->x.n, rep->sorted, rep->x.n, *p,
					       RESAMPLE_RELATIVE_PCT, plan, &i);
		SCOPED(estimates_release) struct estimates text = {0};
		estimates_addf(&text, "", STAT_OK, 0, "p=%g;resamples=%llu;seed=%llu;conf=%.12g",
			       *p, (unsigned long long)plan->n_resamples,
			       (unsigned long long)plan->seed, plan->conf);
		interval_add(part, name, s, &i, text.e[0].params);
	}
}

void compare_bootstrap(const struct comparison_part *part)
{
	const struct comparison_plan *p = part->plan;
	struct resample_plan plan = {p->n_resamples, p->seed, 1 - p->alpha};
	if (!p->n_resamples)
		return;
	bootstrap_means(part, &plan);
	if (p->all)
		bootstrap_quantiles(part, &plan);
}
