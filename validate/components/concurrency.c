/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distance of the concurrency distributions against its limit.
 *
 * Judged: sup over c of |E F_x(c) - E F_r(c)|, by time or by request or both, as the protocol says.
 * At each level c, the pairs give n differences F_x(c) - F_r(c) and a t-test of their mean.
 * Accepted: at every level both one-sided tests against -+limit are significant (all are needed, so
 * no correction). Rejected: at some level the mean is outside the limits, with the P-value times
 * the number of levels (Bonferroni). The distance within a pair is not used, because it contains
 * the scatter of the program's runs. Source: Berger and Hsu (1996). */
#include "validate/components/component.h"

/* The deciding levels, [from, to) of the evidence, and their estimate. */
struct concurrency_judged {
	size_t from, to;
	struct estimate estimate;
};

static struct concurrency_judged judged_levels(const struct distance_evidence *e,
					       const struct cell *cell, int by)
{
	const struct estimate *time = &cell->concurrency.time,
			      *request = &cell->concurrency.request;
	struct concurrency_judged d = {by == CONCURRENCY_BY_REQUEST ? e->n_by_time : 0,
			     by == CONCURRENCY_BY_TIME ? e->n_by_time : e->n_levels, *time};
	if (by == CONCURRENCY_BY_REQUEST ||
	    (by == CONCURRENCY_BY_BOTH && !(time->value >= request->value)))
		d.estimate = *request;
	return d;
}

/* Returns the largest upper limit of a level, with error alpha; NaN: none. */
static double upper_limit(const struct distance_evidence *e, size_t from, size_t to, double alpha)
{
	double upper = NAN, lo, hi;
	for (size_t i = from; i < to; i++)
		if (e->wide[i].se > 0 && !t_interval(&e->wide[i], 1 - 2 * alpha, &lo, &hi))
			upper = fmax(upper, fmin(1, fmax(-lo, hi)));
	return upper;
}

/* Returns the level that is farthest from 0, by the lower limit of its distance. The limits of all
 * levels together have error alpha. */
static const struct t_estimate *farthest_level(const struct distance_evidence *e, size_t from,
					       size_t to, double alpha, double *lower)
{
	const struct t_estimate *at = NULL;
	for (size_t i = from; i < to; i++) {
		double lo = fabs(e->t[i].value), hi = -lo;
		if (e->t[i].se > 0 && t_interval(&e->t[i], 1 - alpha / (double)(to - from), &lo,
						 &hi))
			continue;
		if (!at || fmax(lo, -hi) > *lower) {
			at = &e->t[i];
			*lower = fmax(lo, -hi);
		}
	}
	return at;
}

static void decide_concurrency(struct component *c, const struct deciding *given)
{
	const struct distance_evidence *e = &given->e->distance;
	const struct levels *levels = given->levels;
	double p_accept = 0, p_reject = 1, p_alone = 0;
	const struct t_estimate *at = NULL;
	/* the level that is hardest to accept */
	size_t deciding = 0;
	struct concurrency_judged d = judged_levels(e, given->cell, given->accept->concurrency_by);
	c->estimate = d.estimate;
	if (decide_is_settled(c, e->status, levels))
		return;
	for (size_t i = d.from; i < d.to; i++) {
		struct mean_p p = decide_mean_p(&e->t[i], &e->wide[i], e->n, -c->limit, c->limit,
						true, levels->span);
		deciding = !at || p.accept > p_accept ? i : deciding;
		p_accept = fmax(p_accept, p.accept);
		p_alone = fmax(p_alone, p.accept_alone);
		p_reject = fmin(p_reject, p.reject);
		if (!at || fabs(e->t[i].value) > fabs(at->value))
			at = &e->t[i];
	}
	decide_component(c, p_accept, p_reject * fmax(1, (double)(d.to - d.from)), levels);
	if (!at) {
		REASON(c, EQUAL_LEVELS, c->limit);
		return;
	}
	double lower = NAN;
	const struct t_estimate *far =
	    c->decision == DECISION_REJECT
		? farthest_level(e, d.from, d.to, levels->accept, &lower)
		: NULL;
	at = far ? far : at;
	const size_t where = (size_t)(at - e->t);
	const double distance = fabs(at->value), level = (double)e->level[where];
	c->accept_hi = upper_limit(e, d.from, d.to, levels->accept);
	const double upper = isfinite(c->accept_hi) ? c->accept_hi : distance;
	const struct cell_concurrency *k = &given->cell->concurrency;
	if (where < e->n_by_time)
		REASON(c, SHARES_TIME, level, k->cdf_time_r.p[e->level[where]],
		       k->cdf_time_x.p[e->level[where]]);
	else
		REASON(c, SHARES_REQUEST, level, k->cdf_request_r.p[e->level[where]],
		       k->cdf_request_x.p[e->level[where]]);
	if (far)
		REASON_ADD(c, DISTANCE_BEYOND, distance, levels->accept, lower, c->limit);
	else
		REASON_ADD(c, DISTANCE, distance, levels->accept, upper, c->decision, c->limit);
	decide_dependence(c, &e->serial[deciding], e->n, p_alone, levels);
}

static void plan_concurrency(struct component *k, const struct planning *p)
{
	const struct distance_evidence *e = &p->e->distance;
	int by = p->accept->concurrency_by;
	SCOPED_FREE struct plan_mean *mean = xcalloc(e->n_levels + 1, sizeof *mean);
	size_t n = 0;
	if (e->status == STAT_TOO_FEW)
		plan_further(k, STAT_OK, PLAN_FEWEST, e->n);
	size_t from = by == CONCURRENCY_BY_REQUEST ? e->n_by_time : 0,
	       to = by == CONCURRENCY_BY_TIME ? e->n_by_time : e->n_levels;
	for (size_t i = from; !e->status && i < to; i++)
		if (e->t[i].se > 0)
			mean[n++] =
			    (struct plan_mean){&e->t[i], &e->serial[i], e->n, -k->limit, k->limit,
					       2 * (double)(to - from), false, NULL};
	plan_means(k, p, mean, n);
}

const struct component_row component_concurrency = {
	.title = "Concurrency", .shown = "distance", .scattering = "differences",
	.meaning = "At each number n: share of time with at most n requests in flight in the "
		   "replay, minus the program's share. The estimate is the largest absolute "
		   "difference. With the key \"concurrency-by\", shares of requests can be "
		   "compared instead of, or in addition to, shares of time.",
	.rule = "Two-sided, each number",
	.source = "Pereira et al. 2016, figure 5; Kolmogorov-Smirnov distance",
	.unit = COMPONENT_NUMBER,
	.decide = decide_concurrency, .plan = plan_concurrency,
};
