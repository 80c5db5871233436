/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regression of paired log ratios on the processor time that others used, for [protocol] covariate = others.
 *
 * Model of a scenario: d_ci = delta_c + b z_ci + e_ci, c a cell (replayer), i a pair, z = ln(1 + share used by others and
 * stolen during the replay) - the same of the program. One slope b for all cells of the scenario, by least squares on what
 * is left of d and z after each cell's mean (Frisch and Waugh 1933; Lovell 1963):
 * b = sum (z - mean_c z)(d - mean_c d) / S, S = sum (z - mean_c z)^2.
 * delta_c is the mean of d - b z, and Var(delta_c) = sigma^2 (1/n_c + (mean_c z)^2 / S). */
#ifndef VALIDATE_ANALYSIS_COVARIATE_H
#define VALIDATE_ANALYSIS_COVARIATE_H

#include "validate/results/results.h"
#include "validate/stats/status.h"

/* z of a pair; NaN where a share is unknown. */
double covariate_of_pair(const struct run *replay, const struct run *program);

struct covariate_cell {
	size_t n;
	const double *z; /* [n] */
	double *d;	 /* [n]: in, ln(x/r); out, d - b z */
	double inflation; /* out: variance of the mean of d over sigma^2/n, >= 1 */
};

struct covariate_slope {
	double slope, se; /* se: with N - cells - 1 degrees of freedom, N pairs in all */
	double r_squared; /* share of the sum of squares within cells that it explains */
};

/* Adjusts all cells of a scenario in place. The slope costs one degree of freedom in all. After an error d is unchanged
 * and inflation 1. Errors: STAT_TOO_FEW (N < cells + 2), STAT_ZERO_VARIANCE (z is the same throughout each cell, or d is),
 * STAT_NOT_FINITE. */
enum stat_status covariate_adjust(struct covariate_cell *cell, size_t n_cells, struct covariate_slope *s) STAT_MUST_CHECK;

#endif
