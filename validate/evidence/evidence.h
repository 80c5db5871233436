/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evidence of a cell: the test statistics by which components decide, and functions that make
 * them from the pairs of the cell. */
#pragma once

#include "validate/evidence/pairs.h"
#include "validate/stats/paired_mean.h"
#include "validate/stats/pitman_morgan.h"
#include "validate/stats/spread.h"

/* --- pairs.c ------------------------------------------------------------- */

/* Number of blocks, counted from the first, in which every run has an outcome. */
unsigned int blocks_complete(const struct results *r);

/* --- sample.c ------------------------------------------------------------ */

/* Takes ownership of x[n]. */
void sample_init(struct sample *s, double *x, size_t n);
void sample_release(struct sample *s);
/* Returns value() of every run, in order. Ownership: the caller frees. */
double *values_of(const struct run **runs, size_t n, double (*value)(const struct run_summary *s));

/* Returns an estimate without numbers, for this reason. */
struct estimate estimate_none(enum stat_status s);
/* Returns the estimate, with its value and limits mapped by the increasing function `map` (NULL:
 * identity). */
struct estimate estimate_map(const struct estimate *e, double (*map)(double));
/* Returns the value with both t-intervals, mapped. */
struct estimate estimate_of_t(enum stat_status s, const struct t_estimate *t,
			      double (*map)(double));
/* Returns the mean over runs. Equal values give an estimate without limits, not an error. */
struct estimate estimate_of_mean(const double *x, size_t n);

/* Computes the mean, the widened mean and the dependence of x[n]. Without scatter, t and wide are
 * x[0] with se 0. Errors: those of mean_test(). */
enum stat_status dependent_mean(const double *x, size_t n, struct t_estimate *t,
				struct t_estimate *wide, struct serial *serial) STAT_MUST_CHECK;

/* --- evidence: test statistics of the decisions -------------------------- */
/* A mean of runs has two t-estimates. `t` treats the runs as independent: it is shown, and used to
 * reject. `wide` allows for dependence in block order (stats/serial.h): it is used to accept. */
/* Effect of recordings: pairs that replay the same recording share its effect on their replays
 * (recordings.c). */
struct recordings {
	/* number of recordings; 0: each pair has its own recording, or there is only one
	 * recording */
	size_t n;
	double per_group; /* pairs of one recording, mean */
	/* intraclass correlation of pairs with the same recording, and its standard error */
	double icc, se;
	double inflation; /* allowed factor on the variance of the mean; 1: none */
	/* mean intraclass correlation over the n_cells cases of the replayer that reuse
	 * recordings; 0 cases: not pooled */
	double mean;
	size_t n_cells;
};

/* A number for each pair: a logarithm of a ratio, or a difference. */
struct ratio_evidence {
	enum stat_status status; /* STAT_ZERO_VARIANCE: t has se 0 */
	size_t n;
	/* d[n], in block order, owned; NULL if the status excludes it */
	double *d;
	struct t_estimate t, wide;
	/* its inflation includes the effect of reused recordings */
	struct serial serial;
	struct recordings recordings;
	bool verdicts_only; /* struct results */
};

struct family { /* a component with several parts; n = 0: not measured */
	enum stat_status status;
	size_t n;
	struct family_part {
		char label[24];
		struct ratio_evidence value;
		/* of a difference of shares: the share of the program's requests with at most this
		 * relative response time */
		double share, relative_response;
	} *part; /* owned */
};

struct share_evidence { /* share of events in each run */
	/* STAT_ZERO_VARIANCE: equal in all runs, and judged by the pooled counts */
	enum stat_status status;
	struct t_estimate t, wide;
	struct serial serial;
	size_t n;
	double k, of; /* pooled counts: k events of `of` */
};

struct mean_evidence { /* one number of each run */
	enum stat_status status; /* STAT_ZERO_VARIANCE: t has se 0 */
	struct t_estimate t, wide;
	struct serial serial;
	size_t n;
};

struct spread_evidence {
	enum stat_status status;
	/* _upper: for the upper limit, with allowance for hidden tails and dependence */
	double sd, nu, sd_upper, nu_upper;
};

/* distances of two distributions over levels: by time, then by request */
struct distance_evidence {
	enum stat_status status;
	/* n: number of pairs. n_levels: number of levels at which any pair differs; the first
	 * n_by_time of them are by time. */
	size_t n, n_levels, n_by_time;
	/* [n_levels]: mean difference; se is 0 if all pairs are equal; owned */
	struct t_estimate *t, *wide;
	struct serial *serial;	       /* [n_levels]; owned */
	size_t *level;		       /* [n_levels]; owned */
};

#define CONTRASTS_MAX 129 /* for 128 levels; with more, nothing is decided */
struct linearity_evidence { /* the line through the cell's level and all lower levels */
	enum stat_status status; /* STAT_NOT_APPLICABLE: the cell has the lowest level */
	size_t n, n_levels;
	/* first the change from the lowest level to this level, then the distance of each level
	 * from the line */
	size_t n_contrasts;
	struct t_estimate contrast[CONTRASTS_MAX], wide[CONTRASTS_MAX];
	/* dependence at the level where it is strongest, and the number of pairs there */
	struct serial serial;
	size_t n_serial;
	uint64_t level[CONTRASTS_MAX]; /* level of each contrast */
};

struct response_evidence { /* pairs of blocks, of which one has a slower volume */
	struct ratio_evidence ratio;	  /* ln(x/r): slow minus normal */
	enum stat_status program_status;
	struct t_estimate program;	  /* ln r: slow minus normal */
};

struct evidence {
	/* time: of winsorised values; time_all: of all values */
	struct ratio_evidence bias, time, time_all;
	struct response_evidence responsiveness;
	struct ratio_evidence in_flight, in_flight_max;
	enum stat_status precision_status;
	struct pitman_morgan precision;
	struct serial precision_factor[2]; /* lag1 NaN if unknown (pitman_morgan_serial) */
	struct serial precision_serial;	   /* of their product; inflation 1 if unknown */
	double permutation_above, permutation_below; /* NaN undefined */
	struct serial replays;			     /* logarithms of the replays */
	struct spread_evidence repeatability;	     /* logarithms of the replays */
	struct share_evidence reordered, late;
	struct mean_evidence issue_error; /* 99th percentiles of the runs, ns */
	struct distance_evidence distance;
	struct linearity_evidence linearity;
	struct family family[COMPONENT_N]; /* for components that have parts */
	enum stat_status fidelity_status;
	uint64_t worst_run; /* largest sum of lost, extra and mismatched requests in a run */
};

/* --- paired.c ------------------------------------------------------------ */

/* Evidence of d[p->n], a number for each pair. Takes ownership of d. */
void paired_values(struct ratio_evidence *e, double *d, const struct pairs *p);
/* Evidence of ln(x[i]/r[i]), i < p->n. */
void paired_ratio(struct ratio_evidence *e, const double *x, const double *r,
		  const struct pairs *p);
/* Like paired_ratio(), without the effect of the covariate. */
void paired_ratio_without(struct ratio_evidence *e, const double *x, const double *r,
			  const struct pairs *p, const struct covariate_effect *k);
/* Like paired_ratio_without(), of winsorised values (stats/quantiles.h). */
void paired_ratio_winsorised(struct ratio_evidence *e, const double *x, const double *r,
			     const struct pairs *p, const struct covariate_effect *k);
void ratio_release(struct ratio_evidence *e);
/* The series of the tests of its mean; borrows d. */
struct paired_mean ratio_series(const struct ratio_evidence *e);
/* Returns the value with both intervals by re-randomisation, as if the pairs were independent: the
 * intervals by which components are rejected. Mapped as by estimate_map(). With verdicts_only:
 * t-intervals. */
struct estimate estimate_of_ratio(const struct ratio_evidence *e, double (*map)(double));
/* Returns an estimate of a ratio that is shown but not judged. */
struct estimate paired_estimate(const struct sample *x, const struct sample *r,
				const struct pairs *p);

void family_release(struct family *f);
/* Adds a part and merges its status into the family's. Ownership: the part takes d[p->n]; the
 * caller keeps x[p->n] and r[p->n]. */
void family_add_values(struct family *f, const char *label, const struct pairs *p, double *d);
void family_add_pairs(struct family *f, const char *label, const struct pairs *p, const double *x,
		      const double *r);
void family_add_ratio(struct family *f, const char *label, const struct pairs *p,
		      double (*value)(const struct run_summary *s));
/* True if value() is not NaN for some run of the pairs, or if there are no pairs. */
bool pairs_have(const struct pairs *p, double (*value)(const struct run_summary *s));
/* Smallest number of response times in a run; 0 without pairs. */
uint64_t pairs_fewest_requests(const struct pairs *p);

/* Widens every series in e[a->n_cells] for dependence. The coefficient is the larger of two: the
 * series' own estimate, and the mean over all cells of its replayer (stats/serial.h). Precision has
 * two series, and the product of their coefficients. */
void dependence_pool(const struct analysis *a, struct evidence *e);

/* --- recordings.c -------------------------------------------------------- */

/* Returns the recordings of the pairs, and their effect on d[n] (a number for each pair in p). */
struct recordings recordings_of(const double *d, size_t n, const struct pairs *p);
/* Returns the allowed inflation by the recordings and their mean intraclass correlation. */
double recordings_inflation(const struct recordings *r);
/* Returns the inflation that will be allowed with n pairs of k recordings if the correlations stay
 * the same; 1 if each pair has its own recording. */
double recordings_then(const struct recordings *r, double n, double k);
/* Returns the inflation that is expected before a campaign with n pairs and k recordings without an
 * effect, if F of the analysis of variance is f and the mean of the other cells is z standard
 * errors from 0. */
double recordings_expected(double n, double k, double f, double z, size_t n_cells);
