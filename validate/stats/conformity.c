/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/conformity.h"

#include <math.h>

#include "validate/stats/distributions.h"

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

enum stat_status conformity_largest_u(double lower, double upper, double w_mult, double *u)
{
	if (!(w_mult > 0) || !isfinite(w_mult) || !(lower <= upper))
		return STAT_OUT_OF_RANGE;
	if (!isfinite(upper - lower))
		return STAT_UNBOUNDED;
	*u = (upper - lower) / (2 * w_mult);
	return STAT_OK;
}

enum stat_status conformity_replicates(double sd, double u, double *n)
{
	if (!(sd >= 0) || !isfinite(sd) || !(u > 0))
		return STAT_OUT_OF_RANGE;
	*n = fmax(2, ceil(sd / u * (sd / u) * (1 - 1e-12)));
	return isfinite(*n) ? STAT_OK : STAT_OUT_OF_RANGE;
}
