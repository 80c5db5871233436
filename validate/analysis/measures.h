/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measures of protocol/measure.h, computed from the pairs of a case, and how far two cases
 * differ in one.
 *
 * Intervals are t-intervals of the delete-one jackknife over the blocks: theta_(i) is the measure
 * (on its scale) without block i, se^2 = (n-1)/n sum (theta_(i) - mean)^2, n - 1 degrees of
 * freedom. That serves means and standard deviations alike, and for a mean it is the usual
 * interval. Two cases are compared on the blocks that both have, so that what a block does to both
 * cancels. Runs are taken for independent of each other.
 * Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 11. */
#ifndef VALIDATE_ANALYSIS_MEASURES_H
#define VALIDATE_ANALYSIS_MEASURES_H

#include "validate/analysis/analysis.h"
#include "validate/stats/variance_ratio.h"

/* replays x[i] with the program's runs r[i] of the same block, and the recording that x[i] replayed
 */
struct measure_runs {
	/* owned arrays of borrowed runs; recording[i] NULL: none is known */
	const struct run **x, **r, **recording;
	size_t n;
};

/* Of blocks 1..n_blocks. Ownership: measure_runs_release. */
void measure_runs_collect(struct measure_runs *m, const struct results *r, size_t scenario,
			  size_t replayer, unsigned int n_blocks);
void measure_runs_release(struct measure_runs *m);

/* The measure of one case with its intervals, in its base unit.
 * `operation` NULL: all requests. Status: STAT_TOO_FEW below three pairs; STAT_NOT_ASSESSED where
 * the runs do not have it; STAT_ZERO_VARIANCE where it is the same in every run: then the value is
 * there without limits. */
struct estimate measure_estimate(enum measure m, const char *operation,
				 const struct measure_runs *runs);
/* Of |b| the estimate of b: its intervals folded at 0. */
struct estimate measure_size(const struct estimate *of);

/* How much larger it is in a than in b, with its interval at the given confidence in lo95 and hi95
 * (lo90 and hi90 are NaN): as a ratio less one for times and other positive measures, and for 1 +
 * value of those that are relative deviations; else the difference. Of the size of the bias: |b_a|
 * - |b_b|, from intervals of b_a - b_b and b_a + b_b. */
struct estimate measure_difference(enum measure m, const char *operation,
				   const struct measure_runs *a, const struct measure_runs *b,
				   double confidence);
/* The same against a number in its base unit. */
struct estimate measure_excess(enum measure m, const char *operation, const struct measure_runs *a,
			       double limit, double confidence);

/* The F ratio of one case against equal variances: F/1 - 1 with its F interval at the given
 * confidence in lo95 and hi95; *v is the test. Status: STAT_TOO_FEW below three pairs; else those
 * of variance_ratio(). */
struct estimate measure_f_excess(const char *operation, const struct measure_runs *a,
				 double confidence, struct variance_ratio *v);

#endif
