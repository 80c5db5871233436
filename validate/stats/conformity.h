/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conformity of a measured value y with standard uncertainty u to a tolerance interval.
 *
 * p_c = Phi((upper - y)/u) - Phi((lower - y)/u), or Student's t; the specific risk of a false
 * acceptance is 1 - p_c, computed from the tails. Guard band w: accept if lower + w <= y <= upper -
 * w (including boundary points), reject if y > upper + w or y < lower - w, otherwise inconclusive.
 * w = 2u limits the one-sided risk to 2.3 %, 1.645u to 5 %. Source: JCGM 106; ILAC-G8. */
#pragma once

#include "validate/stats/status.h"

/* Computes p_c. lower and upper may be infinite; nu INFINITY is the normal distribution. Errors:
 * STAT_OUT_OF_RANGE (u <= 0, lower > upper). */
enum stat_status conformity_p(double y, double u, double nu, double lower, double upper,
			      double *p) STAT_MUST_CHECK;
enum stat_status conformity_risk(double y, double u, double nu, double lower, double upper,
				 double *risk) STAT_MUST_CHECK;

enum conformity { CONFORMITY_ACCEPT, CONFORMITY_REJECT, CONFORMITY_INCONCLUSIVE };
enum conformity conformity_guarded(double y, double lower, double upper, double guard);

/* --- limit of quantification --------------------------------------------- */

/* Limit of quantification. Below it, the response time is too close to the replayer's own overhead
 * for a relative statement.
 *
 * LOQ = LOQ_FACTOR s_blank, s_blank the standard deviation of replays of a trace of no-operations.
 * A relative verdict is refused if the reference's mean is below it. Source: Eurachem, The fitness
 * for purpose of analytical methods (2014), 6.2. */

#define LOQ_FACTOR 10

/* Computes the limit from blank[n], n >= 2. Errors: STAT_TOO_FEW, STAT_ZERO_VARIANCE (the clock
 * does not resolve a no-operation), STAT_NOT_FINITE. */
enum stat_status limit_of_quantification(const double *blank, size_t n,
					 double *loq) STAT_MUST_CHECK;

/* Whether the mean of ref[m] is at least `loq` >= 0. Errors: STAT_TOO_FEW, STAT_NOT_FINITE,
 * STAT_OUT_OF_RANGE. */
enum stat_status quantification_check(const double *ref, size_t m, double loq,
				      bool *quantifiable) STAT_MUST_CHECK;
