/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Position: differences and ratios of means, equivalence, pairs. */
#include "validate/columns/comparison_private.h"

enum stat_status pairs_check(const struct comparison *c)
{
	if (c->ref->unit.n != c->rep->unit.n || !c->paired)
		return STAT_NOT_PAIRED;
	return c->ref->unit.n < 2 ? STAT_TOO_FEW : STAT_OK;
}

void compare_means(const struct comparison_part *part)
{
	const struct estimate_source *of = &part->unit;
	const struct estimate_params conf = params_text(CONF_TEXT, 1 - part->plan->alpha);
	estimates_named(of, "", "welch_diff", "welch_t", "welch_df", "welch_p", NULL);
	estimates_named(of, conf.s, "welch_ci_lo", "welch_ci_hi", NULL);
	estimates_named(of, "", "u_bias_estimate_independent_pct", "nu_bias",
			"bias_sig_ratio_independent", "bias_p", NULL);
	estimates_named(of, "k=2", "bias_significant", NULL);
	estimates_named(of, conf.s, "bias_ci_lo_pct", "bias_ci_hi_pct", NULL);
	if (!part->plan->all)
		return;
	estimates_named(of, "", "ratio_of_means", NULL);
	estimates_named(of, conf.s, "fieller_lo", "fieller_hi", NULL);
}

void compare_equivalence(const struct comparison_part *part)
{
	const struct estimate_source *of = &part->unit;
	const double margin = part->plan->limit_bias_pct, alpha = part->plan->alpha;
	const struct estimate_params of_margin = params_text("margin_pct=%.12g", margin),
				     both = params_text("%s;alpha=%.12g", of_margin.s, alpha);
	if (!part->plan->all)
		return;
	estimates_named(of, of_margin.s, "tost_p_lower", "tost_p_upper", "tost_p", NULL);
	estimates_named(of, params_text("alpha=%.12g", alpha).s, "tost_ci_lo_pct", "tost_ci_hi_pct",
			NULL);
	estimates_named(of, of_margin.s, "tost_log_p", NULL);
	estimates_named(of, both.s, "fieller_equivalent", "equivalence_class", NULL);
}

void compare_pairs(const struct comparison_part *part)
{
	const struct comparison_plan *plan = part->plan;
	struct estimate_source of = part->unit;
	if (!part->c->paired && !plan->all)
		return;
	of.none = pairs_check(part->c);
	estimates_named(&of, "", "paired_t", "paired_p", "u_bias_estimate_paired_pct",
			"log_ratio_bias_pct", NULL);
	estimates_named(&of, params_text(CONF_TEXT, 1 - plan->alpha).s, "log_ratio_ci_lo_pct",
			"log_ratio_ci_hi_pct", NULL);
	estimates_named(&of, "", "log_ratio_p", "pm_log_ratio", "pm_log_correlation", NULL);
	estimates_named(&of, params_text("alpha=%.12g", plan->alpha).s, "pm_log_lower",
			"pm_log_upper", NULL);
	estimates_named(&of, params_text("limit=%.12g", plan->limit_precision).s, "pm_log_p_above",
			"pm_log_p_below", NULL);
}
