/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include "validate/stats/budget.h"
#include "validate/stats/conformity.h"
#include "validate/stats/monte_carlo.h"
#include "validate/stats/distributions.h"

/* nu may be missing if only u_c is wanted. */
static enum stat_status total_of(struct named_call *c, struct budget_total *t)
{
	struct values u = named_values(c, "u"), nu = named_values(c, "nu");
	if (nu.n && nu.n != u.n)
		return STAT_NOT_PAIRED;
	SCOPED_FREE struct budget_component *b = xcalloc(u.n ? u.n : 1, sizeof *b);
	for (size_t i = 0; i < u.n; i++)
		b[i] = budget_component("", BUDGET_TYPE_A, BUDGET_STANDARD, u.x[i],
					nu.n ? nu.x[i] : INFINITY);
	return budget_combine(b, u.n, t);
}

STATISTIC_OF_CALL(welch_satterthwaite, struct budget_total t = {0}, total_of(c, &t), t.u_c,
		  t.nu_eff)

static enum stat_status total_expand(struct named_call *c, struct budget_total *t, double *k)
{
	double expanded;
	enum stat_status s = total_of(c, t);
	static const char *const dofs[] = {"cont", "trunc", NULL};
	enum budget_dof dof = named_choice(c, "dof", dofs) ? BUDGET_TRUNCATED : BUDGET_CONTINUOUS;
	return s ? s : budget_expand(t, named_number(c, "coverage"), dof, k, &expanded);
}

static enum stat_status ws_k(struct named_call *c, struct named_result *r)
{
	struct budget_total t;
	return total_expand(c, &t, &r->number);
}

static int digits_of(struct named_call *c, const char *key)
{
	size_t n = named_count(c, key);
	return n < 100 ? (int)n : 100;
}

static enum stat_status ws_expanded(struct named_call *c, struct named_result *r)
{
	struct budget_total t;
	double k, u;
	enum stat_status s = total_expand(c, &t, &k);
	s = s ? s : round_to_digits(t.u_c, digits_of(c, "u_digits"), &u);
	if (!s)
		r->number = k * u;
	return s;
}

STATISTIC(s1_delta, numerical_tolerance(named_number(c, "u"), digits_of(c, "ndig"), &r->number))

static enum stat_status rect_halfwidth(struct named_call *c, struct named_result *r)
{
	size_t n = named_count(c, "n");
	return rectangular_sum_halfwidth(n < 1000 ? (unsigned int)n : 0, named_number(c, "sd"),
					 named_number(c, "coverage"), &r->number);
}

static enum stat_status rect_gum_halfwidth(struct named_call *c, struct named_result *r)
{
	enum stat_status s = normal_quantile((1 + named_number(c, "coverage")) / 2, &r->number);
	r->number *= named_number(c, "sd") * sqrt(named_number(c, "n"));
	return s;
}

/* Parameters: y, u, nu (missing: normal), and limits; a missing limit is infinite. */
static enum stat_status conformity_of(struct named_call *c, struct named_result *r)
{
	enum stat_status (*p)(double y, double u, double nu, double lower, double upper,
			      double *p) = c->which ? conformity_risk : conformity_p;
	return p(named_number(c, "y"), named_number(c, "u"), named_number_or(c, "nu", INFINITY),
		 named_number_or(c, "lower", -INFINITY), named_number_or(c, "upper", INFINITY),
		 &r->number);
}

static enum stat_status verdict_guard(struct named_call *c, struct named_result *r)
{
	static const char *const words[] = {"accept", "reject", "inconclusive"};
	double u = named_number(c, "u"), guard = named_number(c, "w_mult") * u;
	if (!(u > 0) || !(guard >= 0))
		return STAT_OUT_OF_RANGE;
	r->word = words[conformity_guarded(named_number(c, "y"), named_number_or(c, "lower",
		-INFINITY), named_number_or(c, "upper", INFINITY), guard)];
	return STAT_OK;
}

STATISTIC(guard_factor, normal_quantile(1 - named_number(c, "risk"), &r->number))

static enum stat_status guard_risk(struct named_call *c, struct named_result *r)
{
	r->number = normal_above(named_number(c, "w_mult"));
	return STAT_OK;
}

const struct named_statistic named_gum[] = {
    {"ws_u_c", welch_satterthwaite, "u", ""},
    {"ws_nu_eff", welch_satterthwaite, "u nu", "", 1},
    {"ws_k", ws_k, "u nu", "dof coverage"},
    {"ws_U", ws_expanded, "u nu", "dof coverage u_digits"},
    {"s1_delta", s1_delta, "", "u ndig"},
    {"rect_sum_half_width", rect_halfwidth, "", "n sd coverage"},
    {"rect_sum_gum_half_width", rect_gum_halfwidth, "", "n sd coverage"},
    {"p_conform", conformity_of, "", "y u [nu] [lower] [upper]"},
    {"p_conform_t", conformity_of, "", "y u nu [lower] [upper]"},
    {"specific_consumer_risk", conformity_of, "", "y u [nu] [lower] [upper]", 1},
    {"verdict_guard", verdict_guard, "", "y u w_mult [lower] [upper]"},
    {"guard_factor_one_sided", guard_factor, "", "risk"},
    {"guard_risk_one_sided", guard_risk, "", "w_mult"},
    {0},
};
