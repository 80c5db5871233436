/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spread: the F ratio with its interval, and tests that are more robust. */
#include "validate/columns/comparison_private.h"
#include "validate/stats/anova.h"
#include "validate/stats/variance_ratio.h"

void compare_spread(const struct comparison_part *part)
{
	const struct values ref = part->c->ref->unit, rep = part->c->rep->unit;
	struct estimates *out = part->out;
	struct variance_ratio v = {0};
	struct spread_test t = {0, 0};
	double alpha = part->plan->alpha, conf = 1 - alpha, lo = 0, hi = 0, critical = 0;
	enum stat_status s = variance_ratio(ref.x, ref.n, rep.x, rep.n, &v), interval = s;
	estimates_add(out, "F_r", "", s, v.f);
	estimates_add(out, "F_p", "side=greater", s, v.p_greater);
	estimates_add(out, "F_p", "side=two", s, v.p_two_sided);
	estimates_add_word(out, "F_status", "", STAT_OK, stat_status_name(s));
	if (!interval)
		interval = variance_ratio_interval(&v, conf, &lo, &hi);
	estimates_addf(out, "var_ratio_ci_lo", interval, lo, CONF_TEXT, conf);
	estimates_addf(out, "var_ratio_ci_hi", interval, hi, CONF_TEXT, conf);
	estimates_add(out, "precision_ratio", "", s, sqrt(v.f));
	estimates_addf(out, "precision_ratio_lo", interval, sqrt(lo), CONF_TEXT, conf);
	estimates_addf(out, "precision_ratio_hi", interval, sqrt(hi), CONF_TEXT, conf);
	for (int two = 0; two <= 1 && part->plan->all; two++) {
		enum stat_status c =
		    s ? s : variance_ratio_critical(alpha, two, v.df_x, v.df_r, &critical);
		estimates_addf(out, "F_crit", c, critical, "alpha=%.12g;side=%s;df1=%g;df2=%g",
			       alpha, two ? "two" : "greater", v.df_x, v.df_r);
	}
	if (part->plan->all) {
		s = spread_test((struct values[]){ref, rep}, 2, SPREAD_ABOUT_MEAN, &t);
		estimates_add(out, "levene_W", "", s, t.w);
		estimates_add(out, "levene_p", "", s, t.p);
	}
	s = spread_test((struct values[]){ref, rep}, 2, SPREAD_ABOUT_MEDIAN, &t);
	estimates_add(out, "brown_forsythe_W", "", s, t.w);
	estimates_add(out, "brown_forsythe_p", "", s, t.p);
}
