/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is left to chance is drawn before the measured region: which blocks, and how long the pauses are. One stream of
 * random numbers for each thread and purpose, derived from the seed, so that a run with the same seed makes the same
 * requests, whatever the other options are; a longer run begins with the same ones. */
#ifndef MICROBENCH_DRAW_H
#define MICROBENCH_DRAW_H

#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

enum think_kind { THINK_FIXED, THINK_EXPONENTIAL, THINK_LOGNORMAL, THINK_UNIFORM };
extern const char *const think_names[]; /* in the order of the enum, NULL-terminated */

/* Fills block[n] with uniformly distributed numbers below `n_blocks` (1..2^32-1). Errors: ENOMEM. */
int draw_blocks(uint32_t *block, size_t n, uint32_t n_blocks, uint64_t seed, unsigned int thread, struct err *e);

/* Fills ns[n] with pauses of mean `mean_ns`: exponential; lognormal with a standard deviation as large as its mean;
 * uniform from 0 to twice the mean. Errors: ENOMEM. */
int draw_think(uint64_t *ns, size_t n, enum think_kind kind, double mean_ns, uint64_t seed, unsigned int thread,
	       struct err *e);

#endif
