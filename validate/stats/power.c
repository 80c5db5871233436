/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Powers as integrals over the standard deviation: s = sqrt(chi2(nu)/nu), with nu = 2n - 2 if
 * pooled, and n - 1 for pairs.
 *
 * t test: P(|T| > t) = integral of f(s) [1 - Phi(t s - delta) + Phi(-t s - delta)] ds, delta = d
 * sqrt(n/2). Equivalence: integral of f(s) [Phi((margin - diff)/se - t s) - Phi((-margin - diff)/se
 * + t s)] over s < margin/(t se). */
#include "validate/stats/planning.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>

#include "validate/stats/distributions.h"

struct power_arg {
	double nu, t, delta; /* t test */
	double log_density;  /* the part of the density that does not depend on s */
	double low, high;    /* equivalence: (-margin - diff)/se, (margin - diff)/se */
};

/* Returns the density of s = sqrt(chi2(nu)/nu), computed by logarithms. */
static double density_s(double s, const struct power_arg *a)
{
	return s > 0 ? exp(a->log_density + (a->nu - 1) * log(s) - a->nu * s * s / 2) : 0;
}

static double integrand_t(double s, void *arg)
{
	const struct power_arg *a = arg;
	return density_s(s, a) *
	       (normal_above(a->t * s - a->delta) + normal_below(-a->t * s - a->delta));
}

static double integrand_equivalence(double s, void *arg)
{
	const struct power_arg *a = arg;
	return density_s(s, a) *
	       fmax(0, normal_below(a->high - a->t * s) - normal_below(a->low + a->t * s));
}

/* Integrates over the relevant s, separately below and above 1, so that a narrow peak is not
 * missed. */
static enum stat_status integral_of(double (*f)(double, void *), struct power_arg *a, double upper,
				    double *result)
{
	double low = sqrt(gsl_cdf_chisq_Pinv(1e-18, a->nu) / a->nu),
	       high = sqrt(gsl_cdf_chisq_Qinv(1e-18, a->nu) / a->nu);
	double edges[] = {low, fmin(1, upper), fmin(high, upper)}, part, error;
	gsl_function g = {f, a};
	a->log_density = log(2) + a->nu / 2 * log(a->nu / 2) - log_gamma(a->nu / 2);
	gsl_integration_workspace *w = gsl_integration_workspace_alloc(2000);
	if (!w)
		return STAT_NOT_CONVERGED;
	enum stat_status s = STAT_OK;
	*result = 0;
	for (int i = 0; i < 2 && !s; i++) {
		if (edges[i + 1] <= edges[i])
			continue;
		if (gsl_integration_qag(&g, edges[i], edges[i + 1], 1e-14, 1e-11, 2000,
		    GSL_INTEG_GAUSS61, w, &part, &error) && !(error <= 1e-9))
			s = STAT_NOT_CONVERGED;
		*result += part;
	}
	gsl_integration_workspace_free(w);
	return s;
}

enum stat_status power_t(uint64_t n, double d, double alpha, double *power)
{
	struct power_arg a = {.nu = 2 * (double)n - 2, .delta = d * sqrt((double)n / 2)};
	if (n < 2)
		return STAT_TOO_FEW;
	if (!isfinite(d))
		return STAT_OUT_OF_RANGE;
	enum stat_status s = t_quantile(1 - alpha / 2, a.nu, &a.t);
	return s ? s : integral_of(integrand_t, &a, INFINITY, power);
}

enum stat_status power_equivalence_paired(double n, double low, double high, double diff, double sd,
					  double alpha, double *power)
{
	struct power_arg a = {.nu = n - 1};
	const double se = sd / sqrt(n);
	if (!(n >= 2))
		return STAT_TOO_FEW;
	if (!(low < high) || !(sd > 0) || !isfinite(diff))
		return STAT_OUT_OF_RANGE;
	a.low = (low - diff) / se;
	a.high = (high - diff) / se;
	enum stat_status s = t_quantile(1 - alpha, a.nu, &a.t);
	return s ? s : integral_of(integrand_equivalence, &a, (high - low) / (2 * a.t * se), power);
}

enum stat_status power_equivalence(uint64_t n, double margin, double diff, double sigma,
				   double alpha, double *power)
{
	struct power_arg a = {.nu = 2 * (double)n - 2};
	if (n < 2)
		return STAT_TOO_FEW;
	if (!(margin > 0) || !(sigma > 0) || !isfinite(diff))
		return STAT_OUT_OF_RANGE;
	double se = sigma * sqrt(2 / (double)n);
	a.low = (-margin - diff) / se;
	a.high = (margin - diff) / se;
	enum stat_status s = t_quantile(1 - alpha, a.nu, &a.t);
	return s ? s : integral_of(integrand_equivalence, &a, margin / (a.t * se), power);
}
