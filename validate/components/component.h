/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One component of the verdict: what it is called, what it says, and how it is measured, decided
 * and planned.
 *
 * Order of calls: measure (each cell), measure_across (once all cells are measured), decide (each
 * cell), then Holm over the campaign, then plan for what stayed inconclusive. */
#ifndef VALIDATE_COMPONENTS_COMPONENT_H
#define VALIDATE_COMPONENTS_COMPONENT_H

#include "validate/analysis/decide.h"

enum component_unit {
	COMPONENT_CHANGE, /* ratio, shown as a percentage with its sign */
	COMPONENT_SHARE,  /* ratio, shown as a percentage */
	COMPONENT_NUMBER, /* dimensionless */
	COMPONENT_TIME,   /* ns */
	COMPONENT_COUNT,  /* of requests in a run */
};

struct measuring { /* what a component may measure from */
	struct cell *cell;
	struct evidence *e;
	const struct pairs *pairs;
	const struct results *results;
};

struct deciding { /* what a component may decide from; the component's limit is set */
	const struct cell *cell;
	const struct evidence *e;
	const struct accept_limits *accept;
	const struct levels *levels;
};

struct planning {
	const struct cell *cell;
	const struct evidence *e;
	const struct accept_limits *accept;
	double alpha_reject; /* the smallest level that Holm asks of a rejection in this campaign */
};

struct component_row {
	const char *title;   /* "Execution time" */
	const char *meaning; /* what the number says */
	const char *rule;    /* when it is accepted and rejected */
	const char *source;  /* standard or paper */
	/* A deviation in plain words, %s for its size: "requests take %s longer"; below: for
	 * negative values. NULL: none */
	const char *above, *below;
	enum component_unit unit; /* of the estimate and the limit */
	bool two_sided;		  /* the limit holds either way; else it is an upper limit */
	/* A rejection holds against an old recording, too: the machine does not cause it. What is
	 * compared is what the replayer was given (requests, results, order, times of issue) */
	bool replayers_own;
	/* to the program's mean: refused where that cannot be quantified (analysis/blank.h) */
	bool relative;
	/* Each may be NULL. */
	void (*measure)(const struct measuring *m);
	void (*measure_across)(const struct analysis *a, struct evidence *e); /* e[a->n_cells] */
	void (*decide)(struct component *c, const struct deciding *d);
	void (*plan)(struct component *c, const struct planning *p);
};

extern const struct component_row *const components[]; /* [COMPONENT_N], by kind, then NULL */

/* The measure of every component, for one cell. */
void components_measure(const struct measuring *m);
void components_measure_across(const struct analysis *a, struct evidence *e);
/* Decisions of one cell before Holm, with reasons. */
void components_decide(struct cell *c, const struct evidence *e, const struct accept_limits *l,
		       bool timed);
/* What would settle the components that stayed inconclusive: n_more, impractical and a clause in
 * the reason. `n_tests` is the size of Holm's family, `until_next_look` the replicates to the next
 * planned look, 0 after the last. */
void components_plan(struct cell *c, const struct evidence *e, const struct accept_limits *l,
		     unsigned int n_tests, unsigned int until_next_look);

/* --- ratio.c: paired log ratios against two-sided limits ----------------- */
/* `alike`: ratios that do not scatter are no fault of the data, and the value itself decides.
 * guard_band: NaN none. */
void decide_ratio(struct component *c, const struct ratio_evidence *e, const struct levels *levels,
		  bool alike, double guard_band);
void plan_ratio(struct component *c, const struct ratio_evidence *e, double alpha_reject);

/* P-values of the mean against [low, high], either of which may be infinite. */
struct mean_p ratio_p(const struct ratio_evidence *e, double low, double high, double span);
/* The limits of the mean with error alpha each, as they accept (`widen`) or reject; false: none. */
bool ratio_limits(const struct ratio_evidence *e, double alpha, bool widen, double *lo, double *hi);
/* Says that recordings are reused, where something stays inconclusive. */
void decide_recordings(struct component *c, const struct ratio_evidence *e);

/* --- family.c: several such numbers, all of which must lie within the limits --- */
struct family_words {
	const char *what; /* the value of a part is, after its label: "mean" in "reads mean +3 %" */
	/* the values are logarithms of ratios, shown as percentages; else as they are */
	bool logarithm;
};
void decide_family(struct component *c, const struct family *f, const struct levels *levels,
		   const struct family_words *words);
void plan_family(struct component *c, const struct family *f, bool logarithm, double alpha_reject);
/* Not assessed, or not applicable: why. */
void decide_without(struct component *c, enum decision decision, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* --- share.c: shares of events against an upper limit -------------------- */
void decide_share(struct component *c, const struct share_evidence *e, const struct levels *levels);
void plan_share(struct component *c, const struct share_evidence *e, double alpha_reject);
/* True, and says so, where the replays are not timed. */
bool decide_is_untimed(struct component *c, enum stat_status s);

/* --- plan.c -------------------------------------------------------------- */
#define PLAN_ASSURANCE 0.8
#define PLAN_ACCEPT 0.05
/* the first of the looks that a protocol may plan; of fewer replicates nothing is said */
#define PLAN_FEWEST 10
extern const char plan_no_number[]; /* "no practical number of replicates settles it ..." */

/* `needed` is the total; returns whether the reason must say what else would settle it. */
bool plan_further(struct component *c, enum stat_status s, uint64_t needed, size_t have);
/* The smallest number of replicates that are worth `independent` ones, with the same coefficient.
 */
uint64_t plan_as_dependent(const struct serial *s, uint64_t independent);
/* A mean, against a limit below and one above; `what` scatters between the replicates. */
void plan_mean(struct component *c, const struct t_estimate *t, const struct serial *serial,
	       size_t have, double low, double high, double alpha_reject, const char *what);

/* --- spread.c: standard deviations against an upper limit ---------------- */
#define COVERAGE_FACTOR 1.959963984540054 /* of the normal distribution, 95 % */

struct spread_p { /* P-values of sigma against a limit */
	double above, below;
};
struct spread_p spread_p(const struct spread_evidence *e, double limit);
/* P of a standard deviation of at least `sd`, found with nu degrees of freedom, where sigma is
 * `limit`. */
double spread_p_above(double sd, double nu, double limit);
/* One-sided limits of sigma with error alpha each. */
enum stat_status spread_limits(const struct spread_evidence *e, double alpha, double *lower,
			       double *upper) STAT_MUST_CHECK;
struct estimate spread_estimate(const struct spread_evidence *spread, double value);
/* The same spread as if the runs were known not to depend on each other. */
struct spread_evidence spread_independent(const struct spread_evidence *s,
					  const struct serial *runs, size_t n);

#endif
