/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mean of one number of each pair, by re-randomisation: what every comparison of pairs is
 * judged by.
 *
 * Each one-sided P-value is that of the sign-flip test (stats/sign_flip.h), which holds whatever
 * the machine adds to the pairs. Where all pairs lie on the same side of the supposed mean it is
 * 2^-n, however far they lie: Student's t stands then. A dependence of one role alone is not random
 * in sign; `wide` allows for it, with the coefficient in `serial` (stats/serial.h): P is mapped to
 * Student's t, divided by sqrt(V (n-1)/(n-V)), and mapped back with n/V - 1 degrees of freedom. */
#ifndef VALIDATE_STATS_PAIRED_MEAN_H
#define VALIDATE_STATS_PAIRED_MEAN_H

#include <stdbool.h>

#include "validate/stats/serial.h"

#define PAIRED_MEAN_MANY 1000u /* values, of more than which Student's t is the same */

struct paired_mean {
	const double *d; /* [n], in the order of time; borrowed */
	size_t n;
	struct t_estimate t, wide; /* as if independent; widened by `serial` */
	struct serial serial;
};

/* Widened by what d[n] itself shows of dependence and may hide of it. Errors: STAT_TOO_FEW (n < 2),
 * STAT_NOT_FINITE; STAT_ZERO_VARIANCE, with t and wide set, se 0. */
enum stat_status paired_mean_of(const double *d, size_t n, struct paired_mean *m) STAT_MUST_CHECK;

/* With another estimate of the dependence. */
void paired_mean_widen(struct paired_mean *m, const struct serial *serial);

/* P of the mean lying above (or below) `at`, small when it is shown to. */
struct mean_side {
	double alone, wide;
};
struct mean_sides {
	struct mean_side above, below;
};
struct mean_sides paired_mean_sides(const struct paired_mean *m, double at);
struct mean_side paired_mean_p(const struct paired_mean *m, double at, bool above);

/* The limits with error alpha each, as they accept (`widen`) or reject; false: none. Where all of
 * so few values lie on one side, those of t. */
bool paired_mean_limits(const struct paired_mean *m, double alpha, bool widen, double *lo,
			double *hi);

#endif
