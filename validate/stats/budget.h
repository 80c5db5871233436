/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Uncertainty budget: combines standard uncertainties of independent sources, with degrees of
 * freedom, and expands the result.
 *
 * u_i = value/divisor; u_c^2 = sum (c_i u_i)^2; nu_eff = u_c^4/sum((c_i u_i)^4/nu_i). Sources with
 * nu = INFINITY or value 0 add nothing to that sum. share = 100 (c_i u_i)^2/u_c^2; k =
 * t_{(1+P)/2}(nu), U = k u_c. The errors of components that are computed from the same standard
 * deviation are equal, so Welch-Satterthwaite must treat these components as one term. Example:
 * repeatability s and the uncertainty s/sqrt(n) of its own mean: u^2 = s^2 (1 + 1/n), n - 1 degrees
 * of freedom. Source: GUM 4.3, 5.1, annex G (G.2b: Welch-Satterthwaite). */
#pragma once

#include "validate/stats/status.h"

/* A: evaluated by statistics of this campaign; B: by other knowledge */
enum budget_type { BUDGET_TYPE_A, BUDGET_TYPE_B };

enum budget_distribution {    /* meaning of `value`, which determines the divisor */
	BUDGET_STANDARD,      /* a standard uncertainty: 1 */
	BUDGET_NORMAL,	      /* a standard uncertainty of a normal distribution: divisor 1 */
	BUDGET_RECTANGULAR,   /* half-width: sqrt 3 */
	BUDGET_TRIANGULAR,    /* half-width: sqrt 6 */
	BUDGET_RESOLUTION,    /* whole width of one step: sqrt 12 */
	BUDGET_N_DISTRIBUTIONS
};
extern const char *const budget_distribution_names[];
double budget_divisor(enum budget_distribution d);

struct budget_component {
	const char *source; /* borrowed */
	enum budget_type type;
	enum budget_distribution distribution;
	/* >= 0, in the unit of the budget (here % of the reference) times 1/sensitivity */
	double value;
	double divisor;	    /* set by budget_component() */
	double sensitivity; /* c_i; 1 in the % model */
	double nu;	    /* > 0; INFINITY for Type B components of unknown reliability */
	/* 0: independent; components with the same number are multiples of the same estimate */
	unsigned int estimate;
	double u;	    /* value/divisor */
	double share_pct;   /* set by budget_combine(); the shares sum to 100 */
};

struct budget_component budget_component(const char *source, enum budget_type type,
					 enum budget_distribution d, double value, double nu);

struct budget_total {
	double u_c;    /* > 0 */
	double nu_eff; /* at least 1, may be INFINITY */
	bool nu_raised; /* nu_eff was below 1 and set to 1 */
};

/* Sets the shares and the total. A shared estimate has the smallest degrees of freedom of its
 * components. Errors: STAT_TOO_FEW (no component), STAT_ZERO_VARIANCE (all are 0),
 * STAT_OUT_OF_RANGE (negative or not finite, nu not positive), STAT_NOT_FINITE (the sum of squares
 * overflows). */
enum stat_status budget_combine(struct budget_component *c, size_t n,
				struct budget_total *total) STAT_MUST_CHECK;

/* whether nu_eff itself is used (default), or its integer part (conservative) */
enum budget_dof { BUDGET_CONTINUOUS, BUDGET_TRUNCATED };

/* Computes the coverage factor and the expanded uncertainty for the coverage probability P, 0 < P <
 * 1. */
enum stat_status budget_expand(const struct budget_total *total, double coverage,
			       enum budget_dof dof, double *k, double *expanded) STAT_MUST_CHECK;
