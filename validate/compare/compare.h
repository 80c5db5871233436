/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What changed between two baselines: per scenario and component one word, with the numbers behind
 * it.
 *
 * d_i = ln(x_i/r_i), the replay over the program run again in the same block, is the value of a
 * replicate. The change between two campaigns at different times is mean d of the new one less mean
 * d of the old one, by Welch's t: each campaign brings its own references, so what a machine became
 * slower in between cancels as far as the references show it. Two replayers of one campaign are
 * paired by block: the references cancel exactly, and the test is by exchanging labels within pairs
 * (stats/sign_flip.h). same: two one-sided tests at 0.05 show the change within the limits. "No
 * difference found" is not enough. worse, better: a one-sided test at 0.05 shows the change beyond
 * the limit, and a test of no change at all holds with Holm's correction over the whole comparison
 * at 0.01. The first makes it significant practically, as "same" is; the second bounds the rate of
 * false alarms of the whole comparison. inconclusive: everything else. The shape is a family of 12
 * quantiles: the same when each of them is (an intersection-union test); worse or better by the
 * quantile that is farthest beyond the limit, its P-values multiplied by 12 (Bonferroni).
 * All tests allow for replicates that depend on each other (stats/serial.h), with a coefficient
 * that the cases share, and for looks after every replicate where the campaign had a budget
 * (stats/multiplicity.h). Worse means farther from the program, for what has a right value: times,
 * quantiles, shape, the number in flight; better, nearer to it, and only where the old one was
 * shown not to be there. For scatter, uncertainty, reordering, distances and mismatches it means
 * more. Source: Pitman (1937); Welch (1947); Schuirmann (1987); Holm (1979); Rosenbaum (1965) for
 * exceedances. doc/compare.md has all of it. */
#ifndef VALIDATE_COMPARE_H
#define VALIDATE_COMPARE_H

#include "validate/compare/baseline.h"

enum change { CHANGE_SAME, CHANGE_BETTER, CHANGE_WORSE, CHANGE_INCONCLUSIVE, CHANGE_NOT_JUDGED };
/* "same", "better", "worse", "inconclusive", "not judged" */
const char *change_name(enum change c);

enum aspect { /* what is compared */
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
	SCALE_CHANGE,	  /* of a ratio to the program: 0.1 is 10 % more */
	SCALE_RATIO,	  /* new over old, 1 is the same */
	SCALE_DIFFERENCE, /* new less old, of shares and distances */
	SCALE_COUNT,	  /* new less old, requests of a run */
};
enum aspect_scale aspect_scale(enum aspect k);
/* Its values are deviations from the program, either way: 0 is right. */
bool aspect_is_deviation(enum aspect k);

struct aspect_change {
	enum change word;
	enum stat_status status; /* STAT_OK, or why there is no number */
	/* relative bias; standard deviation of d; u_c; share; distance; mean count */
	double old_value, new_value;
	double change, lo95, hi95;   /* in its scale; limits NaN where there are none */
	double quantile; /* of the shape: what the numbers are of; else NaN */
	double limit;		     /* NaN: none, not judged */
	/* one-sided, of being beyond the nearer limit; NaN no test was made */
	double p;
	/* two-sided, against no change at all, and corrected for the whole comparison; NaN */
	double p_difference, p_holm;
	double p_same;		     /* of equivalence; NaN */
	double p_brown_forsythe;     /* precision only; NaN. Decides nothing */
	/* of the program, for what has a right value: 1 shown above it at 1 %, -1 below, 0 neither
	 */
	int old_side;
	/* not shown the same, and would be if the runs were known to be independent */
	bool dependent;
	uint64_t n_further; /* pairs that would settle it; 0 unknown, or settled */
	char reason[300];
};

struct case_change {
	const struct baseline_case *old_case, *new_case; /* borrowed */
	const char *scenario;				 /* borrowed */
	bool paired; /* by block, in one campaign */
	/* and of every block both have the same: nothing can have changed, whatever tests could
	 * show */
	bool same_runs;
	size_t n;    /* pairs of pairs; else 0 */
	struct aspect_change aspect[ASPECT_N];
	enum change word;
	/* pairs that would settle what is inconclusive, as the means and their scatter look now; 0
	 * unknown */
	uint64_t n_further;
};

enum difference_kind {
	DIFFERENCE_PROTOCOL,
	DIFFERENCE_REQUESTS,
	DIFFERENCE_ENVIRONMENT,
	DIFFERENCE_MISSING,
	DIFFERENCE_SETTINGS,
	DIFFERENCE_LIMITS
};
/* "protocol", "requests", "environment", "missing", "settings", "limits" */
extern const char *const difference_names[];
struct difference { /* between the two sides */
	enum difference_kind kind;
	char *what, *old_value, *new_value; /* values NULL where they say nothing */
	bool refuses; /* they are not compared because of it */
};

struct failed_runs { /* of a side */
	uint64_t n;
	size_t n_cells;	      /* cases that have some */
	const char *scenario; /* the first such case's; borrowed, NULL without */
};

struct campaign_change {
	const struct baseline *old_side, *new_side; /* borrowed */
	struct compare_limits limits;		    /* of the new side; strings borrowed */
	struct difference *difference;
	size_t n_differences, n_refusing, n_missing;
	struct case_change *cell;
	size_t n_cells;
	/* error of calling one aspect the same, and of calling one changed that is at its limit */
	double level_same;
	/* of calling any aspect changed that is not, over the whole comparison */
	double level_worse;
	/* of looks after every replicate (stats/multiplicity.h); 0: planned looks alone */
	double span;
	size_t n_tests;			/* Holm's family */
	size_t n_worse, n_better, n_same, n_inconclusive; /* cases */
	size_t n_same_runs;
	struct failed_runs failed_old, failed_new;
	size_t n_failed_cells; /* with failed runs of either side */
	enum change word; /* worse, else inconclusive, else better, else same */
};

/* What of the differences that would refuse a comparison are let pass: names of kinds,
 * comma-separated; "all". */
struct compare_options {
	const char *allow; /* NULL none */
	bool words_only; /* for a look: what is not judged, and intervals, are left out */
};

/* Both baselines outlive the comparison. With differences that refuse, nothing is computed (n_cells
 * 0): n_refusing says so. Errors: EINVAL for an unknown name in `allow`; ENODATA when nothing is in
 * both. Ownership: campaign_change_release. */
int compare_compute(struct campaign_change *c, const struct baseline *old_side,
		    const struct baseline *new_side, const struct compare_options *o,
		    struct err *e);
void campaign_change_release(struct campaign_change *c);

#endif
