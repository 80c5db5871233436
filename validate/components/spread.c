/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Standard deviations against an upper limit. nu s^2/sigma^2 is treated as chi-square with nu
 * degrees of freedom (Welch and Satterthwaite); nu allows for tails and dependence
 * (stats/spread.h). Source: GUM G.4. */
#include "validate/components/component.h"
#include "validate/stats/distributions.h"

double spread_p_above(double sd, double nu, double limit)
{
	return chi2_above(nu * (sd / limit) * (sd / limit), nu);
}

struct spread_p spread_p(const struct spread_evidence *e, double limit)
{
	return (struct spread_p){spread_p_above(e->sd, e->nu, limit),
				 1 - spread_p_above(e->sd_upper, e->nu_upper, limit)};
}

enum stat_status spread_limits(const struct spread_evidence *e, double alpha, double *lower,
			       double *upper)
{
	double low, high;
	enum stat_status s = chi2_quantile(alpha, e->nu_upper, &low);
	s = s ? s : chi2_quantile(1 - alpha, e->nu, &high);
	if (s || !(low > 0))
		return s ? s : STAT_OUT_OF_RANGE;
	*lower = e->sd * sqrt(e->nu / high);
	*upper = e->sd_upper * sqrt(e->nu_upper / low);
	return STAT_OK;
}

struct estimate spread_estimate(const struct spread_evidence *spread, double value)
{
	struct estimate e = estimate_none(STAT_OK);
	e.status = spread_limits(spread, 0.05, &e.lo90, &e.hi90);
	if (!e.status)
		e.status = spread_limits(spread, 0.025, &e.lo95, &e.hi95);
	if (e.status)
		return estimate_none(e.status);
	e.value = value;
	e.df = spread->nu;
	return e;
}

struct spread_evidence spread_independent(const struct spread_evidence *s,
					  const struct serial *runs, size_t n)
{
	struct spread_evidence out = *s;
	struct serial square = serial_product(runs, runs, n);
	out.sd_upper = s->sd;
	out.nu_upper =
	    fmin(s->nu_upper * square.inflation, fmax(s->nu_upper, spread_df_most((double)n)));
	return out;
}
