/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regression of paired log ratios on the processor time that others used, for [protocol] covariate
 * = others.
 *
 * Model of a scenario: d_ci = delta_c + b z_ci + e_ci, c a cell (replayer), i a pair, z = ln(1 +
 * share used by others and stolen during the replay) - the same of the program. One slope b for all
 * cells of the scenario, by least squares on what is left of d and z after each cell's mean (Frisch
 * and Waugh 1933; Lovell 1963): b = sum (z - mean_c z)(d - mean_c d) / S, S = sum (z - mean_c z)^2.
 * On a machine without idle processors a replayer that computes more leaves others less time, and z
 * is no longer independent of the replayer; so no regression is the default. delta_c is the mean of
 * d - b z, and Var(delta_c) = sigma^2 (1/n_c + (mean_c z)^2 / S). */
#ifndef VALIDATE_ANALYSIS_COVARIATE_H
#define VALIDATE_ANALYSIS_COVARIATE_H

#include "validate/analysis/pairs.h"

/* z of a pair; NaN where a share is unknown. */
double covariate_of_pair(const struct run *replay, const struct run *program);

struct covariate_cell {
	size_t n;
	const double *z; /* [n] */
	const double *d; /* [n]: ln(x/r) */
	/* out: sqrt of the variance of delta_c over that of the mean of the d - b z as n_c
	 * independent values; >= 1 */
	double stretch;
};

struct covariate_slope {
	double slope, se; /* se: with N - cells - 1 degrees of freedom, N pairs in all */
	double r_squared; /* share of the sum of squares within cells that it explains */
};

/* One slope for all cells of a scenario. After an error stretch is 1. Errors: STAT_TOO_FEW (N <
 * cells + 2), STAT_ZERO_VARIANCE (z is the same throughout each cell, or d is), STAT_NOT_FINITE. */
enum stat_status covariate_fit(struct covariate_cell *cell, size_t n_cells,
			       struct covariate_slope *s) STAT_MUST_CHECK;

/* d[n] of a cell without the effect: d - b z, and what scatter is left about its mean stretched for
 * the error of the slope, so that the standard error of the mean is right as it is computed of
 * independent values. */
void covariate_remove(const struct covariate_effect *k, const double *z, double *d, size_t n);

/* Fits response and execution times of all scenarios where the protocol asks for it: fills
 * covariate_response and covariate_time of each cell. */
void covariates_measure(struct analysis *a);
/* The same as covariate_remove(), of the pairs; nothing where k has no slope. */
void covariate_remove_of(const struct covariate_effect *k, const struct pairs *p, double *d);

#endif
