/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spread: the F ratio with its interval, and tests that are more robust. */
#include "validate/columns/comparison_private.h"
#include "validate/stats/variance_ratio.h"

void compare_spread(const struct comparison_part *part)
{
	const struct values ref = part->c->ref->unit, rep = part->c->rep->unit;
	const struct estimate_source *of = &part->unit;
	const double alpha = part->plan->alpha;
	const struct estimate_params conf = params_text(CONF_TEXT, 1 - alpha);
	struct variance_ratio v = {0};
	double critical = 0;
	enum stat_status s = variance_ratio(ref.x, ref.n, rep.x, rep.n, &v);
	estimates_named(of, "", "F_r", NULL);
	estimates_named(of, "side=greater", "F_p", NULL);
	estimates_named(of, "side=two", "F_p", NULL);
	estimates_named(of, "", "F_status", NULL);
	estimates_named(of, conf.s, "var_ratio_ci_lo", "var_ratio_ci_hi", NULL);
	estimates_named(of, "", "precision_ratio", NULL);
	estimates_named(of, conf.s, "precision_ratio_lo", "precision_ratio_hi", NULL);
	for (int two = 0; two <= 1 && part->plan->all; two++) {
		enum stat_status c =
		    s ? s : variance_ratio_critical(alpha, two, v.df_x, v.df_r, &critical);
		estimates_add(part->out, "F_crit",
			      params_text("alpha=%.12g;side=%s;df1=%g;df2=%g", alpha,
					  two ? "two" : "greater", v.df_x, v.df_r).s,
			      c, critical);
	}
	if (part->plan->all)
		estimates_named(of, "", "levene_W", "levene_p", NULL);
	estimates_named(of, "", "brown_forsythe_W", "brown_forsythe_p", NULL);
}
