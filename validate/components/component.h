/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A component of the verdict: its name and texts, and its functions to measure, decide and plan.
 *
 * Order of calls: measure (each cell), measure_across (after all cells), decide (each cell), Holm's
 * correction over the campaign, plan (inconclusive components). */
#pragma once

#include "validate/components/decide.h"

enum component_unit {
	COMPONENT_CHANGE, /* ratio, shown as a percentage with its sign */
	COMPONENT_SHARE,  /* ratio, shown as a percentage */
	COMPONENT_NUMBER, /* dimensionless */
	COMPONENT_TIME,   /* ns */
	COMPONENT_COUNT,  /* of requests in a run */
};

struct measuring { /* input of a component's measurement */
	struct cell *cell;
	struct evidence *e;
	const struct pairs *pairs;
	const struct results *results;
};

struct deciding { /* input of a decision; the component's limit must be set */
	const struct cell *cell;
	const struct evidence *e;
	const struct accept_limits *accept;
	const struct levels *levels;
};

struct planning {
	const struct cell *cell;
	const struct evidence *e;
	const struct accept_limits *accept;
	const struct levels *levels; /* of the look that is to decide */
	unsigned int n_tests; /* in Holm's correction */
};

/* A look at which an inconclusive component can be decided. */
struct plan_look {
	unsigned int further; /* replicates until then; 0: no look is planned */
	struct levels levels;
};

/* The words for the deciding part of a component with parts. */
struct family_words {
	/* what the value of a part is, named after its label: "mean" in "reads mean +3 %" */
	const char *what;
	/* values are logarithms of ratios, shown as percentages; otherwise they are shown
	 * unchanged */
	bool logarithm;
};

struct component_row {
	const char *title;   /* "Execution time" */
	/* meaning of the number, sentences; "deviation": as for bias */
	const char *meaning;
	/* name of a rule of reports/html/appendix.html, and exceptions; no full stop after a name
	 * alone */
	const char *rule;
	const char *source; /* of the quantity: standard or paper; NULL: none */
	enum component_unit unit; /* of the estimate and the limit */
	/* the limit applies in both directions; otherwise it is an upper limit */
	bool two_sided;
	/* Assumed scatter of its value from pair to pair, in multiples of the scatter of
	 * ln(replay/program) (campaign/chances.h). 0: unknown, or the value is not a mean of
	 * pairs. */
	double scatter;
	/* The machine cannot cause a rejection, so it also holds against an old recording. Such a
	 * component compares only what the replayer received: requests, results, order, times of
	 * issue. */
	bool replayers_own;
	/* Relative to the program's mean: refused if that mean cannot be quantified
	 * (analysis/blank.h). */
	bool relative;
	/* Names of the estimate in the reason of a component without a limit, and of the numbers of
	 * the runs in the plan. NULL: "deviation", "ratios". */
	const char *shown, *scattering;
	struct family_words words; /* for decide_parts() */
	/* offset in struct evidence, for plan_ratio() and plan_share() */
	size_t evidence;
	/* NULL: nothing to do. */
	void (*measure)(const struct measuring *m);
	void (*measure_across)(const struct analysis *a, struct evidence *e); /* e[a->n_cells] */
	void (*decide)(struct component *c, const struct deciding *d);
	void (*plan)(struct component *c, const struct planning *p);
};

extern const struct component_row *const components[]; /* [COMPONENT_N], by kind, then NULL */

/* Number of components that reports list: COMPONENT_N, or COMPONENT_ON_DEMAND if no component on
 * demand has a limit. */
size_t components_listed(const struct accept_limits *l);

/* Measures every component of one cell. */
void components_measure(const struct measuring *m);
/* Measures the components that need all cells. e[n_cells]. */
void components_measure_across(const struct analysis *a, struct evidence *e);
/* Decides every component of a cell before Holm's correction, with reasons (evidence/reasons.h). */
void components_decide(struct cell *c, const struct evidence *e, const struct accept_limits *l,
		       bool timed);
/* Plans the inconclusive components: sets n_more, n_more_recorded and impractical, and adds a
 * reason. `n_tests`:
 * number of tests in Holm's correction. look[n_looks], n_looks >= 1: ascending. A component is
 * planned for the first look at which its level is likely to decide it, otherwise for any number
 * of replicates with the levels of the last look. */
void components_plan(struct cell *c, const struct evidence *e, const struct accept_limits *l,
		     unsigned int n_tests, const struct plan_look *look, size_t n_looks);

/* --- ratio.c: paired log ratios against two-sided limits ----------------- */
/* `alike`: equal ratios are not a fault of the data, and the value decides. guard_band: NaN
 * none. */
void decide_ratio(struct component *c, const struct ratio_evidence *e, const struct levels *levels,
		  bool alike, double guard_band);
void plan_ratio(struct component *c, const struct planning *p);

/* Limits of the values, which are logarithms of ratios or not. */
struct bounds {
	double low, high;
};
struct bounds bounds_of(const struct component *c, bool logarithm);

/* Returns P-values of the mean against [low, high]; a limit may be infinite. */
struct mean_p ratio_p(const struct ratio_evidence *e, double low, double high,
		      const struct levels *levels);
/* Finds limits of the mean with error alpha each, for accepting (`widen`) or rejecting; returns
 * false if there are none. */
bool ratio_limits(const struct ratio_evidence *e, double alpha, bool widen, double *lo, double *hi);
/* Mentions reused recordings in the reasons of an inconclusive component. */
void decide_recordings(struct component *c, const struct ratio_evidence *e);

/* --- family.c: several such numbers, which must all lie within the limits --- */
/* Decide and plan a component by the parts in evidence.family and the words of its row. */
void decide_parts(struct component *c, const struct deciding *d);
void plan_parts(struct component *c, const struct planning *p);
/* Sets the decision "not assessed" or "not applicable". The caller adds the reason. */
void decide_without(struct component *c, enum decision decision);

/* --- share.c: shares of events against an upper limit -------------------- */
/* Returns true, and sets a reason, if the replays are not timed. */
bool decide_is_untimed(struct component *c, enum stat_status s);

/* --- plan.c -------------------------------------------------------------- */
#define PLAN_ASSURANCE 0.8
/* the first look of any protocol; with fewer replicates there is no plan */
#define PLAN_FEWEST 10

/* Sets the number of further replicates; `needed` is the total number. Returns true if a reason
 * must name an alternative to more replicates. */
bool plan_further(struct component *c, enum stat_status s, uint64_t needed, size_t have);
/* Returns the smallest number of replicates that is equivalent to `independent` independent
 * replicates, at the same coefficient and the same effect of reused recordings. `have`: number of
 * replicates in s. */
uint64_t plan_as_dependent(const struct serial *s, size_t have, uint64_t independent);
/* Returns the level of the one-sided P-value of the look that is to decide, for accepting
 * (`inside`) or for rejecting at the strictest step of Holm's correction. `times`: factor of the
 * P-value of rejecting, 2 for two sides times the number of parts. */
double plan_level(const struct planning *p, bool inside, double times);

struct plan_mean { /* a mean against limits */
	const struct t_estimate *t;
	const struct serial *serial;
	size_t have; /* number of values */
	double low, high;
	double times;	/* as for plan_level() */
	/* a ratio, for which struct levels can demand caution when rejecting */
	bool ratio;
	/* NULL: the present effect of reused recordings stays the same */
	const struct recordings *recordings;
};
/* Plans the component by its means m[n], which have equally many values; n may be 0. One mean
 * outside the limits is enough to reject, so the mean outside that needs the fewest replicates
 * counts. If all means are inside, each of them must be accepted against both limits. */
void plan_means(struct component *c, const struct planning *p, const struct plan_mean *m, size_t n);

/* --- spread.c: standard deviations against an upper limit ---------------- */
#define COVERAGE_FACTOR 1.959963984540054 /* of the normal distribution, 95 % */

struct spread_p { /* P-values of sigma against a limit */
	double above, below;
};
struct spread_p spread_p(const struct spread_evidence *e, double limit);
/* P of a standard deviation of at least `sd` with nu degrees of freedom if sigma is `limit`. */
double spread_p_above(double sd, double nu, double limit);
/* Finds one-sided limits of sigma with error alpha each. */
enum stat_status spread_limits(const struct spread_evidence *e, double alpha, double *lower,
			       double *upper) STAT_MUST_CHECK;
/* Returns `value` with the 90 % and 95 % limits of sigma. */
struct estimate spread_estimate(const struct spread_evidence *spread, double value);
/* Returns the spread that the same runs would have if they were independent. */
struct spread_evidence spread_independent(const struct spread_evidence *s,
					  const struct serial *runs, size_t n);
