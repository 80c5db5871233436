/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of the ranks and distributions of the values. */
#include "validate/columns/comparison_private.h"
#include "validate/stats/bounds.h"
#include "validate/stats/distance.h"
#include "validate/stats/quantiles.h"

#define MAX_PATHS 4e6 /* largest n m for exact P-values */

void compare_ranks(const struct comparison_part *part)
{
	const struct values ref = *part->sorted.role[0].group, rep = *part->sorted.role[1].group;
	const double alpha = part->plan->alpha, mean = part->c->ref->m.mean;
	struct estimate_source of = part->sorted;
	double d = 0, w = 0, excess = 0;
	enum stat_status s = ks_distance(REF_REP, &d);
	estimates_named(&of, "", "mwu_U", "vargha_delaney_A12", "mwu_p_asym", NULL);
	if (part->plan->all)
		estimates_named(&of, "", "mwu_p_exact", "mwu_p_least", NULL);
	estimates_add(part->out, "ks_D", "", s, d);
	if (part->plan->all) {
		if (!s)
			s = dkw_bands(d, part->c->ref->n_effective, part->c->rep->n_effective,
				      alpha, &excess);
		estimates_add(part->out, "dkw_excess", params_text("alpha=%.12g", alpha).s, s,
			      excess);
	}
	estimates_named(&of, "", "ks_p_asym", NULL);
	if ((double)ref.n * (double)rep.n > MAX_PATHS)
		of.none = STAT_OUT_OF_RANGE;
	if (part->plan->all)
		estimates_named(&of, "", "ks_p_exact", NULL);
	s = wasserstein(REF_REP, &w);
	estimates_add(part->out, "wasserstein1", "", s, w);
	s = s ? s : mean == 0 ? STAT_ZERO_REFERENCE : STAT_OK;
	estimates_add(part->out, "wasserstein1_pct", "", s, s ? 0 : 100 * w / mean);
}

void compare_shift(const struct comparison_part *part)
{
	estimates_named(&part->sorted, "", "hodges_lehmann", NULL);
}

/* Adds the interval of the bias of a quantile, from the order statistics that bound it in each
 * sample. Each bound has half the error, so the interval is conservative. */
static void quantile_interval(const struct comparison_part *part, double p)
{
	const struct column_sample *ref = part->c->ref, *rep = part->c->rep;
	double conf = 1 - part->plan->alpha, each = 1 - part->plan->alpha / 2,
	       q_ref = sorted_quantile(ref->sorted, ref->x.n, p, 7);
	const struct estimate_params params = params_text("p=%g;" CONF_TEXT, p, conf);
	struct quantile_bounds r = {STAT_OK, STAT_OK, 0, 0, 0}, x = r;
	enum stat_status s = quantile_bounds(ref->sorted, ref->x.n, ref->n_effective, p, each, &r);
	s = s ? s : quantile_bounds(rep->sorted, rep->x.n, rep->n_effective, p, each, &x);
	if (!s && q_ref == 0)
		s = STAT_ZERO_REFERENCE;
	enum stat_status lo = s ? s : x.lo_status ? x.lo_status : r.hi_status;
	enum stat_status hi = s ? s : x.hi_status ? x.hi_status : r.lo_status;
	estimates_add(part->out, "quantile_bias_ci_lo_pct", params.s, lo,
		      lo ? 0 : 100 * (x.lo - r.hi) / fabs(q_ref));
	estimates_add(part->out, "quantile_bias_ci_hi_pct", params.s, hi,
		      hi ? 0 : 100 * (x.hi - r.lo) / fabs(q_ref));
}

void compare_quantiles(const struct comparison_part *part)
{
	for (const double *p = quantile_levels; *p > 0; p++) {
		for (int type = 7; type <= 8; type++)
			estimates_named(&part->sorted, params_text("p=%g;type=%d", *p, type).s,
					"quantile_bias_abs", "quantile_bias_pct", NULL);
		if (part->c->ref->sorted && part->c->rep->sorted)
			quantile_interval(part, *p);
		estimates_named(&part->sorted, params_text("p=%g", *p).s,
				"quantile_bias_extrapolated", NULL);
	}
}
