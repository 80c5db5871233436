/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is left to chance is drawn before the measured region: which blocks, and how long the pauses
 * are. One stream of random numbers for each thread and purpose, derived from the seed, so that a
 * run with the same seed makes the same requests, whatever the other options are; a longer run
 * begins with the same ones. */
#ifndef MICROBENCH_DRAW_H
#define MICROBENCH_DRAW_H

#include <stddef.h>
#include <stdint.h>

#include <gsl/gsl_rng.h>

#include "common/err.h"

/* What a stream is for; a stream of the file set has the set's own seed (--fileset-seed) and counts
 * what it is of. */
enum draw_purpose {
	DRAW_BLOCKS = 1,
	DRAW_THINK = 2,
	DRAW_SCRIPT = 3,   /* what a thread of a script does */
	DRAW_TREE = 4,     /* directories and sizes of files */
	DRAW_EXISTING = 5, /* which of a thread's files are there at first */
	DRAW_INCLUDES = 6, /* which headers a source includes */
};

/* The stream of `number` (a thread). Errors: NULL for want of memory. Ownership: gsl_rng_free. */
gsl_rng *draw_stream(uint64_t seed, unsigned int number, enum draw_purpose purpose, struct err *e);

enum think_kind { THINK_FIXED, THINK_EXPONENTIAL, THINK_LOGNORMAL, THINK_UNIFORM };
extern const char *const think_names[]; /* in the order of the enum, NULL-terminated */

/* Fills block[n] with uniformly distributed numbers below `n_blocks` (1..2^32-1). Errors:
 * ENOMEM. */
int draw_blocks(uint32_t *block, size_t n, uint32_t n_blocks, uint64_t seed, unsigned int thread,
		struct err *e);

/* Fills ns[n] with pauses of mean `mean_ns`: exponential; lognormal with a standard deviation as
 * large as its mean; uniform from 0 to twice the mean. Errors: ENOMEM. */
int draw_think(uint64_t *ns, size_t n, enum think_kind kind, double mean_ns, uint64_t seed,
	       unsigned int thread, struct err *e);

#endif
