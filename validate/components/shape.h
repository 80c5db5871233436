/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences between the self-normalised distributions of replay and program: the verdict and a
 * comparison of versions judge the same numbers. The head of shape.c defines them. */
#ifndef VALIDATE_COMPONENTS_SHAPE_H
#define VALIDATE_COMPONENTS_SHAPE_H

#include "validate/analysis/pairs.h"

#define SHAPE_N_QUANTILES 12
extern const double shape_quantile[SHAPE_N_QUANTILES]; /* 0.01, ..., 0.999 */

struct shape_edges { /* one for each preset quantile; neighbours may share an edge */
	size_t edge[SHAPE_N_QUANTILES];	 /* of the grid of the summaries (metrics/summary.h) */
	double share[SHAPE_N_QUANTILES]; /* of the program's requests that lie below it */
};

/* The edges at which the program's pooled distribution is nearest to the quantiles. False: there is
 * no pair, or a summary without a shape. */
bool shape_edges(struct shape_edges *s, const struct pairs *p);
/* Share of the requests below the edge, x less r; -1 to 1. */
double shape_difference(const struct run_summary *x, const struct run_summary *r, size_t edge);

#endif
