/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published values beside measured values, and claims of the literature that are checked in this
 * campaign.
 *
 * A claim is checked case by case. Each case of its scenarios and replayers is compared with a
 * number, or with the case that has the same settings except those that the claim names. Confirmed:
 * every interval is on the claimed side (for "alike": inside the margin). Not confirmed: some
 * interval is on the other side (outside the margin). Otherwise inconclusive. The intervals of the
 * n comparisons of a claim hold together at 95 %: each at 1 - 0.05/n (Bonferroni). Point values
 * decide nothing.
 *
 * `f-ratio` against a number: the number is the published critical value of an F test, which is
 * shown but does not decide. The claim compares sigma_x^2/sigma_r^2 with 1, by the F interval with
 * the degrees of freedom of the runs. "Smaller" (no more scatter than the program) is confirmed if
 * the upper limit is at most the square of the protocol's limit on the precision ratio and the
 * one-sided F test finds no more scatter (f_p > 0.05). */
#pragma once

#include "validate/evidence/cell.h"

enum claim_outcome { CLAIM_CONFIRMED, CLAIM_NOT_CONFIRMED, CLAIM_INCONCLUSIVE, CLAIM_NOT_ASSESSED };
/* Names: "confirmed", "not confirmed", "inconclusive", "not assessed", NULL. */
extern const char *const claim_outcome_names[];

#define CLAIM_NO_CELL SIZE_MAX

struct claim_comparison {
	/* indices; CLAIM_NO_CELL: compared with the claim's number */
	size_t cell, than;
	/* the measure in both cases with 95 % intervals; `other` may be the number of the claim */
	struct estimate value, other;
	/* analysis/measures.h; lo95 and hi95 at the confidence of the claim */
	struct estimate difference;
	enum claim_outcome outcome;
	/* F ratio against a number: one-sided at 0.05, for the degrees of freedom of the runs;
	 * otherwise NaN */
	double f_critical, f_p;
};

struct claim_result { /* the result of protocol.claim[i] with the same index */
	struct claim_comparison *comparison; /* owned */
	size_t n, n_confirmed, n_not_confirmed, n_inconclusive;
	/* F ratios against a number: number of comparisons with f_p <= 0.05, and with F above the
	 * published value. */
	size_t n_significant, n_above_published;
	/* smallest and largest difference over the comparisons; NaN if all are unknown */
	double least, most;
	double confidence; /* of each comparison's interval */
	enum claim_outcome outcome; /* CLAIM_NOT_ASSESSED: no such case */
};

struct published_result { /* a published value and a case with its settings */
	const struct published_value *value; /* borrowed from the protocol */
	size_t cell;
	struct estimate measured; /* with its 95 % interval */
};

/* Fills a->claim and a->published. Ownership: analysis_claims_release. */
void claims_compute(struct analysis *a);
void analysis_claims_release(struct analysis *a);
