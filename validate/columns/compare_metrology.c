/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of the metrology paper, and the uncertainty budget of the deviation of a future
 * run. */
#include "validate/columns/comparison_private.h"
#include "validate/stats/budget.h"
#include "validate/stats/monte_carlo.h"
#include "validate/stats/paper.h"

void compare_paper(const struct comparison_part *part)
{
	const struct estimate_source *of = &part->unit;
	estimates_named(of, "", "relative_bias_of_means_pct", "mean_bias_i_pct", "sd_bias_i_pct",
			"RMS_bias_pct", "RMS_identity_pct", NULL);
	if (part->plan->all)
		estimates_named(of, "", "bias_i_status", "bias_sig_ratio_paper", NULL);
	for (const char *const *mode = paper_mode_names; *mode; mode++) {
		estimates_named(of, params_text("mode=%s", *mode).s, "u_Rw_pct", "u_Cref_pct",
				"u_bias_pct", "u_c_pct", NULL);
		for (int k = 2; k <= 3; k++)
			estimates_named(of, params_text("mode=%s;k=%d", *mode, k).s, "U_pct",
					"interval_lo", "interval_hi", NULL);
	}
}

/* Draws values of the same sources from their distributions, and compares the expanded uncertainty
 * with the result. */
static void budget_simulate(const struct comparison_part *part, const struct budget_component *b,
			    double u_c, double expanded)
{
	struct monte_carlo_input input[REPLAY_SOURCES];
	struct monte_carlo_plan plan = {
	    .n_trials = 1000000, .seed = part->plan->seed, .coverage = 1 - part->plan->alpha};
	struct monte_carlo_result r = {0};
	double delta = 0;
	size_t n = 1;
	/* rows of one estimate are one input */
	input[0] = (struct monte_carlo_input){MC_STUDENT, 0, hypot(b[0].u, b[1].u), b[0].nu};
	for (int i = 2; i < REPLAY_SOURCES; i++)
		input[n++] = (struct monte_carlo_input){
		    isinf(b[i].nu) ? MC_RECTANGULAR : MC_STUDENT, 0, b[i].u, b[i].nu};
	enum stat_status s = numerical_tolerance(u_c, 2, &delta);
	s = s ? s : monte_carlo(input, n, monte_carlo_sum, NULL, &plan, &r);
	const struct estimate_params coverage = params_text("coverage=%.12g", plan.coverage);
	estimates_add(part->out, "mc_lo_pct", coverage.s, s, r.lo);
	estimates_add(part->out, "mc_hi_pct", coverage.s, s, r.hi);
	estimates_add(part->out, "mc_shortest_lo_pct", coverage.s, s, r.shortest_lo);
	estimates_add(part->out, "mc_shortest_hi_pct", coverage.s, s, r.shortest_hi);
	estimates_add(part->out, "mc_sd_pct", "", s ? s : r.sd_status, r.sd);
	estimates_add(part->out, "mc_delta_pct", "ndig=2", s, delta);
	estimates_add(part->out, "mc_gum_accepted", "ndig=2", s,
		      monte_carlo_accepts(&r, -expanded, expanded, delta));
}

void compare_budget(const struct comparison_part *part)
{
	static const char *const source[REPLAY_SOURCES] = {"repeatability", "own_sem",
							   "reference_sem", "clock"};
	const struct estimate_source *of = &part->unit;
	const double coverage = 1 - part->plan->alpha,
		     clock_halfwidth = part->plan->clock_halfwidth;
	const struct estimate_params clock = params_text("clock_halfwidth=%.12g", clock_halfwidth);
	struct budget_component b[REPLAY_SOURCES];
	struct budget_total t;
	double k, expanded = 0;
	for (int i = 0; i < REPLAY_SOURCES; i++)
		estimates_named(of, params_text("component=%s;%s", source[i], clock.s).s,
				"budget_u_pct", "budget_share_pct", NULL);
	estimates_named(of, clock.s, "budget_u_c_pct", "budget_nu_eff", "budget_nu_trunc", NULL);
	for (int trunc = 0; trunc <= 1; trunc++)
		estimates_named(of,
				params_text("dof=%s;coverage=%.12g;%s", trunc ? "trunc" : "cont",
					    coverage, clock.s).s,
				"budget_k", "budget_U_pct", NULL);
	if (!part->plan->monte_carlo ||
	    replay_budget(part->c->ref->unit, part->c->rep->unit, clock_halfwidth, b, &t))
		return;
	if (budget_expand(&t, coverage, BUDGET_CONTINUOUS, &k, &expanded))
		expanded = 0;
	budget_simulate(part, b, t.u_c, expanded);
}
