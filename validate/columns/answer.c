/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the answer is made of. Bias: the t-interval of the mean log ratio for pairs, else of the relative bias of means by
 * first-order propagation. Precision: Pitman-Morgan limits of the logarithms for pairs, else limits by F. Accepted where
 * the interval that leaves out alpha on either side (both limits for bias, the upper one for precision) lies within the
 * limit; rejected where the interval with alpha/2 on either side (bias), or the lower limit with alpha (precision),
 * lies wholly beyond. */
#include <math.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "validate/columns/comparison_private.h"
#include "validate/stats/distributions.h"
#include "validate/stats/mean_difference.h"
#include "validate/stats/multiplicity.h"
#include "validate/stats/paper.h"
#include "validate/stats/pitman_morgan.h"
#include "validate/stats/variance_ratio.h"

#define REJECTION_ERROR 0.01 /* of all rejections of the family together */

const char *const decided_names[] = {"accept", "reject", "inconclusive", NULL};

static enum stat_status paired_estimate(const struct comparison *c, struct t_estimate *t)
{
	size_t n = c->ref->unit.n;
	enum stat_status s = pairs_check(c);
	if (s)
		return s;
	double *d = xcalloc(n, sizeof *d);
	s = log_ratios(c->ref->unit.x, c->rep->unit.x, n, d);
	if (!s)
		s = mean_test(d, n, t);
	free(d);
	return s;
}

static enum stat_status independent_estimate(const struct comparison *c, struct t_estimate *t)
{
	const struct values ref = c->ref->unit, rep = c->rep->unit;
	struct bias_estimate b;
	enum stat_status s = bias_independent(ref.x, ref.n, rep.x, rep.n, &b);
	if (!s)
		*t = (struct t_estimate){b.bias_pct, b.u_pct, b.nu, b.bias_pct / b.u_pct, b.p};
	return s;
}

static double percent_of(const struct comparison *c, double value)
{
	return c->paired ? 100 * expm1(value) : value;
}

void answer_bias(struct comparison *c, const struct comparison_plan *plan)
{
	struct answer *a = &c->bias;
	struct t_estimate t = {0};
	double lo = 0, hi = 0, inner_lo = 0, inner_hi = 0, limit = plan->limit_bias_pct;
	*a = (struct answer){.p = 1, .p_beyond = 1};
	c->bias_decision = DECIDED_INCONCLUSIVE;
	a->status = c->paired ? paired_estimate(c, &t) : independent_estimate(c, &t);
	if (!a->status)
		a->status = t_interval(&t, 1 - plan->alpha, &lo, &hi);
	if (!a->status)
		a->status = t_interval(&t, 1 - 2 * plan->alpha, &inner_lo, &inner_hi);
	if (a->status)
		return;
	a->value = percent_of(c, t.value);
	a->lo = percent_of(c, lo);
	a->hi = percent_of(c, hi);
	a->inner_lo = percent_of(c, inner_lo);
	a->inner_hi = percent_of(c, inner_hi);
	a->p = t.p;
	/* the nearer limit, on the scale of the estimate; a lower limit of -100 % or beyond is never passed by a log ratio */
	double upper = c->paired ? log1p(limit / 100) : limit;
	double lower = !c->paired ? -limit : limit < 100 ? log1p(-limit / 100) : -INFINITY;
	double above = t_above((t.value - upper) / t.se, t.df), below = t_below((t.value - lower) / t.se, t.df);
	a->p_beyond = fmin(1, 2 * fmin(above, below));
	if (a->inner_lo >= -limit && a->inner_hi <= limit)
		c->bias_decision = DECIDED_ACCEPT;
	else if (a->lo > limit || a->hi < -limit)
		c->bias_decision = DECIDED_REJECT;
}

static enum stat_status paired_precision(const struct comparison *c, const struct comparison_plan *plan,
					 struct answer *a)
{
	const struct values ref = c->ref->unit, rep = c->rep->unit;
	struct pitman_morgan pm;
	double unused, below;
	enum stat_status s = pairs_check(c);
	if (s)
		return s;
	double *logs = xcalloc(2 * ref.n, sizeof *logs), *x = logs + ref.n;
	for (size_t i = 0; i < ref.n && !s; i++) {
		s = ref.x[i] > 0 && rep.x[i] > 0 ? STAT_OK : STAT_OUT_OF_RANGE;
		logs[i] = s ? 0 : log(ref.x[i]);
		x[i] = s ? 0 : log(rep.x[i]);
	}
	if (!s)
		s = pitman_morgan(logs, ref.n, x, rep.n, &pm);
	free(logs);
	if (!s)
		s = pitman_morgan_limits(&pm, plan->alpha / 2, &a->lo, &a->hi);
	if (!s)
		s = pitman_morgan_limits(&pm, plan->alpha, &a->inner_lo, &a->inner_hi);
	if (!s)
		s = pitman_morgan_p(&pm, plan->limit_precision, &a->p_beyond, &below);
	if (!s)
		s = pitman_morgan_p(&pm, 1, &a->p, &unused);
	a->value = s ? 0 : pm.ratio;
	a->p = s ? 1 : 2 * fmin(a->p, unused);
	return s;
}

static enum stat_status independent_precision(const struct comparison *c, const struct comparison_plan *plan,
					      struct answer *a)
{
	const struct values ref = c->ref->unit, rep = c->rep->unit;
	struct variance_ratio v;
	enum stat_status s = variance_ratio(ref.x, ref.n, rep.x, rep.n, &v);
	if (!s && !(v.f > 0)) /* the replay does not vary: its resolution, not its precision */
		s = STAT_ZERO_VARIANCE;
	if (!s)
		s = variance_ratio_interval(&v, 1 - plan->alpha, &a->lo, &a->hi);
	if (!s)
		s = variance_ratio_interval(&v, 1 - 2 * plan->alpha, &a->inner_lo, &a->inner_hi);
	if (s)
		return s;
	a->value = sqrt(v.f);
	a->lo = sqrt(a->lo);
	a->hi = sqrt(a->hi);
	a->inner_lo = sqrt(a->inner_lo);
	a->inner_hi = sqrt(a->inner_hi);
	a->p = v.p_two_sided;
	a->p_beyond = f_above(v.f / (plan->limit_precision * plan->limit_precision), v.df_x, v.df_r);
	return STAT_OK;
}

void answer_precision(struct comparison *c, const struct comparison_plan *plan)
{
	struct answer *a = &c->precision;
	*a = (struct answer){.p = 1, .p_beyond = 1};
	c->precision_decision = DECIDED_INCONCLUSIVE;
	a->status = c->paired ? paired_precision(c, plan, a) : independent_precision(c, plan, a);
	if (a->status)
		*a = (struct answer){.status = a->status, .p = 1, .p_beyond = 1};
	else if (a->inner_hi <= plan->limit_precision)
		c->precision_decision = DECIDED_ACCEPT;
	else if (a->inner_lo > plan->limit_precision)
		c->precision_decision = DECIDED_REJECT;
}

enum decision_word comparisons_judge(const struct comparison *c, size_t n, bool *reject)
{
	double *p = xcalloc(2 * n + 1, sizeof *p);
	size_t *of = xcalloc(2 * n + 1, sizeof *of), family = 0;
	bool all_accepted = n > 0, any_rejected = false;
	for (size_t i = 0; i < 2 * n; i++) {
		const struct answer *a = i % 2 ? &c[i / 2].precision : &c[i / 2].bias;
		all_accepted &= (i % 2 ? c[i / 2].precision_decision : c[i / 2].bias_decision) == DECIDED_ACCEPT;
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
		bool alone = (i % 2 ? c[i / 2].precision_decision : c[i / 2].bias_decision) == DECIDED_REJECT;
		bool stands = alone && p[k] <= REJECTION_ERROR;
		any_rejected |= stands;
		if (reject)
			reject[i] = stands;
	}
	free(p);
	free(of);
	return any_rejected ? DECIDED_REJECT : all_accepted ? DECIDED_ACCEPT : DECIDED_INCONCLUSIVE;
}
