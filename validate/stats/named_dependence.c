/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include "validate/stats/bootstrap.h"
#include "validate/stats/dependence.h"
#include "validate/stats/quantiles.h"

static enum stat_status se_batch_means(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	double lag1;
	return batch_means(x.x, x.n, named_count(c, "batches"), &r->number, &lag1);
}

static enum stat_status batch_lag1(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	double se;
	return batch_means(x.x, x.n, named_count(c, "batches"), &se, &r->number);
}

#define GEYER(function, value)                                                                                         \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		struct values x = named_values(c, "x");                                                                \
		struct geyer g = {0, 1, 1, 0};                                                                         \
		enum stat_status s = geyer(x.x, x.n, &g);                                                              \
		r->number = value;                                                                                     \
		return s;                                                                                              \
	}
GEYER(ips_pairs, (double)g.n_pairs)
GEYER(tau_ips, g.tau)
GEYER(ess_ips, (double)x.n / g.tau)
GEYER(tau_ims, g.tau_monotone)
GEYER(ess_ims, (double)x.n / g.tau_monotone)
GEYER(se_ips, g.se)

static enum stat_status ess_ar1(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	return effective_number_ar1(x.x, x.n, &r->number);
}

static enum stat_status se_newey_west(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	return newey_west(x.x, x.n, named_count(c, "lags"), &r->number);
}

#define IDEAL(function, value)                                                                                         \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		struct values x = named_values(c, "x");                                                                \
		struct bootstrap_ideal b;                                                                              \
		enum stat_status s = bootstrap_ideal(x.x, x.n, &b);                                                    \
		if (s)                                                                                                 \
			return s;                                                                                      \
		r->number = value;                                                                                     \
		bootstrap_ideal_release(&b);                                                                           \
		return s;                                                                                              \
	}
IDEAL(boot_se, b.se)
IDEAL(boot_less, b.n_less)
IDEAL(boot_equal, b.n_equal)
IDEAL(boot_z0, b.z0)
IDEAL(boot_percentile, sorted_quantile(b.mean, b.n_means, named_number(c, "p"), 7))

static enum stat_status acceleration(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	return jackknife_acceleration(x.x, x.n, &r->number);
}

static enum stat_status bca(struct named_call *c, struct named_result *r, bool limit)
{
	struct values x = named_values(c, "x");
	struct bootstrap_ideal b;
	enum stat_status s = bootstrap_ideal(x.x, x.n, &b);
	if (s)
		return s;
	s = bca_level(b.z0, b.acceleration, named_number(c, "p"), &r->number);
	if (!s && limit)
		r->number = sorted_quantile(b.mean, b.n_means, r->number, 7);
	bootstrap_ideal_release(&b);
	return s;
}

static enum stat_status bca_alpha(struct named_call *c, struct named_result *r)
{
	return bca(c, r, false);
}

static enum stat_status bca_limit(struct named_call *c, struct named_result *r)
{
	return bca(c, r, true);
}

const struct named_statistic named_dependence[] = {
    {"se_batch_means", se_batch_means, "x", "batches"},
    {"batch_lag1_autocorr", batch_lag1, "x", "batches"},
    {"geyer_ips_pairs", ips_pairs, "x", ""},
    {"tau_ips", tau_ips, "x", ""},
    {"ess_ips", ess_ips, "x", ""},
    {"tau_ims", tau_ims, "x", ""},
    {"ess_ims", ess_ims, "x", ""},
    {"se_ips", se_ips, "x", ""},
    {"ess_ar1", ess_ar1, "x", ""},
    {"se_newey_west", se_newey_west, "x", "lags"},
    {"boot_ideal_se", boot_se, "x", ""},
    {"boot_ideal_count_less", boot_less, "x", ""},
    {"boot_ideal_count_equal", boot_equal, "x", ""},
    {"boot_ideal_z0", boot_z0, "x", ""},
    {"jackknife_accel", acceleration, "x", ""},
    {"boot_ideal_bca_alpha", bca_alpha, "x", "p"},
    {"boot_ideal_bca_limit", bca_limit, "x", "p"},
    {"boot_ideal_percentile_limit", boot_percentile, "x", "p"},
    {0},
};
