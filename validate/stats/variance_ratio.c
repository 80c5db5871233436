/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/variance_ratio.h"

#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"

enum stat_status variance_ratio(const double *ref, size_t m, const double *rep, size_t n,
				struct variance_ratio *out)
{
	struct sample_moments r, x;
	enum stat_status s = sample_moments(rep, n, &x);
	if (!s)
		s = x.spread;
	s = s ? s : sample_moments_spread(ref, m, &r);
	if (s)
		return s;
	out->f = x.variance / r.variance;
	if (!isfinite(out->f))
		return STAT_ZERO_VARIANCE;
	out->df_x = (double)(n - 1);
	out->df_r = (double)(m - 1);
	out->p_greater = f_above(out->f, out->df_x, out->df_r);
	out->p_two_sided = 2 * fmin(out->p_greater, f_below(out->f, out->df_x, out->df_r));
	return STAT_OK;
}

enum stat_status variance_ratio_interval(const struct variance_ratio *v, double conf, double *lo,
					 double *hi)
{
	double high, low;
	enum stat_status s = f_quantile((1 + conf) / 2, v->df_x, v->df_r, &high);
	s = s ? s : f_quantile((1 - conf) / 2, v->df_x, v->df_r, &low);
	if (s)
		return s;
	*lo = v->f / high;
	*hi = v->f / low;
	return STAT_OK;
}

enum stat_status variance_ratio_critical(double alpha, bool two_sided, double df1, double df2,
					 double *f)
{
	return f_quantile(1 - (two_sided ? alpha / 2 : alpha), df1, df2, f);
}
