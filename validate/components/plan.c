/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plan for an inconclusive component: further replicates, or, if no practical number is enough, the
 * scatter that the runs may have.
 *
 * The present estimates are treated as true values. Assurance is 0.8, for accepting at 0.05 or
 * rejecting at the strictest step of Holm's procedure. In a campaign that decides after each
 * replicate, both levels are those of one look. Source: stats/planning.h. */
#include "validate/components/component.h"
#include "validate/stats/multiplicity.h"
#include "validate/stats/planning.h"

/* A larger number, or a larger multiple of the present number, is not useful advice. */
#define MOST_FURTHER 1000
#define MOST_TIMES 10
#define FEWEST_TO_MULTIPLY 20

bool plan_further(struct component *k, enum stat_status s, uint64_t needed, size_t have)
{
	k->n_more = s ? 0 : needed > have ? needed - have : 1;
	size_t base = have > FEWEST_TO_MULTIPLY ? have : FEWEST_TO_MULTIPLY;
	k->impractical =
	    s == STAT_UNBOUNDED || (!s && (k->n_more > MOST_FURTHER || needed > MOST_TIMES * base));
	return k->impractical;
}

uint64_t plan_as_dependent(const struct serial *s, size_t have, uint64_t independent)
{
	const double of_recordings =
	    fmax(1, s->inflation / serial_inflation(s->rho, (double)have));
	uint64_t below = independent > 1 ? independent - 1 : 1, n = independent;
	if (isnan(s->lag1))
		return independent;
	while (n < PLANNING_MAX_N && n - below > 0) {
		if ((double)n / serial_inflation(s->rho, (double)n) / of_recordings >=
		    (double)independent)
			break;
		below = n;
		n += n / 64 + 1;
	}
	return n;
}

void plan_mean(struct component *k, const struct planning *p, const struct t_estimate *t,
	       const struct serial *serial, size_t have, double low, double high,
	       double alpha_reject)
{
	const struct serial cautious = serial_cautious(serial, have);
	uint64_t needed = 0, n_independent = have;
	double sd = t->se * sqrt((double)have), most;
	bool inside = t->value > low && t->value < high;
	double distance =
	    inside ? fmin(t->value - low, high - t->value) : fmax(low - t->value, t->value - high);
	double alpha = inside ? p->alpha_accept : sequential_level(alpha_reject, p->levels->span);
	/* accepting allows for dependence, and so does refuting a claim */
	const bool is_widened = inside || p->levels->cautious;
	if (!inside && is_widened)
		serial = &cautious;
	if (is_widened && !isnan(serial->lag1)) {
		sd = serial_widen(t, have, serial).se * sqrt(serial->n_effective);
		n_independent = (uint64_t)fmax(2, serial->n_effective);
	}
	enum stat_status s = replicates_for_mean(sd, distance, alpha, PLAN_ASSURANCE, &needed);
	if (!s && is_widened) {
		needed = plan_as_dependent(serial, have, needed);
		s = needed < PLANNING_MAX_N ? STAT_OK : STAT_UNBOUNDED;
	}
	if (plan_further(k, s, needed, have) &&
	    !sd_for_mean(n_independent, distance, alpha, PLAN_ASSURANCE, &most))
		REASON_ADD(k, PLAN_MEAN, sd, (double)have, most);
}
