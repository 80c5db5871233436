/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantities of a case that the literature publishes, with their names in protocols.
 * validate/analysis/measures.h computes them. */
#pragma once

#include "common/std.h"

enum measure {
	MEASURE_RESPONSE_TIME, MEASURE_REFERENCE_TIME, MEASURE_BIAS, MEASURE_BIAS_MAGNITUDE,
	MEASURE_UNCERTAINTY, MEASURE_F_RATIO, MEASURE_CV, MEASURE_SPEEDUP, MEASURE_EXECUTION_TIME,
	MEASURE_IOPS, MEASURE_IOPS_MAGNITUDE, MEASURE_REORDERED, MEASURE_LOST, MEASURE_IN_FLIGHT,
	MEASURE_IN_FLIGHT_MAX, MEASURE_CONCURRENCY, MEASURE_ALONE, MEASURE_ISSUE_ERROR,
	MEASURE_ISSUE_ERROR_RMS, MEASURE_ISSUE_ERROR_P50, MEASURE_ISSUE_ERROR_P99,
	MEASURE_SHARE_LATE, MEASURE_ERROR_RATE_CORRELATION, MEASURE_TIMELINE_DISTANCE,
	MEASURE_CPU_TIME, MEASURE_PREPARATION_TIME, MEASURE_TRACE_SIZE, MEASURE_PERCENT_ERROR,
	MEASURE_PERCENT_ERROR_MAGNITUDE, MEASURE_TRACING_TIME, MEASURE_TRACING_INCREASE, MEASURE_N,
};

/* base units: ns, a ratio (0.1 is 10 %), a number, bytes */
enum measure_unit { UNIT_TIME, UNIT_RATIO, UNIT_NUMBER, UNIT_BYTES };

/* How two values are compared: by their ratio, by the ratio of 1 + value, or by their
 * difference. */
enum measure_scale { SCALE_LOG, SCALE_LOG1P, SCALE_LINEAR };

struct measure_info {
	const char *name, *title;
	enum measure_unit unit;
	enum measure_scale scale;
	bool by_operation; /* can be restricted to one operation */
};
extern const struct measure_info measure_info[MEASURE_N];

/* Finds a measure. Errors: EINVAL with the nearest name. */
int measure_find(const char *name, enum measure *m, struct err *e);

/* Converts "10.2 us", "35 %", "1.4" or "334 MB" to the base unit of the measure. Errors: EINVAL for
 * a wrong or missing unit. */
int measure_value_parse(enum measure m, const char *text, double *value, struct err *e);
