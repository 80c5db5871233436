/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include "validate/stats/anova.h"
#include "validate/stats/mean_difference.h"
#include "validate/stats/moments.h"
#include "validate/stats/quantiles.h"
#include "validate/stats/ratio.h"
#include "validate/stats/variance_ratio.h"

STATISTIC_OF_CALL(f_r, SAMPLES(c); struct variance_ratio v = {0}, variance_ratio(REF_REP, &v), v.f)

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

static enum stat_status var_ratio_ci(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	struct variance_ratio v;
	double end[2] = {0};
	enum stat_status s = variance_ratio(REF_REP, &v);
	s = s ? s : variance_ratio_interval(&v, named_number(c, "conf"), &end[0], &end[1]);
	return named_pick(c, r, s, end);
}

/* which: first W and p about the mean, then W and p about the median. */
static enum stat_status spread_part(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	struct spread_test t = {0, 0};
	enum stat_status s = spread_test((struct values[]){ref, rep}, 2,
		c->which < 2 ? SPREAD_ABOUT_MEAN : SPREAD_ABOUT_MEDIAN, &t);
	r->number = c->which % 2 ? t.p : t.w;
	return s;
}

STATISTIC_OF_CALL(welch, SAMPLES(c); struct t_estimate e = {0},
	welch_test(REF_REP, &e), e.value, e.t, e.df, e.p)

static enum stat_status welch_ci(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	struct t_estimate e;
	double conf = named_number(c, "conf"), end[2] = {0};
	enum stat_status s = welch_test(REF_REP, &e);
	s = s ? s : t_interval(&e, conf, &end[0], &end[1]);
	return named_pick(c, r, s, end);
}

STATISTIC_OF_CALL(paired, SAMPLES(c); struct t_estimate e = {0}, paired_test(REF_REP, &e), e.t, e.p)

STATISTIC_OF_CALL(fieller, SAMPLES(c); double end[2] = {0},
	fieller_interval(REF_REP, named_number(c, "conf"), &end[0], &end[1]), end[0], end[1])

STATISTIC_OF_CALL(tost_ci_pct, SAMPLES(c); double end[2] = {0},
	equivalence_interval_pct(REF_REP, named_number(c, "alpha"), &end[0], &end[1]),
	end[0], end[1])

STATISTIC_OF_CALL(tost, SAMPLES(c); struct equivalence e = {0},
	equivalence_test(REF_REP, named_number(c, "margin_pct"), &e), e.p_lower, e.p_upper, e.p)

static enum stat_status ratio_of_means(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	struct sample_moments x, y;
	enum stat_status s = sample_moments(rep.x, rep.n, &x);
	s = s ? s : sample_moments(ref.x, ref.n, &y);
	if (!s && y.mean == 0)
		s = STAT_ZERO_REFERENCE;
	if (!s)
		r->number = x.mean / y.mean;
	return s;
}

/* which 0: the difference; 1: its percentage of the reference. */
static enum stat_status quantile_bias(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	double p = named_number(c, "p"), x = 0, y = 0;
	double type_number = named_number(c, "type");
	int type = type_number == 7 ? 7 : type_number == 8 ? 8 : 0;
	enum stat_status s = sample_quantile(rep.x, rep.n, p, type, &x);
	s = s ? s : sample_quantile(ref.x, ref.n, p, type, &y);
	if (!s && c->which && y == 0)
		s = STAT_ZERO_REFERENCE;
	if (!s)
		r->number = c->which ? 100 * (x - y) / y : x - y;
	return s;
}

const struct named_statistic named_two_sample[] = {
    {"F_r", f_r, "ref rep", ""},
    {"F_p", f_p, "ref rep", "side"},
    {"F_status", f_status, "ref rep", ""},
    {"var_ratio_ci_lo var_ratio_ci_hi", var_ratio_ci, "ref rep", "conf"},
    {"levene_W levene_p brown_forsythe_W brown_forsythe_p", spread_part, "ref rep", ""},
    {"welch_diff welch_t welch_df welch_p", welch, "ref rep", ""},
    {"welch_ci_lo welch_ci_hi", welch_ci, "ref rep", "conf"},
    {"paired_t paired_p", paired, "ref rep", ""},
    {"tost_p_lower tost_p_upper tost_p", tost, "ref rep", "margin_pct"},
    {"tost_ci_lo_pct tost_ci_hi_pct", tost_ci_pct, "ref rep", "alpha"},
    {"ratio_of_means", ratio_of_means, "ref rep", ""},
    {"fieller_lo fieller_hi", fieller, "ref rep", "conf"},
    {"quantile_bias_abs quantile_bias_pct", quantile_bias, "ref rep", "p type"},
    {0},
};
