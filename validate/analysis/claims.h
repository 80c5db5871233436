/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was published beside what was measured here, and whether findings of the literature are
 * confirmed on this machine.
 *
 * A claim is compared case by case: each case of its scenarios and replayers with the one that
 * agrees with it in all settings but those named, or with a number. Confirmed: every interval lies
 * wholly on the claimed side (of "alike": inside the margin); not confirmed: some interval lies
 * wholly on the other (outside the margin); else inconclusive. The intervals of a claim's n
 * comparisons hold together at 95 % (each at 1 - 0.05/n, Bonferroni). Point values decide nothing.
 *
 * `f-ratio` against a number: the number is the published critical value of an F test. It is shown
 * and does not decide. The claim compares sigma_x^2/sigma_r^2 with 1, by the F interval of the
 * runs' own degrees of freedom. "Smaller" (no more scatter than the program) is confirmed where the
 * upper limit is at most the square of the protocol's limit on the precision ratio. */
#ifndef VALIDATE_ANALYSIS_CLAIMS_H
#define VALIDATE_ANALYSIS_CLAIMS_H

#include "validate/analysis/analysis.h"

enum claim_outcome { CLAIM_CONFIRMED, CLAIM_NOT_CONFIRMED, CLAIM_INCONCLUSIVE, CLAIM_NOT_ASSESSED };
/* "confirmed", "not confirmed", "inconclusive", "not assessed", NULL */
extern const char *const claim_outcome_names[];

#define CLAIM_NO_CELL SIZE_MAX

struct claim_comparison {
	size_t cell, than;	       /* indices; than CLAIM_NO_CELL: against the claim's number */
	/* the measure in both, 95 % intervals; `other` of a number: the number */
	struct estimate value, other;
	/* analysis/measures.h; lo95, hi95 at the claim's own confidence */
	struct estimate difference;
	enum claim_outcome outcome;
	/* of an F ratio against a number: one-sided at 0.05, for the runs' degrees of freedom; else
	 * NaN */
	double f_critical, f_p;
};

struct claim_result { /* of protocol.claim[i], at the same index */
	struct claim_comparison *comparison; /* owned */
	size_t n, n_confirmed, n_not_confirmed, n_inconclusive;
	/* Of F ratios against a number: comparisons with f_p <= 0.05, and with F above the
	 * published critical value */
	size_t n_significant, n_above_published;
	double least, most; /* difference over the comparisons; NaN where none is known */
	double confidence; /* of each comparison's interval */
	enum claim_outcome outcome; /* CLAIM_NOT_ASSESSED: no such cases */
};

struct published_result { /* a published value and a case that it is put beside */
	const struct published_value *value; /* borrowed from the protocol */
	size_t cell;
	struct estimate measured; /* with its 95 % interval */
};

/* Fills a->claim and a->published. Ownership: analysis_claims_release. */
void claims_compute(struct analysis *a);
void analysis_claims_release(struct analysis *a);

#endif
