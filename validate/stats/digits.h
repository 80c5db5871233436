/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Significant digits of an uncertainty: u rounded to n of them is c 10^l with an integer c of n
 * digits; half of 10^l is the numerical tolerance delta of JCGM 101, 7.9.2. */
#ifndef VALIDATE_STATS_DIGITS_H
#define VALIDATE_STATS_DIGITS_H

#include "validate/stats/status.h"

/* u > 0, 1 <= digits <= 15. Errors: STAT_OUT_OF_RANGE. */
enum stat_status round_to_digits(double u, int digits, double *rounded) STAT_MUST_CHECK;
enum stat_status numerical_tolerance(double u, int digits, double *delta) STAT_MUST_CHECK;

#endif
