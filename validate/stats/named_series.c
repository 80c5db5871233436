/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include "validate/stats/series.h"

#define X(c) struct values x = named_values(c, "x")

static enum stat_status lag1(struct named_call *c, struct named_result *r)
{
	X(c);
	return autocorrelation(x.x, x.n, 1, &r->number);
}

static enum stat_status acf(struct named_call *c, struct named_result *r)
{
	X(c);
	return autocorrelation(x.x, x.n, named_count(c, "lag"), &r->number);
}

static enum stat_status von_neumann(struct named_call *c, struct named_result *r)
{
	X(c);
	return von_neumann_ratio(x.x, x.n, &r->number);
}

static enum stat_status ljung_box_q(struct named_call *c, struct named_result *r)
{
	X(c);
	double p;
	return ljung_box(x.x, x.n, named_count(c, "lags"), &r->number, &p);
}

static enum stat_status ljung_box_p(struct named_call *c, struct named_result *r)
{
	X(c);
	double q;
	return ljung_box(x.x, x.n, named_count(c, "lags"), &q, &r->number);
}

#define TREND(function, test, member)                                                                                  \
	static enum stat_status function(struct named_call *c, struct named_result *r)                                 \
	{                                                                                                              \
		X(c);                                                                                                  \
		struct trend_test t = {0, 0, 0};                                                                       \
		enum stat_status s = test(x.x, x.n, &t);                                                               \
		r->number = t.member;                                                                                  \
		return s;                                                                                              \
	}
TREND(runs_count, runs_test, statistic)
TREND(runs_z, runs_test, z)
TREND(runs_p, runs_test, p)
TREND(mann_kendall_s, mann_kendall, statistic)
TREND(mann_kendall_z, mann_kendall, z)
TREND(mann_kendall_p, mann_kendall, p)

const struct named_statistic named_series[] = {
    {"lag1_autocorr", lag1, "x", ""},
    {"acf", acf, "x", "lag"},
    {"von_neumann_ratio", von_neumann, "x", ""},
    {"ljung_box_Q", ljung_box_q, "x", "lags"},
    {"ljung_box_p", ljung_box_p, "x", "lags"},
    {"runs_count", runs_count, "x", ""},
    {"runs_z", runs_z, "x", ""},
    {"runs_p", runs_p, "x", ""},
    {"mann_kendall_S", mann_kendall_s, "x", ""},
    {"mann_kendall_z", mann_kendall_z, "x", ""},
    {"mann_kendall_p", mann_kendall_p, "x", ""},
    {0},
};
