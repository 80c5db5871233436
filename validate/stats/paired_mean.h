/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests and limits of the mean of paired differences by re-randomisation, on which all comparisons
 * of pairs are based.
 *
 * Each one-sided P-value is that of the sign-flip test (stats/sign_flip.h), which is valid for any
 * disturbance of the pairs. If all pairs are on the same side of the supposed mean, it is 2^-n,
 * whatever their distance; in this case Student's t is used. If only one role depends on earlier
 * values, this is not random in sign. `wide` allows for such a dependence with the coefficient in
 * `serial` (stats/serial.h): P is mapped to Student's t, divided by sqrt(V (n-1)/(n-V)), and mapped
 * back with n/V - 1 degrees of freedom. */
#pragma once

#include "validate/stats/serial.h"

#define PAIRED_MEAN_MANY 1000u /* for this number of values or more, Student's t is equivalent */

struct paired_mean {
	const double *d; /* [n], in the order of time; borrowed */
	size_t n;
	/* t: as if the values were independent; wide: widened by `serial` */
	struct t_estimate t, wide;
	struct serial serial;
};

/* Sets m, widened by the dependence that d[n] shows and that it may hide. Errors: STAT_TOO_FEW (n <
 * 2), STAT_NOT_FINITE; STAT_ZERO_VARIANCE, with t and wide set, and se 0. */
enum stat_status paired_mean_of(const double *d, size_t n, struct paired_mean *m) STAT_MUST_CHECK;

/* Widens m by another estimate of the dependence. */
void paired_mean_widen(struct paired_mean *m, const struct serial *serial);

/* P-values against a mean below (`above`) or above (`below`) `at`: above is small if the mean is
 * shown to be larger than `at`. */
struct mean_side {
	double alone, wide;
};
struct mean_sides {
	struct mean_side above, below;
};
struct mean_sides paired_mean_sides(const struct paired_mean *m, double at);
struct mean_side paired_mean_p(const struct paired_mean *m, double at, bool above);

/* Finds limits with error alpha each, for acceptance (`widen`) or for rejection. Returns false if
 * there are none. If a few values are all on one side, the limits are those of t. */
bool paired_mean_limits(const struct paired_mean *m, double alpha, bool widen, double *lo,
			double *hi);
