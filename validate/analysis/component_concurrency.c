/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distance of the concurrency distributions against its limit.
 *
 * What is judged is sup over c of |E F_x(c) - E F_r(c)|, by time and by request, from the differences of the pairs: at each
 * level c, n differences F_x(c) - F_r(c) and a t-test of their mean. Accepted: at every level both one-sided tests against
 * -+limit are significant (all are needed, so nothing is corrected). Rejected: at some level the mean is shown to lie
 * beyond, with the P-value times the number of levels (Bonferroni). The distance within a pair would hold the scatter of
 * the program's own runs against the replayer.
 * Source: Berger and Hsu (1996). */
#include <math.h>

#include "validate/analysis/decide.h"

void decide_distance(struct component *c, const struct distance_evidence *e, const struct levels *levels)
{
	double p_accept = 0, p_reject = 1, worst = 0;
	const struct t_estimate *at = NULL;
	if (e->status) {
		decide_nothing(c, e->status);
		return;
	}
	if (!(c->limit > 0)) {
		decide_shown(c, c->estimate, "distance", 1, "");
		return;
	}
	if (decide_is_early(c, levels))
		return;
	for (size_t i = 0; i < e->n_levels; i++) {
		struct mean_p p = decide_mean_p(&e->t[i], e->n, -c->limit, c->limit, true);
		p_accept = fmax(p_accept, p.accept);
		p_reject = fmin(p_reject, p.reject);
		if (!at || fabs(e->t[i].value) > worst) {
			worst = fabs(e->t[i].value);
			at = &e->t[i];
		}
	}
	decide(c, p_accept, p_reject * fmax(1, (double)e->n_levels), levels);
	if (!at) {
		REASON(c, "equal at every level, limit %.3g", c->limit);
		return;
	}
	size_t where = (size_t)(at - e->t);
	REASON(c, "%.3g by %s, at %zu in flight (upper limit %.3g), %s the limit %.3g", worst,
	       where < e->n_by_time ? "time" : "request", e->level[where],
	       isfinite(c->estimate.hi90) ? c->estimate.hi90 : worst, decide_position(c), c->limit);
}
