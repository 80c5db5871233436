/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expanded uncertainty against the largest allowed, and the repeatability of replays that have no reference to scatter
 * beside.
 *
 * U tends to z u_c, z = 1.96, as the runs become many. u_c is itself an estimate: nu u_c^2/sigma_c^2 is taken for chi-square
 * with nu degrees of freedom (Welch and Satterthwaite), which gives limits of z sigma_c. Long tails make a standard
 * deviation worse known than nu = n - 1 says (stats/spread.h), for the upper limit even where none shows: few runs do not show the
 * tails that they come from. And runs that depend on each other scatter less than they would in the long run, so that u_c
 * is larger for the upper limit, and nu less (stats/serial.h).
 * Accepted: the upper limit of z sigma_c is at most the limit. Rejected: its lower limit lies above, and the same budget
 * with the program's own runs in the replays' place is shown to be within it. Otherwise the machine's noise would be held
 * against the replayer, for which the program itself would fare no better.
 * Added, the absolute bias stands on top: both at half the error.
 * Source: GUM G.4. */
#include <math.h>

#include "validate/analysis/decide.h"
#include "validate/stats/distributions.h"

#define COVERAGE_FACTOR 1.959963984540054 /* of the normal distribution, 95 % */

/* P-values of sigma against `limit`. */
struct spread_p {
	double above, below;
};

static double p_above(double sd, double nu, double limit)
{
	return chi2_above(nu * (sd / limit) * (sd / limit), nu);
}

static struct spread_p spread_p(const struct spread_evidence *e, double limit)
{
	return (struct spread_p){p_above(e->sd, e->nu, limit), 1 - p_above(e->sd_upper, e->nu_upper, limit)};
}

/* One-sided limits of sigma with error alpha each. */
static enum stat_status spread_limits(const struct spread_evidence *e, double alpha, double *lower, double *upper)
{
	double low, high;
	enum stat_status s = chi2_quantile(alpha, e->nu_upper, &low);
	if (!s)
		s = chi2_quantile(1 - alpha, e->nu, &high);
	if (s || !(low > 0))
		return s ? s : STAT_OUT_OF_RANGE;
	*lower = e->sd * sqrt(e->nu / high);
	*upper = e->sd_upper * sqrt(e->nu_upper / low);
	return STAT_OK;
}

static struct estimate spread_estimate(const struct spread_evidence *spread, double value)
{
	struct estimate e = estimate_none(STAT_OK);
	e.status = spread_limits(spread, 0.05, &e.lo90, &e.hi90);
	if (!e.status)
		e.status = spread_limits(spread, 0.025, &e.lo95, &e.hi95);
	if (e.status)
		return estimate_none(e.status);
	e.value = value;
	e.df = spread->nu;
	return e;
}

/* P of |bias| + z sigma_c against the limit: the smallest error at which the sum of both limits, each at half of it, clears
 * the limit; found by halving on a logarithmic scale. */
static double added_p(const struct spread_evidence *expanded, const struct t_estimate *bias, double limit, bool above)
{
	double low = -300, high = 0; /* log10 of alpha: not cleared, cleared */
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

static struct spread_p added_spread_p(const struct spread_evidence *s, const struct ratio_evidence *bias, double limit, bool wide)
{
	return (struct spread_p){added_p(s, &bias->t, limit, true), added_p(s, wide ? &bias->wide : &bias->t, limit, false)};
}

/* P of rejecting: the replays are beyond the limit, and the program alone would be within it. */
static double blame_p(const struct budget *b, double p, double limit)
{
	if (!isfinite(b->u_c_program)) /* a single reference: what the program would show is not known */
		return p;
	return fmax(p, 1 - p_above(COVERAGE_FACTOR * b->u_c_program, b->nu_spread_program, limit));
}

/* The same spread as if the runs were known not to depend on each other. */
static struct spread_evidence independent(const struct spread_evidence *s, const struct serial *runs, size_t n)
{
	struct spread_evidence out = *s;
	struct serial square = serial_product(runs, runs, n);
	out.sd_upper = s->sd;
	out.nu_upper = fmin(s->nu_upper * square.inflation, fmax(s->nu_upper, spread_df_most((double)n)));
	return out;
}

void decide_uncertainty(struct component *c, const struct evidence *e, const struct cell *cell,
			const struct accept_limits *l, const struct levels *levels)
{
	const struct budget *b = &cell->budget;
	bool added = l->uncertainty_bias == UNCERTAINTY_BIAS_ADDED;
	enum stat_status s = b->status ? b->status : added ? e->bias.status : STAT_OK;
	struct spread_p p, p_alone;
	double lower, upper;
	if (s) {
		c->estimate = estimate_none(s);
		decide_nothing(c, s);
		return;
	}
	const struct spread_evidence expanded = {STAT_OK, COVERAGE_FACTOR * b->u_c, b->nu_spread, COVERAGE_FACTOR * b->u_c_upper,
						 b->nu_spread_upper};
	const struct spread_evidence alone = independent(&expanded, &e->replays, cell->x.n);
	c->estimate = spread_estimate(&expanded, b->U95 + (added ? fabs(expm1(e->bias.t.value)) : 0));
	if (!(c->limit > 0)) {
		decide_shown(c, c->estimate, "U", 100, " %");
		return;
	}
	if (decide_is_early(c, levels))
		return;
	p = added ? added_spread_p(&expanded, &e->bias, c->limit, true) : spread_p(&expanded, c->limit);
	p_alone = added ? added_spread_p(&alone, &e->bias, c->limit, false) : spread_p(&alone, c->limit);
	s = spread_limits(&expanded, levels->accept, &lower, &upper);
	if (s) {
		decide_nothing(c, s);
		return;
	}
	decide(c, p.below, blame_p(b, p.above, c->limit), levels);
	REASON(c, "U %s %%%s, one-sided %.*g %% limits %s and %s %%, %s the limit %s %%", shown_percent(c->estimate.value).text,
	       added ? " with the bias" : "", confidence_digits(levels->accept), 100 * (1 - levels->accept),
	       shown_percent(lower).text, shown_percent(upper).text, decide_position(c), shown_percent(c->limit).text);
	c->accept_hi = added ? NAN : upper;
	decide_dependence(c, &e->replays, cell->x.n, p_alone.below, levels);
	if (c->decision == DECISION_INCONCLUSIVE && p.above <= levels->accept)
		REASON_ADD(c, "; the program's own runs scatter too much to hold that against the replayer");
}

/* The coefficient of variation of the replays alone, as the standard deviation of their logarithms. */
void decide_repeatability(struct component *c, const struct evidence *e, const struct cell *cell,
			  const struct accept_limits *l, const struct levels *levels)
{
	const struct spread_evidence *x = &e->repeatability;
	double lower, upper;
	c->limit = l->repeatability > 0 ? l->repeatability : NAN;
	if (!(c->limit > 0)) {
		c->decision = DECISION_NOT_APPLICABLE;
		REASON(c, "one recording is the reference of several replays: only the repeatability of the replays is known");
		if (isfinite(cell->x.cv))
			REASON_ADD(c, ", %s %%", shown_percent(cell->x.cv).text);
		return;
	}
	enum stat_status s = x->status;
	if (!s && decide_is_early(c, levels))
		return;
	if (!s)
		s = spread_limits(x, levels->accept, &lower, &upper);
	if (s) {
		decide_nothing(c, s);
		return;
	}
	struct spread_p p = spread_p(x, c->limit);
	c->estimate = spread_estimate(x, x->sd);
	decide(c, p.below, p.above, levels);
	REASON(c, "repeatability %s %%, one-sided %.*g %% limits %s and %s %%, %s the limit %s %%", shown_percent(x->sd).text,
	       confidence_digits(levels->accept), 100 * (1 - levels->accept), shown_percent(lower).text,
	       shown_percent(upper).text, decide_position(c), shown_percent(c->limit).text);
	const struct spread_evidence alone = independent(x, &e->replays, cell->x.n);
	c->accept_hi = upper;
	decide_dependence(c, &e->replays, cell->x.n, spread_p(&alone, c->limit).below, levels);
}
