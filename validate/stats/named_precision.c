/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include <math.h>

#include "validate/stats/precision_study.h"

#define STUDY(function, value)                                                                                         \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		const struct named_role *g = named_groups(c, "groups");                                                \
		struct precision_study p = {0};                                                                        \
		enum stat_status s = g ? precision_study(g->group, g->n_groups, &p) : STAT_TOO_FEW;                    \
		r->number = value;                                                                                     \
		return s;                                                                                              \
	}
STUDY(s_l2_raw, p.s_L2_raw)
STUDY(s_l2, p.s_L2)
STUDY(s_r, p.s_r)
STUDY(s_capital_r, p.s_R)
STUDY(limit_r, named_number(c, "factor") * p.s_r)
STUDY(limit_capital_r, named_number(c, "factor") * p.s_R)

#define OUTLIER(function, why, value)                                                                                  \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		const struct named_role *g = named_groups(c, "groups");                                                \
		struct group_outliers o;                                                                               \
		enum stat_status s = g ? group_outliers(g->group, g->n_groups, &o) : STAT_TOO_FEW;                     \
		if (s)                                                                                                 \
			return s;                                                                                      \
		s = o.why;                                                                                             \
		r->number = value;                                                                                     \
		group_outliers_release(&o);                                                                            \
		return s;                                                                                              \
	}
OUTLIER(cochran_c, spread_status, o.cochran)
OUTLIER(grubbs_max, means_status, o.grubbs_max)
OUTLIER(grubbs_min, means_status, o.grubbs_min)
OUTLIER(grubbs_double_high, means_status, o.grubbs_double_high)
OUTLIER(grubbs_double_low, means_status, o.grubbs_double_low)

static double of_group(struct named_call *c, const double *values, size_t n)
{
	size_t i = named_index(c, "i");
	c->bad_param |= i >= n;
	return i < n ? values[i] : 0;
}
OUTLIER(mandel_h, means_status, of_group(c, o.h, g->n_groups))
OUTLIER(mandel_k, spread_status, of_group(c, o.k, g->n_groups))

static enum stat_status cochran_crit(struct named_call *c, struct named_result *r)
{
	return cochran_critical(named_number(c, "alpha"), named_number(c, "p"), named_number(c, "n"), &r->number);
}

static enum stat_status grubbs_crit(struct named_call *c, struct named_result *r)
{
	return grubbs_critical(named_number(c, "alpha"), named_number(c, "p"), &r->number);
}

static enum stat_status mandel_h_crit(struct named_call *c, struct named_result *r)
{
	return mandel_h_critical(named_number(c, "alpha"), named_number(c, "p"), &r->number);
}

static enum stat_status mandel_k_crit(struct named_call *c, struct named_result *r)
{
	return mandel_k_critical(named_number(c, "alpha"), named_number(c, "p"), named_number(c, "n"), &r->number);
}

static enum stat_status critical_range_f(struct named_call *c, struct named_result *r)
{
	size_t n = named_count(c, "n");
	return critical_range_factor(n < 1000000 ? (unsigned int)n : 0, named_number(c, "p"), &r->number);
}

static enum stat_status accepted(struct named_call *c, enum accept_route *route, double *value)
{
	struct values first = named_values(c, "first"), more = named_values(c, "more");
	const double cr[3] = {named_number(c, "f2"), named_number(c, "f3"), named_number(c, "f4")};
	if (first.n != 2)
		return STAT_TOO_FEW;
	return accept_result(first.x, more.x, more.n, named_number(c, "expensive") == 0, named_number(c, "sigma_r"), cr,
			     route, value);
}

static enum stat_status route(struct named_call *c, struct named_result *r)
{
	enum accept_route way = ACCEPT_MEAN2;
	double value;
	enum stat_status s = accepted(c, &way, &value);
	r->word = accept_route_names[way];
	return s;
}

static enum stat_status value_of_route(struct named_call *c, struct named_result *r)
{
	enum accept_route way;
	return accepted(c, &way, &r->number);
}

static enum stat_status cd_reference(struct named_call *c, struct named_result *r)
{
	return critical_difference_reference(named_number(c, "sigma_repro"), named_number(c, "sigma_rep"),
					     named_number(c, "n"), named_number(c, "factor"), &r->number);
}

static enum stat_status cd_two(struct named_call *c, struct named_result *r)
{
	return critical_difference_two(named_number(c, "sigma_repro"), named_number(c, "sigma_rep"),
				       named_number(c, "n1"), named_number(c, "n2"), named_number(c, "factor"),
				       &r->number);
}

static enum stat_status cd_within(struct named_call *c, struct named_result *r)
{
	return critical_difference_within(named_number(c, "sigma_rep"), named_number(c, "n1"), named_number(c, "n2"),
					  named_number(c, "factor"), &r->number);
}

static enum stat_status robust_location(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	double scale;
	return algorithm_a(x.x, x.n, &r->number, &scale);
}

static enum stat_status robust_scale(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	double location;
	return algorithm_a(x.x, x.n, &location, &r->number);
}

const struct named_statistic named_precision[] = {
    {"s_L2_raw", s_l2_raw, "groups", ""},
    {"s_L2", s_l2, "groups", ""},
    {"s_r", s_r, "groups", ""},
    {"s_R", s_capital_r, "groups", ""},
    {"repeatability_limit_r", limit_r, "groups", "factor"},
    {"reproducibility_limit_R", limit_capital_r, "groups", "factor"},
    {"cochran_C", cochran_c, "groups", ""},
    {"grubbs_G_max", grubbs_max, "groups", ""},
    {"grubbs_G_min", grubbs_min, "groups", ""},
    {"grubbs_double_high", grubbs_double_high, "groups", ""},
    {"grubbs_double_low", grubbs_double_low, "groups", ""},
    {"mandel_h", mandel_h, "groups", "i"},
    {"mandel_k", mandel_k, "groups", "i"},
    {"cochran_C_crit", cochran_crit, "", "alpha p n"},
    {"grubbs_crit", grubbs_crit, "", "alpha p"},
    {"mandel_h_crit", mandel_h_crit, "", "alpha p"},
    {"mandel_k_crit", mandel_k_crit, "", "alpha p n"},
    {"critical_range_f", critical_range_f, "", "n p"},
    {"accept_route", route, "first [more]", "sigma_r expensive f2 f3 f4"},
    {"accept_value", value_of_route, "first [more]", "sigma_r expensive f2 f3 f4"},
    {"CD_lab_vs_reference", cd_reference, "", "sigma_repro sigma_rep n factor"},
    {"CD_two_labs", cd_two, "", "sigma_repro sigma_rep n1 n2 factor"},
    {"CD_within_lab", cd_within, "", "sigma_rep n1 n2 factor"},
    {"algA_x", robust_location, "x", ""},
    {"algA_s", robust_scale, "x", ""},
    {0},
};
