/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expanded uncertainty against its limit, and the repeatability of replays if the reference has no
 * scatter.
 *
 * U tends to z u_c, z = 1.96, for many runs. u_c is an estimate: nu u_c^2/sigma_c^2 is treated as
 * chi-square with nu degrees of freedom (Welch and Satterthwaite), which gives limits of z sigma_c.
 * With long tails a standard deviation is less certain than nu = n - 1 says (stats/spread.h). The
 * upper limit always allows for them, because few runs do not show the tails. Dependent runs
 * scatter less than in the long run, so for the upper limit u_c is larger and nu smaller
 * (stats/serial.h).
 *
 * U is judged only if the same budget with the program's runs in place of the replays is
 * significantly within the limit. Otherwise the noise of the machine would count against the
 * replayer, and the component is not applicable: limited by the machine. Accepted: the upper limit
 * of z sigma_c is at most the limit. Rejected: its lower limit is above. If the absolute bias is
 * added, each of the two gets half of the error. Source: GUM G.4. */
#include "validate/components/component.h"
#include "validate/stats/distributions.h"
#include "validate/stats/planning.h"
#include "validate/stats/multiplicity.h"

/* P of |bias| + z sigma_c against the limit: the smallest error at which the sum of both limits,
 * each at half of the error, is on the wanted side of the limit. Found by bisection on a
 * logarithmic scale. */
static double added_p(const struct spread_evidence *expanded, const struct t_estimate *bias,
		      double limit, bool above)
{
	/* log10 of alpha: at `low` the sum is not on the wanted side, at `high` it is */
	double low = -300, high = 0;
	for (int i = 0; i < 60; i++) {
		double at = (low + high) / 2, alpha = pow(10, at) / 2, lower, upper, lo, hi;
		bool cleared = !spread_limits(expanded, alpha, &lower, &upper) &&
			       !t_interval(bias, 1 - 2 * alpha, &lo, &hi);
		if (cleared && above)
			cleared = fmax(0, fmax(expm1(lo), -expm1(hi))) + lower > limit;
		else if (cleared)
			cleared = fmax(fabs(expm1(lo)), fabs(expm1(hi))) + upper <= limit;
		if (cleared)
			high = at;
		else
			low = at;
	}
	return high < 0 ? pow(10, high) : 1;
}

static struct spread_p added_spread_p(const struct spread_evidence *s,
				      const struct ratio_evidence *bias, double limit, bool wide)
{
	return (struct spread_p){added_p(s, &bias->t, limit, true),
				 added_p(s, wide ? &bias->wide : &bias->t, limit, false)};
}

/* P that the program's U is beyond the limit; NaN: unknown, because all replays have the same
 * recording as reference. */
static double program_p(const struct budget *b, double limit)
{
	if (!isfinite(b->u_c_program))
		return NAN;
	return 1 - spread_p_above(COVERAGE_FACTOR * b->u_c_program, b->nu_spread_program, limit);
}

/* Whether the program itself is not significantly within the limit: then U says nothing about the
 * replayer. */
static bool is_limited_by_machine(struct component *c, const struct cell *cell,
				  const struct levels *levels)
{
	const struct budget *b = &cell->budget;
	double p = program_p(b, c->limit), low;
	if (isnan(p) || p <= levels->accept)
		return false;
	c->decision = DECISION_NOT_APPLICABLE;
	REASON(c, MACHINE, cell->expanded.machine);
	if (!chi2_quantile(levels->accept, b->nu_spread_program, &low) && low > 0)
		REASON_ADD(c, MACHINE_UPPER, levels->accept,
			   COVERAGE_FACTOR * b->u_c_program * sqrt(b->nu_spread_program / low));
	REASON_ADD(c, MACHINE_LIMIT, c->limit);
	return true;
}

static void decide_uncertainty(struct component *c, const struct deciding *d)
{
	const struct evidence *e = d->e;
	const struct cell *cell = d->cell;
	const struct levels *levels = d->levels;
	const struct budget *b = &cell->budget;
	bool added = d->accept->uncertainty_bias == UNCERTAINTY_BIAS_ADDED;
	enum stat_status s = b->status ? b->status : added ? e->bias.status : STAT_OK;
	struct spread_p p, p_alone;
	double lower, upper;
	if (s) {
		c->estimate = estimate_none(s);
		decide_nothing(c, s);
		return;
	}
	const struct spread_evidence expanded = {STAT_OK, COVERAGE_FACTOR * b->u_c, b->nu_spread,
						 COVERAGE_FACTOR * b->u_c_upper,
						 b->nu_spread_upper};
	const struct spread_evidence alone = spread_independent(&expanded, &e->replays, cell->x.n);
	c->estimate =
	    spread_estimate(&expanded, b->U95 + (added ? fabs(expm1(e->bias.t.value)) : 0));
	if (decide_is_settled(c, STAT_OK, levels) || is_limited_by_machine(c, cell, levels))
		return;
	p = added ? added_spread_p(&expanded, &e->bias, c->limit, true)
		  : spread_p(&expanded, c->limit);
	p_alone =
	    added ? added_spread_p(&alone, &e->bias, c->limit, false) : spread_p(&alone, c->limit);
	s = spread_limits(&expanded, levels->accept, &lower, &upper);
	if (s) {
		decide_nothing(c, s);
		return;
	}
	decide_component(c, p.below, sequential_p(p.above, levels->span), levels);
	if (added)
		REASON(c, EXPANDED_BIAS, c->estimate.value, levels->accept, lower, upper,
		       c->decision, c->limit);
	else
		REASON(c, EXPANDED, c->estimate.value, levels->accept, lower, upper, c->decision,
		       c->limit);
	c->accept_hi = added ? NAN : upper;
	decide_dependence(c, &e->replays, cell->x.n, p_alone.below, levels);
}

/* Whether U would be on the wanted side of the limit with n replicates. The present standard
 * deviation is treated as true. The test must also succeed for an estimate that deviates to the
 * wrong side with the probability of the assurance. */
static bool spread_clears(double ratio, double nu, double alpha, bool inside)
{
	double chance, level;
	if (chi2_quantile(inside ? PLAN_ASSURANCE : 1 - PLAN_ASSURANCE, nu, &chance) ||
	    chi2_quantile(inside ? alpha : 1 - alpha, nu, &level) || !(level > 0))
		return false;
	double bound = ratio * sqrt(chance / level);
	return inside ? bound <= 1 : bound > 1;
}

/* Returns the degrees of freedom of U's upper limit with n replicates. The allowance for hidden
 * tails grows with the square root of n. */
static double nu_then(const struct budget *b, double have, double n, bool inside)
{
	double nu = (inside ? b->nu_spread_upper : b->nu_spread) * (n - 1) / (have - 1);
	return fmax(1, inside ? fmin(nu, spread_df_most(n)) : nu);
}

static void plan_uncertainty(struct component *k, const struct planning *p)
{
	const struct cell *c = p->cell;
	const struct budget *b = &c->budget;
	double have = (double)c->x.n, ratio = 1.96 * b->u_c / k->limit;
	if (b->status == STAT_TOO_FEW)
		plan_further(k, STAT_OK, PLAN_FEWEST, c->x.n);
	if (b->status || have < 2)
		return;
	bool inside = ratio < 1;
	/* doubles n until it suffices, then bisects */
	uint64_t below = 1, n = 2;
	double alpha = plan_level(p, inside, 1);
	while (n < PLANNING_MAX_N &&
	       !spread_clears(ratio, nu_then(b, have, (double)n, inside), alpha, inside)) {
		below = n;
		n *= 2;
	}
	while (n < PLANNING_MAX_N && n - below > 1) {
		uint64_t middle = below + (n - below) / 2;
		if (spread_clears(ratio, nu_then(b, have, (double)middle, inside), alpha, inside))
			n = middle;
		else
			below = middle;
	}
	if (plan_further(k, n < PLANNING_MAX_N ? STAT_OK : STAT_UNBOUNDED, n, c->x.n))
		REASON_ADD(k, PLAN_NONE);
}

const struct component_row component_uncertainty = {
    .title = "Uncertainty", .shown = "U",
    .meaning = "Expanded uncertainty U: the result of one replay, corrected for the bias, lies "
	       "within ±U of the program's with 95 % probability.",
    .rule = "One-sided. Applicable only if U, computed for a program run instead of a replay, is "
	    "shown to be within the limit.",
    .source = "GUM 5.1, 6.2, G.4 and H.5",
    .unit = COMPONENT_SHARE, .relative = true,
    .decide = decide_uncertainty, .plan = plan_uncertainty,
};
