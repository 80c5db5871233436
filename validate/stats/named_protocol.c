/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include "validate/stats/budget.h"
#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"
#include "validate/stats/paper.h"

STATISTIC_OF_PAIR(bias_i_pct, paper_bias_at(REF_REP, named_index(c, "i"), &r->number))

static enum stat_status bias_i_status(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	r->word = stat_status_name(paper_bias_check(REF_REP));
	return STAT_OK;
}

enum { BIAS_MEAN, BIAS_SD, BIAS_OF_MEANS, BIAS_RMS, BIAS_RMS_IDENTITY };

static enum stat_status bias_part(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	struct paper_bias b = {0};
	enum stat_status s = paper_bias(REF_REP, &b);
	r->number = (double[]){b.mean_pct, b.sd_pct, b.relative_of_means_pct, b.rms_pct,
			       b.rms_identity_pct}[c->which];
	return !s && (c->which == BIAS_SD || c->which == BIAS_RMS_IDENTITY) ? b.spread_status : s;
}

static enum stat_status uncertainty_of(struct named_call *c, struct paper_uncertainty *u)
{
	SAMPLES(c);
	enum paper_mode mode = (enum paper_mode)named_choice(c, "mode", paper_mode_names);
	return paper_uncertainty(REF_REP, mode, u);
}

STATISTIC_OF_CALL(uncertainty_part, struct paper_uncertainty u = {0},
	uncertainty_of(c, &u), u.u_rw_pct, u.u_cref_pct, u.u_bias_pct, u.u_c_pct)

static enum stat_status expanded_pct(struct named_call *c, struct named_result *r)
{
	struct paper_uncertainty u;
	enum stat_status s = uncertainty_of(c, &u);
	double k = named_number(c, "k");
	r->number = k == 2 ? u.U2_pct : k == 3 ? u.U3_pct : k * u.u_c_pct;
	return s;
}

/* which 0: the lower end; 1: the upper end. */
static enum stat_status interval_end(struct named_call *c, struct named_result *r)
{
	struct values rep = named_values(c, "rep");
	struct paper_uncertainty u;
	struct sample_moments x;
	const int sign = c->which ? 1 : -1;
	enum stat_status s = uncertainty_of(c, &u);
	s = s ? s : sample_moments(rep.x, rep.n, &x);
	if (!s)
		r->number = x.mean * (1 + sign * named_number(c, "k") * u.u_c_pct / 100);
	return s;
}

STATISTIC_OF_PAIR(bias_sig_ratio_paper, paper_significance(REF_REP, &r->number))
STATISTIC_OF_PAIR(u_bias_paired, bias_paired_u_pct(REF_REP, &r->number))

enum { ESTIMATE_U, ESTIMATE_RATIO, ESTIMATE_SIGNIFICANT, ESTIMATE_NU, ESTIMATE_P };

static enum stat_status estimate_part(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	struct bias_estimate b = {0};
	enum stat_status s = bias_independent(REF_REP, &b);
	double k = c->which == ESTIMATE_SIGNIFICANT ? named_number(c, "k") : 0;
	r->number = (double[]){b.u_pct, b.ratio, b.ratio > k, b.nu, b.p}[c->which];
	return s;
}

static enum stat_status bias_t_crit(struct named_call *c, struct named_result *r)
{
	SAMPLES(c);
	struct bias_estimate b;
	enum stat_status s = bias_independent(REF_REP, &b);
	return s ? s : t_quantile(1 - named_number(c, "alpha") / 2, b.nu, &r->number);
}

enum { N_SOURCES = 4 };

/* The default budget of a replay, in % of the reference: scatter of a future run, both means, the
 * clock. */
static enum stat_status default_budget(struct named_call *c, struct budget_component *b,
				       struct budget_total *t)
{
	SAMPLES(c);
	struct sample_moments x, y;
	enum stat_status s = sample_moments(ref.x, ref.n, &y);
	s = s ? s : sample_moments(rep.x, rep.n, &x);
	if (s)
		return s;
	if (x.spread || y.spread)
		return STAT_TOO_FEW;
	if (y.mean <= 0)
		return STAT_ZERO_REFERENCE;
	double pct = 100 / y.mean, halfwidth = named_number(c, "clock_halfwidth");
	b[0] = budget_component("repeatability", BUDGET_TYPE_A, BUDGET_NORMAL, pct * x.sd,
				(double)(rep.n - 1));
	b[1] = budget_component("own_sem", BUDGET_TYPE_A, BUDGET_NORMAL, pct * x.sem,
				(double)(rep.n - 1));
	b[0].estimate = b[1].estimate = 1;
	b[2] = budget_component("reference_sem", BUDGET_TYPE_A, BUDGET_NORMAL,
				pct * x.mean / y.mean * y.sem, (double)(ref.n - 1));
	b[3] =
	    budget_component("clock", BUDGET_TYPE_B, BUDGET_RECTANGULAR, pct * halfwidth, INFINITY);
	return budget_combine(b, N_SOURCES, t);
}

static enum stat_status budget_row(struct named_call *c, struct named_result *r)
{
	struct budget_component b[N_SOURCES];
	struct budget_total t;
	enum stat_status s = default_budget(c, b, &t);
	for (int i = 0; !s && i < N_SOURCES; i++)
		if (!strcmp(named_word(c, "component"), b[i].source)) {
			r->number = c->which ? b[i].share_pct : b[i].u;
			return STAT_OK;
		}
	return s ? s : STAT_OUT_OF_RANGE;
}

STATISTIC_OF_CALL(budget_total, struct budget_component b[N_SOURCES]; struct budget_total t = {0},
	default_budget(c, b, &t), t.u_c, t.nu_eff, floor(t.nu_eff))

static enum stat_status budget_expanded(struct named_call *c, struct named_result *r)
{
	static const char *const dofs[] = {"cont", "trunc", NULL};
	struct budget_component b[N_SOURCES];
	struct budget_total t;
	double value[2] = {0};
	enum stat_status s = default_budget(c, b, &t);
	enum budget_dof dof = named_choice(c, "dof", dofs) ? BUDGET_TRUNCATED : BUDGET_CONTINUOUS;
	s = s ? s : budget_expand(&t, named_number(c, "coverage"), dof, &value[0], &value[1]);
	return named_pick(c, r, s, value);
}

const struct named_statistic named_protocol[] = {
    {"bias_i_pct", bias_i_pct, "ref rep", "i"},
    {"bias_i_status", bias_i_status, "ref rep", ""},
    {"mean_bias_i_pct sd_bias_i_pct relative_bias_of_means_pct RMS_bias_pct RMS_identity_pct",
     bias_part, "ref rep", ""},
    {"u_Rw_pct u_Cref_pct u_bias_pct u_c_pct", uncertainty_part, "ref rep", "mode"},
    {"U_pct", expanded_pct, "ref rep", "mode k"},
    {"interval_lo interval_hi", interval_end, "ref rep", "mode k"},
    {"bias_sig_ratio_paper", bias_sig_ratio_paper, "ref rep", ""},
    {"u_bias_estimate_paired_pct", u_bias_paired, "ref rep", ""},
    {"u_bias_estimate_independent_pct bias_sig_ratio_independent", estimate_part, "ref rep", ""},
    {"bias_significant", estimate_part, "ref rep", "k", ESTIMATE_SIGNIFICANT},
    {"nu_bias", estimate_part, "ref rep", "", ESTIMATE_NU},
    {"bias_t_crit", bias_t_crit, "ref rep", "alpha"},
    {"bias_p", estimate_part, "ref rep", "", ESTIMATE_P},
    {"budget_u_pct budget_share_pct", budget_row, "ref rep", "component clock_halfwidth"},
    {"budget_u_c_pct budget_nu_eff budget_nu_trunc", budget_total, "ref rep", "clock_halfwidth"},
    {"budget_k budget_U_pct", budget_expanded, "ref rep", "dof coverage clock_halfwidth"},
    {0},
};
