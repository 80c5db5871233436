/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include <math.h>

#include "validate/stats/bounds.h"
#include "validate/stats/distance.h"
#include "validate/stats/moments.h"
#include "validate/stats/ranks.h"

#define BOTH(function, call)                                                                                           \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		struct values ref = named_values(c, "ref"), rep = named_values(c, "rep");                              \
		return call(ref.x, ref.n, rep.x, rep.n, &r->number);                                                   \
	}
BOTH(mwu_u, mann_whitney_u)
BOTH(mwu_p_asym, mann_whitney_p)
BOTH(mwu_p_exact, mann_whitney_p_exact)
BOTH(shift, hodges_lehmann)
BOTH(a12, vargha_delaney)
BOTH(ks_d, ks_distance)
BOTH(ks_exact, ks_p_exact)
BOTH(ks_asym, ks_p_asymptotic)
BOTH(wasserstein1, wasserstein)

static enum stat_status wasserstein1_pct(struct named_call *c, struct named_result *r)
{
	struct values ref = named_values(c, "ref");
	struct sample_moments m;
	enum stat_status s = wasserstein1(c, r);
	if (!s)
		s = sample_moments(ref.x, ref.n, &m);
	if (!s && m.mean == 0)
		s = STAT_ZERO_REFERENCE;
	if (!s)
		r->number *= 100 / m.mean;
	return s;
}

#define ORDER(function, value)                                                                                         \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		struct order_interval o = {0};                                                                         \
		enum stat_status s = order_interval(named_count(c, "n"), named_number(c, "p"),                         \
						    named_number(c, "conf"), &o);                                      \
		r->number = value;                                                                                     \
		return s;                                                                                              \
	}
ORDER(order_lower, (double)o.lower)
ORDER(order_upper, (double)o.upper)
ORDER(order_coverage, o.coverage)

static enum stat_status dkw(struct named_call *c, struct named_result *r)
{
	return dkw_epsilon(named_number(c, "n"), named_number(c, "alpha"), &r->number);
}

static enum stat_status hoeffding(struct named_call *c, struct named_result *r)
{
	return hoeffding_p(named_number(c, "n"), named_number(c, "t"), named_number(c, "a"), named_number(c, "b"),
			   &r->number);
}

const struct named_statistic named_ranks[] = {
    {"mwu_U", mwu_u, "ref rep", ""},
    {"mwu_p_asym", mwu_p_asym, "ref rep", ""},
    {"mwu_p_exact", mwu_p_exact, "ref rep", ""},
    {"hodges_lehmann", shift, "ref rep", ""},
    {"vargha_delaney_A12", a12, "ref rep", ""},
    {"ks_D", ks_d, "ref rep", ""},
    {"ks_p_exact", ks_exact, "ref rep", ""},
    {"ks_p_asym", ks_asym, "ref rep", ""},
    {"wasserstein1", wasserstein1, "ref rep", ""},
    {"wasserstein1_pct", wasserstein1_pct, "ref rep", ""},
    {"order_ci_lower_rank", order_lower, "", "n p conf"},
    {"order_ci_upper_rank", order_upper, "", "n p conf"},
    {"order_ci_coverage", order_coverage, "", "n p conf"},
    {"dkw_epsilon", dkw, "", "n alpha"},
    {"hoeffding_p", hoeffding, "", "n t a b"},
    {0},
};
