/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Position: differences and ratios of means, equivalence, pairs. */
#include "validate/columns/comparison_private.h"
#include "validate/stats/equivalence.h"
#include "validate/stats/paper.h"
#include "validate/stats/pitman_morgan.h"

#define UNITS(c) const struct values ref = (c)->ref->unit, rep = (c)->rep->unit
#define REF_REP ref.x, ref.n, rep.x, rep.n

enum stat_status pairs_check(const struct comparison *c)
{
	if (c->ref->unit.n != c->rep->unit.n || !c->paired)
		return STAT_NOT_PAIRED;
	return c->ref->unit.n < 2 ? STAT_TOO_FEW : STAT_OK;
}

void compare_means(const struct comparison_part *part)
{
	UNITS(part->c);
	struct estimates *out = part->out;
	double conf = 1 - part->plan->alpha, lo = 0, hi = 0;
	struct t_estimate w = {0};
	struct bias_estimate b = {0};
	enum stat_status s = welch_test(REF_REP, &w), interval = s;
	estimates_add(out, "welch_diff", "", s, w.value);
	estimates_add(out, "welch_t", "", s, w.t);
	estimates_add(out, "welch_df", "", s, w.df);
	estimates_add(out, "welch_p", "", s, w.p);
	if (!interval)
		interval = t_interval(&w, conf, &lo, &hi);
	estimates_addf(out, "welch_ci_lo", interval, lo, CONF_TEXT, conf);
	estimates_addf(out, "welch_ci_hi", interval, hi, CONF_TEXT, conf);
	s = bias_independent(REF_REP, &b);
	estimates_add(out, "u_bias_estimate_independent_pct", "", s, b.u_pct);
	estimates_add(out, "nu_bias", "", s, b.nu);
	estimates_add(out, "bias_sig_ratio_independent", "", s, b.ratio);
	estimates_add(out, "bias_p", "", s, b.p);
	estimates_add(out, "bias_significant", "k=2", s, b.ratio > 2);
	struct t_estimate relative = {.value = b.bias_pct, .se = b.u_pct, .df = b.nu};
	interval = s ? s : t_interval(&relative, conf, &lo, &hi);
	estimates_addf(out, "bias_ci_lo_pct", interval, lo, CONF_TEXT, conf);
	estimates_addf(out, "bias_ci_hi_pct", interval, hi, CONF_TEXT, conf);
	if (!part->plan->all)
		return;
	const struct sample_moments *x = &part->c->rep->unit_m, *r = &part->c->ref->unit_m;
	s = !ref.n || !rep.n ? STAT_TOO_FEW : r->mean == 0 ? STAT_ZERO_REFERENCE : STAT_OK;
	estimates_add(out, "ratio_of_means", "", s, s ? 0 : x->mean / r->mean);
	s = fieller_interval(REF_REP, conf, &lo, &hi);
	estimates_addf(out, "fieller_lo", s, lo, CONF_TEXT, conf);
	estimates_addf(out, "fieller_hi", s, hi, CONF_TEXT, conf);
}

void compare_equivalence(const struct comparison_part *part)
{
	UNITS(part->c);
	struct estimates *out = part->out;
	double margin = part->plan->limit_bias_pct, alpha = part->plan->alpha, lo = 0, hi = 0;
	struct equivalence e = {0, 0, 0}, logs = {0, 0, 0};
	enum equivalence_class class = CLASS_UNDETERMINED;
	bool inside = false;
	if (!part->plan->all)
		return;
	enum stat_status s = equivalence_test(REF_REP, margin, &e);
	estimates_addf(out, "tost_p_lower", s, e.p_lower, "margin_pct=%.12g", margin);
	estimates_addf(out, "tost_p_upper", s, e.p_upper, "margin_pct=%.12g", margin);
	estimates_addf(out, "tost_p", s, e.p, "margin_pct=%.12g", margin);
	s = equivalence_interval_pct(REF_REP, alpha, &lo, &hi);
	estimates_addf(out, "tost_ci_lo_pct", s, lo, "alpha=%.12g", alpha);
	estimates_addf(out, "tost_ci_hi_pct", s, hi, "alpha=%.12g", alpha);
	s = equivalence_log(REF_REP, margin, &logs);
	estimates_addf(out, "tost_log_p", s, logs.p, "margin_pct=%.12g", margin);
	s = equivalence_fieller(REF_REP, margin, alpha, &inside);
	estimates_addf(out, "fieller_equivalent", s, inside, "margin_pct=%.12g;alpha=%.12g", margin,
		       alpha);
	char params[ESTIMATE_PARAMS];
	snprintf(params, sizeof params, "margin_pct=%.12g;alpha=%.12g", margin, alpha);
	s = equivalence_classify(REF_REP, margin, alpha, &class);
	estimates_add_word(out, "equivalence_class", params, s, equivalence_class_names[class]);
}

static void log_pairs(const struct comparison_part *part, double conf)
{
	UNITS(part->c);
	struct estimates *out = part->out;
	struct t_estimate t = {0};
	double lo = 0, hi = 0, *d = xcalloc(ref.n + 1, sizeof *d);
	enum stat_status s = pairs_check(part->c);
	s = s ? s : log_ratios(ref.x, rep.x, ref.n, d);
	s = s ? s : mean_test(d, ref.n, &t);
	s = s ? s : t_interval(&t, conf, &lo, &hi);
	estimates_add(out, "log_ratio_bias_pct", "", s, 100 * expm1(t.value));
	estimates_addf(out, "log_ratio_ci_lo_pct", s, 100 * expm1(lo), CONF_TEXT, conf);
	estimates_addf(out, "log_ratio_ci_hi_pct", s, 100 * expm1(hi), CONF_TEXT, conf);
	estimates_add(out, "log_ratio_p", "", s, t.p);
	free(d);
}

static void log_precision(const struct comparison_part *part)
{
	UNITS(part->c);
	struct estimates *out = part->out;
	struct pitman_morgan pm = {0};
	double alpha = part->plan->alpha, limit = part->plan->limit_precision, lo = 0, hi = 0,
	       above = 0, below = 0;
	double *logs = xcalloc(ref.n + rep.n + 1, sizeof *logs), *x = logs + ref.n;
	enum stat_status s = pairs_check(part->c);
	for (size_t i = 0; i < ref.n && !s; i++) {
		s = ref.x[i] > 0 && rep.x[i] > 0 ? STAT_OK : STAT_OUT_OF_RANGE;
		logs[i] = s ? 0 : log(ref.x[i]);
		x[i] = s ? 0 : log(rep.x[i]);
	}
	s = s ? s : pitman_morgan(logs, ref.n, x, rep.n, &pm);
	s = s ? s : pitman_morgan_limits(&pm, alpha, &lo, &hi);
	s = s ? s : pitman_morgan_p(&pm, limit, &above, &below);
	estimates_add(out, "pm_log_ratio", "", s, pm.ratio);
	estimates_add(out, "pm_log_correlation", "", s, pm.correlation);
	estimates_addf(out, "pm_log_lower", s, lo, "alpha=%.12g", alpha);
	estimates_addf(out, "pm_log_upper", s, hi, "alpha=%.12g", alpha);
	estimates_addf(out, "pm_log_p_above", s, above, "limit=%.12g", limit);
	estimates_addf(out, "pm_log_p_below", s, below, "limit=%.12g", limit);
	free(logs);
}

void compare_pairs(const struct comparison_part *part)
{
	UNITS(part->c);
	struct t_estimate t = {0};
	double u = 0;
	if (!part->c->paired && !part->plan->all)
		return;
	enum stat_status s = pairs_check(part->c), paired = s ? s : paired_test(REF_REP, &t);
	estimates_add(part->out, "paired_t", "", paired, t.t);
	estimates_add(part->out, "paired_p", "", paired, t.p);
	paired = s ? s : bias_paired_u_pct(REF_REP, &u);
	estimates_add(part->out, "u_bias_estimate_paired_pct", "", paired, u);
	log_pairs(part, 1 - part->plan->alpha);
	log_precision(part);
}
