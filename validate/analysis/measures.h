/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measures of protocol/measure.h, computed from the pairs of a case, and differences between
 * cases.
 *
 * Intervals are t-intervals of the delete-one jackknife over the blocks. theta_(i) is the measure
 * (on its scale) without block i; se^2 = (n-1)/n sum (theta_(i) - mean)^2, with n - 1 degrees of
 * freedom. This works for means and standard deviations; for a mean it is the usual interval. Two
 * cases are compared on the blocks that both have, so that effects of a block cancel. Runs are
 * treated as independent. Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993),
 * chapter 11. */
#pragma once

#include "validate/evidence/cell.h"
#include "validate/stats/variance_ratio.h"

struct analysis;

/* Replays x[i], the program's runs r[i] of the same blocks, and the recordings that the x[i]
 * replayed. */
struct measure_runs {
	/* owned arrays of borrowed runs; recording[i] NULL: unknown */
	const struct run **x, **r, **recording;
	size_t n;
};

/* Collects blocks 1..n_blocks. Ownership: measure_runs_release(). */
void measure_runs_collect(struct measure_runs *m, const struct results *r, size_t scenario,
			  size_t replayer, unsigned int n_blocks);
/* Collects the runs of a case. Ownership: measure_runs_release(). */
void measure_runs_of_cell(struct measure_runs *m, const struct analysis *a, size_t cell);
void measure_runs_release(struct measure_runs *m);

/* Returns the measure of a case with its intervals, in its base unit. `operation` NULL: all
 * requests. Status: STAT_TOO_FEW with fewer than three pairs; STAT_NOT_ASSESSED if the runs do not
 * have it; STAT_ZERO_VARIANCE if all runs have the same value, which is returned without limits. */
struct estimate measure_estimate(enum measure m, const char *operation,
				 const struct measure_runs *runs);
/* Returns the estimate of |b| from that of b: intervals are folded at 0. */
struct estimate measure_size(const struct estimate *of);

/* Returns how much larger the measure is in a than in b, with the interval at the given confidence
 * in lo95 and hi95, and NaN in lo90 and hi90. For times and other positive measures: the ratio
 * minus 1. For relative deviations: the ratio of 1 + value, minus 1. For other measures: the
 * difference. For the size of the bias: |b_a| - |b_b|, from intervals of b_a - b_b and b_a +
 * b_b. */
struct estimate measure_difference(enum measure m, const char *operation,
	const struct measure_runs *a, const struct measure_runs *b, double confidence);
/* Like measure_difference(), against a number in the base unit. */
struct estimate measure_excess(enum measure m, const char *operation, const struct measure_runs *a,
			       double limit, double confidence);

/* Compares the F ratio of a case with equal variances: returns F - 1 with its F interval at the
 * given confidence in lo95 and hi95; *v is the test. Status: STAT_TOO_FEW with fewer than three
 * pairs; otherwise that of variance_ratio(). */
struct estimate measure_f_excess(const char *operation, const struct measure_runs *a,
				 double confidence, struct variance_ratio *v);
