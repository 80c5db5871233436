/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/conformity.h"

#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"

enum stat_status conformity_risk(double y, double u, double nu, double lower, double upper,
				 double *risk)
{
	if (!(u > 0) || !isfinite(y) || !(nu > 0) || !(lower <= upper))
		return STAT_OUT_OF_RANGE;
	*risk = t_above((upper - y) / u, nu) + t_below((lower - y) / u, nu);
	return STAT_OK;
}

enum stat_status conformity_p(double y, double u, double nu, double lower, double upper, double *p)
{
	double risk;
	enum stat_status s = conformity_risk(y, u, nu, lower, upper, &risk);
	if (!s)
		*p = t_below((upper - y) / u, nu) - t_below((lower - y) / u, nu);
	return s;
}

enum conformity conformity_guarded(double y, double lower, double upper, double guard)
{
	if (lower + guard <= y && y <= upper - guard)
		return CONFORMITY_ACCEPT;
	if (y > upper + guard || y < lower - guard)
		return CONFORMITY_REJECT;
	return CONFORMITY_INCONCLUSIVE;
}

/* --- limit of quantification --------------------------------------------- */

enum stat_status limit_of_quantification(const double *blank, size_t n, double *loq)
{
	struct sample_moments m;
	enum stat_status s = sample_moments_spread(blank, n, &m);
	if (!s)
		*loq = LOQ_FACTOR * m.sd;
	return s;
}

enum stat_status quantification_check(const double *ref, size_t m, double loq, bool *quantifiable)
{
	struct sample_moments r;
	if (!(loq >= 0) || !isfinite(loq))
		return STAT_OUT_OF_RANGE;
	enum stat_status s = sample_moments(ref, m, &r);
	if (!s)
		*quantifiable = r.mean >= loq;
	return s;
}
