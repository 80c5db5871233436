/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regression of paired log ratios on the CPU time that other processes used, for [protocol]
 * covariate = others.
 *
 * Model of a scenario: d_ci = delta_c + b z_ci + e_ci, with c a cell (replayer), i a pair, and z =
 * ln(1 + share used by others and stolen) of the replay minus that of the program. All cells of the
 * scenario share the slope b, fitted by least squares to the deviations of d and z from their cell
 * means (Frisch and Waugh 1933; Lovell 1963): b = sum (z - mean_c z)(d - mean_c d) / S, S = sum (z
 * - mean_c z)^2. Without idle CPUs, a replayer that computes more leaves less time to others. Then
 * z depends on the replayer, so the regression is not the default. delta_c is the mean of d - b z,
 * and Var(delta_c) = sigma^2 (1/n_c + (mean_c z)^2 / S). */
#pragma once

#include "validate/evidence/pairs.h"

/* Returns z of a pair; NaN if a share is unknown. */
double covariate_of_pair(const struct run *replay, const struct run *program);

struct covariate_cell {
	size_t n;
	const double *z; /* [n] */
	const double *d; /* [n]: ln(x/r) */
	/* Output: sqrt(Var(delta_c) / variance of the mean of n_c independent d - b z); >= 1. */
	double stretch;
};

struct covariate_slope {
	double slope, se; /* with N pairs in total: N - cells - 1 degrees of freedom */
	double r_squared; /* explained share of the sum of squares within cells */
};

/* Fits one slope for all cells of a scenario. On error, stretch is 1. Errors: STAT_TOO_FEW (N <
 * cells + 2), STAT_ZERO_VARIANCE (z or d is constant in each cell), STAT_NOT_FINITE. */
enum stat_status covariate_fit(struct covariate_cell *cell, size_t n_cells,
			       struct covariate_slope *s) STAT_MUST_CHECK;

/* Replaces d[n] of a cell by d - b z, and stretches the remaining scatter about its mean, to
 * include the error of the slope. So the standard error of a mean of independent values is
 * correct. */
void covariate_remove(const struct covariate_effect *k, const double *z, double *d, size_t n);

/* Fits response and execution times of all scenarios if the protocol asks for it. Sets
 * covariate_response and covariate_time of each cell. */
void covariates_measure(struct analysis *a);
/* Like covariate_remove(), for the pairs; does nothing if k has no slope. */
void covariate_remove_of(const struct covariate_effect *k, const struct pairs *p, double *d);
