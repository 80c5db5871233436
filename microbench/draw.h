/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random choices, which are made before the measured region: blocks and lengths of pauses. Each
 * thread and purpose has its own stream, which is derived from the seed. So equal seeds give equal
 * requests, independent of the other options, and a longer run begins with the same requests. */
#pragma once

#include <gsl/gsl_rng.h>

#include "common/std.h"

/* Purpose of a stream. A stream of the file set uses the seed of the set (--fileset-seed) and the
 * number of the drawn object. */
enum draw_purpose {
	DRAW_BLOCKS = 1,
	DRAW_THINK = 2,
	DRAW_SCRIPT = 3,   /* steps of a thread's script */
	DRAW_TREE = 4,     /* directories and sizes of files */
	DRAW_EXISTING = 5, /* which files of a thread exist at first */
	DRAW_INCLUDES = 6, /* which headers a source includes */
};

/* The random stream of `number` (a thread). Ownership: gsl_rng_free. */
gsl_rng *draw_stream(uint64_t seed, unsigned int number, enum draw_purpose purpose);

enum think_kind { THINK_FIXED, THINK_EXPONENTIAL, THINK_LOGNORMAL, THINK_UNIFORM };
extern const char *const think_names[]; /* in the order of the enum, NULL-terminated */

/* Fills block[n] with uniformly distributed numbers below `n_blocks` (1..2^32-1). */
void draw_blocks(uint32_t *block, size_t n, uint32_t n_blocks, uint64_t seed, unsigned int thread);

/* Fills ns[n] with pauses with the mean `mean_ns`: exponential; lognormal with a standard deviation
 * equal to the mean; uniform from 0 to twice the mean. */
void draw_think(uint64_t *ns, size_t n, enum think_kind kind, double mean_ns, uint64_t seed,
		unsigned int thread);
