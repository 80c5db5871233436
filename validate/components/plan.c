/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plan for an inconclusive component: further replicates, or, if no practical number is enough, the
 * scatter that the runs may have.
 *
 * The present estimates are treated as true values. Assurance is 0.8, for accepting or rejecting at
 * the level of the look that is to decide, and for rejecting at the strictest step of Holm's
 * procedure. Source: stats/planning.h. */
#include "validate/components/component.h"
#include "validate/stats/distributions.h"
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

double plan_level(const struct planning *p, bool inside, double times)
{
	return inside ? p->levels->accept
		      : sequential_level(p->levels->reject / fmax(1, p->n_tests) / times,
					 p->levels->span);
}

/* The assurance of 1 cannot be reached */
#define MOST_ASSURANCE 0.9999

/* A rejection counts the runs as independent, but dependence of the runs makes their mean scatter
 * more by sqrt V. Returns the assurance with which independent runs must clear the limit, with V of
 * the measured autocorrelation. */
static double assurance_to_reject(const struct serial *s)
{
	double z;
	if (!(s->lag1 > 0) || normal_quantile(PLAN_ASSURANCE, &z))
		return PLAN_ASSURANCE;
	const double v = serial_inflation(s->lag1, PLANNING_MAX_N);
	return fmin(MOST_ASSURANCE, normal_below(z * sqrt(v)));
}

static struct plan_need need_of(const struct planning *p, const struct plan_mean *m)
{
	const bool inside = m->t->value > m->low && m->t->value < m->high;
	const bool cautious = m->ratio && p->levels->cautious;
	const struct serial serial =
	    inside || !cautious ? *m->serial : serial_cautious(m->serial, m->have);
	const bool widen = (inside || cautious) && !isnan(serial.lag1);
	const double distance = inside ? fmin(m->t->value - m->low, m->high - m->t->value)
				       : fmax(m->low - m->t->value, m->t->value - m->high);
	const double alpha = plan_level(p, inside, m->times),
		     assurance = inside || widen ? PLAN_ASSURANCE : assurance_to_reject(&serial);
	struct plan_need need = {.outside = !inside, .have = m->have, .most = NAN};
	uint64_t n_independent = m->have;
	need.sd = m->t->se * sqrt((double)m->have);
	if (widen) {
		need.sd = serial_widen(m->t, m->have, &serial).se * sqrt(serial.n_effective);
		n_independent = (uint64_t)fmax(2, serial.n_effective);
	}
	need.status = replicates_for_mean(need.sd, distance, alpha, assurance, &need.needed);
	if (!need.status && widen)
		need.needed = plan_as_dependent(&serial, m->have, need.needed);
	if (!need.status && need.needed >= PLANNING_MAX_N)
		need.status = STAT_UNBOUNDED;
	if (need.status)
		need.needed = UINT64_MAX;
	if (sd_for_mean(n_independent, distance, alpha, assurance, &need.most))
		need.most = NAN;
	return need;
}

void plan_add(struct plan_need *all, const struct planning *p, const struct plan_mean *m)
{
	const struct plan_need one = need_of(p, m);
	const bool fewer = one.needed < all->needed;
	if (!all->have || (one.outside != all->outside ? one.outside
			   : one.outside	       ? fewer
						       : one.needed > all->needed))
		*all = one;
}

void plan_needed(struct component *k, const struct plan_need *all)
{
	if (all->have && plan_further(k, all->status, all->needed, all->have) &&
	    isfinite(all->most))
		REASON_ADD(k, PLAN_MEAN, all->sd, (double)all->have, all->most);
}
