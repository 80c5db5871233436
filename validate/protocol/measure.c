/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/protocol/measure.h"

#include "common/units.h"

/* doc/protocol.md defines the measures. */
const struct measure_info measure_info[MEASURE_N] = {
    [MEASURE_RESPONSE_TIME] = {"response-time", "mean response time of the replay",
	UNIT_TIME, SCALE_LOG, true},
    [MEASURE_REFERENCE_TIME] = {"reference-time", "mean response time of the program",
	UNIT_TIME, SCALE_LOG, true},
    [MEASURE_BIAS] = {"bias", "bias", UNIT_RATIO, SCALE_LOG1P, true},
    [MEASURE_BIAS_MAGNITUDE] = {"bias-magnitude", "size of the bias",
	UNIT_RATIO, SCALE_LINEAR, true},
    [MEASURE_UNCERTAINTY] = {"uncertainty", "2 u_c", UNIT_RATIO, SCALE_LOG, true},
    [MEASURE_F_RATIO] = {"f-ratio", "F", UNIT_NUMBER, SCALE_LOG, true},
    [MEASURE_CV] = {"cv", "coefficient of variation", UNIT_RATIO, SCALE_LOG, true},
    [MEASURE_SPEEDUP] = {"speedup", "times as fast as the program", UNIT_NUMBER, SCALE_LOG, false},
    [MEASURE_EXECUTION_TIME] = {"execution-time", "execution time", UNIT_RATIO, SCALE_LOG1P, false},
    [MEASURE_IOPS] = {"iops", "requests per second", UNIT_RATIO, SCALE_LOG1P, false},
    [MEASURE_IOPS_MAGNITUDE] = {"iops-magnitude", "size of the deviation of requests per second",
	UNIT_RATIO, SCALE_LINEAR, false},
    [MEASURE_REORDERED] = {"reordered", "reordered requests", UNIT_RATIO, SCALE_LINEAR, false},
    [MEASURE_LOST] = {"lost", "requests lost", UNIT_RATIO, SCALE_LINEAR, false},
    [MEASURE_IN_FLIGHT] = {"in-flight", "requests in flight", UNIT_RATIO, SCALE_LOG1P, false},
    [MEASURE_IN_FLIGHT_MAX] = {"in-flight-max", "maximum number of requests in flight",
	UNIT_RATIO, SCALE_LOG1P, false},
    [MEASURE_CONCURRENCY] = {"concurrency", "distance of the concurrency CDFs",
	UNIT_RATIO, SCALE_LINEAR, false},
    [MEASURE_ALONE] = {"alone", "requests with no other request in flight",
	UNIT_RATIO, SCALE_LINEAR, false},
    [MEASURE_ISSUE_ERROR] = {"issue-error", "mean issue error", UNIT_TIME, SCALE_LINEAR, false},
    [MEASURE_ISSUE_ERROR_RMS] = {"issue-error-rms", "root mean square of the issue error",
	UNIT_TIME, SCALE_LINEAR, false},
    [MEASURE_ISSUE_ERROR_P50] = {"issue-error-p50", "median issue error",
	UNIT_TIME, SCALE_LINEAR, false},
    [MEASURE_ISSUE_ERROR_P99] = {"issue-error-p99", "99th percentile of the issue error",
	UNIT_TIME, SCALE_LINEAR, false},
    [MEASURE_SHARE_LATE] = {"share-late", "requests issued late", UNIT_RATIO, SCALE_LINEAR, false},
    [MEASURE_ERROR_RATE_CORRELATION] = {"error-rate-correlation",
	"correlation of issue error and rate", UNIT_NUMBER, SCALE_LINEAR, false},
    [MEASURE_TIMELINE_DISTANCE] = {"timeline-distance",
	"requests issued in a different time interval than in the recording",
	UNIT_RATIO, SCALE_LINEAR, false},
    [MEASURE_CPU_TIME] = {"cpu-time", "CPU time", UNIT_RATIO, SCALE_LOG1P, false},
    [MEASURE_PREPARATION_TIME] = {"preparation-time",
	"time before the first and after the last request",
	UNIT_TIME, SCALE_LOG, false},
    [MEASURE_TRACE_SIZE] = {"trace-size", "size of the trace", UNIT_BYTES, SCALE_LOG, false},
    [MEASURE_PERCENT_ERROR] = {"percent-error", "error of the execution time",
	UNIT_RATIO, SCALE_LINEAR, false},
    [MEASURE_PERCENT_ERROR_MAGNITUDE] = {"percent-error-magnitude",
	"size of the error of the execution time", UNIT_RATIO, SCALE_LINEAR, false},
    [MEASURE_TRACING_TIME] = {"tracing-time", "time of all runs that a recording needs",
	UNIT_NUMBER, SCALE_LOG, false},
    [MEASURE_TRACING_INCREASE] = {"tracing-increase",
	"increase of the execution time while a node is delayed",
	UNIT_NUMBER, SCALE_LOG, false},
};

int measure_find(const char *name, enum measure *m, struct err *e)
{
	const char *names[MEASURE_N + 1] = {NULL};
	for (int i = 0; i < MEASURE_N; i++) {
		names[i] = measure_info[i].name;
		*m = (enum measure)i;
		if (!strcmp(name, names[i]))
			return 0;
	}
	return name_refuse(e, EINVAL, name, names, NULL, "\"%s\" is not a measure", name);
}

/* Parses a time. Unlike a duration, it may be negative or a fraction of a nanosecond. */
static int time_parse(const char *text, double *ns, struct err *e)
{
	static const struct {
		const char *name;
		double ns;
	} unit[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}};
	char *end;
	double x = strtod(text, &end);
	end += strspn(end, " ");
	for (size_t i = 0; end > text && isfinite(x) && i < sizeof unit / sizeof *unit; i++)
		if (!strcmp(end, unit[i].name)) {
			*ns = x * unit[i].ns;
			return 0;
		}
	if (end > text && !*end && !(x < 0) && !(x > 0)) {
		*ns = 0;
		return 0;
	}
	return err_set(e, EINVAL, "\"%s\": expected a time with its unit (ns, us, ms, s, min)",
		       text);
}

int measure_value_parse(enum measure m, const char *text, double *value, struct err *e)
{
	switch (measure_info[m].unit) {
	case UNIT_TIME:
		return time_parse(text, value, e);
	case UNIT_RATIO:
		return parse_ratio(text, value, e);
	case UNIT_BYTES: {
		uint64_t bytes;
		int ret = parse_size(text, &bytes, e);
		*value = ret ? 0 : (double)bytes;
		return ret;
	}
	default:
		return parse_double(text, value, e);
	}
}
