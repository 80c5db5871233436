/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The value of a measure on given pairs, without an interval. For measures.c and its tests. */
#pragma once

#include "validate/analysis/measures.h"

/* Returns the value in the measure's base unit. NaN if it is undefined or these runs do not have
 * it. */
double measure_value(enum measure m, const char *operation, const struct measure_runs *runs);
