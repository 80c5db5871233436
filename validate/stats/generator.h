/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random numbers for resampling: many independent streams from one seed, equal on every machine.
 *
 * xoshiro256**, whose state is filled by splitmix64 from seed and stream. Poisson numbers with a
 * mean of 10 or more use exact transformed rejection, others the multiplication of uniform numbers.
 * Source: Blackman and Vigna, Scrambled linear pseudorandom number generators (2021); Hoermann, The
 * transformed rejection method for generating Poisson random variables (1993), PTRS. */
#pragma once

#include <gsl/gsl_rng.h>

#include "common/std.h"

struct generator {
	uint64_t state[4];
};

void generator_seed(struct generator *g, uint64_t seed, uint64_t stream);

static inline uint64_t generator_next(struct generator *g)
{
	uint64_t *s = g->state, x = s[1] * 5, result = (x << 7 | x >> 57) * 9, t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = s[3] << 45 | s[3] >> 19;
	return result;
}

/* Returns a uniform number on (0, 1), without the ends. */
static inline double generator_uniform(struct generator *g)
{
	return ((double)(generator_next(g) >> 11) + 0.5) * 0x1p-53;
}

/* Returns a number 0 <= result < n, n > 0; the bias is below n/2^64. */
static inline size_t generator_below(struct generator *g, size_t n)
{
	return (size_t)((unsigned __int128)generator_next(g) * n >> 64);
}

double generator_normal(struct generator *g);
double generator_poisson(struct generator *g, double mean); /* a whole number; 0 < mean <= 1e9 */
double generator_beta(struct generator *g, double a, double b);
double generator_t(struct generator *g, double nu); /* Student's t; INFINITY: normal */
