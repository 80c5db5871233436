/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data of an analysis: the numbers of each cell with their statuses, its components and its
 * verdict (analysis/analysis.h computes them).
 *
 * The unit of evidence is the run. x_i is the mean response time of the replay in block i, and r_i
 * that of the program in the same block. Relative quantities are ratios (0.1 is 10 %), times are in
 * ns. Sources: GUM and ISO 5725 for the quantities, stats/ for the formulas. */
#pragma once

#include "validate/evidence/cell_lists.h"
#include "validate/evidence/reasons.h"
#include "validate/results/results.h"
#include "validate/stats/group_classes.h"
#include "validate/stats/paper.h" /* enum paper_mode, struct paper_uncertainty */

/* The value is meaningful only if the status is STAT_OK (stats/status.h). */
struct estimate {
	enum stat_status status;
	double value;
	/* two-sided limits, and the degrees of freedom of the scatter; NaN if there are none */
	double lo90, hi90, lo95, hi95;
	double df;
};

/* Whether there is a value, perhaps without limits because the runs do not vary. */
static inline bool estimate_is_known(const struct estimate *e)
{
	return (e->status == STAT_OK || e->status == STAT_ZERO_VARIANCE) && isfinite(e->value);
}

struct sample { /* results of the replicates in block order */
	size_t n;
	double *x; /* owned */
	enum stat_status status; /* status of sd and of the numbers derived from it */
	double mean, sd, cv, sem, median, min, max;
};

enum decision {
	DECISION_ACCEPT, DECISION_REJECT, DECISION_INCONCLUSIVE, DECISION_NOT_ASSESSED,
	DECISION_NOT_APPLICABLE,
};
enum verdict { VERDICT_TRUSTED, VERDICT_NOT_TRUSTED, VERDICT_INCONCLUSIVE };
/* By enum, NULL-terminated: "accept", "reject", "inconclusive", "not assessed", "not applicable";
 * "trusted", "not trusted", "inconclusive". */
extern const char *const decision_names[], *const verdict_names[];
const char *decision_name(enum decision d);
const char *verdict_name(enum verdict v);

/* Names in the order of enum component_kind (protocol/component_list.h). */
extern const char *const component_names[]; /* "bias", "precision", ..., NULL */

struct levels { /* levels of error at one look for one cell */
	/* error of accepting a component; error of all rejections together */
	double accept, reject;
	/* ln(largest / smallest number of replicates) of a campaign with a look after each group.
	 * In this case `accept` is the level of each look. P-values of rejecting are corrected
	 * (stats/multiplicity.h) instead, so their level is the error over all looks. 0: planned
	 * looks. */
	double span;
	/* Also allow for dependence when rejecting by ratios: dependence must not refute a
	 * claim. */
	bool cautious;
};

/* A number of a component that judges several numbers: of an operation, a half, a quantile. */
#define COMPONENT_MAX_REASONS 12

struct component_part {
	char label[24];
	struct estimate estimate; /* in the component's unit */
};

struct component {
	enum component_kind kind;
	/* Decisions before and after Holm's correction: a rejection that does not survive it
	 * becomes inconclusive. */
	enum decision decision;
	bool rejected_before_holm;
	/* relative bias; precision ratio; share of reordered requests; ... */
	struct estimate estimate;
	/* In the unit of the estimate. Two-sided (-limit..limit) for bias, execution time,
	 * linearity and the numbers in flight; an upper limit for the others. NaN: there is no
	 * limit, and the estimate is only shown. */
	double limit;
	double p_reject, p_reject_holm; /* NaN: no rejection test was made */
	/* Number of further replicates that would probably decide the component. 0: none, or
	 * unknown. */
	uint64_t n_more;
	/* The same number if each replicate has its own recording (key bank). 0: unknown, or not
	 * smaller. If n_more is 0, no practical number of replicates of the present recordings
	 * decides the component. */
	uint64_t n_more_recorded;
	/* Basis of accepting: lag-1 autocorrelation in block order, the number of independent runs
	 * (pairs) to which the runs are equivalent, and the resulting one-sided limits at the error
	 * of this look, in the estimate's unit. NaN: not judged. A one-sided component has no lower
	 * limit. */
	double lag1, n_effective, accept_lo, accept_hi;
	/* The component is not accepted, but would be accepted if the runs were independent. */
	bool dependent;
	/* part[n_parts], owned by the cell. 0 parts: the component has none, or was not
	 * measured. */
	struct component_part *part;
	size_t n_parts;
	/* Rejected against a recording that the campaign did not make. The machine may be the
	 * cause, so the decision is inconclusive. */
	bool differs;
	/* n_more is more than is practical, or no number is enough; the reason names
	 * alternatives. */
	bool impractical;
	struct reason reasons[COMPONENT_MAX_REASONS];
	unsigned int n_reasons;
	/* The reasons in words: empty before analysis_word() (reports/reasons.h). UTF-8, cut
	 * between characters. */
	char reason[1000];
};

struct budget_row { /* stats/budget.h */
	const char *source, *distribution; /* static strings: "repeatability", "normal" */
	char type;			   /* 'A' or 'B' */
	/* u is relative to the reference. nu is INFINITY for type B. The shares sum to 1. */
	double value, divisor, sensitivity, u, nu, share;
	/* Rows with the same number other than 0 are multiples of one standard deviation. */
	unsigned int estimate;
};
#define BUDGET_MAX_ROWS 16
/* Propagation of the budget by Monte Carlo (JCGM 101): the interval around 0 that covers 95 %, and
 * whether -U..U agrees with it within one significant digit of u_c (clause 8.1). */
struct propagation {
	enum stat_status status; /* STAT_NOT_ASSESSED: not made */
	uint64_t n_trials;
	double lo, hi, delta; /* relative; delta is the tolerance */
	bool adequate;
};
struct budget {
	enum stat_status status;
	struct budget_row row[BUDGET_MAX_ROWS];
	size_t n_rows;
	double u_c, nu_eff, k95, U95; /* relative */
	/* How well u_c is known; NaN if unknown. nu_spread: degrees of freedom, reduced if the
	 * replays have long tails. _upper: for the upper limit of u_c, with allowance for tails and
	 * dependence that few runs may hide. _program: of the same budget with the program's runs
	 * in place of the replays. */
	double nu_spread, nu_spread_upper, u_c_upper, u_c_program, nu_spread_program;
	struct propagation monte_carlo; /* set by analysis_propagate() */
};

#define QUANTILES_N 4
extern const double
    analysis_quantiles[QUANTILES_N]; /* quantiles of the requests of a run: 0.5, 0.9, 0.99, 0.999 */

/* Results by session (ISO 5725-2). Each value is the mean response time of a replay, divided by the
 * mean of the program in that campaign. */
struct session_group {
	size_t n;
	double mean, sd;
	double h, k; /* Mandel's statistics; NaN undefined */
	enum outlier_class h_class, k_class;
};
struct session_study {
	enum stat_status status; /* STAT_NOT_APPLICABLE: one session */
	size_t n_sessions;
	struct session_group *session; /* owned */
	/* Relative standard deviations within sessions, between sessions, and in total. */
	double s_r, s_L, s_R;
	/* Cochran's test applies to the largest scatter, Grubbs' test to the more extreme mean.
	 * Outliers are marked, not removed. */
	struct outlier_finding cochran, grubbs;
};

/* Shewhart chart of individuals and moving ranges of ln(x/r) in block order, as relative
 * deviations. */
struct control_chart {
	enum stat_status status;
	double center, lower, upper, mr_bar, mr_upper;
	size_t n_out, n_mr_out; /* values and moving ranges outside */
	struct sample d;	/* exp(ln(x/r)) - 1 */
};

struct cdf { /* distribution of the number in flight, averaged over runs */
	size_t n;   /* levels 0..n-1 */
	double *p;  /* P(level <= c), owned */
};

struct blank { /* replays without calls (analysis/blank.h); STAT_NOT_ASSESSED: there are none */
	enum stat_status status;
	size_t n;
	/* Mean and standard deviation over the runs; loq_ns is the limit of quantification, 10 sd.
	 * NaN unknown. */
	double mean_ns, sd_ns, loq_ns;
	/* The program's mean is below loq_ns: no relative quantity is decided. */
	bool below;
};

/* Regression on the CPU time that other processes used (evidence/covariate.h), if [protocol]
 * covariate asks for it. */
struct covariate_effect {
	enum stat_status status; /* STAT_NOT_ASSESSED: not requested */
	/* slope of ln(x/r) on the difference of ln(1 + share used by others) */
	double slope, se;
	/* Share of the scatter within the cells of the scenario that the regression explains. */
	double r_squared;
	/* factor by which the remaining scatter is increased, for the error of the slope */
	double stretch;
};

struct expanded { /* uncertainty of one future replay, relative */
	CELL_EXPANDED(CELL_FIELD)
};

struct cell_f_test { /* the paper's, on response times */
	enum stat_status status;
	CELL_F_TEST(CELL_FIELD)
};

struct cell_issue_error { /* over runs; not applicable unless the replays are timed */
	CELL_ISSUE_ERROR(CELL_FIELD)
};

struct cell_order { /* counts are pooled over runs, in the deciding scope */
	CELL_ORDER(CELL_FIELD)
};

struct cell_concurrency {
	CELL_IN_FLIGHT(CELL_FIELD)
	/* Largest distance of two CDFs. Judged: the kind that [accept] names, or both. */
	CELL_CONCURRENCY(CELL_FIELD)
	struct cdf cdf_time_x, cdf_time_r, cdf_request_x, cdf_request_r;
};

struct cell_diagnostics { /* of ln(x/r) in run order, and means per run */
	CELL_DIAGNOSTICS(CELL_FIELD)
};

struct cell { /* one scenario x one replayer */
	size_t scenario, replayer;
	CELL_RUNS(CELL_FIELD)
	char first_failure[300];
	/* Number of threads that make the program's requests, each one request at a time
	 * (evidence/pairs.h). NaN: unknown, or not equal in all runs. */
	double n_lanes;
	uint64_t n_events_lost;	  /* number of events that capture lost, in the runs of the cell */
	/* Number of runs whose trace was made from a trace without an end. */
	uint32_t n_cut;
	/* Number of runs and recordings whose capture could not observe all requests. */
	uint32_t n_unseen;
	/* The program runs anew in each pair, but all replays replay the same recording. */
	bool one_recording;
	/* The reference has no response times: only order, times of issue and fidelity are
	 * judged. */
	bool no_responses;
	CELL_SIDE(CELL_FIELD, r)
	CELL_SIDE(CELL_FIELD, x)
	CELL_BIAS(CELL_FIELD)
	/* Number of response times in the run that has the fewest; 0 without pairs. */
	uint64_t n_fewest_requests;
	struct cell_f_test f_test;
	CELL_OTHER_TESTS(CELL_FIELD)
	struct paper_uncertainty paper[PAPER_MODE_N];
	struct budget budget;
	struct expanded expanded;
	struct covariate_effect covariate_response, covariate_time;
	CELL_EXECUTION_TIME(CELL_FIELD)
	struct cell_issue_error issue_error;
	struct estimate schedule_error; /* ns */
	struct cell_order order;
	CELL_FIDELITY(CELL_FIELD)
	struct cell_concurrency concurrency;
	/* Relative bias of the quantiles of the runs (analysis_quantiles), from pairs; shown, not
	 * judged. `extrapolated`: the runs have too few requests for this quantile. */
	struct estimate quantile_bias[QUANTILES_N];
	bool quantile_extrapolated[QUANTILES_N];
	CELL_DISTRIBUTIONS(CELL_FIELD)
	struct session_study sessions;
	struct control_chart control;
	struct cell_diagnostics diagnostics;
	struct blank blank;

	struct levels levels;
	bool too_early; /* fewer replicates than at the first planned look: inconclusive */
	struct component component[COMPONENT_N];
	enum verdict verdict;
	/* what forbids a verdict or forbids trust, independent of the components */
	struct reason bar;
	char verdict_reason[1200]; /* `bar` and the reasons in words, as for a component */
};

struct linearity_level {
	uint64_t level;
	size_t cell;
	double cv, relative_bias;
};
/* Relative bias over levels, from the replicates of one scenario group and one replayer. */
struct linearity {
	size_t group, replayer;
	char name[120]; /* factors of the group */
	struct linearity_level *level;
	size_t n_levels;
	enum stat_status status, lack_of_fit_status;
	double slope, slope_se, slope_p, intercept, lack_of_fit_f, lack_of_fit_p;
	/* Mann-Kendall test of the mean bias of the levels, exact. STAT_TOO_FEW_FOR_ALPHA with
	 * fewer than 5 levels: no outcome is significant at 0.05. */
	enum stat_status trend_status;
	double trend_p;
	/* Brown-Forsythe test over the levels: equal scatter is a condition of the lack-of-fit F.
	 * NaN undefined. */
	double spread_p;
};

enum source_kind {
	SOURCE_SEEDED,
	SOURCE_NOT_VISIBLE,
	SOURCE_LEAST_TIME,
	SOURCE_GIVEN_COUNTS,
	SOURCE_PINNING,
	SOURCE_WAITING,
	SOURCE_ISSUE_TIME,
	SOURCE_REPEATABILITY,
	SOURCE_NOISE_UNKNOWN,
	SOURCE_NOISE,
	SOURCE_STOLEN_UNKNOWN,
	SOURCE_STOLEN,
	SOURCE_CACHED,
	SOURCE_ONE_MACHINE,
	SOURCE_NO_CGROUP,
	SOURCE_CGROUP,
	SOURCE_WARM_METADATA,
	SOURCE_COLD_METADATA,
	SOURCE_RERUN,
	SOURCE_RECORDED,
	SOURCE_ONE_RECORDING,
	SOURCE_STANDARD,
	SOURCE_STAMPS,
	SOURCE_RESOLUTION,
	SOURCE_READ_COST,
	SOURCE_CLOCK_BACK,
	SOURCE_CORRECTION,
	SOURCE_EVENTS_LOST,
	SOURCE_CUT,
	SOURCE_PROGRAMS_UNSEEN,
	SOURCE_REQUESTS_UNSEEN,
	SOURCE_DRIFT,
	SOURCE_ORDER,
	SOURCE_FAILED_RUNS,
	SOURCE_JOURNAL,
	SOURCE_UNFINISHED,
	/* a condition of the campaign that is not fulfilled; text: what, why, instead (NULL: not
	 * stated) */
	SOURCE_UNMET,
	SOURCE_N
};

struct uncertainty_source {
	/* In words: empty before analysis_word() (reports/reasons.h). The category is one of
	 * "workload", "trace replayer", "testbed", "reference", "clock" and "procedure". */
	const char *category;
	char name[80], note[300];
	bool in_budget;	      /* false: named, not quantified */
	/* A requested condition was not available (no cgroup, no cache drop, scratch on the same
	 * device). */
	bool warning;
	/* Numbers and texts of the note, in the order of its template (reports/source_words.c).
	 * Texts are borrowed from the results. */
	enum source_kind kind;
	double number[2];
	const char *text[3];
};

struct why;
struct rated_range;
struct claim_result;
struct published_result;
struct operation_result;
struct course;
struct cost;
struct added_time;
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
	/* analysis_describe() sets the members from here to n_linearity. */
	struct claim_result *claim; /* analysis/claims.h; in the order of the protocol's claims */
	size_t n_claims;
	/* In the order of the published values. Values that have no case in this campaign are
	 * missing. */
	struct published_result *published;
	size_t n_published;
	struct operation_result *operation; /* analysis/operations.h */
	size_t n_operations;
	struct course *course; /* [n_cells] (analysis/courses.h); NULL: not computed */
	struct cost *cost;     /* [n_cells] (analysis/costs.h); NULL: not computed */
	struct at_device *device; /* [n_cells] (analysis/at_device.h); NULL: not computed */
	struct added_time *added; /* [n_cells] (analysis/added.h); NULL: not computed */
	/* [n_league] (analysis/league.h), best first; NULL: not computed. */
	struct league_row *league;
	size_t n_league;
	/* analysis/parallel.h; NULL: not computed, or there is no parallel application. */
	struct parallel_analysis *parallel;
	struct linearity *linearity;
	size_t n_linearity;
	struct uncertainty_source *source;
	size_t n_sources;
	/* of the cells that count */
	size_t n_trusted, n_not_trusted, n_inconclusive;
	/* the worst verdict of the cells that count: not trusted, then inconclusive, then
	 * trusted */
	enum verdict verdict;
	unsigned int n_rejection_tests; /* size of Holm's family */
	/* Coefficient of variation of the program over blocks, median over scenarios; NaN
	 * unknown. */
	double between_process_cv;
	uint64_t n_events_lost;
	/* Number of runs whose trace was made from a trace without an end. */
	uint64_t n_cut;
	/* Numbers that capture could not observe, over all runs (capture/unseen.h). */
	uint64_t n_programs_unseen;
	uint64_t n_requests_unseen;
	/* What the recordings of the program do not show; each kind occurs once; borrowed. */
	const char *not_visible[4];
	size_t n_not_visible;
	bool complete; /* every planned run was made */
	/* Index of the look, from 1; 0: no look yet, and every verdict is inconclusive. Verdicts
	 * are made at the planned numbers of replicates, from the blocks up to the last planned
	 * number that is complete. With a budget: 1 as soon as one case may be decided. */
	unsigned int look;
	/* Number of blocks used, without block 0. With a budget: the last block; a case may have
	 * fewer pairs. */
	unsigned int n_replicates;
	/* levels of this look; 0.05 and 0.01 if there is only one look */
	double level_accept, level_reject;
	double span; /* as in struct levels */
	/* Components that were assessed in at least one cell. */
	bool assessed[COMPONENT_N];
};

/* Whether every replay failed: then a count of 0 lost or different requests means nothing. A replay
 * that made no request lost all requests. */
static inline bool cell_has_no_replay(const struct cell *c)
{
	return c->n_failed_replayer && c->n_failed_replayer >= c->n_blocks && !c->n_lost;
}

/* Whether the claim names a component that was not judged: no number of pairs shows the claim. */
static inline bool cell_claims_unjudged(const struct cell *c)
{
	return c->bar.code == REASON_CLAIM_NOT_JUDGED;
}

/* Whether more runs failed than pairs succeeded: further pairs would fail, too. */
static inline bool cell_mostly_failed(const struct cell *c)
{
	return c->n_failed_program + c->n_failed_replayer > c->n_pairs;
}

static inline const struct scenario *cell_scenario(const struct analysis *a, size_t cell)
{
	return &a->results->protocol.scenario[a->cell[cell].scenario];
}
