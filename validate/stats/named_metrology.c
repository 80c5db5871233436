/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include <math.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "validate/stats/budget.h"
#include "validate/stats/conformity.h"
#include "validate/stats/control.h"
#include "validate/stats/dependence.h"
#include "validate/stats/digits.h"
#include "validate/stats/distributions.h"
#include "validate/stats/group_classes.h"
#include "validate/stats/monte_carlo.h"
#include "validate/stats/planning.h"
#include "validate/stats/quantification.h"
#include "validate/stats/regression.h"
#include "validate/stats/resample.h"
#include "validate/stats/series.h"
#include "validate/stats/spending.h"

/* --- groups -------------------------------------------------------------- */

enum { COCHRAN, GRUBBS_MAX, GRUBBS_MIN, DOUBLE_HIGH, DOUBLE_LOW };

/* c->which: one of these. */
static enum stat_status finding(struct named_call *c, struct named_result *r, bool suspect)
{
	const struct named_role *g = named_groups(c, "groups");
	struct group_classes k;
	enum stat_status s = g ? group_classes(g->group, g->n_groups, &k) : STAT_TOO_FEW;
	if (s)
		return s;
	const struct outlier_finding *all[] = {&k.cochran, &k.grubbs_max, &k.grubbs_min,
					       &k.double_high, &k.double_low};
	const struct outlier_finding *f = all[c->which];
	s = f->status;
	r->number = (double)f->group + 1;
	r->word = suspect ? NULL : outlier_class_names[f->class];
	group_classes_release(&k);
	return s;
}

STATISTIC(class_word, finding(c, r, false))
STATISTIC(suspect, finding(c, r, true))

/* which: 0 is Mandel's h, 1 is k. */
static enum stat_status mandel_class(struct named_call *c, struct named_result *r)
{
	const struct named_role *g = named_groups(c, "groups");
	size_t i = named_index(c, "i");
	struct group_classes k;
	enum stat_status s = g ? group_classes(g->group, g->n_groups, &k) : STAT_TOO_FEW;
	if (s)
		return s;
	c->bad_param |= i >= g->n_groups;
	if (!c->bad_param) {
		const struct outlier_finding *f = c->which ? &k.k[i] : &k.h[i];
		s = f->status;
		r->word = outlier_class_names[f->class];
	}
	group_classes_release(&k);
	return s;
}

STATISTIC(double_crit,
	grubbs_double_critical(named_number(c, "alpha"), named_count(c, "p"), &r->number))

/* which: W and p about the median, then W and p about the mean. */
static enum stat_status group_spread(struct named_call *c, struct named_result *r)
{
	const struct named_role *g = named_groups(c, "groups");
	struct spread_test t = {0, 0};
	enum stat_status s = STAT_TOO_FEW;
	if (g)
		s = spread_test(g->group, g->n_groups,
				c->which < 2 ? SPREAD_ABOUT_MEDIAN : SPREAD_ABOUT_MEAN, &t);
	r->number = c->which % 2 ? t.p : t.w;
	return s;
}

static enum stat_status chart(struct named_call *c, struct named_result *r)
{
	const struct named_role *g = named_groups(c, "groups");
	struct group_chart k = {0};
	size_t base = named_count(c, "base");
	enum stat_status s = g ? group_chart(g->group, g->n_groups, base, &k) : STAT_TOO_FEW;
	const double value[] = {k.mean_center, k.mean_upper, k.mean_lower, (double)k.n_means_out,
				k.s_center,    k.s_upper,    k.s_lower,    (double)k.n_s_out};
	return named_pick(c, r, s, value);
}

/* which: 0 is the route, 1 its value. */
static enum stat_status many(struct named_call *c, struct named_result *r)
{
	struct values first = named_values(c, "first"), more = named_values(c, "more");
	enum accept_many_route way = ACCEPT_MEAN_FIRST;
	enum stat_status s =
	    accept_many(first.x, first.n, more.x, more.n, named_number(c, "expensive") == 0,
			named_number(c, "sigma_r"), named_number(c, "coverage"), &way, &r->number);
	r->word = c->which ? NULL : accept_many_names[way];
	return s;
}

/* --- GUM ----------------------------------------------------------------- */

STATISTIC(type_b_nu, budget_type_b_nu(named_number(c, "relative"), &r->number))

static enum stat_status type_b_u(struct named_call *c, struct named_result *r)
{
	int d = named_choice(c, "distribution", budget_distribution_names);
	r->number = named_number(c, "value") / budget_divisor((enum budget_distribution)d);
	return r->number >= 0 ? STAT_OK : STAT_OUT_OF_RANGE;
}

/* rho: the correlation matrix row by row. */
static enum stat_status u_c_correlated(struct named_call *c, struct named_result *r)
{
	struct values u = named_values(c, "u"), rho = named_values(c, "rho");
	if (u.n == 0)
		return STAT_TOO_FEW;
	if (rho.n != u.n * u.n)
		return STAT_OUT_OF_RANGE;
	struct budget_component *b = xcalloc(u.n, sizeof *b);
	for (size_t i = 0; i < u.n; i++)
		b[i] = budget_component("", BUDGET_TYPE_A, BUDGET_STANDARD, u.x[i], INFINITY);
	enum stat_status s = budget_combine_correlated(b, u.n, rho.x, &r->number);
	free(b);
	return s;
}

/* Sum of Type A inputs of standard uncertainty u with nu degrees of freedom; without nu all are
 * normal. */
static enum stat_status mc_sum(struct named_call *c, struct named_result *r)
{
	struct values u = named_values(c, "u"), nu = named_values(c, "nu");
	struct monte_carlo_plan plan = {.n_trials = named_count(c, "trials"),
					.seed = named_count(c, "seed"),
					.coverage = named_number(c, "coverage")};
	if (c->bad_param || (nu.n && nu.n != u.n))
		return STAT_OUT_OF_RANGE;
	struct monte_carlo_input *in = xcalloc(u.n + 1, sizeof *in);
	for (size_t i = 0; i < u.n; i++)
		in[i] = (struct monte_carlo_input){nu.n ? MC_STUDENT : MC_NORMAL, 0, u.x[i],
						   nu.n ? nu.x[i] : 1};
	struct monte_carlo_result m = {0};
	enum stat_status s = monte_carlo(in, u.n, monte_carlo_sum, NULL, &plan, &m);
	free(in);
	r->number = (double[]){m.lo, m.hi, m.sd}[c->which];
	return s || c->which < 2 ? s : m.sd_status;
}

/* n rectangular inputs of one standard deviation: half of the symmetric interval's width. */
static enum stat_status mc_rectangular(struct named_call *c, struct monte_carlo_result *out,
				       double *sd, size_t *n)
{
	struct monte_carlo_plan plan = {.n_trials = named_count(c, "trials"),
					.seed = named_count(c, "seed"),
					.coverage = named_number(c, "coverage")};
	*n = named_count(c, "n");
	*sd = named_number(c, "sd");
	if (c->bad_param || *n > 100 || !(*sd > 0))
		return STAT_OUT_OF_RANGE;
	struct monte_carlo_input in[100];
	for (size_t i = 0; i < *n; i++)
		in[i] = (struct monte_carlo_input){MC_RECTANGULAR, 0, *sd, INFINITY};
	return monte_carlo(in, *n, monte_carlo_sum, NULL, &plan, out);
}

static enum stat_status mc_rect_halfwidth(struct named_call *c, struct named_result *r)
{
	struct monte_carlo_result m = {0};
	double sd;
	size_t n;
	enum stat_status s = mc_rectangular(c, &m, &sd, &n);
	r->number = (m.hi - m.lo) / 2;
	return s;
}

static enum stat_status mc_rect_accepted(struct named_call *c, struct named_result *r)
{
	struct monte_carlo_result m = {0};
	double sd, k, delta;
	size_t n, ndig = named_count(c, "ndig");
	enum stat_status s = mc_rectangular(c, &m, &sd, &n);
	if (!s)
		s = normal_quantile((1 + named_number(c, "coverage")) / 2, &k);
	if (!s)
		s = numerical_tolerance(sd * sqrt((double)n), ndig < 100 ? (int)ndig : 100, &delta);
	if (!s)
		r->number = monte_carlo_accepts(&m, -k * sd * sqrt((double)n),
						k * sd * sqrt((double)n), delta);
	return s;
}

STATISTIC_OF_X(loq, limit_of_quantification(x.x, x.n, &r->number))

static enum stat_status quantifiable(struct named_call *c, struct named_result *r)
{
	struct values ref = named_values(c, "ref");
	bool good = false;
	enum stat_status s = quantification_check(ref.x, ref.n, named_number(c, "loq"), &good);
	r->number = good;
	return s;
}

STATISTIC(largest_u,
	conformity_largest_u(named_number_or(c, "lower", -INFINITY), named_number_or(c, "upper",
	       INFINITY), named_number(c, "w_mult"), &r->number))
STATISTIC(conform_n, conformity_replicates(named_number(c, "sd"), named_number(c, "u"), &r->number))

/* --- linearity, dependence, planning ------------------------------------- */

static enum stat_status weighted(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x"), y = named_values(c, "y");
	struct weighted_line w = {0};
	enum stat_status s = x.n == y.n ? regression_weighted(x.x, y.x, x.n, &w) : STAT_NOT_PAIRED;
	r->number = (double[]){
	    w.intercept, w.slope, w.se_intercept, w.se_slope, w.chi_squared, w.p}[c->which];
	return s;
}

static enum stat_status lin_x_error(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x"), u = named_values(c, "u");
	return x.n == u.n ? regression_x_error(x.x, u.x, x.n, &r->number) : STAT_NOT_PAIRED;
}

STATISTIC_OF_X(ess_capped, effective_number_capped(x.x, x.n, &r->number))

static enum stat_status batches_acceptable(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	size_t batches = named_count(c, "batches");
	double se, lag1 = 0;
	enum stat_status s = batch_means(x.x, x.n, batches, &se, &lag1);
	r->number = batch_means_acceptable(batches, lag1);
	return s;
}

static enum stat_status lag1_warning(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	r->number = x.n ? autocorrelation_warning(x.n) : 0;
	return x.n ? STAT_OK : STAT_TOO_FEW;
}

static enum stat_status auto_block(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	size_t block = 0;
	enum stat_status s = block_length(x.x, x.n, &block);
	r->number = (double)block;
	return s;
}

static enum stat_status mk_exact(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	struct trend_test t = {0, 0, 0};
	enum stat_status s = mann_kendall_exact(x.x, x.n, named_number(c, "alpha"), &t);
	r->number = t.p;
	return s;
}

static enum stat_status spending(struct named_call *c, struct named_result *r)
{
	struct values looks = named_values(c, "x");
	size_t i = named_index(c, "i");
	double alpha = named_number(c, "alpha");
	if (i >= looks.n)
		return looks.n ? STAT_OUT_OF_RANGE : STAT_TOO_FEW;
	unsigned int *at = xcalloc(looks.n, sizeof *at);
	double *level = xcalloc(looks.n, sizeof *level);
	enum stat_status s = STAT_OK;
	for (size_t k = 0; k < looks.n && !s; k++) {
		s = looks.x[k] >= 1 && looks.x[k] <= 1e9 ? STAT_OK : STAT_OUT_OF_RANGE;
		at[k] = s ? 0 : (unsigned int)looks.x[k];
	}
	if (!s)
		s = spending_levels(alpha, at, looks.n, level);
	r->number = s ? 0 : level[i];
	free(at);
	free(level);
	return s;
}

/* P(at least one false rejection) in n independent tests at alpha of true hypotheses. */
static enum stat_status family_error(struct named_call *c, struct named_result *r)
{
	double n = (double)named_count(c, "n"), alpha = named_number(c, "alpha");
	r->number = -expm1(n * log1p(-alpha));
	return alpha >= 0 && alpha < 1 ? STAT_OK : STAT_OUT_OF_RANGE;
}

STATISTIC(precision_accept,
	power_precision_accept(named_count(c, "n"), named_number(c, "limit"), named_number(c,
	       "alpha"), &r->number))

const struct named_statistic named_metrology[] = {
    {"cochran_class", class_word, "groups", "", COCHRAN},
    {"cochran_suspect", suspect, "groups", "", COCHRAN},
    {"grubbs_max_class", class_word, "groups", "", GRUBBS_MAX},
    {"grubbs_max_suspect", suspect, "groups", "", GRUBBS_MAX},
    {"grubbs_min_class", class_word, "groups", "", GRUBBS_MIN},
    {"grubbs_min_suspect", suspect, "groups", "", GRUBBS_MIN},
    {"grubbs_double_high_class", class_word, "groups", "", DOUBLE_HIGH},
    {"grubbs_double_high_suspect", suspect, "groups", "", DOUBLE_HIGH},
    {"grubbs_double_low_class", class_word, "groups", "", DOUBLE_LOW},
    {"grubbs_double_low_suspect", suspect, "groups", "", DOUBLE_LOW},
    {"grubbs_double_crit", double_crit, "", "alpha p"},
    {"mandel_h_class", mandel_class, "groups", "i"},
    {"mandel_k_class", mandel_class, "groups", "i", 1},
    {"groups_brown_forsythe_W", group_spread, "groups", ""},
    {"groups_brown_forsythe_p", group_spread, "groups", "", 1},
    {"groups_levene_W", group_spread, "groups", "", 2},
    {"groups_levene_p", group_spread, "groups", "", 3},
    {"xbar_center", chart, "groups", "base"},
    {"xbar_UCL", chart, "groups", "base", 1},
    {"xbar_LCL", chart, "groups", "base", 2},
    {"xbar_points_out", chart, "groups", "base", 3},
    {"s_chart_center", chart, "groups", "base", 4},
    {"s_chart_UCL", chart, "groups", "base", 5},
    {"s_chart_LCL", chart, "groups", "base", 6},
    {"s_chart_points_out", chart, "groups", "base", 7},
    {"accept_many_route", many, "first [more]", "sigma_r expensive coverage"},
    {"accept_many_value", many, "first [more]", "sigma_r expensive coverage", 1},
    {"type_b_nu", type_b_nu, "", "relative"},
    {"type_b_u", type_b_u, "", "distribution value"},
    {"u_c_correlated", u_c_correlated, "u rho", ""},
    {"mc_sum_lo", mc_sum, "u [nu]", "trials seed coverage"},
    {"mc_sum_hi", mc_sum, "u [nu]", "trials seed coverage", 1},
    {"mc_sum_sd", mc_sum, "u [nu]", "trials seed coverage", 2},
    {"mc_rect_sum_half_width", mc_rect_halfwidth, "", "n sd trials seed coverage"},
    {"mc_rect_sum_gum_accepted", mc_rect_accepted, "", "n sd trials seed coverage ndig"},
    {"loq", loq, "x", ""},
    {"quantifiable", quantifiable, "ref", "loq"},
    {"conform_largest_u", largest_u, "", "[lower] [upper] w_mult"},
    {"conform_replicates", conform_n, "", "sd u"},
    {"lin_w_b0", weighted, "x y", ""},
    {"lin_w_b1", weighted, "x y", "", 1},
    {"lin_w_se_b0", weighted, "x y", "", 2},
    {"lin_w_se_b1", weighted, "x y", "", 3},
    {"lin_w_chi2", weighted, "x y", "", 4},
    {"lin_w_p", weighted, "x y", "", 5},
    {"lin_x_error", lin_x_error, "x u", ""},
    {"ess_capped", ess_capped, "x", ""},
    {"batch_means_acceptable", batches_acceptable, "x", "batches"},
    {"lag1_warning", lag1_warning, "x", ""},
    {"block_length", auto_block, "x", ""},
    {"mann_kendall_p_exact", mk_exact, "x", "alpha"},
    {"spending_level", spending, "x", "alpha i"},
    {"power_precision_accept", precision_accept, "", "n limit alpha"},
    {"family_error", family_error, "", "n alpha"},
    {0},
};
