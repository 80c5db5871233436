/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include "validate/stats/moments.h"
#include "validate/stats/quantiles.h"
#include "validate/stats/shapiro.h"

static enum stat_status moments_of(struct named_call *c, struct sample_moments *m, bool with_spread)
{
	struct values x = named_values(c, "x");
	enum stat_status s = sample_moments(x.x, x.n, m);
	return !s && with_spread ? m->spread : s;
}

static enum stat_status sample_size(struct named_call *c, struct named_result *r)
{
	r->number = (double)named_values(c, "x").n;
	return STAT_OK;
}

enum { MEAN, SMALLEST, LARGEST, VARIANCE, SD, SEM };

STATISTIC_OF_CALL(moment, struct sample_moments m = {0},
	moments_of(c, &m, c->which >= VARIANCE), m.mean, m.min, m.max, m.variance, m.sd, m.sem)

static enum stat_status cv_pct(struct named_call *c, struct named_result *r)
{
	struct sample_moments m;
	enum stat_status s = moments_of(c, &m, true);
	return s ? s : sample_cv_pct(&m, &r->number);
}

static enum stat_status sd_status(struct named_call *c, struct named_result *r)
{
	struct sample_moments m;
	r->word = stat_status_name(moments_of(c, &m, true));
	return STAT_OK;
}

static enum stat_status quantile_of(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	double p = named_number(c, "p"), type = named_number(c, "type");
	return sample_quantile(x.x, x.n, p, type == 7 ? 7 : type == 8 ? 8 : 0, &r->number);
}

STATISTIC_OF_X(median, sample_median(x.x, x.n, &r->number))
STATISTIC_OF_X(mad, sample_mad(x.x, x.n, &r->number))
STATISTIC_OF_X(skewness, sample_skewness(x.x, x.n, &r->number))

STATISTIC_OF_CALL(shapiro, struct values x = named_values(c, "x"); double value[2] = {0},
	shapiro_wilk(x.x, x.n, &value[0], &value[1]), value[0], value[1])

/* which 0: counts values above the threshold; 1: values below. */
static enum stat_status count_beyond(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	double threshold = named_number(c, "threshold");
	for (size_t i = 0; i < x.n; i++)
		r->number += c->which ? x.x[i] < threshold : x.x[i] > threshold;
	return STAT_OK;
}

static enum stat_status count_equal(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x"), y = named_values(c, "y");
	if (x.n != y.n)
		return STAT_NOT_PAIRED;
	for (size_t i = 0; i < x.n; i++)
		r->number += x.x[i] == y.x[i];
	return STAT_OK;
}

/* Counts cells of a printed table with an impossible U: below twice the smallest bias that rounding
 * allows. */
static enum stat_status count_u_below_2bias(struct named_call *c, struct named_result *r)
{
	struct values y = named_values(c, "y"), u = named_values(c, "u"),
		      ref = named_values(c, "ref");
	double half_y = named_number(c, "half_y"), half_ref = named_number(c, "half_ref"),
	       half_u = named_number(c, "half_u");
	if (y.n != u.n || y.n != ref.n)
		return STAT_NOT_PAIRED;
	for (size_t i = 0; i < y.n; i++) {
		if (ref.x[i] <= half_ref)
			return STAT_ZERO_REFERENCE;
		double least = (y.x[i] - half_y) / (ref.x[i] + half_ref),
		       most = (y.x[i] + half_y) / (ref.x[i] - half_ref);
		double bias = least > 1 ? least - 1 : most < 1 ? 1 - most : 0;
		r->number += 200 * bias > u.x[i] + half_u;
	}
	return STAT_OK;
}

const struct named_statistic named_descriptive[] = {
    {"n", sample_size, "x", ""},
    {"mean", moment, "x", ""},
    {"variance sd sem", moment, "x", "", VARIANCE},
    {"cv_pct", cv_pct, "x", ""},
    {"median", median, "x", ""},
    {"min max", moment, "x", "", SMALLEST},
    {"quantile", quantile_of, "x", "p type"},
    {"mad", mad, "x", ""},
    {"skewness_g1", skewness, "x", ""},
    {"shapiro_W shapiro_p", shapiro, "x", ""},
    {"sd_status", sd_status, "x", ""},
    {"count_gt count_lt", count_beyond, "x", "threshold"},
    {"count_equal", count_equal, "x y", ""},
    {"count_U_below_2bias", count_u_below_2bias, "y u ref", "half_y half_ref half_u"},
    {0},
};
