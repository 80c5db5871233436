/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests of the ratio rho of two standard deviations against a limit, for pairs and for two groups.
 *
 * Normal theory (pitman_morgan.h; F) mistakes an outlier for scatter, so an exchange of labels must
 * confirm it: each P is the larger of both P-values. On request, both are widened for dependence on
 * previous values (serial.h): the first gets fewer degrees of freedom, and the normal deviate of
 * the second is divided by sqrt V. Source: Snedecor and Cochran; Pitman (1939); Good, Permutation,
 * parametric and bootstrap tests of hypotheses; Besag and Clifford (1991) for sequential
 * drawing. */
#pragma once

#include "validate/stats/moments.h"
#include "validate/stats/pitman_morgan.h"

struct pair_spread {
	struct pitman_morgan pm;
	/* dependence of the statistic at the limit; inflation 1 if unknown */
	struct serial serial;
	double permuted_above, permuted_below; /* NaN: undefined */
};

struct spread_ratio_p {
	/* P of rho above the limit, as if values were independent; P of rho below it, widened */
	double above, below;
	double below_alone;  /* as if independent */
	double normal_above; /* normal theory alone */
};

/* Tests ref[n] and rep[n], logarithms, against rho = limit > 0. Errors: those of
 * pitman_morgan(). */
enum stat_status pair_spread_of(const double *ref, const double *rep, size_t n, double limit,
				struct pair_spread *s) STAT_MUST_CHECK;
enum stat_status pair_spread_p(const struct pair_spread *s, double limit,
			       struct spread_ratio_p *p) STAT_MUST_CHECK;
/* Computes the upper limit of rho with error alpha by normal theory, widened. */
enum stat_status pair_spread_upper(const struct pair_spread *s, double alpha,
				   double *upper) STAT_MUST_CHECK;

struct group_spread {
	struct values ref, rep; /* borrowed */
	double f, df_ref, df_rep; /* ratio of variances */
	double v_ref, v_rep;	  /* V of the sums of squares */
	/* factor by which dependence may make the standard deviation of rep too small, at least
	 * 1 */
	double missing;
};
/* Tests two groups. Errors: STAT_TOO_FEW (fewer than 3 values), STAT_ZERO_VARIANCE,
 * STAT_NOT_FINITE. */
enum stat_status group_spread_of(struct values ref, struct values rep,
				 struct group_spread *g) STAT_MUST_CHECK;
struct spread_ratio_p group_spread_p(const struct group_spread *g, double limit);
enum stat_status group_spread_upper(const struct group_spread *g, double alpha,
				    double *upper) STAT_MUST_CHECK;

/* Returns the P-value of a random exchange of labels between ref[m] and rep[n], with scatter about
 * the medians and that of rep divided by `limit`: P that rep scatters as much (sign 1) or as little
 * (-1) by chance. Draws with a fixed seed until 20 outcomes are as extreme, or `most` times; for
 * more than 400 values it uses a normal approximation. 1: undefined. */
double group_spread_permuted(const double *ref, size_t m, const double *rep, size_t n, double limit,
			     double sign, unsigned int most);
