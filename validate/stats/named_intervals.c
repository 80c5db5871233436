/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include <math.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "validate/stats/bounds.h"
#include "validate/stats/distance.h"
#include "validate/stats/equivalence.h"
#include "validate/stats/mean_difference.h"
#include "validate/stats/moments.h"
#include "validate/stats/paper.h"
#include "validate/stats/pitman_morgan.h"
#include "validate/stats/quantiles.h"
#include "validate/stats/ranks.h"
#include "validate/stats/resample.h"
#include "validate/stats/variance_ratio.h"

#define REF_REP ref.x, ref.n, rep.x, rep.n
#define SAMPLES(c) struct values ref = named_values(c, "ref"), rep = named_values(c, "rep")

/* Two functions of one pair of outputs: an interval's ends. */
#define ENDS(name, call)                                                                                               \
	static enum stat_status name##_lo(struct named_call *c, struct named_result *r)                                \
	{                                                                                                              \
		double lo = 0, hi = 0;                                                                                 \
		enum stat_status s = call;                                                                             \
		r->number = lo;                                                                                        \
		return s;                                                                                              \
	}                                                                                                              \
	static enum stat_status name##_hi(struct named_call *c, struct named_result *r)                                \
	{                                                                                                              \
		double lo = 0, hi = 0;                                                                                 \
		enum stat_status s = call;                                                                             \
		r->number = hi;                                                                                        \
		return s;                                                                                              \
	}

/* --- means ------------------------------------------------------------------------------------------------------------ */

static enum stat_status mean_interval(struct named_call *c, double *lo, double *hi)
{
	struct values x = named_values(c, "x");
	struct t_estimate t;
	enum stat_status s = mean_test(x.x, x.n, &t);
	return s ? s : t_interval(&t, named_number(c, "conf"), lo, hi);
}
ENDS(mean_ci, mean_interval(c, &lo, &hi))

static enum stat_status trimmed_mean(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	return sample_trimmed_mean(x.x, x.n, named_number(c, "share"), &r->number);
}

static enum stat_status bias_interval(struct named_call *c, double *lo, double *hi)
{
	SAMPLES(c);
	struct bias_estimate b;
	enum stat_status s = bias_independent(REF_REP, &b);
	struct t_estimate t = {.value = b.bias_pct, .se = b.u_pct, .df = b.nu};
	return s ? s : t_interval(&t, named_number(c, "conf"), lo, hi);
}
ENDS(bias_ci, bias_interval(c, &lo, &hi))

static enum stat_status log_ratio(struct named_call *c, struct t_estimate *t)
{
	SAMPLES(c);
	if (ref.n != rep.n)
		return STAT_NOT_PAIRED;
	double *d = xcalloc(ref.n + 1, sizeof *d);
	enum stat_status s = log_ratios(ref.x, rep.x, ref.n, d);
	if (!s)
		s = mean_test(d, ref.n, t);
	free(d);
	return s;
}

static enum stat_status log_ratio_bias(struct named_call *c, struct named_result *r)
{
	struct t_estimate t = {0};
	enum stat_status s = log_ratio(c, &t);
	r->number = 100 * expm1(t.value);
	return s;
}

static enum stat_status log_ratio_p(struct named_call *c, struct named_result *r)
{
	struct t_estimate t = {0};
	enum stat_status s = log_ratio(c, &t);
	r->number = t.p;
	return s;
}

static enum stat_status log_ratio_interval(struct named_call *c, double *lo, double *hi)
{
	struct t_estimate t;
	enum stat_status s = log_ratio(c, &t);
	if (!s)
		s = t_interval(&t, named_number(c, "conf"), lo, hi);
	if (s)
		return s;
	*lo = 100 * expm1(*lo);
	*hi = 100 * expm1(*hi);
	return STAT_OK;
}
ENDS(log_ratio_ci, log_ratio_interval(c, &lo, &hi))

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
	enum stat_status s =
	    equivalence_fieller(REF_REP, named_number(c, "margin_pct"), named_number(c, "alpha"), &inside);
	r->number = inside;
	return s;
}

static enum stat_status class_of(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	enum equivalence_class class = CLASS_UNDETERMINED;
	enum stat_status s =
	    equivalence_classify(REF_REP, named_number(c, "margin_pct"), named_number(c, "alpha"), &class);
	r->word = equivalence_class_names[class];
	return s;
}

/* --- precision ---------------------------------------------------------------------------------------------------------- */

static enum stat_status precision_interval(struct named_call *c, double *lo, double *hi)
{
	SAMPLES(c);
	struct variance_ratio v;
	enum stat_status s = variance_ratio(REF_REP, &v);
	if (!s)
		s = variance_ratio_interval(&v, named_number(c, "conf"), lo, hi);
	if (s)
		return s;
	*lo = sqrt(*lo);
	*hi = sqrt(*hi);
	return STAT_OK;
}
ENDS(precision, precision_interval(c, &lo, &hi))

static enum stat_status precision_ratio(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	struct variance_ratio v = {0};
	enum stat_status s = variance_ratio(REF_REP, &v);
	r->number = sqrt(v.f);
	return s;
}

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
	if (!s)
		s = pitman_morgan(r, ref.n, x, ref.n, pm);
	free(r);
	return s;
}

static enum stat_status pm_ratio(struct named_call *c, struct named_result *r)
{
	struct pitman_morgan pm = {0};
	enum stat_status s = log_pairs(c, &pm);
	r->number = pm.ratio;
	return s;
}

static enum stat_status pm_correlation(struct named_call *c, struct named_result *r)
{
	struct pitman_morgan pm = {0};
	enum stat_status s = log_pairs(c, &pm);
	r->number = pm.correlation;
	return s;
}

static enum stat_status pm_interval(struct named_call *c, double *lo, double *hi)
{
	struct pitman_morgan pm;
	enum stat_status s = log_pairs(c, &pm);
	return s ? s : pitman_morgan_limits(&pm, named_number(c, "alpha"), lo, hi);
}
ENDS(pm_limit, pm_interval(c, &lo, &hi))

static enum stat_status pm_tests(struct named_call *c, double *above, double *below)
{
	struct pitman_morgan pm;
	enum stat_status s = log_pairs(c, &pm);
	return s ? s : pitman_morgan_p(&pm, named_number(c, "limit"), above, below);
}
ENDS(pm_p, pm_tests(c, &lo, &hi)) /* lo: above, hi: below */

/* --- quantiles and distributions ------------------------------------------------------------------------------------------- */

static enum stat_status bounds_of(struct values x, double p, double conf, struct quantile_bounds *b)
{
	enum stat_status s = x.n ? sample_check(x.x, x.n) : STAT_TOO_FEW;
	if (s)
		return s;
	double *sorted = sample_sorted(x.x, x.n);
	s = quantile_bounds(sorted, x.n, (double)x.n, p, conf, b);
	free(sorted);
	return s;
}

static enum stat_status quantile_ci(struct named_call *c, struct named_result *r, bool high)
{
	struct quantile_bounds b = {STAT_OK, STAT_OK, 0, 0, 0};
	enum stat_status s = bounds_of(named_values(c, "x"), named_number(c, "p"), named_number(c, "conf"), &b);
	r->number = high ? b.hi : b.lo;
	return s ? s : high ? b.hi_status : b.lo_status;
}

static enum stat_status quantile_ci_lo(struct named_call *c, struct named_result *r)
{
	return quantile_ci(c, r, false);
}

static enum stat_status quantile_ci_hi(struct named_call *c, struct named_result *r)
{
	return quantile_ci(c, r, true);
}

static enum stat_status extrapolated(struct named_call *c, struct named_result *r)
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

/* Order statistics of both samples, each with half the error. */
static enum stat_status quantile_bias_ci(struct named_call *c, struct named_result *r, bool high)
{
	SAMPLES(c);
	double p = named_number(c, "p"), each = 1 - (1 - named_number(c, "conf")) / 2, q = 0;
	struct quantile_bounds b = {STAT_OK, STAT_OK, 0, 0, 0}, x = b;
	enum stat_status s = bounds_of(ref, p, each, &b);
	if (!s)
		s = bounds_of(rep, p, each, &x);
	if (!s)
		s = sample_quantile(ref.x, ref.n, p, 7, &q);
	if (!s && q == 0)
		s = STAT_ZERO_REFERENCE;
	if (s)
		return s;
	r->number = 100 * (high ? x.hi - b.lo : x.lo - b.hi) / fabs(q);
	return high ? (x.hi_status ? x.hi_status : b.lo_status) : x.lo_status ? x.lo_status : b.hi_status;
}

static enum stat_status quantile_bias_ci_lo(struct named_call *c, struct named_result *r)
{
	return quantile_bias_ci(c, r, false);
}

static enum stat_status quantile_bias_ci_hi(struct named_call *c, struct named_result *r)
{
	return quantile_bias_ci(c, r, true);
}

static enum stat_status dkw_excess(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	double d;
	enum stat_status s = ks_distance(REF_REP, &d);
	return s ? s : dkw_bands(d, (double)ref.n, (double)rep.n, named_number(c, "alpha"), &r->number);
}

static enum stat_status mwu_p_least(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	return mann_whitney_least_p((double)ref.n, (double)rep.n, &r->number);
}

/* --- bootstrap ---------------------------------------------------------------------------------------------------------- */

static struct resample_plan plan_of(struct named_call *c)
{
	return (struct resample_plan){named_count(c, "resamples"), named_count(c, "seed"), 0, named_number(c, "conf")};
}

#define BOOT_MEANS(function, quantity, member)                                                                         \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		SAMPLES(c);                                                                                            \
		struct resample_plan plan = plan_of(c);                                                                \
		struct resample_interval i = {0};                                                                      \
		size_t block = named_given(c, "block") ? named_count(c, "block") : 1;                                  \
		enum stat_status s = resample_means(REF_REP, block, quantity, &plan, &i);                              \
		r->number = i.member;                                                                                  \
		return s;                                                                                              \
	}
BOOT_MEANS(boot_bias_lo, RESAMPLE_RELATIVE_PCT, lo)
BOOT_MEANS(boot_bias_hi, RESAMPLE_RELATIVE_PCT, hi)
BOOT_MEANS(boot_bias_se, RESAMPLE_RELATIVE_PCT, se)
BOOT_MEANS(boot_bias_percentile, RESAMPLE_RELATIVE_PCT, percentile)
BOOT_MEANS(boot_diff_lo, RESAMPLE_DIFFERENCE, lo)
BOOT_MEANS(boot_diff_hi, RESAMPLE_DIFFERENCE, hi)
BOOT_MEANS(boot_diff_se, RESAMPLE_DIFFERENCE, se)
BOOT_MEANS(boot_diff_percentile, RESAMPLE_DIFFERENCE, percentile)

#define BOOT_MEAN(function, member)                                                                                    \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		struct values x = named_values(c, "x");                                                                \
		struct resample_plan plan = plan_of(c);                                                                \
		struct resample_interval i = {0};                                                                      \
		size_t block = named_given(c, "block") ? named_count(c, "block") : 1;                                  \
		enum stat_status s = resample_means(NULL, 0, x.x, x.n, block, RESAMPLE_X, &plan, &i);                  \
		r->number = i.member;                                                                                  \
		return s;                                                                                              \
	}
BOOT_MEAN(boot_mean_lo, lo)
BOOT_MEAN(boot_mean_hi, hi)
BOOT_MEAN(boot_mean_se, se)

static enum stat_status boot_quantile(struct named_call *c, struct resample_interval *i)
{
	SAMPLES(c);
	struct resample_plan plan = plan_of(c);
	double p = named_number(c, "p");
	enum stat_status s = sample_check(ref.x, ref.n);
	if (!s)
		s = sample_check(rep.x, rep.n);
	if (s)
		return s;
	double *r = sample_sorted(ref.x, ref.n), *x = sample_sorted(rep.x, rep.n);
	s = resample_quantiles(r, ref.n, x, rep.n, p, RESAMPLE_RELATIVE_PCT, &plan, i);
	free(r);
	free(x);
	return s;
}

#define BOOT_QUANTILE(function, member)                                                                                \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		struct resample_interval i = {0};                                                                      \
		enum stat_status s = boot_quantile(c, &i);                                                             \
		r->number = i.member;                                                                                  \
		return s;                                                                                              \
	}
BOOT_QUANTILE(boot_quantile_lo, lo)
BOOT_QUANTILE(boot_quantile_hi, hi)
BOOT_QUANTILE(boot_quantile_se, se)
BOOT_QUANTILE(boot_quantile_percentile, percentile)

const struct named_statistic named_intervals[] = {
    {"mean_ci_lo", mean_ci_lo, "x", "conf"},
    {"mean_ci_hi", mean_ci_hi, "x", "conf"},
    {"trimmed_mean", trimmed_mean, "x", "share"},
    {"bias_ci_lo_pct", bias_ci_lo, "ref rep", "conf"},
    {"bias_ci_hi_pct", bias_ci_hi, "ref rep", "conf"},
    {"log_ratio_bias_pct", log_ratio_bias, "ref rep", ""},
    {"log_ratio_p", log_ratio_p, "ref rep", ""},
    {"log_ratio_ci_lo_pct", log_ratio_ci_lo, "ref rep", "conf"},
    {"log_ratio_ci_hi_pct", log_ratio_ci_hi, "ref rep", "conf"},
    {"tost_log_p", tost_log_p, "ref rep", "margin_pct"},
    {"fieller_equivalent", fieller_equivalent, "ref rep", "margin_pct alpha"},
    {"equivalence_class", class_of, "ref rep", "margin_pct alpha"},
    {"precision_ratio", precision_ratio, "ref rep", ""},
    {"precision_ratio_lo", precision_lo, "ref rep", "conf"},
    {"precision_ratio_hi", precision_hi, "ref rep", "conf"},
    {"pm_log_ratio", pm_ratio, "ref rep", ""},
    {"pm_log_correlation", pm_correlation, "ref rep", ""},
    {"pm_log_lower", pm_limit_lo, "ref rep", "alpha"},
    {"pm_log_upper", pm_limit_hi, "ref rep", "alpha"},
    {"pm_log_p_above", pm_p_lo, "ref rep", "limit"},
    {"pm_log_p_below", pm_p_hi, "ref rep", "limit"},
    {"quantile_ci_lo", quantile_ci_lo, "x", "p conf"},
    {"quantile_ci_hi", quantile_ci_hi, "x", "p conf"},
    {"quantile_extrapolated", extrapolated, "x", "p"},
    {"quantile_bias_ci_lo_pct", quantile_bias_ci_lo, "ref rep", "p conf"},
    {"quantile_bias_ci_hi_pct", quantile_bias_ci_hi, "ref rep", "p conf"},
    {"quantile_bias_extrapolated", bias_extrapolated, "ref rep", "p"},
    {"dkw_excess", dkw_excess, "ref rep", "alpha"},
    {"mwu_p_least", mwu_p_least, "ref rep", ""},
    {"boot_mean_lo", boot_mean_lo, "x", "resamples seed conf [block]"},
    {"boot_mean_hi", boot_mean_hi, "x", "resamples seed conf [block]"},
    {"boot_mean_se", boot_mean_se, "x", "resamples seed conf [block]"},
    {"boot_bias_lo_pct", boot_bias_lo, "ref rep", "resamples seed conf [block]"},
    {"boot_bias_hi_pct", boot_bias_hi, "ref rep", "resamples seed conf [block]"},
    {"boot_bias_se_pct", boot_bias_se, "ref rep", "resamples seed conf [block]"},
    {"boot_bias_percentile", boot_bias_percentile, "ref rep", "resamples seed conf [block]"},
    {"boot_diff_lo", boot_diff_lo, "ref rep", "resamples seed conf [block]"},
    {"boot_diff_hi", boot_diff_hi, "ref rep", "resamples seed conf [block]"},
    {"boot_diff_se", boot_diff_se, "ref rep", "resamples seed conf [block]"},
    {"boot_diff_percentile", boot_diff_percentile, "ref rep", "resamples seed conf [block]"},
    {"boot_quantile_bias_lo_pct", boot_quantile_lo, "ref rep", "p resamples seed conf"},
    {"boot_quantile_bias_hi_pct", boot_quantile_hi, "ref rep", "p resamples seed conf"},
    {"boot_quantile_bias_se_pct", boot_quantile_se, "ref rep", "p resamples seed conf"},
    {"boot_quantile_bias_percentile", boot_quantile_percentile, "ref rep", "p resamples seed conf"},
    {0},
};
