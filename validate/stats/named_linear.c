/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include <math.h>

#include "validate/stats/anova.h"
#include "validate/stats/regression.h"

static enum stat_status fit(struct named_call *c, struct regression *g)
{
	struct values x = named_values(c, "x"), y = named_values(c, "y");
	*g = (struct regression){0};
	return x.n != y.n ? STAT_NOT_PAIRED : regression(x.x, y.x, x.n, g);
}

#define LINE(function, value)                                                                                          \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		struct regression g;                                                                                   \
		enum stat_status s = fit(c, &g);                                                                       \
		if (!s)                                                                                                \
			r->number = value;                                                                             \
		return s;                                                                                              \
	}
LINE(lin_b0, g.intercept)
LINE(lin_b1, g.slope)
LINE(lin_se_b0, g.se_intercept)
LINE(lin_se_b1, g.se_slope)
LINE(lin_sse, g.sse)
LINE(lin_resid_sd, g.residual_sd)
LINE(lin_r2, g.r_squared)
LINE(lin_t_slope, (g.slope - named_number(c, "slope")) / g.se_slope)
LINE(lin_t_intercept, (g.intercept - named_number(c, "intercept")) / g.se_intercept)

#define LACK(function, member)                                                                                         \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		struct values x = named_values(c, "x"), y = named_values(c, "y");                                      \
		struct lack_of_fit l = {0};                                                                            \
		enum stat_status s = x.n != y.n ? STAT_NOT_PAIRED : lack_of_fit(x.x, y.x, x.n, &l);                    \
		r->number = l.member;                                                                                  \
		return s;                                                                                              \
	}
LACK(lin_ss_pure_error, ss_pure_error)
LACK(lin_ss_lack_of_fit, ss_lack_of_fit)
LACK(lin_df_lof, df_lack_of_fit)
LACK(lin_df_pe, df_pure_error)
LACK(lin_f_lof, f)
LACK(lin_p_lof, p)

static enum stat_status layout(struct named_call *c, struct anova *a)
{
	const struct named_role *g = named_groups(c, "groups");
	return g ? anova_one_way(g->group, g->n_groups, a) : STAT_TOO_FEW;
}

#define ANOVA(function, value)                                                                                         \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		struct anova a;                                                                                        \
		enum stat_status s = layout(c, &a);                                                                    \
		if (!s)                                                                                                \
			r->number = value;                                                                             \
		return s;                                                                                              \
	}
ANOVA(anova_groups, (double)a.n_groups)
ANOVA(anova_n, (double)a.n_values)
ANOVA(anova_grand_mean, a.grand_mean)
ANOVA(anova_ss_between, a.ss_between)
ANOVA(anova_ss_within, a.ss_within)
ANOVA(anova_ms_between, a.ms_between)
ANOVA(anova_ms_within, a.ms_within)
ANOVA(anova_r2, a.ss_between / (a.ss_between + a.ss_within))
ANOVA(anova_n0, a.n0)

static enum stat_status anova_resid_sd(struct named_call *c, struct named_result *r)
{
	struct anova a;
	enum stat_status s = layout(c, &a);
	if (!s)
		r->number = sqrt(a.ms_within);
	return s;
}

static enum stat_status anova_f(struct named_call *c, struct named_result *r)
{
	struct anova a;
	enum stat_status s = layout(c, &a);
	r->number = a.f;
	return s ? s : a.f_status;
}

static enum stat_status anova_f_p(struct named_call *c, struct named_result *r)
{
	struct anova a;
	enum stat_status s = layout(c, &a);
	r->number = a.p;
	return s ? s : a.f_status;
}

const struct named_statistic named_linear[] = {
    {"lin_b0", lin_b0, "x y", ""},
    {"lin_b1", lin_b1, "x y", ""},
    {"lin_se_b0", lin_se_b0, "x y", ""},
    {"lin_se_b1", lin_se_b1, "x y", ""},
    {"lin_sse", lin_sse, "x y", ""},
    {"lin_resid_sd", lin_resid_sd, "x y", ""},
    {"lin_r2", lin_r2, "x y", ""},
    {"lin_t_slope", lin_t_slope, "x y", "slope"},
    {"lin_t_intercept", lin_t_intercept, "x y", "intercept"},
    {"lin_ss_pure_error", lin_ss_pure_error, "x y", ""},
    {"lin_ss_lack_of_fit", lin_ss_lack_of_fit, "x y", ""},
    {"lin_df_lof", lin_df_lof, "x y", ""},
    {"lin_df_pe", lin_df_pe, "x y", ""},
    {"lin_F_lof", lin_f_lof, "x y", ""},
    {"lin_p_lof", lin_p_lof, "x y", ""},
    {"anova_groups", anova_groups, "groups", ""},
    {"anova_N", anova_n, "groups", ""},
    {"anova_grand_mean", anova_grand_mean, "groups", ""},
    {"anova_SS_between", anova_ss_between, "groups", ""},
    {"anova_SS_within", anova_ss_within, "groups", ""},
    {"anova_MS_between", anova_ms_between, "groups", ""},
    {"anova_MS_within", anova_ms_within, "groups", ""},
    {"anova_F", anova_f, "groups", ""},
    {"anova_F_p", anova_f_p, "groups", ""},
    {"anova_R2", anova_r2, "groups", ""},
    {"anova_resid_sd", anova_resid_sd, "groups", ""},
    {"anova_n0", anova_n0, "groups", ""},
    {0},
};
