/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of the metrology paper, and the uncertainty budget of the deviation of a future
 * run. */
#include "validate/columns/comparison_private.h"
#include "validate/stats/budget.h"
#include "validate/stats/monte_carlo.h"
#include "validate/stats/paper.h"

#define REF_REP ref.x, ref.n, rep.x, rep.n

static void paper_modes(const struct comparison_part *part, struct values ref, struct values rep)
{
	struct estimates *out = part->out;
	double mean = part->c->rep->unit_m.mean;
	for (int mode = 0; mode < PAPER_MODE_N; mode++) {
		const char *name = paper_mode_names[mode];
		struct paper_uncertainty u = {0};
		enum stat_status s = paper_uncertainty(REF_REP, (enum paper_mode)mode, &u);
		estimates_addf(out, "u_Rw_pct", s, u.u_rw_pct, "mode=%s", name);
		estimates_addf(out, "u_Cref_pct", s, u.u_cref_pct, "mode=%s", name);
		estimates_addf(out, "u_bias_pct", s, u.u_bias_pct, "mode=%s", name);
		estimates_addf(out, "u_c_pct", s, u.u_c_pct, "mode=%s", name);
		for (int k = 2; k <= 3; k++) {
			estimates_addf(out, "U_pct", s, k == 2 ? u.U2_pct : u.U3_pct,
				       "mode=%s;k=%d", name, k);
			estimates_addf(out, "interval_lo", s, mean * (1 - k * u.u_c_pct / 100),
				       "mode=%s;k=%d", name, k);
			estimates_addf(out, "interval_hi", s, mean * (1 + k * u.u_c_pct / 100),
				       "mode=%s;k=%d", name, k);
		}
	}
}

void compare_paper(const struct comparison_part *part)
{
	const struct values ref = part->c->ref->unit, rep = part->c->rep->unit;
	struct estimates *out = part->out;
	struct paper_bias b = {0};
	double ratio = 0;
	enum stat_status s = paper_bias(REF_REP, &b), spread = s ? s : b.spread_status;
	estimates_add(out, "relative_bias_of_means_pct", "", s, b.relative_of_means_pct);
	estimates_add(out, "mean_bias_i_pct", "", s, b.mean_pct);
	estimates_add(out, "sd_bias_i_pct", "", spread, b.sd_pct);
	estimates_add(out, "RMS_bias_pct", "", s, b.rms_pct);
	estimates_add(out, "RMS_identity_pct", "", spread, b.rms_identity_pct);
	if (part->plan->all) {
		estimates_add_word(out, "bias_i_status", "", STAT_OK,
				   stat_status_name(paper_bias_check(REF_REP)));
		s = paper_significance(REF_REP, &ratio);
		estimates_add(out, "bias_sig_ratio_paper", "", s, ratio);
	}
	paper_modes(part, ref, rep);
}

enum { ESTIMATE_SCATTER = 1, N_SOURCES = 4 };

static enum stat_status budget_fill(const struct comparison_part *part, struct budget_component *b,
				    struct budget_total *t)
{
	const struct column_sample *ref = part->c->ref, *rep = part->c->rep;
	if (ref->unit_status || rep->unit_status)
		return ref->unit_status ? ref->unit_status : rep->unit_status;
	const struct sample_moments *y = &ref->unit_m, *x = &rep->unit_m;
	if (y->mean <= 0)
		return y->mean < 0 ? STAT_NEGATIVE_REFERENCE : STAT_ZERO_REFERENCE;
	double pct = 100 / y->mean, nu_x = (double)rep->unit.n - 1, nu_r = (double)ref->unit.n - 1;
	b[0] = budget_component("repeatability", BUDGET_TYPE_A, BUDGET_NORMAL, pct * x->sd, nu_x);
	b[1] = budget_component("own_sem", BUDGET_TYPE_A, BUDGET_NORMAL, pct * x->sem, nu_x);
	b[0].estimate = b[1].estimate = ESTIMATE_SCATTER;
	b[2] = budget_component("reference_sem", BUDGET_TYPE_A, BUDGET_NORMAL,
				pct * x->mean / y->mean * y->sem, nu_r);
	b[3] = budget_component("clock", BUDGET_TYPE_B, BUDGET_RECTANGULAR,
				pct * part->plan->clock_halfwidth, INFINITY);
	return budget_combine(b, N_SOURCES, t);
}

/* Draws values of the same sources from their distributions, and compares the expanded uncertainty
 * with the result. */
static void budget_simulate(const struct comparison_part *part, const struct budget_component *b,
			    double u_c, double expanded)
{
	struct monte_carlo_input input[N_SOURCES];
	struct monte_carlo_plan plan = {
	    .n_trials = 1000000, .seed = part->plan->seed, .coverage = 1 - part->plan->alpha};
	struct monte_carlo_result r = {0};
	double delta = 0;
	size_t n = 1;
	/* rows of one estimate are one input */
	input[0] = (struct monte_carlo_input){MC_STUDENT, 0, hypot(b[0].u, b[1].u), b[0].nu};
	for (int i = 2; i < N_SOURCES; i++)
		input[n++] = (struct monte_carlo_input){
		    isinf(b[i].nu) ? MC_RECTANGULAR : MC_STUDENT, 0, b[i].u, b[i].nu};
	enum stat_status s = numerical_tolerance(u_c, 2, &delta);
	s = s ? s : monte_carlo(input, n, monte_carlo_sum, NULL, &plan, &r);
	double c = plan.coverage;
	estimates_addf(part->out, "mc_lo_pct", s, r.lo, "coverage=%.12g", c);
	estimates_addf(part->out, "mc_hi_pct", s, r.hi, "coverage=%.12g", c);
	estimates_addf(part->out, "mc_shortest_lo_pct", s, r.shortest_lo, "coverage=%.12g", c);
	estimates_addf(part->out, "mc_shortest_hi_pct", s, r.shortest_hi, "coverage=%.12g", c);
	estimates_add(part->out, "mc_sd_pct", "", s ? s : r.sd_status, r.sd);
	estimates_add(part->out, "mc_delta_pct", "ndig=2", s, delta);
	estimates_add(part->out, "mc_gum_accepted", "ndig=2", s,
		      monte_carlo_accepts(&r, -expanded, expanded, delta));
}

void compare_budget(const struct comparison_part *part)
{
	struct estimates *out = part->out;
	struct budget_component b[N_SOURCES] = {0};
	struct budget_total t = {0};
	double clock = part->plan->clock_halfwidth, coverage = 1 - part->plan->alpha,
	       expanded[2] = {0};
	static const char *const source[N_SOURCES] = {"repeatability", "own_sem", "reference_sem",
						      "clock"};
	enum stat_status s = budget_fill(part, b, &t);
	for (int i = 0; i < N_SOURCES; i++) {
		estimates_addf(out, "budget_u_pct", s, b[i].u, "component=%s;clock_halfwidth=%.12g",
			       source[i], clock);
		estimates_addf(out, "budget_share_pct", s, b[i].share_pct,
			       "component=%s;clock_halfwidth=%.12g", source[i], clock);
	}
	estimates_addf(out, "budget_u_c_pct", s, t.u_c, "clock_halfwidth=%.12g", clock);
	estimates_addf(out, "budget_nu_eff", s, t.nu_eff, "clock_halfwidth=%.12g", clock);
	estimates_addf(out, "budget_nu_trunc", s, floor(t.nu_eff), "clock_halfwidth=%.12g", clock);
	for (int trunc = 0; trunc <= 1; trunc++) {
		double k = 0;
		enum stat_status e =
		    s ? s
		      : budget_expand(&t, coverage, trunc ? BUDGET_TRUNCATED : BUDGET_CONTINUOUS,
				      &k, &expanded[trunc]);
		const char *dof = trunc ? "trunc" : "cont";
		estimates_addf(out, "budget_k", e, k, "dof=%s;coverage=%.12g;clock_halfwidth=%.12g",
			       dof, coverage, clock);
		estimates_addf(out, "budget_U_pct", e, expanded[trunc],
			       "dof=%s;coverage=%.12g;clock_halfwidth=%.12g", dof, coverage, clock);
	}
	if (!s && part->plan->monte_carlo)
		budget_simulate(part, b, t.u_c, expanded[0]);
}
