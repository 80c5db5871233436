/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Degrees of freedom of a standard deviation if the values need not be normal.
 *
 * nu s^2/sigma^2 is treated as chi-square with nu degrees of freedom: n - 1 for normal values;
 * 2n/(g + 2n/(n - 1)) with the sample's excess kurtosis g if that is less, because long tails
 * increase the uncertainty; at least 1, and 1 for fewer than four values.
 *
 * For the upper limit nu is at most 1.15 sqrt n. A third of the samples of 20 values with one
 * outlier in twenty contain no outlier, look normal, and have a standard deviation of 0.6 of the
 * true value. No interval from such a sample alone detects this (at a nominal 5 %, the upper limits
 * of chi-square, Bonett and the bootstrap do not cover the truth in 37 to 46 %). The quantile of
 * s/sigma itself does: chi-square has it with nu = 3.8, 5.4, 6.4, 9.2 at n = 10, 20, 30, 60
 * (outliers), and with 4.1, 6.4, 8.1, 12.6 for Student's t with 3 degrees of freedom. Source:
 * Hummel, Banga and Hettmansperger (2005) for nu; Bonett (2006) for the other interval; the rest by
 * simulation (validate selftest stats; doc/statistics.md). */
#pragma once

#include "validate/stats/moments.h"
#include "validate/stats/serial.h"

/* Returns the degrees of freedom of the standard deviation m->sd of x[n]; g is at least
 * `least_excess`. */
double spread_df(const double *x, size_t n, const struct sample_moments *m, double least_excess);

/* Returns the largest nu that is used for the upper limit with n values, 1.15 sqrt n. */
double spread_df_most(double n);

/* Converts a standard deviation and its degrees of freedom to those of its upper limit: adds the
 * scatter that dependent runs hide (stats/serial.h), divides nu by the inflation of the sum of
 * squares, and limits it to spread_df_most(). */
void spread_allow_hidden(size_t n, const struct serial *order, double *sd, double *nu);
