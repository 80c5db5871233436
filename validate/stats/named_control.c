/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include "validate/stats/control.h"

/* Returns the chart at all points. The caller frees it. NULL on error. */
static struct cusum *cusum_chart(struct named_call *c, struct values z, enum stat_status *s)
{
	struct cusum *at = xcalloc(z.n ? z.n : 1, sizeof *at);
	*s = z.n ? cusum(z.x, z.n, named_number(c, "k"), at) : STAT_TOO_FEW;
	if (*s) {
		free(at);
		return NULL;
	}
	return at;
}

static enum stat_status cusum_at(struct named_call *c, struct named_result *r)
{
	struct values z = named_values(c, "z");
	size_t i = named_index(c, "i");
	enum stat_status s;
	struct cusum *at = i < z.n ? cusum_chart(c, z, &s) : NULL;
	if (i >= z.n)
		return STAT_OUT_OF_RANGE;
	if (!s)
		r->number = c->which ? at[i].minus : at[i].plus;
	free(at);
	return s;
}

static enum stat_status first_signal(struct named_call *c, struct named_result *r)
{
	struct values z = named_values(c, "z");
	enum stat_status s;
	SCOPED_FREE struct cusum *at = cusum_chart(c, z, &s);
	if (!s)
		r->number = (double)cusum_first_signal(at, z.n, named_number(c, "h"));
	return s;
}

STATISTIC(run_length,
	cusum_run_length(named_number(c, "h"), named_number(c, "k"), named_number(c, "shift"),
	       &r->number))

static enum stat_status individuals_part(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	struct individuals_chart i = {0};
	enum stat_status s = individuals_chart(x.x, x.n, named_count(c, "base"), &i);
	const double value[] = {i.center, i.mr_bar,   i.sigma,        i.upper,
				i.lower,  i.mr_upper, (double)i.n_out};
	return named_pick(c, r, s, value);
}

static enum stat_status ewma_chart(struct named_call *c, struct values z, double **at)
{
	*at = xcalloc(z.n ? z.n : 1, sizeof **at);
	return ewma(z.x, z.n, named_number(c, "lambda"), *at);
}

static enum stat_status ewma_value(struct named_call *c, struct named_result *r)
{
	struct values z = named_values(c, "z");
	size_t i = named_index(c, "i");
	double *at;
	enum stat_status s = ewma_chart(c, z, &at);
	if (!s && i >= z.n)
		s = STAT_OUT_OF_RANGE;
	if (!s)
		r->number = at[i];
	free(at);
	return s;
}

static enum stat_status ewma_limit_at(struct named_call *c, struct named_result *r)
{
	r->number =
	    ewma_limit(named_index(c, "i") + 1, named_number(c, "lambda"), named_number(c, "l"));
	return STAT_OK;
}

static enum stat_status ewma_first_signal(struct named_call *c, struct named_result *r)
{
	struct values z = named_values(c, "z");
	double *at, lambda = named_number(c, "lambda"), l = named_number(c, "l");
	enum stat_status s = ewma_chart(c, z, &at);
	for (size_t i = 0; i < z.n && !s && r->number == 0; i++)
		if (fabs(at[i]) > ewma_limit(i + 1, lambda, l))
			r->number = (double)i + 1;
	free(at);
	return s;
}

STATISTIC(c4_factor, chart_c4(named_number(c, "n"), &r->number))

static enum stat_status d2_factor(struct named_call *c, struct named_result *r)
{
	size_t n = named_count(c, "n");
	return chart_d2(n < 1000000 ? (unsigned int)n : 0, &r->number);
}

const struct named_statistic named_control[] = {
    {"cusum_plus cusum_minus", cusum_at, "z", "i k"},
    {"cusum_first_signal", first_signal, "z", "h k"},
    {"cusum_ARL_siegmund", run_length, "", "h k shift"},
    {"imr_center imr_mr_bar imr_sigma_hat imr_UCL imr_LCL imr_MR_UCL imr_points_out",
     individuals_part, "x", "base"},
    {"ewma_value", ewma_value, "z", "i lambda"},
    {"ewma_limit", ewma_limit_at, "", "i lambda l"},
    {"ewma_first_signal", ewma_first_signal, "z", "lambda l"},
    {"chart_c4", c4_factor, "", "n"},
    {"chart_d2", d2_factor, "", "n"},
    {0},
};
