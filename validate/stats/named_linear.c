/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include "validate/stats/anova.h"
#include "validate/stats/regression.h"

static enum stat_status line_part(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x"), y = named_values(c, "y");
	struct regression g = {0};
	enum stat_status s = x.n != y.n ? STAT_NOT_PAIRED : regression_fit(x.x, y.x, x.n, &g);
	const double value[] = {g.intercept, g.slope,       g.se_intercept, g.se_slope,
				g.sse,       g.residual_sd, g.r_squared};
	return named_pick(c, r, s, value);
}

/* t of the difference from a given slope or intercept. */
static enum stat_status line_t(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x"), y = named_values(c, "y");
	struct regression g = {0};
	enum stat_status s = x.n != y.n ? STAT_NOT_PAIRED : regression_fit(x.x, y.x, x.n, &g);
	if (s)
		return s;
	if (c->which)
		r->number = (g.intercept - named_number(c, "intercept")) / g.se_intercept;
	else
		r->number = (g.slope - named_number(c, "slope")) / g.se_slope;
	return STAT_OK;
}

static enum stat_status lack_of_fit_part(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x"), y = named_values(c, "y");
	struct lack_of_fit l = {0};
	enum stat_status s = x.n != y.n ? STAT_NOT_PAIRED : lack_of_fit(x.x, y.x, x.n, &l);
	const double value[] = {
	    l.ss_pure_error, l.ss_lack_of_fit, l.df_lack_of_fit, l.df_pure_error, l.f, l.p};
	return named_pick(c, r, s, value);
}

enum { ANOVA_F = 10, ANOVA_P };

static enum stat_status anova_part(struct named_call *c, struct named_result *r)
{
	const struct named_role *g = named_groups(c, "groups");
	struct anova a = {0};
	enum stat_status s = g ? anova_one_way(g->group, g->n_groups, &a) : STAT_TOO_FEW;
	if (s)
		return s;
	const double value[] = {
	    (double)a.n_groups, (double)a.n_values,
	    a.grand_mean,       a.ss_between,
	    a.ss_within,        a.ms_between,
	    a.ms_within,        a.ss_between / (a.ss_between + a.ss_within),
	    sqrt(a.ms_within),  a.n0,
	    [ANOVA_F] = a.f,    [ANOVA_P] = a.p,
	};
	r->number = value[c->which];
	return c->which < ANOVA_F ? STAT_OK : a.f_status;
}

const struct named_statistic named_linear[] = {
    {"lin_b0 lin_b1 lin_se_b0 lin_se_b1 lin_sse lin_resid_sd lin_r2", line_part, "x y", ""},
    {"lin_t_slope", line_t, "x y", "slope"},
    {"lin_t_intercept", line_t, "x y", "intercept", 1},
    {"lin_ss_pure_error lin_ss_lack_of_fit lin_df_lof lin_df_pe lin_F_lof lin_p_lof",
     lack_of_fit_part, "x y", ""},
    {"anova_groups anova_N anova_grand_mean anova_SS_between anova_SS_within anova_MS_between "
     "anova_MS_within", anova_part, "groups", ""},
    {"anova_F anova_F_p", anova_part, "groups", "", ANOVA_F},
    {"anova_R2 anova_resid_sd anova_n0", anova_part, "groups", "", 7},
    {0},
};
