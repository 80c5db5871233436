/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/draw.h"

#include <gsl/gsl_randist.h>

const char *const think_names[] = {"fixed", "exponential", "lognormal", "uniform", NULL};

/* One round of splitmix64, so that adjacent seeds and threads get independent streams. Source:
 * Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. */
static uint64_t seed_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

gsl_rng *draw_stream(uint64_t seed, unsigned int number, enum draw_purpose purpose)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (!rng)
		out_of_memory(0);
	gsl_rng_set(rng, seed_mix(seed_mix(seed_mix(seed) ^ number) ^ purpose));
	return rng;
}

void draw_blocks(uint32_t *block, size_t n, uint32_t n_blocks, uint64_t seed, unsigned int thread)
{
	gsl_rng *rng = draw_stream(seed, thread, DRAW_BLOCKS);
	for (size_t i = 0; i < n; i++)
		block[i] = (uint32_t)gsl_rng_uniform_int(rng, n_blocks);
	gsl_rng_free(rng);
}

static double draw_one(gsl_rng *rng, enum think_kind kind, double mean_ns)
{
	/* makes the standard deviation equal to the mean: variance / mean^2 = exp(sigma2) - 1 =
	 * 1 */
	const double sigma2 = M_LN2;
	switch (kind) {
	case THINK_EXPONENTIAL:
		return gsl_ran_exponential(rng, mean_ns);
	case THINK_LOGNORMAL:
		return gsl_ran_lognormal(rng, log(mean_ns) - sigma2 / 2, sqrt(sigma2));
	case THINK_UNIFORM:
		return gsl_ran_flat(rng, 0, 2 * mean_ns);
	case THINK_FIXED:
		break;
	}
	return mean_ns;
}

void draw_think(uint64_t *ns, size_t n, enum think_kind kind, double mean_ns, uint64_t seed,
		unsigned int thread)
{
	gsl_rng *rng = draw_stream(seed, thread, DRAW_THINK);
	for (size_t i = 0; i < n; i++)
		ns[i] = (uint64_t)llround(mean_ns > 0 ? draw_one(rng, kind, mean_ns) : 0);
	gsl_rng_free(rng);
}
