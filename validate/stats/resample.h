/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random bootstrap: what a statistic of resamples of a sample is like, and BCa intervals from that.
 *
 * A source gives one resampled statistic of one sample at a time; one or two sources are combined
 * to the quantity wanted. Three ways, by what is asked for and how many values there are:
 *
 * Means, up to RESAMPLE_PLAIN_MAX drawings: the plain way, n values drawn with replacement.
 *
 * Means of more: the sorted sample is cut into some 200 bins, single values at both ends, then bins
 * that grow by a quarter. How often each bin is drawn is Poisson, which given their total is the
 * multinomial law of plain drawing; within a bin the sum of what is drawn is taken as normal with
 * the bin's mean and variance. The mean of the T values drawn then is brought to the spread of n:
 * centre + (mean* - centre) sqrt(T/n). Variance exact; of the third moment only that within the
 * bins of the middle is lost (mean_source.third_lost, its share), so that an interval end differs
 * from the plain one by far less than the scatter of 10,000 resamples. Some 4 us a resample for any
 * n.
 *
 * Quantiles, any n: the j-th of n values drawn from the sorted sample is x[floor(n U)], U ~ Beta(j,
 * n-j+1); type 7 needs two neighbours, U' = U + (1-U) Beta(1, n-j). This is the plain bootstrap
 * exactly, without drawing n values.
 *
 * Moving blocks (dependent values): blocks of `block` successive values are drawn instead, n/block
 * of them, and the mean is corrected for values near the ends being in fewer blocks. Only for
 * means.
 *
 * BCa: z0 = Phi^-1((#less + 1/2 #equal)/B), a from the jackknife over all deletions, levels by
 * bca_level(). Where all resamples lie on one side, z0 is infinite: the percentile interval is
 * given instead and said so. Source: Efron (1987); Davison and Hinkley, Bootstrap methods and their
 * application (1997), 2.5 and 5.3; Kuensch (1989) for blocks; Hanley and MacGibbon (2006) for
 * Poisson weights. */
#ifndef VALIDATE_STATS_RESAMPLE_H
#define VALIDATE_STATS_RESAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "validate/stats/generator.h"
#include "validate/stats/status.h"

#define RESAMPLE_PLAIN_MAX 2000u
#define RESAMPLE_DEFAULT 10000u

/* --- sources ------------------------------------------------------------- */
struct resample_bin {
	double share; /* of the values */
	double mean;  /* about the sample's mean */
	double variance;
};

struct mean_source {
	double estimate;    /* the sample's mean */
	/* [n_items] what is drawn: borrowed values, or block means; none: a constant sample */
	const double *item;
	size_t n_items, n_draws;
	double centre; /* mean of the items: differs from the estimate with blocks */
	/* [n_units] what the jackknife leaves out: the values, or the blocks side by side */
	const double *unit;
	size_t n_units;
	double *owned_items, *owned_units;
	struct resample_bin *bin; /* [n_bins], NULL: the plain way */
	size_t n_bins;
	/* share of the third central moment that lies within bins; 0 the plain way */
	double third_lost;
};

/* x[n] in order of time where block > 1; borrowed until mean_source_release. block 0 or 1: single
 * values. `binned` forces bins however few values there are. Errors: STAT_TOO_FEW (n < 2, fewer
 * than 2 blocks), STAT_ZERO_VARIANCE, STAT_NOT_FINITE. */
enum stat_status mean_source(struct mean_source *m, const double *x, size_t n, size_t block,
			     bool binned) STAT_MUST_CHECK;
void mean_source_release(struct mean_source *m);
double mean_source_draw(const struct mean_source *m, struct generator *g);

struct quantile_source {
	const double *sorted; /* borrowed */
	size_t n;
	double p, estimate;
};
double quantile_source_draw(const struct quantile_source *q, struct generator *g);

/* --- intervals ----------------------------------------------------------- */
enum resample_quantity {
	RESAMPLE_X,	   /* of the replay alone */
	RESAMPLE_DIFFERENCE, /* x - r */
	RESAMPLE_RELATIVE_PCT, /* 100 (x - r)/r */
};

struct resample_plan {
	uint64_t n_resamples; /* 2000 or more for BCa */
	uint64_t seed;
	double conf;
};

struct resample_interval {
	double estimate, lo, hi;
	double se; /* standard deviation of the resamples */
	double z0, acceleration;
	bool percentile; /* no BCa could be had */
};

/* Mean of the replay, or of both samples. ref[m] is not read for RESAMPLE_X. Errors: those of
 * mean_source (a constant reference is fine while the replay varies), STAT_ZERO_REFERENCE,
 * STAT_OUT_OF_RANGE (conf, fewer than 100 resamples). */
enum stat_status resample_means(const double *ref, size_t m, const double *rep, size_t n,
				size_t block, enum resample_quantity quantity,
				const struct resample_plan *plan,
				struct resample_interval *out) STAT_MUST_CHECK;

/* p-quantile (type 7), of sorted samples. Errors: also STAT_TOO_FEW where (1-p) n < 1 of either:
 * only the largest values bear on such a quantile, and resampling them says nothing. */
enum stat_status resample_quantiles(const double *ref, size_t m, const double *rep, size_t n,
				    double p, enum resample_quantity quantity,
				    const struct resample_plan *plan,
				    struct resample_interval *out) STAT_MUST_CHECK;

/* A length for moving blocks by the automatic rule of Politis and White (2004), corrected by
 * Patton, Politis and White (2009): b = (2 G^2/D)^(1/3) n^(1/3) with flat-top weights of the
 * autocovariances. At least 1. Errors: as autocorrelation(). */
enum stat_status block_length(const double *x, size_t n, size_t *block) STAT_MUST_CHECK;

#endif
