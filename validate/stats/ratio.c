/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/ratio.h"

#include "validate/stats/distributions.h"
#include "validate/stats/mean_difference.h"
#include "validate/stats/moments.h"

static enum stat_status means_and_welch(const double *ref, size_t m, const double *rep, size_t n,
	struct sample_moments *r, struct sample_moments *x, struct t_estimate *w)
{
	enum stat_status s = welch_test(ref, m, rep, n, w);
	s = s ? s : sample_moments(ref, m, r);
	s = s ? s : sample_moments(rep, n, x);
	if (!s && r->mean == 0)
		s = STAT_ZERO_REFERENCE;
	return s;
}

enum stat_status fieller_interval(const double *ref, size_t m, const double *rep, size_t n,
				  double conf, double *lo, double *hi)
{
	struct sample_moments r, x;
	struct t_estimate w;
	double t;
	enum stat_status s = means_and_welch(ref, m, rep, n, &r, &x, &w);
	s = s ? s : t_quantile((1 + conf) / 2, w.df, &t);
	if (s)
		return s;
	double a = r.mean * r.mean - t * t * r.sem * r.sem;
	double b = r.mean * x.mean;
	double c = x.mean * x.mean - t * t * x.sem * x.sem;
	double root = b * b - a * c;
	if (a <= 0 || root < 0)
		return STAT_UNBOUNDED;
	*lo = (b - sqrt(root)) / a;
	*hi = (b + sqrt(root)) / a;
	return STAT_OK;
}

enum stat_status equivalence_test(const double *ref, size_t m, const double *rep, size_t n,
				  double margin_pct, struct equivalence *e)
{
	struct sample_moments r, x;
	struct t_estimate w;
	if (!(margin_pct > 0) || !isfinite(margin_pct))
		return STAT_OUT_OF_RANGE;
	enum stat_status s = means_and_welch(ref, m, rep, n, &r, &x, &w);
	if (s)
		return s;
	double theta = margin_pct / 100 * fabs(r.mean);
	e->p_lower = t_above((w.value + theta) / w.se, w.df);
	e->p_upper = t_below((w.value - theta) / w.se, w.df);
	e->p = fmax(e->p_lower, e->p_upper);
	return STAT_OK;
}

enum stat_status equivalence_interval_pct(const double *ref, size_t m, const double *rep, size_t n,
					  double alpha, double *lo, double *hi)
{
	struct sample_moments r, x;
	struct t_estimate w;
	enum stat_status s = means_and_welch(ref, m, rep, n, &r, &x, &w);
	s = s ? s : t_interval(&w, 1 - 2 * alpha, lo, hi);
	if (s)
		return s;
	*lo *= 100 / r.mean;
	*hi *= 100 / r.mean;
	return STAT_OK;
}
