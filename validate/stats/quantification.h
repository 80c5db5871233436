/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limit of quantification: below it a response time is too close to what the replayer adds for a
 * relative statement.
 *
 * LOQ = LOQ_FACTOR s_blank, s_blank the standard deviation of replays of a trace of no-operations.
 * A relative verdict is refused where the reference's mean is below it. Source: Eurachem, The
 * fitness for purpose of analytical methods (2014), 6.2. */
#ifndef VALIDATE_STATS_QUANTIFICATION_H
#define VALIDATE_STATS_QUANTIFICATION_H

#include <stdbool.h>

#include "validate/stats/status.h"

#define LOQ_FACTOR 10

/* blank[n], n >= 2. Errors: STAT_TOO_FEW, STAT_ZERO_VARIANCE (the clock does not resolve a
 * no-operation), STAT_NOT_FINITE. */
enum stat_status limit_of_quantification(const double *blank, size_t n,
					 double *loq) STAT_MUST_CHECK;

/* Whether the mean of ref[m] is at least `loq` >= 0. Errors: STAT_TOO_FEW, STAT_NOT_FINITE,
 * STAT_OUT_OF_RANGE. */
enum stat_status quantification_check(const double *ref, size_t m, double loq,
				      bool *quantifiable) STAT_MUST_CHECK;

#endif
