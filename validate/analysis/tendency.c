/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/analysis/tendency.h"

#include "validate/components/component.h"

static bool is_two_sided(enum component_kind k)
{
	return components[k]->two_sided;
}

static double ideal_of(enum component_kind k)
{
	return k == COMPONENT_PRECISION ? 1 : 0;
}

/* Finds the deciding interval; if none was judged, the 90 % interval of the estimate. NaN:
 * unknown. */
static void interval_of(const struct component *k, double *lo, double *hi)
{
	bool judged = isfinite(k->accept_hi);
	*lo = judged ? k->accept_lo : k->estimate.lo90;
	*hi = judged ? k->accept_hi : k->estimate.hi90;
}

static bool is_outside(const struct component *k)
{
	double value = k->estimate.value;
	return is_two_sided(k->kind) ? fabs(value) > k->limit : value > k->limit;
}

/* Whether the interval is so wide that even a replayer without deviation would not be accepted. */
static bool is_wide(const struct component *k, double lo, double hi)
{
	double ideal = ideal_of(k->kind), room = k->limit - ideal;
	if (is_two_sided(k->kind))
		return (hi - lo) / 2 > room;
	if (k->kind == COMPONENT_PRECISION)
		return hi / k->estimate.value * ideal > k->limit;
	return hi - k->estimate.value > room;
}

/* Whether the interval used to reject excludes the ideal value. The interval used to accept is
 * wider, to allow for hidden dependence. */
static bool excludes_ideal(const struct component *k)
{
	double ideal = ideal_of(k->kind);
	return k->estimate.lo95 > ideal || k->estimate.hi95 < ideal;
}

static bool is_machines(const struct cell *c, const struct component *k)
{
	return k->kind == COMPONENT_UNCERTAINTY && c->expanded.machine > k->limit;
}

enum tendency component_tendency(const struct cell *c, const struct component *k)
{
	double lo, hi;
	if (k->differs)
		return TENDENCY_DIFFERS;
	if (k->decision != DECISION_INCONCLUSIVE || !isfinite(k->limit) || k->estimate.status ||
	    !isfinite(k->estimate.value))
		return TENDENCY_NONE;
	interval_of(k, &lo, &hi);
	bool wide = is_wide(k, lo, hi);
	if (is_outside(k) && !is_machines(c, k) && (!wide || excludes_ideal(k)))
		return TENDENCY_WRONG;
	return wide || k->impractical || is_outside(k) ? TENDENCY_NOISY : TENDENCY_RIGHT;
}

enum tendency cell_tendency(const struct cell *c)
{
	bool has[TENDENCY_N] = {false};
	if (c->verdict != VERDICT_INCONCLUSIVE)
		return TENDENCY_NONE;
	for (int k = 0; k < COMPONENT_N; k++)
		if (c->component[k].decision == DECISION_INCONCLUSIVE &&
		    isfinite(c->component[k].limit))
			has[component_tendency(c, &c->component[k])] = true;
	return has[TENDENCY_DIFFERS] ? TENDENCY_DIFFERS
	       : has[TENDENCY_WRONG] ? TENDENCY_WRONG
	       : has[TENDENCY_NOISY] ? TENDENCY_NOISY
	       /* a component without an estimate can be wrong */
	       : has[TENDENCY_RIGHT] && !has[TENDENCY_NONE] ? TENDENCY_RIGHT
							    : TENDENCY_NONE;
}

uint64_t cell_further(const struct protocol *p, const struct cell *c, bool recorded)
{
	const bool relates = p->scenario[c->scenario].trace; /* such rejections do not count */
	uint64_t rejects = FURTHER_IMPRACTICAL, accepts = 0;
	/* no acceptance decides a case that must not be trusted */
	bool unknown = c->bar.code && c->bar.code != REASON_VERDICT_DEFERRED, impractical = false;
	for (int k = 0; k < COMPONENT_N; k++) {
		const struct component *m = &c->component[k];
		if (m->decision != DECISION_INCONCLUSIVE)
			continue;
		const uint64_t n =
		    recorded && m->n_more_recorded ? m->n_more_recorded : m->n_more;
		const bool rejected = is_outside(m) && !is_machines(c, m); /* by its plan */
		if (m->impractical || (!n && m->n_more_recorded))
			impractical = true;
		else if (!n || (rejected && relates && !components[k]->replayers_own))
			unknown = true;
		else if (rejected)
			rejects = n < rejects ? n : rejects;
		else
			accepts = n > accepts ? n : accepts;
	}
	return rejects != FURTHER_IMPRACTICAL ? rejects
	       : impractical		      ? FURTHER_IMPRACTICAL
	       : unknown		      ? 0
					      : accepts;
}
