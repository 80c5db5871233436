/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of the ranks and distributions of the values. */
#include "validate/columns/comparison_private.h"
#include "validate/stats/bounds.h"
#include "validate/stats/distance.h"
#include "validate/stats/quantiles.h"
#include "validate/stats/ranks.h"

#define MAX_PATHS 4e6 /* largest n m for exact P-values */

/* Finds the samples in sorted order, so that they need not be sorted again. They are empty if they
 * could not be sorted. */
static void sorted_samples(const struct comparison *c, struct values *ref, struct values *rep)
{
	*ref = (struct values){c->ref->sorted, c->ref->sorted ? c->ref->x.n : 0};
	*rep = (struct values){c->rep->sorted, c->rep->sorted ? c->rep->x.n : 0};
}
#define REF_REP ref.x, ref.n, rep.x, rep.n

void compare_ranks(const struct comparison_part *part)
{
	struct values ref, rep;
	struct estimates *out = part->out;
	sorted_samples(part->c, &ref, &rep);
	double u = 0, p = 0, d = 0, w = 0, pairs = (double)ref.n * (double)rep.n,
	       alpha = part->plan->alpha;
	enum stat_status s = mann_whitney_u(REF_REP, &u);
	estimates_add(out, "mwu_U", "", s, u);
	estimates_add(out, "vargha_delaney_A12", "", s, s ? 0 : u / pairs);
	s = mann_whitney_p(REF_REP, &p);
	estimates_add(out, "mwu_p_asym", "", s, p);
	if (part->plan->all) {
		s = mann_whitney_p_exact(REF_REP, &p);
		estimates_add(out, "mwu_p_exact", "", s, p);
		s = mann_whitney_least_p((double)ref.n, (double)rep.n, &p);
		estimates_add(out, "mwu_p_least", "", s, p);
	}
	s = ks_distance(REF_REP, &d);
	estimates_add(out, "ks_D", "", s, d);
	if (part->plan->all) {
		double excess = 0;
		if (!s)
			s = dkw_bands(d, part->c->ref->n_effective, part->c->rep->n_effective,
				      alpha, &excess);
		estimates_addf(out, "dkw_excess", s, excess, "alpha=%.12g", alpha);
	}
	s = ks_p_asymptotic(REF_REP, &p);
	estimates_add(out, "ks_p_asym", "", s, p);
	if (part->plan->all) {
		s = pairs <= MAX_PATHS ? ks_p_exact(REF_REP, &p) : STAT_OUT_OF_RANGE;
		estimates_add(out, "ks_p_exact", "", s, p);
	}
	s = wasserstein(REF_REP, &w);
	estimates_add(out, "wasserstein1", "", s, w);
	double mean = part->c->ref->m.mean;
	s = s ? s : mean == 0 ? STAT_ZERO_REFERENCE : STAT_OK;
	estimates_add(out, "wasserstein1_pct", "", s, s ? 0 : 100 * w / mean);
}

void compare_shift(const struct comparison_part *part)
{
	struct values ref, rep;
	double shift = 0;
	sorted_samples(part->c, &ref, &rep);
	enum stat_status s = hodges_lehmann(REF_REP, &shift);
	estimates_add(part->out, "hodges_lehmann", "", s, shift);
}

/* Adds the interval of the bias of a quantile, from the order statistics that bound it in each
 * sample. Each bound has half the error, so the interval is conservative. */
static void quantile_interval(const struct comparison_part *part, double p, double q_ref)
{
	const struct column_sample *ref = part->c->ref, *rep = part->c->rep;
	double conf = 1 - part->plan->alpha, each = 1 - part->plan->alpha / 2;
	struct quantile_bounds r = {STAT_OK, STAT_OK, 0, 0, 0}, x = r;
	enum stat_status s = quantile_bounds(ref->sorted, ref->x.n, ref->n_effective, p, each, &r);
	s = s ? s : quantile_bounds(rep->sorted, rep->x.n, rep->n_effective, p, each, &x);
	if (!s && q_ref == 0)
		s = STAT_ZERO_REFERENCE;
	enum stat_status lo = s ? s : x.lo_status ? x.lo_status : r.hi_status;
	enum stat_status hi = s ? s : x.hi_status ? x.hi_status : r.lo_status;
	estimates_addf(part->out, "quantile_bias_ci_lo_pct", lo,
		       lo ? 0 : 100 * (x.lo - r.hi) / fabs(q_ref), "p=%g;" CONF_TEXT, p, conf);
	estimates_addf(part->out, "quantile_bias_ci_hi_pct", hi,
		       hi ? 0 : 100 * (x.hi - r.lo) / fabs(q_ref), "p=%g;" CONF_TEXT, p, conf);
}

void compare_quantiles(const struct comparison_part *part)
{
	struct values ref, rep;
	sorted_samples(part->c, &ref, &rep);
	enum stat_status none = ref.n && rep.n ? STAT_OK : STAT_TOO_FEW;
	for (const double *p = quantile_levels; *p > 0; p++) {
		for (int type = 7; type <= 8; type++) {
			double r = none ? 0 : sorted_quantile(ref.x, ref.n, *p, type);
			double x = none ? 0 : sorted_quantile(rep.x, rep.n, *p, type);
			enum stat_status s = none ? none : r == 0 ? STAT_ZERO_REFERENCE : STAT_OK;
			estimates_addf(part->out, "quantile_bias_abs", none, x - r, "p=%g;type=%d",
				       *p, type);
			estimates_addf(part->out, "quantile_bias_pct", s, s ? 0 : 100 * (x - r) / r,
				       "p=%g;type=%d", *p, type);
		}
		if (!none)
			quantile_interval(part, *p, sorted_quantile(ref.x, ref.n, *p, 7));
		bool extrapolated =
		    quantile_is_extrapolated(ref.n, *p) || quantile_is_extrapolated(rep.n, *p);
		estimates_addf(part->out, "quantile_bias_extrapolated", none, extrapolated, "p=%g",
			       *p);
	}
}
