/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include <math.h>
#include <string.h>

#include "validate/stats/budget.h"
#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"
#include "validate/stats/paper.h"

#define REF_REP ref.x, ref.n, rep.x, rep.n
#define SAMPLES(c) struct values ref = named_values(c, "ref"), rep = named_values(c, "rep")

static enum stat_status bias_i_pct(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	return paper_bias_at(REF_REP, named_index(c, "i"), &r->number);
}

static enum stat_status bias_i_status(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	r->word = stat_status_name(paper_bias_check(REF_REP));
	return STAT_OK;
}

#define BIAS(function, member, needs_spread)                                                                           \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		SAMPLES(c);                                                                                            \
		struct paper_bias b = {0};                                                                             \
		enum stat_status s = paper_bias(REF_REP, &b);                                                          \
		r->number = b.member;                                                                                  \
		return !s && needs_spread ? b.spread_status : s;                                                       \
	}
BIAS(mean_bias_i_pct, mean_pct, false)
BIAS(sd_bias_i_pct, sd_pct, true)
BIAS(relative_bias_of_means_pct, relative_of_means_pct, false)
BIAS(rms_bias_pct, rms_pct, false)
BIAS(rms_identity_pct, rms_identity_pct, true)

static enum stat_status uncertainty(struct named_call *c, struct paper_uncertainty *u)
{
	SAMPLES(c);
	enum paper_mode mode = (enum paper_mode)named_choice(c, "mode", paper_mode_names);
	return paper_uncertainty(REF_REP, mode, u);
}

#define UNCERTAINTY(function, member)                                                                                  \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		struct paper_uncertainty u;                                                                            \
		enum stat_status s = uncertainty(c, &u);                                                               \
		r->number = u.member;                                                                                  \
		return s;                                                                                              \
	}
UNCERTAINTY(u_rw_pct, u_rw_pct)
UNCERTAINTY(u_cref_pct, u_cref_pct)
UNCERTAINTY(u_bias_pct, u_bias_pct)
UNCERTAINTY(u_c_pct, u_c_pct)

static enum stat_status expanded_pct(struct named_call *c, struct named_result *r)
{
	struct paper_uncertainty u;
	enum stat_status s = uncertainty(c, &u);
	double k = named_number(c, "k");
	r->number = k == 2 ? u.U2_pct : k == 3 ? u.U3_pct : k * u.u_c_pct;
	return s;
}

static enum stat_status interval(struct named_call *c, struct named_result *r, int sign)
{
	struct values rep = named_values(c, "rep");
	struct paper_uncertainty u;
	struct sample_moments x;
	enum stat_status s = uncertainty(c, &u);
	if (!s)
		s = sample_moments(rep.x, rep.n, &x);
	if (!s)
		r->number = x.mean * (1 + sign * named_number(c, "k") * u.u_c_pct / 100);
	return s;
}

static enum stat_status interval_lo(struct named_call *c, struct named_result *r)
{
	return interval(c, r, -1);
}

static enum stat_status interval_hi(struct named_call *c, struct named_result *r)
{
	return interval(c, r, 1);
}

static enum stat_status bias_sig_ratio_paper(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	return paper_significance(REF_REP, &r->number);
}

static enum stat_status u_bias_paired(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	return bias_paired_u_pct(REF_REP, &r->number);
}

#define ESTIMATE(function, value)                                                                                      \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		SAMPLES(c);                                                                                            \
		struct bias_estimate b = {0};                                                                          \
		enum stat_status s = bias_independent(REF_REP, &b);                                                    \
		r->number = value;                                                                                     \
		return s;                                                                                              \
	}
ESTIMATE(u_bias_independent, b.u_pct)
ESTIMATE(bias_sig_ratio_independent, b.ratio)
ESTIMATE(bias_significant, b.ratio > named_number(c, "k"))
ESTIMATE(nu_bias, b.nu)
ESTIMATE(bias_p, b.p)

static enum stat_status bias_t_crit(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	struct bias_estimate b;
	enum stat_status s = bias_independent(REF_REP, &b);
	return s ? s : t_quantile(1 - named_number(c, "alpha") / 2, b.nu, &r->number);
}

enum { N_SOURCES = 4 };

/* The default budget of a replay, % of the reference: scatter of a future run, both means, the clock. */
static enum stat_status default_budget(struct named_call *c, struct budget_component *b, struct budget_total *t)
{
	SAMPLES(c);
	struct sample_moments x, y;
	enum stat_status s = sample_moments(ref.x, ref.n, &y);
	if (!s)
		s = sample_moments(rep.x, rep.n, &x);
	if (s)
		return s;
	if (x.spread || y.spread)
		return STAT_TOO_FEW;
	if (y.mean <= 0)
		return STAT_ZERO_REFERENCE;
	double pct = 100 / y.mean, halfwidth = named_number(c, "clock_halfwidth");
	b[0] = budget_component("repeatability", BUDGET_TYPE_A, BUDGET_NORMAL, pct * x.sd, (double)(rep.n - 1));
	b[1] = budget_component("own_sem", BUDGET_TYPE_A, BUDGET_NORMAL, pct * x.sem, (double)(rep.n - 1));
	b[0].estimate = b[1].estimate = 1;
	b[2] = budget_component("reference_sem", BUDGET_TYPE_A, BUDGET_NORMAL, pct * x.mean / y.mean * y.sem,
				(double)(ref.n - 1));
	b[3] = budget_component("clock", BUDGET_TYPE_B, BUDGET_RECTANGULAR, pct * halfwidth, INFINITY);
	return budget_combine(b, N_SOURCES, t);
}

static enum stat_status budget_row(struct named_call *c, struct named_result *r, bool share)
{
	struct budget_component b[N_SOURCES];
	struct budget_total t;
	enum stat_status s = default_budget(c, b, &t);
	for (int i = 0; !s && i < N_SOURCES; i++)
		if (!strcmp(named_word(c, "component"), b[i].source)) {
			r->number = share ? b[i].share_pct : b[i].u;
			return STAT_OK;
		}
	return s ? s : STAT_OUT_OF_RANGE;
}

static enum stat_status budget_u_pct(struct named_call *c, struct named_result *r)
{
	return budget_row(c, r, false);
}

static enum stat_status budget_share_pct(struct named_call *c, struct named_result *r)
{
	return budget_row(c, r, true);
}

#define TOTAL(function, value)                                                                                         \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		struct budget_component b[N_SOURCES];                                                                  \
		struct budget_total t = {0};                                                                           \
		enum stat_status s = default_budget(c, b, &t);                                                         \
		r->number = value;                                                                                     \
		return s;                                                                                              \
	}
TOTAL(budget_u_c_pct, t.u_c)
TOTAL(budget_nu_eff, t.nu_eff)
TOTAL(budget_nu_trunc, floor(t.nu_eff))

static enum stat_status expand(struct named_call *c, double *k, double *expanded)
{
	struct budget_component b[N_SOURCES];
	struct budget_total t;
	enum stat_status s = default_budget(c, b, &t);
	static const char *const dofs[] = {"cont", "trunc", NULL};
	enum budget_dof dof = named_choice(c, "dof", dofs) ? BUDGET_TRUNCATED : BUDGET_CONTINUOUS;
	return s ? s : budget_expand(&t, named_number(c, "coverage"), dof, k, expanded);
}

static enum stat_status budget_k(struct named_call *c, struct named_result *r)
{
	double expanded;
	return expand(c, &r->number, &expanded);
}

static enum stat_status budget_expanded_pct(struct named_call *c, struct named_result *r)
{
	double k;
	return expand(c, &k, &r->number);
}

const struct named_statistic named_protocol[] = {
    {"bias_i_pct", bias_i_pct, "ref rep", "i"},
    {"bias_i_status", bias_i_status, "ref rep", ""},
    {"mean_bias_i_pct", mean_bias_i_pct, "ref rep", ""},
    {"sd_bias_i_pct", sd_bias_i_pct, "ref rep", ""},
    {"relative_bias_of_means_pct", relative_bias_of_means_pct, "ref rep", ""},
    {"RMS_bias_pct", rms_bias_pct, "ref rep", ""},
    {"RMS_identity_pct", rms_identity_pct, "ref rep", ""},
    {"u_Rw_pct", u_rw_pct, "ref rep", "mode"},
    {"u_Cref_pct", u_cref_pct, "ref rep", "mode"},
    {"u_bias_pct", u_bias_pct, "ref rep", "mode"},
    {"u_c_pct", u_c_pct, "ref rep", "mode"},
    {"U_pct", expanded_pct, "ref rep", "mode k"},
    {"interval_lo", interval_lo, "ref rep", "mode k"},
    {"interval_hi", interval_hi, "ref rep", "mode k"},
    {"bias_sig_ratio_paper", bias_sig_ratio_paper, "ref rep", ""},
    {"u_bias_estimate_paired_pct", u_bias_paired, "ref rep", ""},
    {"u_bias_estimate_independent_pct", u_bias_independent, "ref rep", ""},
    {"bias_sig_ratio_independent", bias_sig_ratio_independent, "ref rep", ""},
    {"bias_significant", bias_significant, "ref rep", "k"},
    {"nu_bias", nu_bias, "ref rep", ""},
    {"bias_t_crit", bias_t_crit, "ref rep", "alpha"},
    {"bias_p", bias_p, "ref rep", ""},
    {"budget_u_pct", budget_u_pct, "ref rep", "component clock_halfwidth"},
    {"budget_share_pct", budget_share_pct, "ref rep", "component clock_halfwidth"},
    {"budget_u_c_pct", budget_u_c_pct, "ref rep", "clock_halfwidth"},
    {"budget_nu_eff", budget_nu_eff, "ref rep", "clock_halfwidth"},
    {"budget_nu_trunc", budget_nu_trunc, "ref rep", "clock_halfwidth"},
    {"budget_k", budget_k, "ref rep", "dof coverage clock_halfwidth"},
    {"budget_U_pct", budget_expanded_pct, "ref rep", "dof coverage clock_halfwidth"},
    {0},
};
