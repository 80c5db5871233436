/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences between the self-normalised distributions of replay and program, which the head of
 * shape.c defines. Used by the verdict and by the comparison of versions. */
#pragma once

#include "validate/evidence/pairs.h"

#define SHAPE_N_QUANTILES 12
extern const double shape_quantile[SHAPE_N_QUANTILES]; /* 0.01, ..., 0.999 */

struct shape_edges { /* an edge for each preset quantile; neighbours may share an edge */
	/* index in the grid of the summaries (metrics/summary.h) */
	size_t edge[SHAPE_N_QUANTILES];
	double share[SHAPE_N_QUANTILES]; /* share of the program's requests below it */
};

/* Finds the edges nearest to the quantiles of the program's pooled distribution. Returns false if
 * there is no pair, or if a summary has no shape. */
bool shape_edges(struct shape_edges *s, const struct pairs *p);
/* Returns the share of the requests below the edge, x minus r: -1 to 1. */
double shape_difference(const struct run_summary *x, const struct run_summary *r, size_t edge);
