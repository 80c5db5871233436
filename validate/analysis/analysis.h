/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From run summaries to verdicts: everything a report shows, computed once, with its unit and its
 * status.
 *
 * The unit of evidence is the run; x_i is the mean response time of a replay in block i and r_i
 * that of the program run again in the same block. Relative quantities are ratios (0.1 is 10 %),
 * times are ns. Sources: GUM and ISO 5725 for the quantities, stats/ for each formula. */
#ifndef VALIDATE_ANALYSIS_H
#define VALIDATE_ANALYSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "validate/components/list.h"
#include "validate/results/results.h"
#include "validate/stats/group_classes.h"
#include "validate/stats/paper.h" /* enum paper_mode, struct paper_uncertainty */
#include "validate/stats/status.h"

/* Every estimate carries a status (stats/status.h); a value is meaningful only where it is STAT_OK.
 */
struct estimate { /* one number and how well it is known */
	enum stat_status status;
	double value;
	double lo90, hi90, lo95, hi95; /* two-sided limits; NaN where there are none */
	double df;		       /* degrees of freedom behind the limits, NaN none */
};

struct sample { /* replicate results in block order */
	size_t n;
	double *x; /* owned */
	enum stat_status status; /* of sd and what needs it */
	double mean, sd, cv, sem, median, min, max;
};

enum decision {
	DECISION_ACCEPT,
	DECISION_REJECT,
	DECISION_INCONCLUSIVE,
	DECISION_NOT_ASSESSED,
	DECISION_NOT_APPLICABLE
};
enum verdict { VERDICT_TRUSTED, VERDICT_NOT_TRUSTED, VERDICT_INCONCLUSIVE };
/* "accept", "reject", "inconclusive", "not assessed", "not applicable" */
const char *decision_name(enum decision d);
const char *verdict_name(enum verdict v);   /* "trusted", "not trusted", "inconclusive" */

/* Components by kind: validate/components/list.h; what each says: validate/components/component.h.
 */
extern const char *const component_names[]; /* "bias", "precision", ..., NULL */

struct levels { /* of error, of one look at one cell */
	double accept, reject; /* of accepting one component, of all rejections together */
	/* ln of the most over the least replicates of a campaign that looks after each group;
	 * accept is the level of each look then, and P-values of rejecting are corrected
	 * (stats/multiplicity.h). 0: planned looks */
	double span;
};

/* of a component that judges several numbers: an operation, a half, a quantile */
struct component_part {
	char label[24];
	struct estimate estimate; /* in the component's unit */
};

struct component {
	enum component_kind kind;
	/* before and after Holm: a rejection that does not survive becomes inconclusive */
	enum decision decision;
	bool rejected_before_holm;
	struct estimate estimate; /* relative bias; precision ratio; share reordered; ... */
	/* in the estimate's unit; two-sided (-limit..limit) for bias, execution time, linearity and
	 * the numbers in flight, upper for the others; NaN: none was set, and the estimate is shown
	 * only */
	double limit;
	double p_reject, p_reject_holm; /* NaN where no rejection test was made */
	/* further replicates that would probably settle it; 0: none or unknown */
	uint64_t n_more;
	/* What accepting was decided from: the autocorrelation of neighbours in the order of the
	 * blocks, how many independent runs (pairs) the runs are taken for, and the limits that
	 * result, one-sided each at the error of this look, in the estimate's unit. NaN: nothing of
	 * the kind was judged; a one-sided component has no lower limit */
	double lag1, n_effective, accept_lo, accept_hi;
	/* not accepted, and would be if the runs were known to be independent of each other */
	bool dependent;
	/* [n_parts], owned by the cell; 0: the component has none, or nothing was measured */
	struct component_part *part;
	size_t n_parts;
	/* It was rejected against a recording that the campaign did not make. The machine may be
	 * the cause: inconclusive */
	bool differs;
	/* that is more than anybody runs (or no number would do): the reason says what else would
	 */
	bool impractical;
	/* one sentence with the numbers that decided; UTF-8, cut between characters */
	char reason[400];
};

struct budget_row { /* stats/budget.h */
	const char *source, *distribution; /* static strings: "repeatability", "normal" */
	char type;			   /* 'A' or 'B' */
	/* u relative to the reference; nu INFINITY for type B; shares sum to 1 */
	double value, divisor, sensitivity, u, nu, share;
	/* rows with the same number, not 0, are multiples of one standard deviation */
	unsigned int estimate;
};
#define BUDGET_MAX_ROWS 16
/* Propagation of the rows' distributions by Monte Carlo (JCGM 101): the interval about 0 that
 * covers 95 %, and whether the budget's -U..U agrees with it to the accuracy that one digit of u_c
 * has (clause 8.1). */
struct propagation {
	enum stat_status status; /* STAT_NOT_ASSESSED: not made */
	uint64_t n_trials;
	double lo, hi, delta; /* relative; delta: the tolerance */
	bool adequate;
};
struct budget {
	enum stat_status status;
	struct budget_row row[BUDGET_MAX_ROWS];
	size_t n_rows;
	double u_c, nu_eff, k95, U95; /* relative */
	/* Of u_c as an estimate: its degrees of freedom, fewer where the replays have long tails;
	 * u_c and they for its upper limit, which allows for tails and for dependence that so few
	 * runs do not show; and of the same budget with the program's own runs in the replays'
	 * place. NaN unknown */
	double nu_spread, nu_spread_upper, u_c_upper, u_c_program, nu_spread_program;
	struct propagation monte_carlo; /* beside it (analysis_propagate) */
};

#define QUANTILES_N 4
extern const double
    analysis_quantiles[QUANTILES_N]; /* 0.5, 0.9, 0.99, 0.999: of the requests of a run */

/* Results by session (ISO 5725-2): each a replay's mean response time over the program's mean in
 * that campaign. */
struct session_group {
	size_t n;
	double mean, sd;
	double h, k; /* Mandel's; NaN undefined */
	enum outlier_class h_class, k_class;
};
struct session_study {
	enum stat_status status; /* STAT_NOT_APPLICABLE: one session */
	size_t n_sessions;
	struct session_group *session; /* owned */
	/* within a session, between sessions, both: relative standard deviations */
	double s_r, s_L, s_R;
	/* Cochran on the largest scatter, Grubbs on the extreme means: marked, never dropped. Each
	 * with its status */
	enum stat_status cochran_status, grubbs_status;
	double cochran, cochran_critical_5, cochran_critical_1;
	double grubbs, grubbs_critical_5, grubbs_critical_1; /* the more extreme of both ends */
	enum outlier_class cochran_class, grubbs_class;
	size_t cochran_session, grubbs_session; /* 0-based: the suspect */
};

/* Of ln(x/r) in the order of the blocks, as relative deviations (Shewhart's chart of individuals
 * and moving ranges). */
struct control_chart {
	enum stat_status status;
	double center, lower, upper, mr_bar, mr_upper;
	size_t n_out, n_mr_out; /* values and moving ranges outside */
	struct sample d;	/* exp(ln(x/r)) - 1 */
};

struct cdf { /* of the concurrency level, averaged over runs */
	size_t n;   /* levels 0..n-1 */
	double *p;  /* P(level <= c), owned */
};

struct blank { /* replays without calls (analysis/blank.h); STAT_NOT_ASSESSED: none was made */
	enum stat_status status;
	size_t n;
	/* of the runs' means; the limit of quantification, 10 sd; NaN unknown */
	double mean_ns, sd_ns, loq_ns;
	/* the program's mean is below the limit: nothing relative to it is decided */
	bool below;
};

/* Regression on the processor time that others used (analysis/covariate.h), where [protocol]
 * covariate asks for it */
struct covariate_effect {
	enum stat_status status; /* STAT_NOT_ASSESSED: not asked for */
	double slope, se;	 /* of ln(x/r) on the difference of ln(1 + share used by others) */
	/* share of the scatter within the scenario's cells that it explains */
	double r_squared;
	double stretch;		 /* of what scatter is left, for the error of the slope */
};

struct cell { /* one scenario x one replayer */
	size_t scenario, replayer;
	unsigned int n_blocks, n_pairs, n_failed_program, n_failed_replayer; /* block 0 left out */
	char first_failure[200];
	/* threads that make the program's requests, one at a time (analysis/pairs.h); NaN unknown,
	 * or not the same in all runs */
	double n_lanes;
	uint64_t n_events_lost;	  /* in capture, of the cell's runs: their traces are incomplete */
	/* runs of the cell whose traces were made of one that has no end */
	uint32_t n_cut;
	uint32_t n_unseen; /* runs of the cell, and recordings, whose capture could not see all */
	/* the program runs anew in each pair, and all replays are of one recording */
	bool one_recording;
	bool no_responses; /* the reference has no response times: only order, times of issue and
			      fidelity are judged */
	/* one recorded trace is the reference of all: no F, precision not applicable */
	bool single_reference;
	struct sample x, r;	  /* mean response time, ns: replay and program, paired by index */
	/* of the runs' medians and 99th percentiles */
	struct sample x_median, r_median, x_p99, r_p99;
	/* of the runs' trimmed means, 10 % left out at each end */
	struct sample x_trimmed, r_trimmed;
	struct sample x_time, r_time; /* execution time, ns */
	struct sample x_rate, r_rate; /* requests per second */
	double correlation;	  /* of ln x and ln r, NaN undefined */

	/* the paper's set, on response times as they are */
	enum stat_status f_status;
	double f_ratio, f_critical, f_p, f_p_two_sided, f_ci_lo, f_ci_hi;
	struct paper_uncertainty paper[PAPER_MODE_N];
	/* the default analysis */
	struct estimate bias;	       /* paired log ratios */
	struct estimate bias_independent;
	/* of the runs' medians and trimmed means; shown, not judged */
	struct estimate bias_median, bias_trimmed;
	/* response times in the run that has the fewest; 0 without pairs */
	uint64_t n_fewest_requests;
	struct estimate precision_ratio; /* Pitman-Morgan, sigma_x / sigma_r */
	double precision_lower95, precision_upper95; /* one-sided */
	/* against the limit, with the labels permuted within pairs (stats/pair_permutation.h):
	 * ratio above it, below it; NaN undefined */
	double permutation_p_above, permutation_p_below;
	struct estimate precision_independent;	     /* F limits, of the logarithms too */
	/* Brown-Forsythe and Levene on logarithms, Welch and Shapiro-Wilk on response times */
	/* NaN not available */
	double brown_forsythe_p, levene_p, welch_p, shapiro_p_x, shapiro_p_r;
	struct budget budget;
	/* What one replay is worth on this machine: U of one future replay, what the program itself
	 * would have in its place, and the replayer's own part, sqrt(U95^2 - machine^2), 0 where
	 * the machine has more. Relative; NaN unknown */
	struct worth {
		double U95, machine, own;
	} worth;
	struct covariate_effect covariate_response, covariate_time;
	struct estimate execution_time;
	/* the same deviation split into requests that took longer and waiting between them: their
	 * sum is its value; NaN unknown */
	double execution_service, execution_schedule;
	struct estimate reordered; /* in the deciding scope; then in each */
	struct estimate reordered_all, reordered_thread, reordered_object;
	uint64_t n_received, n_reordered, n_descents; /* pooled, deciding scope */
	uint64_t n_lost, n_extra, n_mismatched, n_requests; /* pooled over runs */
	uint64_t n_passed; /* of n_requests, skipped by the replayer: not judged */
	uint64_t n_untold; /* of n_requests, whose results the replayer does not tell */
	struct cdf concurrency_time_x, concurrency_time_r, concurrency_request_x,
	    concurrency_request_r;
	/* sup of |mean F_x - mean F_r|, by time and by request: what is judged, by the one that
	 * [accept] names, or both */
	struct estimate concurrency_time, concurrency_request;
	/* sup within a pair, mean over pairs: larger, for the runs of one program differ too; shown
	 * beside */
	struct estimate concurrency_distance_time, concurrency_distance_request;
	double concurrency_mean_x, concurrency_mean_r;
	/* means over runs of the largest number in flight; NaN unknown */
	double concurrency_max_x, concurrency_max_r;
	/* relative deviation of both, paired log ratios */
	struct estimate in_flight, in_flight_max;
	/* ns, over runs; NOT_APPLICABLE unless timed */
	struct estimate issue_error_p50, issue_error_p99;
	double issue_error_max, share_late;
	/* of the requests that the machine held up while their time was waited for: their share,
	 * and the 99th percentile without them; NOT_ASSESSED where replays do not tell,
	 * NOT_APPLICABLE unless timed. Shown, not judged */
	struct estimate held_up, issue_error_others_p99;
	struct estimate late; /* share of late requests with its limits; value is share_late */
	struct estimate schedule_error; /* ns */
	/* relative bias of the runs' quantiles (analysis_quantiles), paired; shown, not judged.
	 * `extrapolated`: the runs have too few requests for that quantile to lie below the largest
	 */
	struct estimate quantile_bias[QUANTILES_N];
	bool quantile_extrapolated[QUANTILES_N];
	/* of the requests of all runs pooled, which depend on each other: no test.
	 * Kolmogorov-Smirnov distance; 1-Wasserstein distance over the program's mean; NaN unknown,
	 * as before analysis_describe() and in large campaigns (analysis/analysis.c) */
	double ks_distance, wasserstein;
	struct session_study sessions;
	struct control_chart control;
	/* diagnostics of ln(x/r) in run order */
	/* NaN undefined; trend_p also where so few could not attain 0.05 */
	double lag1, runs_p, trend_p;
	/* independent pairs that the pairs are taken for (stats/serial.h); NaN undefined */
	double n_effective;
	/* where the time went, means per run: shares of wall time, counts per request */
	double off_cpu_x, off_cpu_r, stolen_x, stolen_r, faults_x, faults_r; /* NaN unknown */
	double resident_x, resident_r; /* share of the files cached before the run */
	struct blank blank;

	struct levels levels;
	bool too_early; /* fewer replicates than the first planned look has: nothing is decided */
	struct component component[COMPONENT_N];
	enum verdict verdict;
	char verdict_reason[600];
};

struct linearity_level {
	uint64_t level;
	size_t cell;
	double cv, relative_bias;
};
struct linearity { /* one scenario group x one replayer: relative bias over levels, on replicates */
	size_t group, replayer;
	char name[120]; /* the group's factors */
	struct linearity_level *level;
	size_t n_levels;
	enum stat_status status, lack_of_fit_status;
	double slope, slope_se, slope_p, intercept, lack_of_fit_f, lack_of_fit_p;
	/* Mann-Kendall of the levels' mean relative bias, exact; STAT_TOO_FEW_FOR_ALPHA below 5
	 * levels, for which no outcome is significant at 0.05 */
	enum stat_status trend_status;
	double trend_p;
	/* Brown-Forsythe over the levels: is the scatter the same, as the lack-of-fit F supposes;
	 * NaN undefined */
	double spread_p;
};

struct uncertainty_source {
	/* "workload", "trace replayer", "testbed", "reference", "clock", "procedure" */
	const char *category;
	char name[80], note[300];
	bool in_budget;	      /* else: named, not quantified */
	/* something asked for could not be had (no cgroup, no cache drop, scratch on the same
	 * device) */
	bool warning;
};

struct why;
struct rated_range;
struct claim_result;
struct published_result;
struct operation_result;
struct course;
struct cost;
struct at_device;
struct league_row;
struct parallel_analysis;
struct analysis {
	const struct results *results; /* borrowed */
	struct cell *cell;
	size_t n_cells;
	struct why *why; /* [n_cells] (analysis/why.h); NULL: not computed */
	struct rated_range *rated; /* analysis/rated_range.h */
	size_t n_rated;
	/* the following after analysis_describe() only */
	struct claim_result *claim; /* analysis/claims.h; in the order of the protocol's claims */
	size_t n_claims;
	/* in the order of the published values, those without a case here left out */
	struct published_result *published;
	size_t n_published;
	struct operation_result *operation; /* analysis/operations.h */
	size_t n_operations;
	struct course *course; /* [n_cells] (analysis/courses.h); NULL: not computed */
	struct cost *cost;     /* [n_cells] (analysis/costs.h); NULL: not computed */
	struct at_device *device; /* [n_cells] (analysis/at_device.h); NULL: not computed */
	/* [n_league] (analysis/league.h), the best first; NULL: not computed */
	struct league_row *league;
	size_t n_league;
	/* analysis/parallel.h; NULL: not computed, or no parallel application */
	struct parallel_analysis *parallel;
	struct linearity *linearity;
	size_t n_linearity;
	struct uncertainty_source *source;
	size_t n_sources;
	size_t n_trusted, n_not_trusted, n_inconclusive;
	enum verdict verdict; /* worst of the cells: not trusted, then inconclusive, then trusted */
	unsigned int n_rejection_tests; /* Holm's family */
	/* of the program itself over blocks, median over scenarios; NaN unknown */
	double between_process_cv;
	uint64_t n_events_lost;
	uint64_t n_cut;		    /* runs whose traces were made of one that has no end */
	uint64_t n_programs_unseen; /* by capture, of all runs (capture/unseen.h) */
	uint64_t n_requests_unseen; /* likewise */
	bool complete; /* every planned run was made */
	/* Looks: verdicts are made at the planned replicate counts only, from the blocks up to the
	 * last one reached. */
	/* 1-based; 0: none reached yet, every verdict is inconclusive. With a budget 1 once a case
	 * may be decided */
	unsigned int look;
	/* blocks used, block 0 left out; with a budget the last one, and a case may have fewer
	 * pairs */
	unsigned int n_replicates;
	double level_accept, level_reject; /* of this look; 0.05 and 0.01 where there is one look */
	double span; /* struct levels */
	/* the assessed and the not assessed components, over all cells */
	bool assessed[COMPONENT_N];
};

/* Errors: ENODATA when no block is complete. Ownership: analysis_release. */
int analysis_compute(struct analysis *a, const struct results *r, struct err *e);
void analysis_release(struct analysis *a);

/* Propagates every cell's budget by Monte Carlo, with a fixed seed: for a report; it takes a tenth
 * of a second a cell, which simulations of many campaigns have no use for. */
void analysis_propagate(struct analysis *a);

/* What a report shows beside the verdicts: distances of the distributions, published findings and
 * values, kinds of requests, courses and costs. */
void analysis_describe(struct analysis *a);

/* True when a look was reached and no verdict is inconclusive: a campaign with further looks may
 * stop. */
bool analysis_is_settled(const struct analysis *a);

#endif
