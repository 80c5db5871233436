/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of a comparison, from the functions that judge campaigns.
 *
 * Bias: for pairs the mean log ratio, by re-randomisation (stats/paired_mean.h); without pairs the
 * relative bias of means, by first-order propagation. Precision: the ratio of standard deviations
 * (stats/spread_ratio.h), of logarithms for pairs. Accepted: P against the limits (both limits for
 * bias, the upper limit for precision), widened for dependence on preceding values, is at most
 * alpha. Rejected: P of a value beyond a limit, not widened, is at most alpha; it is doubled for
 * bias. */
#include "validate/columns/comparison_private.h"
#include "validate/stats/distributions.h"
#include "validate/stats/multiplicity.h"
#include "validate/stats/paired_mean.h"
#include "validate/stats/paper.h"
#include "validate/stats/spread_ratio.h"
#include "validate/stats/variance_ratio.h"

const char *const decided_names[] = {"accept", "reject", "inconclusive", NULL};

/* P of a bias within the limits, widened; of a bias beyond the nearer limit; of no bias,
 * two-sided. */
struct bias_p {
	double within, beyond, none;
};

static struct bias_p p_doubled(double within, double outside, double above, double below)
{
	return (struct bias_p){within, fmin(1, 2 * outside), fmin(1, 2 * fmin(above, below))};
}

/* Judges the bias of pairs on a logarithmic scale. A log ratio cannot be below a lower limit of
 * -100 % or less. */
static enum stat_status paired_bias(const struct comparison *c, double alpha, double limit,
				    struct comparison_answer *a, struct bias_p *p)
{
	size_t n = c->ref->unit.n;
	struct paired_mean m;
	enum stat_status s = pairs_check(c);
	if (s)
		return s;
	double *d = xcalloc(n, sizeof *d), lower = limit < 100 ? log1p(-limit / 100) : -INFINITY,
	       upper = log1p(limit / 100);
	s = log_ratios(c->ref->unit.x, c->rep->unit.x, n, d);
	s = s ? s : paired_mean_of(d, n, &m);
	if (!s && !(paired_mean_limits(&m, alpha / 2, false, &a->lo, &a->hi) &&
		    paired_mean_limits(&m, alpha, true, &a->inner_lo, &a->inner_hi)))
		s = STAT_OUT_OF_RANGE;
	if (!s) {
		const struct mean_side low = {0, 0},
				       in_low =
					   isfinite(lower) ? paired_mean_p(&m, lower, true) : low,
				       in_high = paired_mean_p(&m, upper, false);
		const double below = isfinite(lower) ? paired_mean_p(&m, lower, false).alone : 1;
		a->value = m.t.value;
		*p = p_doubled(fmax(in_low.wide, in_high.wide),
			       fmin(below, paired_mean_p(&m, upper, true).alone),
			       paired_mean_p(&m, 0, true).alone, paired_mean_p(&m, 0, false).alone);
	}
	free(d);
	return s;
}

/* The standard uncertainty of one mean in the bias, and the same with allowance for dependence. */
struct answer_part {
	double u, df, wide, wide_df;
};

static struct answer_part part_of(const struct column_sample *s, double sensitivity)
{
	struct serial serial;
	struct t_estimate t = {.value = s->unit_m.mean, .se = s->unit_m.sem,
			       .df = (double)(s->unit.n - 1)},
			  wide = t;
	if (t.se > 0 && !serial_dependence(s->unit.x, s->unit.n, &serial))
		wide = serial_widen(&t, s->unit.n, &serial);
	return (struct answer_part){sensitivity * t.se, t.df, sensitivity * wide.se, wide.df};
}

/* Welch and Satterthwaite. */
static struct t_estimate estimate_combined(double value, double u, double df_u, double v,
					   double df_v)
{
	const double sum = u * u + v * v;
	struct t_estimate t = {.value = value, .se = sqrt(sum)};
	t.df = sum * sum / (u * u * u * u / df_u + v * v * v * v / df_v);
	return t;
}

static enum stat_status independent_bias(const struct comparison *c, double alpha, double limit,
					 struct comparison_answer *a, struct bias_p *p)
{
	struct bias_estimate b;
	enum stat_status s =
	    bias_independent(c->ref->unit.x, c->ref->unit.n, c->rep->unit.x, c->rep->unit.n, &b);
	if (s)
		return s;
	const double ref = c->ref->unit_m.mean, rep = c->rep->unit_m.mean;
	const struct answer_part x = part_of(c->rep, 100 / ref);
	const struct answer_part r = part_of(c->ref, 100 / ref * (rep / ref));
	const struct t_estimate t = {.value = b.bias_pct, .se = b.u_pct, .df = b.nu},
				wide = estimate_combined(b.bias_pct, x.wide, x.wide_df, r.wide,
							 r.wide_df);
	s = t_interval(&t, 1 - alpha, &a->lo, &a->hi);
	s = s ? s : t_interval(&wide, 1 - 2 * alpha, &a->inner_lo, &a->inner_hi);
	a->value = b.bias_pct;
	const double in_low = t_above((t.value + limit) / wide.se, wide.df),
		     in_high = t_below((t.value - limit) / wide.se, wide.df);
	const double above = t_above((t.value - limit) / t.se, t.df),
		     below = t_below((t.value + limit) / t.se, t.df);
	*p = p_doubled(fmax(in_low, in_high), fmin(above, below), t_above(t.value / t.se, t.df),
		       t_below(t.value / t.se, t.df));
	return s;
}

void answer_bias(struct comparison *c, const struct comparison_plan *plan)
{
	struct comparison_answer *a = &c->bias;
	struct bias_p p;
	*a = (struct comparison_answer){.p = 1, .p_beyond = 1};
	c->bias_decision = DECIDED_INCONCLUSIVE;
	a->status = (c->paired ? paired_bias : independent_bias)(c, plan->alpha,
								 plan->limit_bias_pct, a, &p);
	if (a->status)
		return;
	double *const shown[] = {&a->value, &a->lo, &a->hi, &a->inner_lo, &a->inner_hi};
	for (size_t i = 0; c->paired && i < sizeof shown / sizeof *shown; i++)
		*shown[i] = 100 * expm1(*shown[i]);
	a->p = p.none;
	a->p_beyond = p.beyond;
	if (p.within <= plan->alpha)
		c->bias_decision = DECIDED_ACCEPT;
	else if (p.beyond <= plan->alpha)
		c->bias_decision = DECIDED_REJECT;
}

static enum stat_status paired_precision(const struct comparison *c,
	const struct comparison_plan *plan, struct comparison_answer *a, struct spread_ratio_p *p)
{
	const struct values ref = c->ref->unit, rep = c->rep->unit;
	struct pair_spread spread;
	double unused, above, below;
	enum stat_status s = pairs_check(c);
	if (s)
		return s;
	double *logs = xcalloc(2 * ref.n, sizeof *logs), *x = logs + ref.n;
	for (size_t i = 0; i < ref.n && !s; i++) {
		s = ref.x[i] > 0 && rep.x[i] > 0 ? STAT_OK : STAT_OUT_OF_RANGE;
		logs[i] = s ? 0 : log(ref.x[i]);
		x[i] = s ? 0 : log(rep.x[i]);
	}
	s = s ? s : pair_spread_of(logs, x, ref.n, plan->limit_precision, &spread);
	free(logs);
	s = s ? s : pair_spread_p(&spread, plan->limit_precision, p);
	s = s ? s : pitman_morgan_limits(&spread.pm, plan->alpha / 2, &a->lo, &a->hi);
	s = s ? s : pitman_morgan_limits(&spread.pm, plan->alpha, &a->inner_lo, &unused);
	s = s ? s : pair_spread_upper(&spread, plan->alpha, &a->inner_hi);
	s = s ? s : pitman_morgan_p(&spread.pm, 1, &above, &below);
	a->value = s ? 0 : spread.pm.ratio;
	a->p = s ? 1 : 2 * fmin(above, below);
	return s;
}

static enum stat_status independent_precision(const struct comparison *c,
	const struct comparison_plan *plan, struct comparison_answer *a, struct spread_ratio_p *p)
{
	const struct values ref = c->ref->unit, rep = c->rep->unit;
	struct variance_ratio v;
	struct group_spread spread;
	double unused;
	enum stat_status s = variance_ratio(ref.x, ref.n, rep.x, rep.n, &v);
	s = s ? s : group_spread_of(ref, rep, &spread);
	s = s ? s : variance_ratio_interval(&v, 1 - plan->alpha, &a->lo, &a->hi);
	s = s ? s : variance_ratio_interval(&v, 1 - 2 * plan->alpha, &a->inner_lo, &unused);
	s = s ? s : group_spread_upper(&spread, plan->alpha, &a->inner_hi);
	if (s)
		return s;
	*p = group_spread_p(&spread, plan->limit_precision);
	a->value = sqrt(v.f);
	a->lo = sqrt(a->lo);
	a->hi = sqrt(a->hi);
	a->inner_lo = sqrt(a->inner_lo);
	a->p = v.p_two_sided;
	return STAT_OK;
}

void answer_precision(struct comparison *c, const struct comparison_plan *plan)
{
	struct comparison_answer *a = &c->precision;
	struct spread_ratio_p p;
	*a = (struct comparison_answer){.p = 1, .p_beyond = 1};
	c->precision_decision = DECIDED_INCONCLUSIVE;
	a->status = (c->paired ? paired_precision : independent_precision)(c, plan, a, &p);
	if (a->status) {
		*a = (struct comparison_answer){.status = a->status, .p = 1, .p_beyond = 1};
		return;
	}
	a->p_beyond = p.above;
	if (p.below <= plan->alpha)
		c->precision_decision = DECIDED_ACCEPT;
	else if (p.above <= plan->alpha)
		c->precision_decision = DECIDED_REJECT;
}

enum decision_word comparisons_judge(const struct comparison *c, size_t n, bool *reject)
{
	SCOPED_FREE double *p = xcalloc(2 * n + 1, sizeof *p);
	size_t *of = xcalloc(2 * n + 1, sizeof *of), family = 0;
	bool all_accepted = n > 0, any_rejected = false;
	for (size_t i = 0; i < 2 * n; i++) {
		const struct comparison_answer *a = i % 2 ? &c[i / 2].precision : &c[i / 2].bias;
		all_accepted &= (i % 2 ? c[i / 2].precision_decision : c[i / 2].bias_decision) ==
				DECIDED_ACCEPT;
		if (reject)
			reject[i] = false;
		if (!a->status) {
			of[family] = i;
			p[family++] = a->p_beyond;
		}
	}
	if (adjust_holm(p, family, p))
		family = 0;
	for (size_t k = 0; k < family; k++) {
		size_t i = of[k];
		bool alone = (i % 2 ? c[i / 2].precision_decision : c[i / 2].bias_decision) ==
			     DECIDED_REJECT;
		bool stands = alone && p[k] <= REJECTION_ERROR;
		any_rejected |= stands;
		if (reject)
			reject[i] = stands;
	}
	free(of);
	return any_rejected ? DECIDED_REJECT : all_accepted ? DECIDED_ACCEPT : DECIDED_INCONCLUSIVE;
}
