/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Propagation of distributions by Monte Carlo, and validation of the GUM interval.
 *
 * Each input is drawn from its distribution: Type A as value + u t(nu), Type B from its own
 * distribution. The model is evaluated M times, M >= 1e6, or adaptively: in blocks of 1e4 until
 * twice the standard deviation of the block averages of mean, standard deviation and both ends is
 * at most delta. Output: mean, standard deviation, the probabilistically symmetric interval (sorted
 * values that are q places apart, q = floor(P M + 1/2), r = floor((M - q)/2 + 1/2)) and the
 * shortest interval. With Student's t with 2 or fewer degrees of freedom the standard deviation
 * does not exist. Validation: delta = 1/2 10^l for u rounded to n_dig digits; the GUM interval is
 * accepted if both of its ends are within delta of those of the symmetric interval. Source: JCGM
 * 101:2008, 5.3, 7.7 to 7.9, 8. */
#pragma once

#include "validate/stats/status.h"

enum monte_carlo_shape {
	MC_NORMAL,	/* standard deviation u */
	MC_STUDENT,	/* u times Student's t with nu degrees of freedom */
	MC_RECTANGULAR, /* rectangular with standard deviation u: half-width u sqrt 3 */
	MC_N_SHAPES
};

struct monte_carlo_input {
	enum monte_carlo_shape shape;
	double value, u, nu; /* u >= 0; nu > 0, for MC_STUDENT */
};

struct monte_carlo_plan {
	uint64_t n_trials; /* 1e4..1e8; with `adaptive` the maximum */
	bool adaptive;
	double delta; /* for `adaptive`, > 0 */
	uint64_t seed;
	double coverage;
};

struct monte_carlo_result {
	uint64_t n_trials;
	bool stable; /* adaptive: the blocks agreed before the maximum was reached */
	double mean;
	enum stat_status sd_status;
	double sd;
	double lo, hi;			/* probabilistically symmetric */
	double shortest_lo, shortest_hi;
};

/* Propagates the inputs. If model(values, n, arg) does not return a finite number, the result is
 * STAT_NOT_FINITE. Errors: STAT_TOO_FEW (no input), STAT_OUT_OF_RANGE. */
enum stat_status monte_carlo(const struct monte_carlo_input *input, size_t n,
	double (*model)(const double *value, size_t n, void *arg), void *arg,
	const struct monte_carlo_plan *plan, struct monte_carlo_result *out) STAT_MUST_CHECK;

/* The model of additive budgets: returns the sum of the inputs. */
double monte_carlo_sum(const double *value, size_t n, void *arg);

/* Whether both ends of the GUM interval are within delta of the ends of the symmetric interval. */
bool monte_carlo_accepts(const struct monte_carlo_result *r, double gum_lo, double gum_hi,
			 double delta);

/* --- digits of an uncertainty -------------------------------------------- */

/* Significant digits of an uncertainty: u rounded to n digits is c 10^l with an integer c of n
 * digits; 10^l/2 is the numerical tolerance delta of JCGM 101, 7.9.2. */

/* Rounds u > 0 to digits, 1 <= digits <= 15. Errors: STAT_OUT_OF_RANGE. */
enum stat_status round_to_digits(double u, int digits, double *rounded) STAT_MUST_CHECK;
enum stat_status numerical_tolerance(double u, int digits, double *delta) STAT_MUST_CHECK;

/* --- sum of rectangular variables ---------------------------------------- */

/* Sum of n independent rectangular variables: the exact coverage interval, for comparison with the
 * normal interval of GUM.
 *
 * P(X > x) = 1/n! sum over k < n-x of (-1)^k C(n,k) (n-x-k)^n for the sum X of n values uniform on
 * 0..1 (Irwin-Hall); there is no cancellation in the upper tail. Source: Irwin (1927), Hall (1927);
 * JCGM 101, 9.2. */

/* Finds h with P(|S| <= h) = coverage, S the sum of n variables with mean 0 and standard deviation
 * sd. 1 <= n <= 20, 0 < coverage < 1. Errors: STAT_OUT_OF_RANGE. */
enum stat_status rectangular_sum_halfwidth(unsigned int n, double sd, double coverage,
					   double *h) STAT_MUST_CHECK;
