/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include "validate/stats/bounds.h"
#include "validate/stats/distance.h"
#include "validate/stats/equivalence.h"
#include "validate/stats/paper.h"
#include "validate/stats/pitman_morgan.h"
#include "validate/stats/quantiles.h"
#include "validate/stats/ranks.h"
#include "validate/stats/resample.h"
#include "validate/stats/variance_ratio.h"

/* --- means --------------------------------------------------------------- */

static enum stat_status mean_ci(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	struct t_estimate t;
	double end[2] = {0};
	enum stat_status s = mean_test(x.x, x.n, &t);
	s = s ? s : t_interval(&t, named_number(c, "conf"), &end[0], &end[1]);
	return named_pick(c, r, s, end);
}

STATISTIC_OF_X(trimmed_mean, sample_trimmed_mean(x.x, x.n, named_number(c, "share"), &r->number))

static enum stat_status bias_ci(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	struct bias_estimate b;
	double end[2] = {0};
	enum stat_status s = bias_independent(REF_REP, &b);
	if (!s) {
		struct t_estimate t = {.value = b.bias_pct, .se = b.u_pct, .df = b.nu};
		s = t_interval(&t, named_number(c, "conf"), &end[0], &end[1]);
	}
	return named_pick(c, r, s, end);
}

static enum stat_status log_ratio(struct named_call *c, struct t_estimate *t)
{
	SAMPLES(c);
	if (ref.n != rep.n)
		return STAT_NOT_PAIRED;
	SCOPED_FREE double *d = xcalloc(ref.n + 1, sizeof *d);
	enum stat_status s = log_ratios(ref.x, rep.x, ref.n, d);
	s = s ? s : mean_test(d, ref.n, t);
	return s;
}

STATISTIC_OF_CALL(log_ratio_test, struct t_estimate t = {0},
	log_ratio(c, &t), 100 * expm1(t.value), t.p)

static enum stat_status log_ratio_ci(struct named_call *c, struct named_result *r)
{
	struct t_estimate t;
	double end[2] = {0};
	enum stat_status s = log_ratio(c, &t);
	s = s ? s : t_interval(&t, named_number(c, "conf"), &end[0], &end[1]);
	r->number = 100 * expm1(end[c->which]);
	return s;
}

static enum stat_status tost_log_p(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	struct equivalence e = {0, 0, 0};
	enum stat_status s = equivalence_log(REF_REP, named_number(c, "margin_pct"), &e);
	r->number = e.p;
	return s;
}

static enum stat_status fieller_equivalent(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	bool inside = false;
	enum stat_status s = equivalence_fieller(REF_REP, named_number(c, "margin_pct"),
						 named_number(c, "alpha"), &inside);
	r->number = inside;
	return s;
}

static enum stat_status class_of(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	enum equivalence_class class = CLASS_UNDETERMINED;
	enum stat_status s = equivalence_classify(REF_REP, named_number(c, "margin_pct"),
						  named_number(c, "alpha"), &class);
	r->word = equivalence_class_names[class];
	return s;
}

/* --- precision ----------------------------------------------------------- */

static enum stat_status precision_ci(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	struct variance_ratio v;
	double end[2] = {0};
	enum stat_status s = variance_ratio(REF_REP, &v);
	s = s ? s : variance_ratio_interval(&v, named_number(c, "conf"), &end[0], &end[1]);
	r->number = sqrt(end[c->which]);
	return s;
}

STATISTIC_OF_CALL(precision_ratio, SAMPLES(c); struct variance_ratio v = {0},
	variance_ratio(REF_REP, &v), sqrt(v.f))

static enum stat_status log_pairs(struct named_call *c, struct pitman_morgan *pm)
{
	SAMPLES(c);
	if (ref.n != rep.n)
		return STAT_NOT_PAIRED;
	double *r = xcalloc(2 * ref.n + 1, sizeof *r), *x = r + ref.n;
	enum stat_status s = STAT_OK;
	for (size_t i = 0; i < ref.n && !s; i++) {
		s = ref.x[i] > 0 && rep.x[i] > 0 ? STAT_OK : STAT_OUT_OF_RANGE;
		r[i] = s ? 0 : log(ref.x[i]);
		x[i] = s ? 0 : log(rep.x[i]);
	}
	s = s ? s : pitman_morgan(r, ref.n, x, ref.n, pm);
	free(r);
	return s;
}

STATISTIC_OF_CALL(pm, struct pitman_morgan pm = {0}, log_pairs(c, &pm), pm.ratio, pm.correlation)

static enum stat_status pm_limits(struct named_call *c, struct named_result *r)
{
	struct pitman_morgan pm;
	double end[2] = {0};
	enum stat_status s = log_pairs(c, &pm);
	s = s ? s : pitman_morgan_limits(&pm, named_number(c, "alpha"), &end[0], &end[1]);
	return named_pick(c, r, s, end);
}

/* which 0: the P-value against a ratio above the limit; 1: against a ratio below it. */
static enum stat_status pm_tests(struct named_call *c, struct named_result *r)
{
	struct pitman_morgan pm;
	double p[2] = {0};
	enum stat_status s = log_pairs(c, &pm);
	s = s ? s : pitman_morgan_p(&pm, named_number(c, "limit"), &p[0], &p[1]);
	return named_pick(c, r, s, p);
}

/* --- quantiles and distributions ----------------------------------------- */

static enum stat_status bounds_of(struct values x, double p, double conf, struct quantile_bounds *b)
{
	enum stat_status s = x.n ? sample_check(x.x, x.n) : STAT_TOO_FEW;
	if (s)
		return s;
	SCOPED_FREE double *sorted = sample_sorted(x.x, x.n);
	s = quantile_bounds(sorted, x.n, (double)x.n, p, conf, b);
	return s;
}

static enum stat_status quantile_ci(struct named_call *c, struct named_result *r)
{
	struct quantile_bounds b = {STAT_OK, STAT_OK, 0, 0, 0};
	enum stat_status s =
	    bounds_of(named_values(c, "x"), named_number(c, "p"), named_number(c, "conf"), &b);
	r->number = c->which ? b.hi : b.lo;
	return s ? s : c->which ? b.hi_status : b.lo_status;
}

static enum stat_status quantile_extrapolated(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	r->number = quantile_is_extrapolated(x.n, named_number(c, "p"));
	return x.n ? STAT_OK : STAT_TOO_FEW;
}

static enum stat_status bias_extrapolated(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	double p = named_number(c, "p");
	r->number = quantile_is_extrapolated(ref.n, p) || quantile_is_extrapolated(rep.n, p);
	return ref.n && rep.n ? STAT_OK : STAT_TOO_FEW;
}

/* Uses order statistics of both samples, each with half of the error. */
static enum stat_status quantile_bias_ci(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	const bool high = c->which;
	double p = named_number(c, "p"), each = 1 - (1 - named_number(c, "conf")) / 2, q = 0;
	struct quantile_bounds b = {STAT_OK, STAT_OK, 0, 0, 0}, x = b;
	enum stat_status s = bounds_of(ref, p, each, &b);
	s = s ? s : bounds_of(rep, p, each, &x);
	s = s ? s : sample_quantile(ref.x, ref.n, p, 7, &q);
	if (!s && q == 0)
		s = STAT_ZERO_REFERENCE;
	if (s)
		return s;
	r->number = 100 * (high ? x.hi - b.lo : x.lo - b.hi) / fabs(q);
	return high          ? (x.hi_status ? x.hi_status : b.lo_status)
	       : x.lo_status ? x.lo_status
			     : b.hi_status;
}

static enum stat_status dkw_excess(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	double d;
	enum stat_status s = ks_distance(REF_REP, &d);
	return s ? s
		 : dkw_bands(d, (double)ref.n, (double)rep.n, named_number(c, "alpha"), &r->number);
}

STATISTIC_OF_PAIR(mwu_p_least, mann_whitney_least_p((double)ref.n, (double)rep.n, &r->number))

/* --- bootstrap ----------------------------------------------------------- */

static struct resample_plan plan_of(struct named_call *c)
{
	return (struct resample_plan){named_count(c, "resamples"), named_count(c, "seed"),
				      named_number(c, "conf")};
}

static double interval_pick(const struct resample_interval *i, unsigned int which)
{
	return (double[]){i->lo, i->hi, i->se, i->percentile}[which];
}

static enum stat_status boot_means(struct named_call *c, struct named_result *r, struct values ref,
				   struct values x, enum resample_quantity quantity)
{
	struct resample_plan plan = plan_of(c);
	struct resample_interval i = {0};
	size_t block = named_given(c, "block") ? named_count(c, "block") : 1;
	enum stat_status s = resample_means(ref.x, ref.n, x.x, x.n, block, quantity, &plan, &i);
	r->number = interval_pick(&i, c->which);
	return s;
}

STATISTIC(boot_diff,
	boot_means(c, r, named_values(c, "ref"), named_values(c, "rep"), RESAMPLE_DIFFERENCE))
STATISTIC(boot_bias,
	boot_means(c, r, named_values(c, "ref"), named_values(c, "rep"), RESAMPLE_RELATIVE_PCT))

static enum stat_status boot_quantile(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	struct resample_plan plan = plan_of(c);
	struct resample_interval i = {0};
	double p = named_number(c, "p");
	enum stat_status s = sample_check(ref.x, ref.n);
	s = s ? s : sample_check(rep.x, rep.n);
	if (s)
		return s;
	double *sorted_ref = sample_sorted(ref.x, ref.n), *sorted_rep = sample_sorted(rep.x, rep.n);
	s = resample_quantiles(sorted_ref, ref.n, sorted_rep, rep.n, p, RESAMPLE_RELATIVE_PCT,
			       &plan, &i);
	FREE_EACH(sorted_ref, sorted_rep);
	r->number = interval_pick(&i, c->which);
	return s;
}

const struct named_statistic named_intervals[] = {
    {"mean_ci_lo mean_ci_hi", mean_ci, "x", "conf"},
    {"trimmed_mean", trimmed_mean, "x", "share"},
    {"bias_ci_lo_pct bias_ci_hi_pct", bias_ci, "ref rep", "conf"},
    {"log_ratio_bias_pct log_ratio_p", log_ratio_test, "ref rep", ""},
    {"log_ratio_ci_lo_pct log_ratio_ci_hi_pct", log_ratio_ci, "ref rep", "conf"},
    {"tost_log_p", tost_log_p, "ref rep", "margin_pct"},
    {"fieller_equivalent", fieller_equivalent, "ref rep", "margin_pct alpha"},
    {"equivalence_class", class_of, "ref rep", "margin_pct alpha"},
    {"precision_ratio", precision_ratio, "ref rep", ""},
    {"precision_ratio_lo precision_ratio_hi", precision_ci, "ref rep", "conf"},
    {"pm_log_ratio pm_log_correlation", pm, "ref rep", ""},
    {"pm_log_lower pm_log_upper", pm_limits, "ref rep", "alpha"},
    {"pm_log_p_above pm_log_p_below", pm_tests, "ref rep", "limit"},
    {"quantile_ci_lo quantile_ci_hi", quantile_ci, "x", "p conf"},
    {"quantile_extrapolated", quantile_extrapolated, "x", "p"},
    {"quantile_bias_ci_lo_pct quantile_bias_ci_hi_pct", quantile_bias_ci, "ref rep", "p conf"},
    {"quantile_bias_extrapolated", bias_extrapolated, "ref rep", "p"},
    {"dkw_excess", dkw_excess, "ref rep", "alpha"},
    {"mwu_p_least", mwu_p_least, "ref rep", ""},
    {"boot_bias_lo_pct boot_bias_hi_pct boot_bias_se_pct boot_bias_percentile",
     boot_bias, "ref rep", "resamples seed conf [block]"},
    {"boot_diff_lo boot_diff_hi boot_diff_se boot_diff_percentile",
     boot_diff, "ref rep", "resamples seed conf [block]"},
    {"boot_quantile_bias_lo_pct boot_quantile_bias_hi_pct boot_quantile_bias_se_pct "
     "boot_quantile_bias_percentile", boot_quantile, "ref rep", "p resamples seed conf"},
    {0},
};
