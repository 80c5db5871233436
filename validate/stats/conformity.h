/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conformity of a measured value y with standard uncertainty u to a tolerance interval.
 *
 * p_c = Phi((upper - y)/u) - Phi((lower - y)/u), or Student's t; specific risk of a false
 * acceptance 1 - p_c, from the tails. Guard band w: accept if lower + w <= y <= upper - w (boundary
 * points belong to it), reject if y > upper + w or y < lower - w, else inconclusive. w = 2u bounds
 * the one-sided risk by 2.3 %, 1.645u by 5 %. Source: JCGM 106; ILAC-G8. */
#ifndef VALIDATE_STATS_CONFORMITY_H
#define VALIDATE_STATS_CONFORMITY_H

#include "validate/stats/status.h"

/* lower and upper may be infinite; nu INFINITY is the normal distribution. Errors:
 * STAT_OUT_OF_RANGE (u <= 0, lower > upper). */
enum stat_status conformity_p(double y, double u, double nu, double lower, double upper,
			      double *p) STAT_MUST_CHECK;
enum stat_status conformity_risk(double y, double u, double nu, double lower, double upper,
				 double *risk) STAT_MUST_CHECK;

enum conformity { CONFORMITY_ACCEPT, CONFORMITY_REJECT, CONFORMITY_INCONCLUSIVE };
enum conformity conformity_guarded(double y, double lower, double upper, double guard);

/* Where upper - lower < 2 g u no result can be accepted with a guard band of g u: the uncertainty
 * is too large for the tolerance. The largest u with which one can is (upper - lower)/(2 g); g is
 * w_mult, 2 for U = 2u. Errors: STAT_OUT_OF_RANGE (g <= 0, lower > upper), STAT_UNBOUNDED (one
 * limit only: any u will do). */
enum stat_status conformity_largest_u(double lower, double upper, double w_mult,
				      double *u) STAT_MUST_CHECK;

/* Smallest n >= 2 with sd/sqrt n <= u: replicates with which the mean of values of that sd is so
 * certain. Errors: STAT_OUT_OF_RANGE. */
enum stat_status conformity_replicates(double sd, double u, double *n) STAT_MUST_CHECK;

#endif
