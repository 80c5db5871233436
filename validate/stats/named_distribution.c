/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include "validate/stats/distributions.h"
#include "validate/stats/multiplicity.h"
#include "validate/stats/variance_ratio.h"

STATISTIC(norm_ppf, normal_quantile(named_number(c, "p"), &r->number))
STATISTIC(t_ppf, t_quantile(named_number(c, "p"), named_number(c, "df"), &r->number))
STATISTIC(f_ppf, f_quantile(named_number(c, "p"), named_number(c, "df1"), named_number(c, "df2"),
	       &r->number))
STATISTIC(chi2_ppf, chi2_quantile(named_number(c, "p"), named_number(c, "df"), &r->number))

static enum stat_status f_sf(struct named_call *c, struct named_result *r)
{
	r->number = f_above(named_number(c, "f"), named_number(c, "df1"), named_number(c, "df2"));
	return STAT_OK;
}

static const char *const sides[] = {"greater", "two", NULL};

STATISTIC(f_crit, variance_ratio_critical(named_number(c, "alpha"), named_choice(c, "side", sides),
	       named_number(c, "df1"), named_number(c, "df2"), &r->number))

static enum stat_status clopper_limit(struct named_call *c, struct named_result *r)
{
	double end[2] = {0};
	enum stat_status s = clopper_pearson(named_number(c, "k"), named_number(c, "n"),
					     named_number(c, "conf"), &end[0], &end[1]);
	return named_pick(c, r, s, end);
}

static enum stat_status p_adjusted(struct named_call *c, struct named_result *r)
{
	struct values p = named_values(c, "p");
	size_t i = named_index(c, "i");
	if (i >= p.n)
		return STAT_OUT_OF_RANGE;
	SCOPED_FREE double *out = xcalloc(p.n, sizeof *out);
	enum stat_status s =
	    c->which ? adjust_benjamini_hochberg(p.x, p.n, out) : adjust_holm(p.x, p.n, out);
	r->number = out[i];
	return s;
}

static enum stat_status normal_coverage_of(struct named_call *c, struct named_result *r)
{
	r->number = normal_coverage(named_number(c, "k"));
	return STAT_OK;
}

STATISTIC(normal_k, normal_quantile((1 + named_number(c, "coverage")) / 2, &r->number))

static enum stat_status t_coverage_of(struct named_call *c, struct named_result *r)
{
	r->number = t_coverage(named_number(c, "k"), named_number(c, "nu"));
	return STAT_OK;
}

const struct named_statistic named_distribution[] = {
    {"norm_ppf", norm_ppf, "", "p"},
    {"t_ppf", t_ppf, "", "p df"},
    {"f_ppf", f_ppf, "", "p df1 df2"},
    {"chi2_ppf", chi2_ppf, "", "p df"},
    {"f_sf", f_sf, "", "f df1 df2"},
    {"F_crit", f_crit, "", "alpha side df1 df2"},
    {"clopper_lo clopper_hi", clopper_limit, "", "k n conf"},
    {"p_adj_holm p_adj_bh", p_adjusted, "p", "i"},
    {"normal_coverage", normal_coverage_of, "", "k"},
    {"normal_k", normal_k, "", "coverage"},
    {"t_coverage", t_coverage_of, "", "k nu"},
    {0},
};
