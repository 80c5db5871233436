/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/selftest/noise.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

#define LOGNORMAL_SIGMA 0.5
#define SESSION_SD 0.5

const char *const noise_names[NOISE_N] = {"normal", "lognormal", "exponential", "t3", "AR 0.3",
    "AR 0.6", "AR 0.8", "session"};

static double lognormal_mean(void)
{
	return exp(LOGNORMAL_SIGMA * LOGNORMAL_SIGMA / 2);
}

static double lognormal_sd(void)
{
	return lognormal_mean() * sqrt(expm1(LOGNORMAL_SIGMA * LOGNORMAL_SIGMA));
}

static double value_draw(enum noise kind, gsl_rng *rng)
{
	switch (kind) {
	case NOISE_LOGNORMAL:
		return (gsl_ran_lognormal(rng, 0, LOGNORMAL_SIGMA) - lognormal_mean()) /
		       lognormal_sd();
	case NOISE_EXPONENTIAL:
		return gsl_ran_exponential(rng, 1) - 1;
	case NOISE_T3:
		return gsl_ran_tdist(rng, 3) / sqrt(3);
	default:
		return gsl_ran_gaussian_ziggurat(rng, 1);
	}
}

void noise_draw(enum noise kind, gsl_rng *rng, double *x, size_t n)
{
	double phi = kind == NOISE_AR3   ? 0.3
		     : kind == NOISE_AR6 ? 0.6
		     : kind == NOISE_AR8 ? 0.8
					 : 0;
	double shift = kind == NOISE_SESSION ? gsl_ran_gaussian_ziggurat(rng, SESSION_SD) : 0;
	for (size_t i = 0; i < n; i++) {
		x[i] = value_draw(kind, rng) + shift;
		if (i > 0 && phi > 0)
			x[i] = phi * x[i - 1] + sqrt(1 - phi * phi) * x[i];
	}
}

double noise_below(enum noise kind, double q)
{
	switch (kind) {
	case NOISE_LOGNORMAL:
		return gsl_cdf_lognormal_P(fmax(0, lognormal_mean() + q * lognormal_sd()), 0,
					   LOGNORMAL_SIGMA);
	case NOISE_EXPONENTIAL:
		return gsl_cdf_exponential_P(fmax(0, q + 1), 1);
	case NOISE_T3:
		return gsl_cdf_tdist_P(q * sqrt(3), 3);
	default:
		return gsl_cdf_ugaussian_P(q);
	}
}
