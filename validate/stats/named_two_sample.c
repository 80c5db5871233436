/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include <math.h>

#include "validate/stats/anova.h"
#include "validate/stats/mean_difference.h"
#include "validate/stats/moments.h"
#include "validate/stats/quantiles.h"
#include "validate/stats/ratio.h"
#include "validate/stats/variance_ratio.h"

/* Most statistics here take both samples: REF_REP spells the four arguments. */
#define REF_REP ref.x, ref.n, rep.x, rep.n
#define SAMPLES(c) struct values ref = named_values(c, "ref"), rep = named_values(c, "rep")

static enum stat_status f_r(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	struct variance_ratio v;
	enum stat_status s = variance_ratio(REF_REP, &v);
	r->number = v.f;
	return s;
}

static enum stat_status f_p(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	struct variance_ratio v;
	enum stat_status s = variance_ratio(REF_REP, &v);
	static const char *const sides[] = {"greater", "two", NULL};
	r->number = named_choice(c, "side", sides) ? v.p_two_sided : v.p_greater;
	return s;
}

static enum stat_status f_status(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	struct variance_ratio v;
	r->word = stat_status_name(variance_ratio(REF_REP, &v));
	return STAT_OK;
}

static enum stat_status var_ratio_ci(struct named_call *c, struct named_result *r, bool high)
{
	SAMPLES(c);
	struct variance_ratio v;
	double lo, hi;
	enum stat_status s = variance_ratio(REF_REP, &v);
	if (!s)
		s = variance_ratio_interval(&v, named_number(c, "conf"), &lo, &hi);
	if (!s)
		r->number = high ? hi : lo;
	return s;
}

static enum stat_status var_ratio_ci_lo(struct named_call *c, struct named_result *r)
{
	return var_ratio_ci(c, r, false);
}

static enum stat_status var_ratio_ci_hi(struct named_call *c, struct named_result *r)
{
	return var_ratio_ci(c, r, true);
}

#define SPREAD(function, centre, member)                                                                               \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		SAMPLES(c);                                                                                            \
		struct spread_test t = {0, 0};                                                                         \
		enum stat_status s = spread_test((struct values[]){ref, rep}, 2, centre, &t);                          \
		r->number = t.member;                                                                                  \
		return s;                                                                                              \
	}
SPREAD(levene_w, SPREAD_ABOUT_MEAN, w)
SPREAD(levene_p, SPREAD_ABOUT_MEAN, p)
SPREAD(brown_forsythe_w, SPREAD_ABOUT_MEDIAN, w)
SPREAD(brown_forsythe_p, SPREAD_ABOUT_MEDIAN, p)

#define T_ESTIMATE(function, test, member)                                                                             \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		SAMPLES(c);                                                                                            \
		struct t_estimate e = {0};                                                                             \
		enum stat_status s = test(REF_REP, &e);                                                                \
		r->number = e.member;                                                                                  \
		return s;                                                                                              \
	}
T_ESTIMATE(welch_diff, welch_test, value)
T_ESTIMATE(welch_t, welch_test, t)
T_ESTIMATE(welch_df, welch_test, df)
T_ESTIMATE(welch_p, welch_test, p)
T_ESTIMATE(paired_t, paired_test, t)
T_ESTIMATE(paired_p, paired_test, p)

/* Either end of an interval by its two outputs. */
#define INTERVAL(function, call, end)                                                                                  \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		SAMPLES(c);                                                                                            \
		double lo = 0, hi = 0;                                                                                 \
		enum stat_status s = call;                                                                             \
		r->number = end;                                                                                       \
		return s;                                                                                              \
	}

static enum stat_status welch_interval(struct values ref, struct values rep, double conf, double *lo, double *hi)
{
	struct t_estimate e;
	enum stat_status s = welch_test(REF_REP, &e);
	return s ? s : t_interval(&e, conf, lo, hi);
}

INTERVAL(welch_ci_lo, welch_interval(ref, rep, named_number(c, "conf"), &lo, &hi), lo)
INTERVAL(welch_ci_hi, welch_interval(ref, rep, named_number(c, "conf"), &lo, &hi), hi)
INTERVAL(fieller_lo, fieller_interval(REF_REP, named_number(c, "conf"), &lo, &hi), lo)
INTERVAL(fieller_hi, fieller_interval(REF_REP, named_number(c, "conf"), &lo, &hi), hi)
INTERVAL(tost_ci_lo_pct, equivalence_interval_pct(REF_REP, named_number(c, "alpha"), &lo, &hi), lo)
INTERVAL(tost_ci_hi_pct, equivalence_interval_pct(REF_REP, named_number(c, "alpha"), &lo, &hi), hi)

#define TOST(function, member)                                                                                         \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		SAMPLES(c);                                                                                            \
		struct equivalence e = {0};                                                                            \
		enum stat_status s = equivalence_test(REF_REP, named_number(c, "margin_pct"), &e);                     \
		r->number = e.member;                                                                                  \
		return s;                                                                                              \
	}
TOST(tost_p_lower, p_lower)
TOST(tost_p_upper, p_upper)
TOST(tost_p, p)

static enum stat_status ratio_of_means(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	struct sample_moments x, y;
	enum stat_status s = sample_moments(rep.x, rep.n, &x);
	if (!s)
		s = sample_moments(ref.x, ref.n, &y);
	if (!s && y.mean == 0)
		s = STAT_ZERO_REFERENCE;
	if (!s)
		r->number = x.mean / y.mean;
	return s;
}

static enum stat_status quantile_bias(struct named_call *c, struct named_result *r, bool relative)
{
	SAMPLES(c);
	double p = named_number(c, "p"), x = 0, y = 0;
	double type_number = named_number(c, "type");
	int type = type_number == 7 ? 7 : type_number == 8 ? 8 : 0;
	enum stat_status s = sample_quantile(rep.x, rep.n, p, type, &x);
	if (!s)
		s = sample_quantile(ref.x, ref.n, p, type, &y);
	if (!s && relative && y == 0)
		s = STAT_ZERO_REFERENCE;
	if (!s)
		r->number = relative ? 100 * (x - y) / y : x - y;
	return s;
}

static enum stat_status quantile_bias_abs(struct named_call *c, struct named_result *r)
{
	return quantile_bias(c, r, false);
}

static enum stat_status quantile_bias_pct(struct named_call *c, struct named_result *r)
{
	return quantile_bias(c, r, true);
}

const struct named_statistic named_two_sample[] = {
    {"F_r", f_r, "ref rep", ""},
    {"F_p", f_p, "ref rep", "side"},
    {"F_status", f_status, "ref rep", ""},
    {"var_ratio_ci_lo", var_ratio_ci_lo, "ref rep", "conf"},
    {"var_ratio_ci_hi", var_ratio_ci_hi, "ref rep", "conf"},
    {"levene_W", levene_w, "ref rep", ""},
    {"levene_p", levene_p, "ref rep", ""},
    {"brown_forsythe_W", brown_forsythe_w, "ref rep", ""},
    {"brown_forsythe_p", brown_forsythe_p, "ref rep", ""},
    {"welch_diff", welch_diff, "ref rep", ""},
    {"welch_t", welch_t, "ref rep", ""},
    {"welch_df", welch_df, "ref rep", ""},
    {"welch_p", welch_p, "ref rep", ""},
    {"welch_ci_lo", welch_ci_lo, "ref rep", "conf"},
    {"welch_ci_hi", welch_ci_hi, "ref rep", "conf"},
    {"paired_t", paired_t, "ref rep", ""},
    {"paired_p", paired_p, "ref rep", ""},
    {"tost_p_lower", tost_p_lower, "ref rep", "margin_pct"},
    {"tost_p_upper", tost_p_upper, "ref rep", "margin_pct"},
    {"tost_p", tost_p, "ref rep", "margin_pct"},
    {"tost_ci_lo_pct", tost_ci_lo_pct, "ref rep", "alpha"},
    {"tost_ci_hi_pct", tost_ci_hi_pct, "ref rep", "alpha"},
    {"ratio_of_means", ratio_of_means, "ref rep", ""},
    {"fieller_lo", fieller_lo, "ref rep", "conf"},
    {"fieller_hi", fieller_hi, "ref rep", "conf"},
    {"quantile_bias_abs", quantile_bias_abs, "ref rep", "p type"},
    {"quantile_bias_pct", quantile_bias_pct, "ref rep", "p type"},
    {0},
};
