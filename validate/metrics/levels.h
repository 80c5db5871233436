/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What levels of concurrency come to: distribution functions, means, and how far two traces are
 * apart. Of levels up to max_level of struct concurrency; what exceeded it counts as max_level.
 * NaN: not defined (no time, no requests). */
#ifndef VALIDATE_METRICS_LEVELS_H
#define VALIDATE_METRICS_LEVELS_H

#include <stddef.h>

#include "validate/metrics/concurrency.h"

enum levels_weight { LEVELS_BY_TIME, LEVELS_BY_BUSY_TIME, LEVELS_BY_REQUEST };

/* Share of the weight at levels up to each: cdf[0 .. highest]. Busy time is that with at least one
 * request active. The caller frees; NULL where it is not defined. */
double *levels_cdf_all(const struct concurrency *c, enum levels_weight w);
double levels_mean(const struct concurrency *c, enum levels_weight w);

/* Largest difference of the two distribution functions (Kolmogorov and Smirnov's distance), and the
 * area between them (1-Wasserstein, in levels). */
struct levels_distance {
	double largest, area;
};
struct levels_distance levels_distance(const struct concurrency *a, const struct concurrency *b,
				       enum levels_weight w);

#endif
