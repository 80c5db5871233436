/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include "validate/stats/bounds.h"
#include "validate/stats/distance.h"
#include "validate/stats/moments.h"
#include "validate/stats/ranks.h"

typedef enum stat_status two_samples(const double *ref, size_t m, const double *rep, size_t n,
				     double *value);

static enum stat_status of_both(struct named_call *c, struct named_result *r)
{
	static two_samples *const function[] = {
	    mann_whitney_u, mann_whitney_p, mann_whitney_p_exact, hodges_lehmann, vargha_delaney,
	    ks_distance,    ks_p_exact,     ks_p_asymptotic,      wasserstein};
	struct values ref = named_values(c, "ref"), rep = named_values(c, "rep");
	return function[c->which](ref.x, ref.n, rep.x, rep.n, &r->number);
}

static enum stat_status wasserstein_pct(struct named_call *c, struct named_result *r)
{
	struct values ref = named_values(c, "ref"), rep = named_values(c, "rep");
	struct sample_moments m;
	enum stat_status s = wasserstein(ref.x, ref.n, rep.x, rep.n, &r->number);
	s = s ? s : sample_moments(ref.x, ref.n, &m);
	if (!s && m.mean == 0)
		s = STAT_ZERO_REFERENCE;
	if (!s)
		r->number *= 100 / m.mean;
	return s;
}

STATISTIC_OF_CALL(order, struct order_interval o = {0},
	order_interval(named_count(c, "n"), named_number(c, "p"), named_number(c, "conf"), &o),
	(double)o.lower, (double)o.upper, o.coverage)

STATISTIC(dkw, dkw_epsilon(named_number(c, "n"), named_number(c, "alpha"), &r->number))
STATISTIC(hoeffding, hoeffding_p(named_number(c, "n"), named_number(c, "t"), named_number(c, "a"),
	       named_number(c, "b"), &r->number))

const struct named_statistic named_ranks[] = {
    {"mwu_U mwu_p_asym mwu_p_exact hodges_lehmann vargha_delaney_A12 ks_D ks_p_exact ks_p_asym "
     "wasserstein1", of_both, "ref rep", ""},
    {"wasserstein1_pct", wasserstein_pct, "ref rep", ""},
    {"order_ci_lower_rank order_ci_upper_rank order_ci_coverage", order, "", "n p conf"},
    {"dkw_epsilon", dkw, "", "n alpha"},
    {"hoeffding_p", hoeffding, "", "n t a b"},
    {0},
};
