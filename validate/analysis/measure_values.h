/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The value of a measure on some pairs, without any interval. For measures.c and its tests. */
#ifndef VALIDATE_ANALYSIS_MEASURE_VALUES_H
#define VALIDATE_ANALYSIS_MEASURE_VALUES_H

#include "validate/analysis/measures.h"

/* In the measure's base unit; NaN where these runs do not have it, or it is undefined. */
double measure_value(enum measure m, const char *operation, const struct measure_runs *runs);

/* Mean response time of a run's requests of one operation (NULL: all), NaN where it has none. */
double summary_response(const struct run_summary *s, const char *operation);

#endif
