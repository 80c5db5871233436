/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes between two baselines: a word for each scenario and component, with its numbers.
 *
 * The value of a replicate is d_i = ln(x_i/r_i), the replay over the program in the same block.
 * Between campaigns at different times, the change is the mean d of the new campaign minus that of
 * the old campaign, by Welch's t. Each campaign has its own references, so the effect of a slower
 * machine cancels as far as the references show it. Two replayers of one campaign are paired by
 * block: the references cancel exactly, and the test exchanges labels within pairs
 * (stats/sign_flip.h).
 *
 * same: two one-sided tests at 0.05 show that the change is within the limits; "no difference
 * found" is not enough. worse, better: a one-sided test at 0.05 shows that the change is beyond the
 * limit, and the test of no change is significant at 0.01 after Holm's correction over the whole
 * comparison. The first condition is practical significance, the second bounds the rate of false
 * alarms. inconclusive: everything else.
 *
 * The shape is a family of 12 quantiles: it is the same if each quantile is (intersection-union);
 * it is worse or better by the quantile that is farthest beyond the limit, with its P-values times
 * 12 (Bonferroni). All tests allow for dependence between replicates (stats/serial.h), with a
 * coefficient that the cases share, and for looks after every replicate of a campaign with a budget
 * (stats/multiplicity.h).
 *
 * For quantities with a right value (times, quantiles, shape, number in flight), worse means
 * farther from the program, and better means nearer to it, if the old side was significantly off.
 * For scatter, uncertainty, reordering, distances and mismatches, worse means larger. Source:
 * Pitman (1937); Welch (1947); Schuirmann (1987); Holm (1979); Rosenbaum (1965) for exceedances.
 * Details: doc/compare.md. */
#pragma once

#include "validate/compare/baseline.h"

enum change { CHANGE_SAME, CHANGE_BETTER, CHANGE_WORSE, CHANGE_INCONCLUSIVE, CHANGE_NOT_JUDGED };
/* By enum, NULL-terminated: "same", "better", "worse", "inconclusive", "not judged". */
extern const char *const change_names[];
const char *change_name(enum change c);

enum aspect { /* compared quantity */
	      ASPECT_RESPONSE_TIME,
	      ASPECT_PRECISION,
	      ASPECT_UNCERTAINTY,
	      ASPECT_TYPICAL,
	      ASPECT_TAIL,
	      ASPECT_SHAPE,
	      ASPECT_MEDIAN,
	      ASPECT_P90,
	      ASPECT_P99,
	      ASPECT_P999,
	      ASPECT_EXECUTION_TIME,
	      ASPECT_REORDERING,
	      ASPECT_IN_FLIGHT,
	      ASPECT_CONCURRENCY,
	      ASPECT_MISMATCHES,
	      ASPECT_N
};
extern const char *const aspect_names[ASPECT_N + 1]; /* "response time", ..., NULL */

enum aspect_scale {
	SCALE_CHANGE,	  /* relative to the program: 0.1 is 10 % more */
	SCALE_RATIO,	  /* new over old; 1 is equal */
	SCALE_DIFFERENCE, /* new minus old value, for shares and distances */
	SCALE_COUNT,	  /* new minus old, requests per run */
};
enum aspect_scale aspect_scale(enum aspect k);
/* Whether its values are two-sided deviations from the program: 0 is right. */
bool aspect_is_deviation(enum aspect k);

/* Why an aspect has no number or word, and what its word means. Each reason is a code with its
 * numbers, which reports/compare/compare_words.c turns into words. */
enum change_reason_code {
	CHANGE_BEYOND_FEW,
	CHANGE_ONE_RECORDING,
	CHANGE_STATUS,
	CHANGE_FAILED,
	CHANGE_NO_LIMIT,
	CHANGE_NEARER_UNKNOWN,
	CHANGE_IF_INDEPENDENT,
	CHANGE_SAME_RUNS,
	CHANGE_OLD_INCOMPLETE,
	CHANGE_NEW_INCOMPLETE,
	CHANGE_COUNTS,
	CHANGE_OLD_LOST,
	CHANGE_NEW_LOST,
	CHANGE_REASON_N
};
#define CHANGE_REASONS 6
struct change_reason {
	enum change_reason_code code;
	double number[6];
};

struct aspect_change {
	enum change word;
	enum stat_status status; /* STAT_OK, or why there is no number */
	/* relative bias; standard deviation of d; u_c; share; distance; mean count */
	double old_value, new_value;
	double change, lo95, hi95;   /* in its scale; limits NaN: none */
	double quantile; /* the quantile of the shape to which the numbers belong; otherwise NaN */
	double limit;		     /* NaN: none, not judged */
	/* one-sided P of a change beyond the nearer limit; NaN no test */
	double p;
	/* two-sided P of no change; the same after Holm's correction over the whole comparison; NaN
	 * no test */
	double p_difference, p_holm;
	double p_same;		     /* of equivalence; NaN no test */
	double p_brown_forsythe;     /* precision only, shown; NaN */
	/* if there is a right value, the old side relative to the program: 1 significantly above,
	 * -1 significantly below (at 1 %); otherwise 0 */
	int old_side;
	/* not the same, but it would be the same if the runs were independent */
	bool dependent;
	/* number of further pairs that would decide it; 0 unknown, or decided */
	uint64_t n_further;
	struct change_reason reason[CHANGE_REASONS];
	unsigned int n_reasons;
};

struct case_change {
	const struct baseline_case *old_case, *new_case; /* borrowed */
	const char *scenario;				 /* borrowed */
	bool paired; /* by block, within one campaign */
	/* both sides have equal values in every block: nothing can have changed, whatever tests
	 * show */
	bool same_runs;
	size_t n;    /* pairs of pairs; else 0 */
	struct aspect_change aspect[ASPECT_N];
	enum change word;
	bool measured; /* some judged aspect has a value on both sides */
	/* number of pairs that would decide the inconclusive aspects at the present means and
	 * scatter; 0 unknown */
	uint64_t n_further;
};

enum difference_kind {
	DIFFERENCE_PROTOCOL, DIFFERENCE_REQUESTS, DIFFERENCE_ENVIRONMENT, DIFFERENCE_MISSING,
	DIFFERENCE_SETTINGS, DIFFERENCE_LIMITS,
};
/* Names: "protocol", "requests", "environment", "missing", "settings", "limits". */
extern const char *const difference_names[];
struct difference { /* between the two sides */
	enum difference_kind kind;
	char *what, *old_value, *new_value; /* NULL: no value on this side */
	bool refuses;			    /* prevents the comparison */
	bool unknown;			    /* requests: it is not known whether they differ */
	/* settings: the old replayer, if its name differs from `what`; borrowed; otherwise NULL */
	const char *old_replayer;
};

struct failed_runs { /* of one side */
	uint64_t n;
	size_t n_cells;	      /* cases with failed runs */
	/* scenario of the first such case; borrowed; NULL none */
	const char *scenario;
};

/* How an inconclusive comparison counts, for CI services. */
enum inconclusive_as {
	INCONCLUSIVE_ERROR,
	INCONCLUSIVE_PASS,
	INCONCLUSIVE_FAIL,
	INCONCLUSIVE_SKIP
};
/* Names: "error", "pass", "fail", "skip", NULL. */
extern const char *const inconclusive_names[];

struct campaign_change {
	const struct baseline *old_side, *new_side; /* borrowed */
	struct compare_limits limits;		    /* of the new side; strings borrowed */
	struct difference *difference;
	size_t n_differences, n_refusing, n_missing;
	struct case_change *cell;
	size_t n_cells;
	/* error of calling an aspect the same although it changed, and of calling it changed
	 * although it is at its limit */
	double level_same;
	/* probability, over the whole comparison, that any unchanged aspect is called changed */
	double level_worse;
	/* span of looks after every replicate (stats/multiplicity.h); 0: planned looks */
	double span;
	size_t n_tests;			/* size of Holm's family */
	size_t n_worse, n_better, n_same, n_inconclusive; /* cases */
	size_t n_same_runs;
	struct failed_runs failed_old, failed_new;
	size_t n_failed_cells; /* number of cases with failed runs on either side */
	/* number of cases in which nothing could be judged: no setting makes them pass */
	size_t n_unmeasured;
	enum inconclusive_as inconclusive; /* as in the options */
	enum change word; /* worse, else inconclusive, else better, else same */
};

/* Options. `allow`: kinds of refusing differences that are permitted, comma-separated, or "all". */
struct compare_options {
	const char *allow; /* NULL none */
	/* for a look: do not compute intervals and aspects that are not judged */
	bool words_only;
	int inconclusive; /* enum inconclusive_as */
};

/* Compares two baselines, which must outlive the comparison. If a difference refuses the
 * comparison, nothing is computed (n_cells 0, n_refusing > 0). Errors: EINVAL for an unknown name
 * in `allow`; ENODATA without a common case. Ownership: campaign_change_release(). */
int compare_compute(struct campaign_change *c, const struct baseline *old_side,
	const struct baseline *new_side, const struct compare_options *o, struct err *e);
void campaign_change_release(struct campaign_change *c);
