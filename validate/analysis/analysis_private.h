/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the analysis share; nothing outside includes this.
 *
 * The way: pairs (which runs count, block by block) -> measures (what those runs give, as cell
 * members) -> evidence (test statistics) -> components (decisions at a level) -> Holm over the
 * campaign -> what would settle the rest -> verdicts. */
#ifndef VALIDATE_ANALYSIS_PRIVATE_H
#define VALIDATE_ANALYSIS_PRIVATE_H

#include <stdarg.h>

#include "validate/analysis/analysis.h"
#include "validate/analysis/pairs.h"
#include "validate/stats/mean_difference.h"
#include "validate/stats/moments.h"
#include "validate/stats/pitman_morgan.h"
#include "validate/stats/serial.h"
#include "validate/stats/spread.h"

/* --- pairs.c ------------------------------------------------------------- */

/* The number of blocks 1..m all of whose runs have an outcome. */
unsigned int blocks_complete(const struct results *r);

/* --- phrases ------------------------------------------------------------- */

/* Appends to the text in phrase[size]; what does not fit is cut between characters and "..." put in
 * its place. */
void phrase_add(char *phrase, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void phrase_vadd(char *phrase, size_t size, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

/* --- sample.c ------------------------------------------------------------ */

/* x[n] becomes the sample's own. */
void sample_init(struct sample *s, double *x, size_t n);
void sample_release(struct sample *s);
/* One number of every run, in order; the caller frees. */
double *values_of(const struct run **runs, size_t n, double (*value)(const struct run_summary *s));

struct estimate estimate_none(enum stat_status s);
/* value with both intervals, each number mapped by `map` (increasing; NULL: as it is). */
struct estimate estimate_of_t(enum stat_status s, const struct t_estimate *t,
			      double (*map)(double));
/* The mean over runs. Values that are all equal are an estimate without limits, not an error. */
struct estimate estimate_of_mean(const double *x, size_t n);

/* --- evidence: what the decisions are made from -------------------------- */
/* A mean of runs has two t-estimates: `t` as if they were independent, which is shown and rejects;
 * `wide` as they may depend on each other in the order of the blocks (stats/serial.h), which
 * accepts. */
/* Pairs that replay the same recording share what it does to its replays (recordings.c). */
struct recordings {
	size_t n;	  /* 0: each pair has a recording of its own, or there is only one */
	double per_group; /* pairs of a recording, averaged over the pairs */
	/* intraclass correlation of the pairs of a recording, and its standard error */
	double icc, se;
	double inflation; /* of the variance of the mean, as it is allowed for; 1: none */
};

struct ratio_evidence { /* one number of each pair: a logarithm of a ratio, or a difference */
	enum stat_status status; /* STAT_ZERO_VARIANCE: t has se 0 */
	size_t n;
	/* [n], in block order; NULL where the status says there is none; owned */
	double *d;
	struct t_estimate t, wide;
	struct serial serial;		 /* its inflation includes what reused recordings add */
	struct recordings recordings;
};

struct family { /* of a component with several parts; none: not measured */
	enum stat_status status;
	size_t n;
	struct family_part {
		char label[24];
		struct ratio_evidence value;
	} *part; /* owned */
};

struct share_evidence { /* a share of events per run */
	/* STAT_ZERO_VARIANCE: all runs alike, judged by the pooled counts */
	enum stat_status status;
	struct t_estimate t, wide;
	struct serial serial;
	size_t n;
	double k, of; /* pooled: k events of so many */
};

struct mean_evidence { /* of one number of the runs */
	enum stat_status status; /* STAT_ZERO_VARIANCE: t has se 0 */
	struct t_estimate t, wide;
	struct serial serial;
	size_t n;
};

struct spread_evidence { /* a standard deviation, and how well it is known */
	enum stat_status status;
	/* _upper: for its upper limit, with what tails and dependence may hide */
	double sd, nu, sd_upper, nu_upper;
};

struct distance_evidence { /* of two distributions over levels: by time, then by request */
	enum stat_status status;
	/* pairs; levels at which any pair differs, those by time first */
	size_t n, n_levels, n_by_time;
	/* [n_levels]: mean difference, se 0 where all pairs are alike; owned */
	struct t_estimate *t, *wide;
	struct serial *serial;	       /* [n_levels]; owned */
	size_t *level;		       /* [n_levels]; owned */
};

#define CONTRASTS_MAX 129 /* of 128 levels; of more nothing is decided */
struct linearity_evidence { /* of a cell: the line through its own level and those below it */
	enum stat_status status; /* STAT_NOT_APPLICABLE: nothing below it */
	size_t n, n_levels;
	/* the change from the lowest level to its own, then the distance of each level from the
	 * line */
	size_t n_contrasts;
	struct t_estimate contrast[CONTRASTS_MAX], wide[CONTRASTS_MAX];
	struct serial serial; /* of the level whose runs depend on each other the most */
	uint64_t level[CONTRASTS_MAX]; /* of each contrast */
};

struct response_evidence { /* of pairs of blocks, one of which has a slower volume */
	struct ratio_evidence ratio;	  /* slow minus normal of ln(x/r) */
	enum stat_status program_status;
	struct t_estimate program;	  /* the same of ln r */
};

struct evidence {
	/* time: of winsorised values; time_all: of all as they are */
	struct ratio_evidence bias, time, time_all;
	struct response_evidence responsiveness;
	struct ratio_evidence in_flight, in_flight_max;
	enum stat_status precision_status;
	struct pitman_morgan precision;
	struct serial precision_serial; /* inflation 1 where it is not known */
	double permutation_above, permutation_below; /* NaN undefined */
	struct serial replays;			     /* of the logarithms of the replays */
	struct spread_evidence repeatability;	     /* of the logarithms of the replays */
	struct share_evidence reordered, late;
	struct mean_evidence issue_error; /* 99th percentiles, ns */
	struct distance_evidence distance;
	struct linearity_evidence linearity;
	struct family family[COMPONENT_N]; /* by the components that have one */
	enum stat_status fidelity_status;
	uint64_t worst_run; /* lost + extra + mismatched of the worst run */
};

/* --- measures: cell members from pairs ----------------------------------- */
/* in cell_times.c, cell_budget.c (after times), cell_order.c, cell_concurrency.c, cell_facts.c */
void measure_times(struct cell *c, struct evidence *e, const struct pairs *p,
		   const struct results *r);
#define BUDGET_ORDER "order in the block" /* the row's name */
#define BUDGET_CORRECTION "correction of capture"
void measure_budget(struct cell *c, const struct evidence *e, const struct pairs *p);
void measure_order(struct cell *c, struct evidence *e, const struct pairs *p,
		   const struct results *r);
void measure_concurrency(struct cell *c, struct evidence *e, const struct pairs *p);
void measure_distributions(struct cell *c, const struct pairs *p);
void measure_sessions(struct cell *c, const struct pairs *p, const struct results *r);
void measure_control(struct cell *c, const struct pairs *p);
void measure_facts(struct cell *c, const struct pairs *p, const struct results *r);

void evidence_release(struct evidence *e);

/* Mean, widened mean and dependence of x[n]. Without scatter t and wide are x[0] with se 0. Errors:
 * as mean_test(). */
enum stat_status dependent_mean(const double *x, size_t n, struct t_estimate *t,
				struct t_estimate *wide, struct serial *serial) STAT_MUST_CHECK;

/* --- paired.c ------------------------------------------------------------ */

/* Evidence of one number of each pair, d[p->n], which becomes the evidence's own. */
void paired_values(struct ratio_evidence *e, double *d, const struct pairs *p);
/* The same of ln(x[i]/r[i]), i < p->n. */
void paired_ratio(struct ratio_evidence *e, const double *x, const double *r,
		  const struct pairs *p);
/* The same without what the covariate explains. */
void paired_ratio_without(struct ratio_evidence *e, const double *x, const double *r,
			  const struct pairs *p, const struct covariate_effect *k);
/* The same of winsorised values (stats/quantiles.h). */
void paired_ratio_winsorised(struct ratio_evidence *e, const double *x, const double *r,
			     const struct pairs *p, const struct covariate_effect *k);
void ratio_release(struct ratio_evidence *e);
/* Of a ratio that is shown and not judged. */
struct estimate paired_estimate(const struct sample *x, const struct sample *r,
				const struct pairs *p);

void family_release(struct family *f);
/* Adds a part, and its status to the family's. d[p->n] becomes the part's own; x[p->n], r[p->n]
 * stay the caller's. */
void family_add_values(struct family *f, const char *label, const struct pairs *p, double *d);
void family_add_pairs(struct family *f, const char *label, const struct pairs *p, const double *x,
		      const double *r);
void family_add_ratio(struct family *f, const char *label, const struct pairs *p,
		      double (*value)(const struct run_summary *s));
/* Whether all runs of the pairs have that number (it is not NaN); true for no pairs. */
bool pairs_have(const struct pairs *p, double (*value)(const struct run_summary *s));
/* The smallest number of response times of a run; 0 for no pairs. */
uint64_t pairs_fewest_requests(const struct pairs *p);

/* Widens every series in e[a->n_cells] for the dependence of one role: its coefficient is the
 * larger of its own estimate and the mean over all cells of its replayer (stats/serial.h). */
void dependence_pool(const struct analysis *a, struct evidence *e);

/* --- recordings.c -------------------------------------------------------- */

/* Of d[n], the number of each pair in p. */
struct recordings recordings_of(const double *d, size_t n, const struct pairs *p);
/* The inflation that is allowed for, where the mean intraclass correlation over n_cells cells is
 * `mean`. */
double recordings_inflation(const struct recordings *r, double mean, size_t n_cells);
/* The same before a campaign, for n pairs of k recordings without an effect: the analysis of
 * variance of this cell gives F = f, and the mean of the others is `z` standard errors from 0. */
double recordings_expected(double n, double k, double f, double z, size_t n_cells);

/* --- verdict.c ----------------------------------------------------------- */

/* Holm over all cells, what would settle the rest, verdicts, counts. e[n_cells]. */
void verdicts_reach(struct analysis *a, const struct evidence *e);

/* --- linearity.c, sources.c ---------------------------------------------- */
void linearity_compute(struct analysis *a);
void sources_list(struct analysis *a);

/* Calls one(a, i) for each i < n: on several threads in large campaigns alone
 * (protocol_in_detail()), for simulations make thousands of small ones, on processes of their own.
 */
void analysis_each(struct analysis *a, size_t n, void (*one)(void *analysis, size_t i));

#endif
