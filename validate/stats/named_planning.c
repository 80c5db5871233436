/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include "validate/stats/planning.h"

static uint64_t count_of(struct named_call *c)
{
	size_t n = named_count(c, "n");
	return n <= PLANNING_MAX_N ? n : 0;
}

STATISTIC(power_t_two_sample,
	power_t(count_of(c), named_number(c, "d"), named_number(c, "alpha"), &r->number))
STATISTIC(power_f_of,
	power_f(count_of(c), named_number(c, "lambda"), named_number(c, "alpha"), &r->number))
STATISTIC(power_tost,
	power_equivalence(count_of(c), named_number(c, "margin"), named_number(c, "diff"),
	       named_number(c, "sigma"), named_number(c, "alpha"), &r->number))

enum { N_T, N_F, N_TOST, N_HALFWIDTH };

static enum stat_status replicates_needed(struct named_call *c, struct named_result *r)
{
	uint64_t n = 0;
	double alpha = c->which == N_HALFWIDTH ? 0 : named_number(c, "alpha");
	double power = c->which == N_HALFWIDTH ? 0 : named_number(c, "power");
	enum stat_status s = STAT_OK;
	if (c->which == N_T)
		s = replicates_for_power_t(named_number(c, "d"), power, alpha, &n);
	else if (c->which == N_F)
		s = replicates_for_power_f(named_number(c, "lambda"), power, alpha, &n);
	else if (c->which == N_TOST)
		s = replicates_for_power_equivalence(named_number(c, "margin"),
			named_number(c, "diff"), named_number(c, "sigma"), power, alpha, &n);
	else
		s = replicates_for_halfwidth(named_number(c, "sd"), named_number(c, "halfwidth"),
					     named_number(c, "conf"), &n);
	r->number = (double)n;
	return s;
}

const struct named_statistic named_planning[] = {
    {"power_t_two_sample", power_t_two_sample, "", "n d alpha"},
    {"power_F", power_f_of, "", "n lambda alpha"},
    {"power_tost", power_tost, "", "n margin diff sigma alpha"},
    {"power_n_t_two_sample", replicates_needed, "", "d power alpha"},
    {"power_n_F", replicates_needed, "", "lambda power alpha", N_F},
    {"power_n_tost", replicates_needed, "", "margin diff sigma power alpha", N_TOST},
    {"power_n_ci_halfwidth", replicates_needed, "", "sd halfwidth conf", N_HALFWIDTH},
    {0},
};
