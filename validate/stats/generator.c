/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/generator.h"

#include <gsl/gsl_randist.h>

#include "common/splitmix.h"
#include "validate/stats/distributions.h"

/* --- as a generator of GSL, for its distributions ------------------------ */
static unsigned long gsl_next(void *state)
{
	return (unsigned long)(generator_next(state) >> 32);
}

static double gsl_next_uniform(void *state)
{
	return generator_uniform(state);
}

static void gsl_seed(void *state, unsigned long seed)
{
	generator_seed(state, seed, 0);
}

static const gsl_rng_type gsl_kind = {
    "xoshiro256**", 0xffffffffUL, 0, sizeof(struct generator), gsl_seed, gsl_next, gsl_next_uniform,
};

static gsl_rng as_gsl(struct generator *g)
{
	return (gsl_rng){&gsl_kind, g};
}

void generator_seed(struct generator *g, uint64_t seed, uint64_t stream)
{
	uint64_t x = seed;
	x = splitmix_next(&x) ^ stream * UINT64_C(0xd1342543de82ef95);
	for (int i = 0; i < 4; i++)
		g->state[i] = splitmix_next(&x);
}

double generator_normal(struct generator *g)
{
	gsl_rng r = as_gsl(g);
	return gsl_ran_gaussian_ziggurat(&r, 1);
}

double generator_beta(struct generator *g, double a, double b)
{
	gsl_rng r = as_gsl(g);
	return gsl_ran_beta(&r, a, b);
}

double generator_t(struct generator *g, double nu)
{
	gsl_rng r = as_gsl(g);
	double z = gsl_ran_gaussian_ziggurat(&r, 1);
	return isinf(nu) ? z : z / sqrt(gsl_ran_chisq(&r, nu) / nu);
}

static double poisson_small(struct generator *g, double mean)
{
	double limit = exp(-mean), product = generator_uniform(g);
	double k = 0;
	for (; product > limit; k++)
		product *= generator_uniform(g);
	return k;
}

double generator_poisson(struct generator *g, double mean)
{
	if (mean < 10)
		return poisson_small(g, mean);
	double root = sqrt(mean), b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
	double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
	for (;;) {
		double u = generator_uniform(g) - 0.5, v = generator_uniform(g), us = 0.5 - fabs(u);
		double k = floor((2 * a / us + b) * u + mean + 0.43);
		if (us >= 0.07 && v <= v_r)
			return k;
		if (k < 0 || (us < 0.013 && v > us))
			continue;
		if (log(v * inverse_alpha / (a / (us * us) + b)) <=
		    k * log(mean) - mean - log_gamma(k + 1))
			return k;
	}
}
