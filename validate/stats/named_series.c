/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include "validate/stats/series.h"

STATISTIC_OF_X(lag1, autocorrelation(x.x, x.n, 1, &r->number))
STATISTIC_OF_X(acf, autocorrelation(x.x, x.n, named_count(c, "lag"), &r->number))
STATISTIC_OF_X(von_neumann, von_neumann_ratio(x.x, x.n, &r->number))

STATISTIC_OF_CALL(ljung, struct values x = named_values(c, "x"); double value[2] = {0},
	ljung_box(x.x, x.n, named_count(c, "lags"), &value[0], &value[1]), value[0], value[1])

static enum stat_status trend_part(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	struct trend_test t = {0, 0, 0};
	enum stat_status s = c->which < 3 ? runs_test(x.x, x.n, &t) : mann_kendall(x.x, x.n, &t);
	r->number = (double[]){t.statistic, t.z, t.p}[c->which % 3];
	return s;
}

const struct named_statistic named_series[] = {
    {"lag1_autocorr", lag1, "x", ""},
    {"acf", acf, "x", "lag"},
    {"von_neumann_ratio", von_neumann, "x", ""},
    {"ljung_box_Q ljung_box_p", ljung, "x", "lags"},
    {"runs_count runs_z runs_p mann_kendall_S mann_kendall_z mann_kendall_p", trend_part, "x", ""},
    {0},
};
