/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include "validate/stats/anova.h"
#include "validate/stats/regression.h"

static enum stat_status line(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x"), y = named_values(c, "y");
	struct regression g = {0};
	enum stat_status s = x.n != y.n ? STAT_NOT_PAIRED : regression(x.x, y.x, x.n, &g);
	const double value[] = {g.intercept, g.slope,       g.se_intercept, g.se_slope,
				g.sse,       g.residual_sd, g.r_squared};
	return named_pick(c, r, s, value);
}

/* t of the difference from a given slope or intercept. */
static enum stat_status line_t(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x"), y = named_values(c, "y");
	struct regression g = {0};
	enum stat_status s = x.n != y.n ? STAT_NOT_PAIRED : regression(x.x, y.x, x.n, &g);
	if (s)
		return s;
	if (c->which)
		r->number = (g.intercept - named_number(c, "intercept")) / g.se_intercept;
	else
		r->number = (g.slope - named_number(c, "slope")) / g.se_slope;
	return STAT_OK;
}

static enum stat_status lack(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x"), y = named_values(c, "y");
	struct lack_of_fit l = {0};
	enum stat_status s = x.n != y.n ? STAT_NOT_PAIRED : lack_of_fit(x.x, y.x, x.n, &l);
	const double value[] = {
	    l.ss_pure_error, l.ss_lack_of_fit, l.df_lack_of_fit, l.df_pure_error, l.f, l.p};
	return named_pick(c, r, s, value);
}

enum { ANOVA_F = 10, ANOVA_P };

static enum stat_status layout(struct named_call *c, struct named_result *r)
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
    {"lin_b0", line, "x y", ""},
    {"lin_b1", line, "x y", "", 1},
    {"lin_se_b0", line, "x y", "", 2},
    {"lin_se_b1", line, "x y", "", 3},
    {"lin_sse", line, "x y", "", 4},
    {"lin_resid_sd", line, "x y", "", 5},
    {"lin_r2", line, "x y", "", 6},
    {"lin_t_slope", line_t, "x y", "slope"},
    {"lin_t_intercept", line_t, "x y", "intercept", 1},
    {"lin_ss_pure_error", lack, "x y", ""},
    {"lin_ss_lack_of_fit", lack, "x y", "", 1},
    {"lin_df_lof", lack, "x y", "", 2},
    {"lin_df_pe", lack, "x y", "", 3},
    {"lin_F_lof", lack, "x y", "", 4},
    {"lin_p_lof", lack, "x y", "", 5},
    {"anova_groups", layout, "groups", ""},
    {"anova_N", layout, "groups", "", 1},
    {"anova_grand_mean", layout, "groups", "", 2},
    {"anova_SS_between", layout, "groups", "", 3},
    {"anova_SS_within", layout, "groups", "", 4},
    {"anova_MS_between", layout, "groups", "", 5},
    {"anova_MS_within", layout, "groups", "", 6},
    {"anova_F", layout, "groups", "", ANOVA_F},
    {"anova_F_p", layout, "groups", "", ANOVA_P},
    {"anova_R2", layout, "groups", "", 7},
    {"anova_resid_sd", layout, "groups", "", 8},
    {"anova_n0", layout, "groups", "", 9},
    {0},
};
