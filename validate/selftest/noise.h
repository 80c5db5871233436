/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of replicates. All have mean 0 and standard deviation 1. Student's t with 3 degrees
 * of freedom is divided by its standard deviation; the variance of its sample variances is
 * infinite. */
#pragma once

#include <gsl/gsl_rng.h>

#include "common/std.h"

enum noise {
	NOISE_NORMAL,
	NOISE_LOGNORMAL,   /* exponential of a normal with standard deviation 0.5; skewness 1.75 */
	NOISE_EXPONENTIAL, /* skewness 2 */
	NOISE_T3,
	NOISE_AR3,     /* first-order autoregression, 0.3 */
	NOISE_AR6,     /* 0.6 */
	NOISE_AR8,     /* 0.8 */
	/* normal, with the whole sample shifted by a normal of standard deviation 0.5 */
	NOISE_SESSION,
	NOISE_N
};
extern const char *const noise_names[NOISE_N];

/* Draws x[n] in order of time. */
void noise_draw(enum noise kind, gsl_rng *rng, double *x, size_t n);
/* Returns P(value <= q), for the coverage of quantiles and bands; only for independent kinds. */
double noise_below(enum noise kind, double q);
