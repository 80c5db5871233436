/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include "validate/stats/bootstrap.h"
#include "validate/stats/dependence.h"
#include "validate/stats/quantiles.h"

STATISTIC_OF_CALL(batches, struct values x = named_values(c, "x"); double value[2] = {0},
	batch_means(x.x, x.n, named_count(c, "batches"), &value[0], &value[1]), value[0], value[1])

static enum stat_status positive_sequence(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	struct geyer g = {0, 1, 1, 0};
	enum stat_status s = geyer_se(x.x, x.n, &g);
	const double n = (double)x.n;
	const double value[] = {(double)g.n_pairs,  g.tau, n / g.tau, g.tau_monotone,
				n / g.tau_monotone, g.se};
	return named_pick(c, r, s, value);
}

STATISTIC_OF_X(ess_ar1, effective_number_ar1(x.x, x.n, &r->number))
STATISTIC_OF_X(se_newey_west, newey_west(x.x, x.n, named_count(c, "lags"), &r->number))

enum {
	IDEAL_SE,
	IDEAL_LESS,
	IDEAL_EQUAL,
	IDEAL_Z0,
	IDEAL_PERCENTILE,
	IDEAL_BCA_LEVEL,
	IDEAL_BCA_LIMIT
};

static enum stat_status boot_ideal(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	SCOPED(bootstrap_ideal_release) struct bootstrap_ideal b = {0};
	enum stat_status s = bootstrap_ideal(x.x, x.n, &b);
	if (s)
		return s;
	double level = c->which >= IDEAL_PERCENTILE ? named_number(c, "p") : 0;
	if (c->which >= IDEAL_BCA_LEVEL)
		s = bca_level(b.z0, b.acceleration, level, &level);
	if (c->which == IDEAL_PERCENTILE || c->which == IDEAL_BCA_LIMIT)
		r->number = s ? 0 : sorted_quantile(b.mean, b.n_means, level, 7);
	else
		r->number = (double[]){b.se, b.n_less, b.n_equal, b.z0, 0, level}[c->which];
	return s;
}

STATISTIC_OF_X(acceleration, jackknife_acceleration(x.x, x.n, &r->number))

const struct named_statistic named_dependence[] = {
    {"se_batch_means batch_lag1_autocorr", batches, "x", "batches"},
    {"geyer_ips_pairs tau_ips ess_ips tau_ims ess_ims se_ips", positive_sequence, "x", ""},
    {"ess_ar1", ess_ar1, "x", ""},
    {"se_newey_west", se_newey_west, "x", "lags"},
    {"boot_ideal_se boot_ideal_count_less boot_ideal_count_equal boot_ideal_z0", boot_ideal, "x",
     ""},
    {"jackknife_accel", acceleration, "x", ""},
    {"boot_ideal_bca_alpha boot_ideal_bca_limit", boot_ideal, "x", "p", IDEAL_BCA_LEVEL},
    {"boot_ideal_percentile_limit", boot_ideal, "x", "p", IDEAL_PERCENTILE},
    {0},
};
