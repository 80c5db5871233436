/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plan for an inconclusive component: further replicates, or, if no practical number is enough, the
 * scatter that the runs may have.
 *
 * The present estimates are treated as true values. Assurance is 0.8, for accepting or rejecting at
 * the level of the look that is to decide, and for rejecting at the strictest step of Holm's
 * procedure. Accepting needs both one-sided tests of every mean. Source: stats/planning.h;
 * Schuirmann (1987) for the power of the two tests. */
#include "validate/components/component.h"
#include "validate/stats/distributions.h"
#include "validate/stats/multiplicity.h"
#include "validate/stats/planning.h"

/* A larger number, or a larger multiple of the present number, is not useful advice. */
#define MOST_FURTHER 1000
#define MOST_TIMES 10
#define FEWEST_TO_MULTIPLY 20

static bool is_impractical(enum stat_status s, uint64_t needed, size_t have)
{
	const size_t base = have > FEWEST_TO_MULTIPLY ? have : FEWEST_TO_MULTIPLY;
	return s == STAT_UNBOUNDED ||
	       (!s && (needed > have + MOST_FURTHER || needed > MOST_TIMES * base));
}

bool plan_further(struct component *k, enum stat_status s, uint64_t needed, size_t have)
{
	k->n_more = s ? 0 : needed > have ? needed - have : 1;
	k->impractical = is_impractical(s, needed, have);
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

/* A rejection counts the runs as independent, but dependence of the runs multiplies the scatter of
 * their mean by sqrt V. V follows from the measured autocorrelation. Returns the assurance that a
 * plan for independent runs needs, so that the dependent runs have PLAN_ASSURANCE. */
static double assurance_to_reject(const struct serial *s)
{
	double z;
	if (!(s->lag1 > 0) || normal_quantile(PLAN_ASSURANCE, &z))
		return PLAN_ASSURANCE;
	const double v = serial_inflation(s->lag1, PLANNING_MAX_N);
	return fmin(MOST_ASSURANCE, normal_below(z * sqrt(v)));
}

/* --- rejection: one mean outside is enough ------------------------------- */

struct need { /* what one or all means of a component need */
	enum stat_status status;
	uint64_t needed;
	/* to accept, if each replicate has its own recording; 0: not known, or not fewer */
	uint64_t recorded;
	/* present scatter, and the largest scatter with which the present number is enough */
	double sd, most;
};

static bool is_inside(const struct plan_mean *m)
{
	return m->t->value > m->low && m->t->value < m->high;
}

static struct need need_to_reject(const struct planning *p, const struct plan_mean *m)
{
	const bool cautious = m->ratio && p->levels->cautious;
	const struct serial serial =
	    cautious ? serial_cautious(m->serial, m->have) : *m->serial;
	const bool widen = cautious && !isnan(serial.lag1);
	const double distance = fmax(m->low - m->t->value, m->t->value - m->high),
		     alpha = plan_level(p, false, m->times),
		     assurance = widen ? PLAN_ASSURANCE : assurance_to_reject(&serial);
	struct need need = {.sd = m->t->se * sqrt((double)m->have), .most = NAN};
	uint64_t n_independent = m->have;
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

/* --- acceptance: every mean must lie within both limits ------------------ */

/* Returns the standard deviation of the values of equally many independent replicates. */
static double scatter_of(const struct plan_mean *m)
{
	return serial_widen(m->t, m->have, m->serial).se * sqrt(m->serial->n_effective);
}

/* Returns the factor by which reused recordings will increase the variance of a mean of n
 * replicates. `recorded`: each replicate has its own recording. */
static double recordings_factor(const struct plan_mean *m, double n, bool recorded)
{
	const struct recordings *r = m->recordings;
	const struct serial *s = m->serial;
	if (recorded)
		return 1;
	return r && r->n_cells
		       ? recordings_then(r, n, (double)r->n)
		       : fmax(1, s->inflation / serial_inflation(s->rho, (double)m->have));
}

/* Returns the probability that n replicates show the mean to be within both limits, if its scatter
 * is `times` the present scatter. The dependence stays the same. */
static double power_to_accept(const struct plan_mean *m, double n, double times, double alpha,
			      bool recorded)
{
	const double n_effective = n / serial_inflation(m->serial->rho, n) /
				   recordings_factor(m, n, recorded);
	double power;
	return power_equivalence_paired(n_effective, m->low, m->high, m->t->value,
					times * scatter_of(m), alpha, &power)
		   ? 0
		   : power;
}

struct accepting {
	const struct plan_mean *mean; /* [n] */
	size_t n;
	double alpha;
	bool recorded; /* each replicate has its own recording */
};

/* Whether n replicates accept all means with the assurance. The means count as independent. If they
 * are related, the probability is larger than their product. */
static bool are_accepted(const struct accepting *a, double n, double times)
{
	double power = 1;
	for (size_t i = 0; i < a->n && power >= PLAN_ASSURANCE; i++)
		power *= power_to_accept(&a->mean[i], n, times, a->alpha, a->recorded);
	return power >= PLAN_ASSURANCE;
}

/* Finds the smallest number of replicates, at least the present number, that accepts all means. */
static enum stat_status replicates_to_accept(const struct accepting *a, uint64_t *needed)
{
	uint64_t below = a->mean->have - 1, n = a->mean->have;
	while (n < PLANNING_MAX_N && !are_accepted(a, (double)n, 1)) {
		below = n;
		n *= 2;
	}
	if (n >= PLANNING_MAX_N)
		return STAT_UNBOUNDED;
	while (n - below > 1) {
		const uint64_t middle = below + (n - below) / 2;
		if (are_accepted(a, (double)middle, 1))
			n = middle;
		else
			below = middle;
	}
	*needed = n;
	return STAT_OK;
}

/* Returns the largest multiple of the present scatter with which the present number of replicates
 * is enough, within 0.1 %. */
static double scatter_to_accept(const struct accepting *a)
{
	double low = 0, high = 1;
	while (high - low > 1e-3 * high) {
		const double middle = low > 0 ? (low + high) / 2 : high / 8;
		if (middle < 1e-9)
			return NAN;
		if (are_accepted(a, (double)a->mean->have, middle))
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Returns the number of replicates if each of them has its own recording; 0: not practical, or not
 * fewer. */
static uint64_t needed_if_recorded(struct accepting a, uint64_t needed)
{
	uint64_t n;
	a.recorded = true;
	return replicates_to_accept(&a, &n) || n >= needed ||
			       is_impractical(STAT_OK, n, a.mean->have)
		       ? 0
		       : n;
}

/* A mean that is accepted with at least this probability does not affect the number of
 * replicates. */
#define SURE 0.9999

static struct need need_to_accept(const struct planning *p, const struct plan_mean *m, size_t n)
{
	SCOPED_FREE struct plan_mean *open = xcalloc(n, sizeof *open);
	struct accepting a = {open, 0, plan_level(p, true, 1), false};
	struct need need = {.needed = m->have, .most = NAN};
	double least = 1;
	bool reused = false;
	for (size_t i = 0; i < n; i++) {
		const double power = power_to_accept(&m[i], (double)m->have, 1, a.alpha, false);
		if (power >= SURE)
			continue;
		open[a.n++] = m[i];
		reused |= m[i].recordings && m[i].recordings->n_cells;
		if (power <= least)
			need.sd = scatter_of(&m[i]);
		least = fmin(least, power);
	}
	if (!a.n)
		return need;
	need.status = replicates_to_accept(&a, &need.needed);
	if (need.status)
		need.needed = UINT64_MAX;
	if (reused)
		need.recorded = needed_if_recorded(a, need.needed);
	if (is_impractical(need.status, need.needed, m->have))
		need.most = need.sd * scatter_to_accept(&a);
	return need;
}

void plan_means(struct component *k, const struct planning *p, const struct plan_mean *m, size_t n)
{
	struct need need = {.needed = UINT64_MAX};
	size_t n_outside = 0;
	for (size_t i = 0; i < n; i++) {
		if (is_inside(&m[i]))
			continue;
		const struct need one = need_to_reject(p, &m[i]);
		if (!n_outside++ || one.needed < need.needed)
			need = one;
	}
	if (n && !n_outside)
		need = need_to_accept(p, m, n);
	if (!n)
		return;
	const bool impractical = plan_further(k, need.status, need.needed, m->have);
	if (need.recorded)
		k->n_more_recorded = need.recorded > m->have ? need.recorded - m->have : 1;
	if (!impractical)
		return;
	if (need.recorded) {
		k->impractical = false;
		k->n_more = 0;
		REASON_ADD(k, PLAN_RECORDINGS, (double)(m->have + k->n_more_recorded));
	} else if (isfinite(need.most)) {
		REASON_ADD(k, PLAN_MEAN, need.sd, (double)m->have, need.most);
	} else {
		REASON_ADD(k, PLAN_NONE);
	}
}
