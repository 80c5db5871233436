/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/analysis/decide.h"

#include <math.h>
#include <stdio.h>

#include "validate/stats/distributions.h"
#include "validate/stats/multiplicity.h"

/* Plans with many looks leave next to no error for the first ones. Quantiles below this level are
 * out of reach. */
#define LEAST_LEVEL 1e-12

bool decide_is_early(struct component *c, const struct levels *levels)
{
	if (levels->accept >= LEAST_LEVEL)
		return false;
	c->decision = DECISION_INCONCLUSIVE;
	REASON(
	    c,
	    "the planned looks leave no error for one this early (level %.2g): a later one decides",
	    levels->accept);
	return true;
}

void decide(struct component *c, double p_accept, double p_reject, const struct levels *levels)
{
	c->p_reject = fmin(1, p_reject);
	c->rejected_before_holm = c->p_reject <= levels->accept;
	c->decision = c->rejected_before_holm      ? DECISION_REJECT
		      : p_accept <= levels->accept ? DECISION_ACCEPT
						   : DECISION_INCONCLUSIVE;
}

void decide_nothing(struct component *c, enum stat_status s)
{
	c->decision = s == STAT_NOT_APPLICABLE ? DECISION_NOT_APPLICABLE : DECISION_INCONCLUSIVE;
	if (s == STAT_NOT_APPLICABLE)
		REASON(c, "nothing was replayed: the program itself ran in the replayer's place");
	else if (s == STAT_NOT_ASSESSED)
		REASON(c, "%s: a replay was not compared with the trace it replayed",
		       stat_status_name(s));
	else
		REASON(c, "%s: %s", stat_status_name(s), stat_status_text(s));
}

void decide_shown(struct component *c, struct estimate estimate, const char *what, double factor,
		  const char *unit)
{
	c->estimate = estimate;
	c->decision = estimate.status == STAT_NOT_APPLICABLE ? DECISION_NOT_APPLICABLE
							     : DECISION_NOT_ASSESSED;
	if (estimate.status)
		REASON(c, "%s: %s", what, stat_status_text(estimate.status));
	else
		REASON(c, "%s %s%s, no limit set", what,
		       shown_percent(estimate.value * factor / 100).text, unit);
}

static double p_inside(const struct t_estimate *t, double lo, double hi)
{
	return fmax(isfinite(lo) ? t_above((t->value - lo) / t->se, t->df) : 0,
		    isfinite(hi) ? t_below((t->value - hi) / t->se, t->df) : 0);
}

struct mean_p decide_mean_p(const struct t_estimate *t, const struct t_estimate *wide, size_t n,
			    double lo, double hi, bool two_sided, double span)
{
	const double times = two_sided ? 2 : 1;
	if (!(t->se > 0)) {
		bool inside = t->value >= lo && t->value <= hi;
		double signs = sequential_p(ldexp(1, n > 1000 ? -1000 : -(int)n), span);
		return (struct mean_p){inside ? 0 : 1, inside ? 1 : fmin(1, 2 * signs),
				       inside ? 0 : 1};
	}
	double outside = fmin(isfinite(lo) ? t_below((t->value - lo) / t->se, t->df) : 1,
			      isfinite(hi) ? t_above((t->value - hi) / t->se, t->df) : 1);
	return (struct mean_p){p_inside(wide, lo, hi), fmin(1, times * sequential_p(outside, span)),
			       p_inside(t, lo, hi)};
}

/* Fewer independent runs give an interval with one degree of freedom, which may be arbitrarily
 * wide. */
#define WORTH_AN_INTERVAL 2

bool decide_is_hardly_one(const struct component *c, const struct serial *s)
{
	return c->decision == DECISION_INCONCLUSIVE && s->n_effective < WORTH_AN_INTERVAL;
}

/* States whether the measured correlation or the allowance for hidden correlation is the reason. */
static void say_hardly_one(struct component *c, const struct serial *s, size_t n)
{
	const double count = (double)n,
		     fewest = count /
			      serial_inflation(serial_rho_among(-1 / count, count, count), count);
	if (fewest < WORTH_AN_INTERVAL)
		REASON_ADD(
		    c, "; so few runs may hide any dependence: %zu count as hardly more than one",
		    n);
	else
		REASON_ADD(c,
			   "; runs are so like those before them (lag-1 correlation %.2f) that %zu "
			   "count as hardly more than one", s->lag1, n);
	if (c->dependent)
		REASON_ADD(c, "; it would be within if they were known to be independent");
}

void decide_dependence(struct component *c, const struct serial *s, size_t n, double p_alone,
		       const struct levels *levels)
{
	c->lag1 = s->lag1;
	c->n_effective = s->n_effective;
	c->dependent = c->decision == DECISION_INCONCLUSIVE && p_alone <= levels->accept;
	if (decide_is_hardly_one(c, s))
		say_hardly_one(c, s, n);
	else if (c->dependent)
		REASON_ADD(c,
			   "; it would be within if the runs were known to be independent, but %zu "
			   "count as %.1f (lag 1 %.2f)", n, s->n_effective, s->lag1);
	else if (c->decision != DECISION_REJECT && s->inflation > 1.005)
		REASON_ADD(c, "; %zu runs counted as %.1f (lag 1 %.2f)", n, s->n_effective,
			   s->lag1);
}

const char *decide_position(const struct component *c)
{
	return c->decision == DECISION_ACCEPT   ? "within"
	       : c->decision == DECISION_REJECT ? "beyond"
						: "not clear of";
}

int confidence_digits(double error)
{
	int more = 1 - (int)floor(log10(100 * error));
	return 2 + (more > 0 ? more : 0);
}

static struct shown_number shown(double percent, bool sign)
{
	struct shown_number s;
	bool plain = fabs(percent) < 1e7, large = fabs(percent) >= 999.5;
	sign = sign && percent != 0;
	if (plain && large)
		snprintf(s.text, sizeof s.text, sign ? "%+.0f" : "%.0f", percent);
	else
		snprintf(s.text, sizeof s.text, sign ? "%+.3g" : "%.3g", percent);
	return s;
}

struct shown_number shown_percent(double ratio)
{
	return shown(100 * ratio, false);
}

struct shown_number shown_change(double ratio)
{
	return shown(100 * ratio, true);
}

struct shown_number shown_time(double ns)
{
	static const struct {
		double ns;
		const char *name;
	} unit[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};
	struct shown_number s;
	size_t u = 0;
	while (u < 3 && fabs(ns) < unit[u].ns)
		u++;
	snprintf(s.text, sizeof s.text, "%.4g %s", ns / unit[u].ns, unit[u].name);
	return s;
}
