/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distribution functions and means of concurrency levels, and distances between those of two
 * traces. Levels above max_level of struct concurrency are treated as max_level. NaN: undefined (no
 * time, no requests). */
#pragma once

#include "validate/metrics/concurrency.h"

enum levels_weight { LEVELS_BY_TIME, LEVELS_BY_BUSY_TIME, LEVELS_BY_REQUEST };

/* Returns cdf[0 .. highest]: the share of the weight at levels up to each level. Busy time is time
 * with at least one active request. The caller frees the array; NULL if undefined. */
double *levels_cdf_all(const struct concurrency *c, enum levels_weight w);
double levels_mean(const struct concurrency *c, enum levels_weight w);

/* The largest difference of the two distribution functions (Kolmogorov-Smirnov), and the area
 * between them (1-Wasserstein, in levels). */
struct levels_distance {
	double largest, area;
};
struct levels_distance levels_distance(const struct concurrency *a, const struct concurrency *b,
				       enum levels_weight w);
