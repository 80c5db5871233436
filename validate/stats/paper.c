/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/paper.h"

#include "validate/stats/distributions.h"
#include "validate/stats/mean_difference.h"
#include "validate/stats/moments.h"

const char *const paper_mode_names[] = {"paper", "papertab", "strict", NULL};

enum stat_status paper_bias_check(const double *ref, size_t m, const double *rep, size_t n)
{
	if (n != m)
		return STAT_NOT_PAIRED;
	if (n == 0)
		return STAT_TOO_FEW;
	enum stat_status s = reference_check(ref, m);
	return s ? s : sample_check(rep, n);
}

enum stat_status paper_bias_at(const double *ref, size_t m, const double *rep, size_t n, size_t i,
			       double *pct)
{
	enum stat_status s = paper_bias_check(ref, m, rep, n);
	if (s)
		return s;
	if (i >= n)
		return STAT_OUT_OF_RANGE;
	*pct = 100 * (rep[i] - ref[i]) / ref[i];
	return STAT_OK;
}

enum stat_status paper_bias(const double *ref, size_t m, const double *rep, size_t n,
			    struct paper_bias *b)
{
	struct sample_moments r, x, bias;
	enum stat_status s = reference_check(ref, m);
	s = s ? s : sample_moments(ref, m, &r);
	s = s ? s : sample_moments(rep, n, &x);
	if (s)
		return s;
	*b = (struct paper_bias){.n = n, .paired = n == m};
	double *pct = xmalloc(n * sizeof *pct), sum_sq = 0;
	for (size_t i = 0; i < n; i++) {
		double against = b->paired ? ref[i] : r.mean;
		pct[i] = 100 * (rep[i] - against) / against;
		sum_sq += pct[i] * pct[i];
	}
	s = sample_moments(pct, n, &bias);
	free(pct);
	if (s)
		return s;
	b->mean_pct = bias.mean;
	b->rms_pct = sqrt(sum_sq / (double)n);
	b->relative_of_means_pct = 100 * moments_difference(&x, &r) / r.mean;
	b->spread_status = bias.spread;
	if (!bias.spread) {
		b->sd_pct = bias.sd;
		b->rms_identity_pct =
		    sqrt(bias.mean * bias.mean + (double)(n - 1) / (double)n * bias.sd * bias.sd);
	}
	return STAT_OK;
}

static enum stat_status parts_combine(const double *ref, size_t m, const double *rep, size_t n,
				      enum paper_mode mode, struct paper_uncertainty *u)
{
	struct paper_bias b;
	struct sample_moments r, x;
	enum stat_status s = paper_bias(ref, m, rep, n, &b);
	s = s ? s : sample_moments(ref, m, &r);
	s = s ? s : sample_moments(rep, n, &x);
	if (s)
		return s;
	if (r.spread || x.spread)
		return STAT_TOO_FEW;
	if (x.mean == 0)
		return STAT_OUT_OF_RANGE;
	u->rms_bias_pct = mode == PAPER_TABLES ? fabs(b.relative_of_means_pct) : b.rms_pct;
	u->u_rw_pct = 100 * x.sd / (mode == PAPER_STRICT ? r.mean : x.mean);
	u->u_cref_pct = 100 * (mode == PAPER_STRICT ? r.sem : r.sd) / r.mean;
	u->u_bias_pct = hypot(u->rms_bias_pct, u->u_cref_pct);
	u->u_c_pct = hypot(u->u_rw_pct, u->u_bias_pct);
	u->U2_pct = 2 * u->u_c_pct;
	u->U3_pct = 3 * u->u_c_pct;
	return isfinite(u->U3_pct) ? STAT_OK : STAT_NOT_FINITE;
}

enum stat_status paper_uncertainty(const double *ref, size_t m, const double *rep, size_t n,
				   enum paper_mode mode, struct paper_uncertainty *u)
{
	*u = (struct paper_uncertainty){0};
	return u->status = parts_combine(ref, m, rep, n, mode, u);
}

enum stat_status paper_significance(const double *ref, size_t m, const double *rep, size_t n,
				    double *ratio)
{
	struct paper_bias b;
	struct sample_moments r;
	enum stat_status s = paper_bias(ref, m, rep, n, &b);
	s = s ? s : sample_moments(ref, m, &r);
	if (s)
		return s;
	if (r.spread)
		return r.spread;
	double u = hypot(b.rms_pct, 100 * r.sd / r.mean);
	if (u == 0)
		return STAT_ZERO_VARIANCE;
	*ratio = fabs(b.mean_pct) / u;
	return STAT_OK;
}

enum stat_status bias_independent(const double *ref, size_t m, const double *rep, size_t n,
				  struct bias_estimate *b)
{
	struct sample_moments r, x;
	enum stat_status s = reference_check(ref, m);
	s = s ? s : sample_moments(ref, m, &r);
	s = s ? s : sample_moments(rep, n, &x);
	if (s)
		return s;
	if (r.spread || x.spread)
		return STAT_TOO_FEW;
	double of_x = 100 / r.mean * x.sem, of_r = 100 / r.mean * (x.mean / r.mean) * r.sem;
	b->bias_pct = 100 * moments_difference(&x, &r) / r.mean;
	b->u_pct = hypot(of_x, of_r);
	if (b->u_pct == 0)
		return STAT_ZERO_VARIANCE;
	if (!isfinite(b->u_pct) || !isfinite(b->bias_pct))
		return STAT_NOT_FINITE;
	double share_x = of_x * of_x / (b->u_pct * b->u_pct),
	       share_r = of_r * of_r / (b->u_pct * b->u_pct);
	b->nu = 1 / (share_x * share_x / (double)(n - 1) + share_r * share_r / (double)(m - 1));
	b->ratio = fabs(b->bias_pct) / b->u_pct;
	b->p = t_two_sided(b->ratio, b->nu);
	return STAT_OK;
}

enum stat_status bias_paired_u_pct(const double *ref, size_t m, const double *rep, size_t n,
				   double *u_pct)
{
	struct paper_bias b;
	enum stat_status s = paper_bias_check(ref, m, rep, n);
	s = s ? s : paper_bias(ref, m, rep, n, &b);
	if (!s)
		s = b.spread_status;
	if (!s)
		*u_pct = b.sd_pct / sqrt((double)n);
	return s;
}
