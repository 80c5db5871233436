/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Number of replicates: power of the tests, and the number that would probably decide an open
 * decision.
 *
 * This is the smallest n at which the decision is reached with probability `assurance`, if the
 * present estimates of position and scatter are true. A single limit at distance D from the
 * estimate is cleared at level alpha if t_{1-alpha} u <= D. The estimate's own scatter is added for
 * the assurance: (t_{1-alpha}(nu) + t_{assurance}(nu)) u(n) <= D. An estimate that equals the limit
 * is never decided. To be shown inside two limits, an estimate must clear both: use the power of
 * the two one-sided tests. Source: Owen (1965) for the noncentral t as an integral over the
 * standard deviation. */
#pragma once

#include "validate/stats/status.h"

#define PLANNING_MAX_N 1000000u /* beyond it: STAT_UNBOUNDED */

/* Finds the smallest n >= 2 with t_{(1+conf)/2}(n-1) sd/sqrt(n) <= halfwidth. Errors:
 * STAT_OUT_OF_RANGE, STAT_UNBOUNDED. */
enum stat_status replicates_for_halfwidth(double sd, double halfwidth, double conf,
					  uint64_t *n) STAT_MUST_CHECK;

/* Finds the smallest n >= 2 at which a mean at `distance` > 0 from its limit clears it at one-sided
 * alpha with that assurance. */
enum stat_status replicates_for_mean(double sd, double distance, double alpha, double assurance,
				     uint64_t *n) STAT_MUST_CHECK;

/* The inverse of replicates_for_mean: the largest standard deviation with which n >= 2 values clear
 * the limit. */
enum stat_status sd_for_mean(uint64_t n, double distance, double alpha, double assurance,
			     double *sd) STAT_MUST_CHECK;

/* Finds the smallest n >= 3 at which the precision ratio clears `limit`, on either side of it, by
 * Pitman-Morgan limits of the ratio with the correlation of the pairs. Their t grows as |a - 1/a|/2
 * sqrt((n-2)/(1-c^2)), a = ratio/limit. */
enum stat_status replicates_for_precision(double ratio, double correlation, double limit,
	double alpha, double assurance, uint64_t *n) STAT_MUST_CHECK;

/* The inverse of replicates_for_precision: n >= 3 pairs clear the limit if the ratio is at most
 * `below` or at least `above`. */
enum stat_status ratio_for_precision(uint64_t n, double correlation, double limit, double alpha,
	double assurance, double *below, double *above) STAT_MUST_CHECK;

/* Computes the power of the one-sided F test with n values in each sample and variance ratio
 * lambda: P(F(n-1, n-1) > F_{1-alpha}/lambda). */
enum stat_status power_f(uint64_t n, double lambda, double alpha, double *power) STAT_MUST_CHECK;
/* Computes the power of the two-sided pooled t test, n per group, for a true shift of d standard
 * deviations (noncentral t, integrated). */
enum stat_status power_t(uint64_t n, double d, double alpha, double *power) STAT_MUST_CHECK;
/* Computes the power of two one-sided pooled t tests, n per group, margins -+margin, true
 * difference diff. */
enum stat_status power_equivalence(uint64_t n, double margin, double diff, double sigma,
				   double alpha, double *power) STAT_MUST_CHECK;

/* Computes the power of two one-sided paired t tests: that the mean of n differences, with standard
 * deviation sd about diff, is shown to be between low and high, each at alpha. n may be a fraction,
 * an effective number. A limit may be infinite. */
enum stat_status power_equivalence_paired(double n, double low, double high, double diff, double sd,
					  double alpha, double *power) STAT_MUST_CHECK;

/* Finds the smallest n >= 2 with at least that power. */
enum stat_status replicates_for_power_f(double lambda, double power, double alpha,
					uint64_t *n) STAT_MUST_CHECK;
enum stat_status replicates_for_power_t(double d, double power, double alpha,
					uint64_t *n) STAT_MUST_CHECK;
enum stat_status replicates_for_power_equivalence(double margin, double diff, double sigma,
	double power, double alpha, uint64_t *n) STAT_MUST_CHECK;

/* Computes the probability that pairs with equal precision and correlation 0 are accepted: the
 * one-sided 1-alpha upper limit is at most `limit`. Uses the independent F limits: P(F(n-1,n-1) <=
 * limit^2/F_{1-alpha}); 0.63 at n = 10, 0.91 at 20. */
enum stat_status power_precision_accept(uint64_t n, double limit, double alpha,
					double *power) STAT_MUST_CHECK;
