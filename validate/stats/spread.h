/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How well a standard deviation is known when the values need not be normal.
 *
 * nu s^2/sigma^2 is taken for chi-square with nu degrees of freedom. n - 1 of them for normal
 * values; 2n/(g + 2n/(n - 1)) with the sample's excess kurtosis g where that is less, for long
 * tails make a standard deviation worse known; at least 1, and that below four values.
 *
 * For the upper limit nu is at most 1.15 sqrt n: of 20 values in which one in twenty is far off, a
 * third of the samples holds none of those, looks normal, and has a standard deviation of 0.6 of
 * the true one. No interval made of such a sample alone tells (at a nominal 5 %, chi-square,
 * Bonett's and the bootstrap's upper limits miss the truth in 37 to 46 % there); what does is the
 * quantile of s/sigma itself. Chi-square has that quantile with nu = 3.8, 5.4, 6.4, 9.2 at n = 10,
 * 20, 30, 60 (outliers), and with 4.1, 6.4, 8.1, 12.6 for Student's t with 3 degrees of freedom.
 * Source: Hummel, Banga and Hettmansperger (2005) for nu; Bonett (2006) for the other interval; the
 * rest by simulation (validate selftest stats; doc/statistics.md). */
#ifndef VALIDATE_STATS_SPREAD_H
#define VALIDATE_STATS_SPREAD_H

#include "validate/stats/moments.h"
#include "validate/stats/serial.h"

/* Degrees of freedom of the standard deviation m->sd of x[n]; g is taken for no less than
 * `least_excess`. */
double spread_df(const double *x, size_t n, const struct sample_moments *m, double least_excess);

/* The most that n values allow for an upper limit, 1.15 sqrt n. */
double spread_df_most(double n);

/* Makes a standard deviation and its degrees of freedom those of its upper limit: what runs that
 * depend on each other in their order (stats/serial.h) scatter too little is added, nu is divided
 * by the inflation of the sum of squares, and is no more than the most. */
void spread_allow_hidden(size_t n, const struct serial *order, double *sd, double *nu);

#endif
