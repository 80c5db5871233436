/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include "validate/stats/precision_study.h"

enum {
	S_L2_RAW,
	S_L2,
	S_REPEATABILITY,
	S_REPRODUCIBILITY,
	LIMIT_REPEATABILITY,
	LIMIT_REPRODUCIBILITY
};

static enum stat_status study_part(struct named_call *c, struct named_result *r)
{
	const struct named_role *g = named_groups(c, "groups");
	struct precision_study p = {0};
	enum stat_status s = g ? precision_study(g->group, g->n_groups, &p) : STAT_TOO_FEW;
	double factor = c->which >= LIMIT_REPEATABILITY ? named_number(c, "factor") : 0;
	r->number =
	    (double[]){p.s_L2_raw, p.s_L2, p.s_r, p.s_R, factor * p.s_r, factor * p.s_R}[c->which];
	return s;
}

enum { COCHRAN, GRUBBS_MAX, GRUBBS_MIN, GRUBBS_DOUBLE_HIGH, GRUBBS_DOUBLE_LOW, MANDEL_H, MANDEL_K };

static enum stat_status outlier_statistic(struct named_call *c, struct named_result *r)
{
	const struct named_role *g = named_groups(c, "groups");
	SCOPED(group_outliers_release) struct group_outliers o = {0};
	enum stat_status s = g ? group_outliers(g->group, g->n_groups, &o) : STAT_TOO_FEW;
	if (s)
		return s;
	size_t i = c->which >= MANDEL_H ? named_index(c, "i") : 0;
	if (i < g->n_groups)
		r->number = (double[]){
		    o.cochran,           o.grubbs_max, o.grubbs_min, o.grubbs_double_high,
		    o.grubbs_double_low, o.h[i],       o.k[i]}[c->which];
	else
		c->bad_param = true;
	s = c->which == COCHRAN || c->which == MANDEL_K ? o.spread_status : o.means_status;
	return s;
}

STATISTIC(cochran_crit,
	cochran_critical(named_number(c, "alpha"), named_number(c, "p"), named_number(c, "n"),
	       &r->number))
STATISTIC(grubbs_crit, grubbs_critical(named_number(c, "alpha"), named_number(c, "p"), &r->number))
STATISTIC(mandel_h_crit,
	mandel_h_critical(named_number(c, "alpha"), named_number(c, "p"), &r->number))
STATISTIC(mandel_k_crit,
	mandel_k_critical(named_number(c, "alpha"), named_number(c, "p"), named_number(c, "n"),
	       &r->number))

static enum stat_status critical_range_f(struct named_call *c, struct named_result *r)
{
	size_t n = named_count(c, "n");
	return critical_range_factor(n < 1000000 ? (unsigned int)n : 0, named_number(c, "p"),
				     &r->number);
}

static enum stat_status accepted_result(struct named_call *c, struct named_result *r)
{
	struct values first = named_values(c, "first"), more = named_values(c, "more");
	const double cr[3] = {named_number(c, "f2"), named_number(c, "f3"), named_number(c, "f4")};
	enum accept_route route = ACCEPT_MEAN2;
	if (first.n != 2)
		return STAT_TOO_FEW;
	enum stat_status s = accept_result(first.x, more.x, more.n, named_number(c,
		"expensive") == 0, named_number(c, "sigma_r"), cr, &route, &r->number);
	r->word = c->which ? NULL : accept_route_names[route];
	return s;
}

STATISTIC(cd_reference,
	critical_difference_reference(named_number(c, "sigma_repro"), named_number(c, "sigma_rep"),
	       named_number(c, "n"), named_number(c, "factor"), &r->number))
STATISTIC(cd_two,
	critical_difference_two(named_number(c, "sigma_repro"), named_number(c, "sigma_rep"),
	       named_number(c, "n1"), named_number(c, "n2"), named_number(c, "factor"), &r->number))
STATISTIC(cd_within, critical_difference_within(named_number(c, "sigma_rep"), named_number(c, "n1"),
	       named_number(c, "n2"), named_number(c, "factor"), &r->number))

STATISTIC_OF_CALL(robust, struct values x = named_values(c, "x"); double value[2] = {0},
	algorithm_a(x.x, x.n, &value[0], &value[1]), value[0], value[1])

const struct named_statistic named_precision[] = {
    {"s_L2_raw s_L2 s_r s_R", study_part, "groups", ""},
    {"repeatability_limit_r reproducibility_limit_R",
     study_part, "groups", "factor", LIMIT_REPEATABILITY},
    {"cochran_C grubbs_G_max grubbs_G_min grubbs_double_high grubbs_double_low",
     outlier_statistic, "groups", ""},
    {"mandel_h mandel_k", outlier_statistic, "groups", "i", MANDEL_H},
    {"cochran_C_crit", cochran_crit, "", "alpha p n"},
    {"grubbs_crit", grubbs_crit, "", "alpha p"},
    {"mandel_h_crit", mandel_h_crit, "", "alpha p"},
    {"mandel_k_crit", mandel_k_crit, "", "alpha p n"},
    {"critical_range_f", critical_range_f, "", "n p"},
    {"accept_route accept_value", accepted_result, "first [more]", "sigma_r expensive f2 f3 f4"},
    {"CD_lab_vs_reference", cd_reference, "", "sigma_repro sigma_rep n factor"},
    {"CD_two_labs", cd_two, "", "sigma_repro sigma_rep n1 n2 factor"},
    {"CD_within_lab", cd_within, "", "sigma_rep n1 n2 factor"},
    {"algA_x algA_s", robust, "x", ""},
    {0},
};
