/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests and limits of the mean of paired differences by re-randomisation; the basis of all
 * comparisons of pairs.
 *
 * Each one-sided P-value is that of the sign-flip test (stats/sign_flip.h), which is valid for any
 * disturbance of the pairs. If all pairs lie on the same side of the supposed mean it is 2^-n
 * regardless of their distance; Student's t is used then. A dependence of one role alone is not
 * random in sign. `wide` allows for it with the coefficient in `serial` (stats/serial.h): P is
 * mapped to Student's t, divided by sqrt(V (n-1)/(n-V)), and mapped back with n/V - 1 degrees of
 * freedom. */
#pragma once

#include "validate/stats/serial.h"

#define PAIRED_MEAN_MANY 1000u /* from this number of values on Student's t is equivalent */

struct paired_mean {
	const double *d; /* [n], in the order of time; borrowed */
	size_t n;
	struct t_estimate t, wide; /* t: as if independent; wide: widened by `serial` */
	struct serial serial;
};

/* Sets m, widened by the dependence that d[n] shows and may hide. Errors: STAT_TOO_FEW (n < 2),
 * STAT_NOT_FINITE; STAT_ZERO_VARIANCE, with t and wide set, se 0. */
enum stat_status paired_mean_of(const double *d, size_t n, struct paired_mean *m) STAT_MUST_CHECK;

/* Widens m by another estimate of the dependence. */
void paired_mean_widen(struct paired_mean *m, const struct serial *serial);

/* P-values against a mean below (`above`) or above (`below`) `at`: above is small if the mean is
 * shown to be larger. */
struct mean_side {
	double alone, wide;
};
struct mean_sides {
	struct mean_side above, below;
};
struct mean_sides paired_mean_sides(const struct paired_mean *m, double at);
struct mean_side paired_mean_p(const struct paired_mean *m, double at, bool above);

/* Limits with error alpha each, for acceptance (`widen`) or for rejection. Returns false if there
 * are none. If few values all lie on one side, the limits are those of t. */
bool paired_mean_limits(const struct paired_mean *m, double alpha, bool widen, double *lo,
			double *hi);
