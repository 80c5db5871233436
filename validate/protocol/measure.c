/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/protocol/measure.h"

#include "common/units.h"

const struct measure_info measure_info[MEASURE_N] = {
    [MEASURE_RESPONSE_TIME] = {"response-time", "mean response time of the replay",
			       "mean over the runs of the replay's mean response time", UNIT_TIME,
			       SCALE_LOG, true},
    [MEASURE_REFERENCE_TIME] = {"reference-time", "mean response time of the program",
				"the same of the program", UNIT_TIME, SCALE_LOG, true},
    [MEASURE_BIAS] = {"bias", "bias", "relative bias of the mean response time, with its sign",
		      UNIT_RATIO, SCALE_LOG1P, true},
    [MEASURE_BIAS_MAGNITUDE] = {"bias-magnitude", "size of the bias",
				"relative bias without its sign", UNIT_RATIO, SCALE_LINEAR, true},
    [MEASURE_UNCERTAINTY] = {"uncertainty", "2 u_c",
			     "relative bias, scatter of the replays and scatter of the references "
			     "combined, times 2, as in tables V to VII of the metrology paper",
			     UNIT_RATIO, SCALE_LOG, true},
    [MEASURE_F_RATIO] = {"f-ratio", "F", "variance of the replays over that of the program",
			 UNIT_NUMBER, SCALE_LOG, true},
    [MEASURE_CV] = {"cv", "coefficient of variation", "of the replays' results", UNIT_RATIO,
		    SCALE_LOG, true},
    [MEASURE_SPEEDUP] = {"speedup", "times as fast as the program",
			 "execution time of the program over that of the replay", UNIT_NUMBER,
			 SCALE_LOG, false},
    [MEASURE_EXECUTION_TIME] = {"execution-time", "execution time",
				"relative deviation of the execution time from the program's",
				UNIT_RATIO, SCALE_LOG1P, false},
    [MEASURE_IOPS] = {"iops", "requests per second",
		      "relative deviation of the requests per second from the program's",
		      UNIT_RATIO, SCALE_LOG1P, false},
    [MEASURE_IOPS_MAGNITUDE] = {"iops-magnitude", "size of the deviation of requests per second",
				"relative deviation of the requests per second without its sign",
				UNIT_RATIO, SCALE_LINEAR, false},
    [MEASURE_REORDERED] = {"reordered", "reordered requests",
			   "share of the replay's requests that are Type-P-Reordered (RFC 4737), "
			   "all in one order", UNIT_RATIO, SCALE_LINEAR, false},
    [MEASURE_LOST] = {"lost", "requests lost",
		      "share of the trace's requests that the replayer left out without a "
		      "report", UNIT_RATIO, SCALE_LINEAR, false},
    [MEASURE_IN_FLIGHT] = {"in-flight", "requests in flight",
			   "relative deviation of the mean number of requests in flight",
			   UNIT_RATIO, SCALE_LOG1P, false},
    [MEASURE_IN_FLIGHT_MAX] = {"in-flight-max", "most requests in flight",
			       "relative deviation of the largest number of requests in flight",
			       UNIT_RATIO, SCALE_LOG1P, false},
    [MEASURE_CONCURRENCY] = {"concurrency", "distance of the concurrency CDFs",
			     "largest difference, within a pair, of the distributions of the "
			     "number in flight over time; mean over the pairs", UNIT_RATIO,
			     SCALE_LINEAR, false},
    [MEASURE_ALONE] = {"alone", "requests with no other in flight",
		       "share of the replay's requests that found no other in flight", UNIT_RATIO,
		       SCALE_LINEAR, false},
    [MEASURE_ISSUE_ERROR] = {"issue-error", "mean issue error",
			     "mean of how late a timed replay issues requests", UNIT_TIME,
			     SCALE_LINEAR, false},
    [MEASURE_ISSUE_ERROR_RMS] = {"issue-error-rms", "root mean square of the issue error",
				 "of a run, early as well as late; mean over the runs", UNIT_TIME,
				 SCALE_LINEAR, false},
    [MEASURE_ISSUE_ERROR_P50] = {"issue-error-p50", "median issue error",
				 "of a run, mean over the runs", UNIT_TIME, SCALE_LINEAR, false},
    [MEASURE_ISSUE_ERROR_P99] = {"issue-error-p99", "99th percentile of the issue error",
				 "of a run, mean over the runs", UNIT_TIME, SCALE_LINEAR, false},
    [MEASURE_SHARE_LATE] = {"share-late", "requests issued late",
			    "share of a timed replay's requests that are issued later than "
			    "intended by more than 1 % of the mean traced gap, or 1 us, whichever "
			    "is larger", UNIT_RATIO, SCALE_LINEAR, false},
    [MEASURE_ERROR_RATE_CORRELATION] = {"error-rate-correlation",
					"correlation of issue error and rate",
					"rank correlation, over the intervals of a run, of mean "
					"issue error and requests per second", UNIT_NUMBER,
					SCALE_LINEAR, false},
    [MEASURE_TIMELINE_DISTANCE] = {"timeline-distance", "requests issued in another interval",
				   "share of the requests that the replay issues in another "
				   "interval of the run (up to 32) than the recording", UNIT_RATIO,
				   SCALE_LINEAR, false},
    [MEASURE_CPU_TIME] = {"cpu-time", "CPU time",
			  "relative deviation of the replay's CPU time from the program's",
			  UNIT_RATIO, SCALE_LOG1P, false},
    [MEASURE_PREPARATION_TIME] = {"preparation-time", "time in addition to the requests",
				  "of a replay's process: starting, reading and preparing the "
				  "trace, writing the new one", UNIT_TIME, SCALE_LOG, false},
    [MEASURE_TRACE_SIZE] = {"trace-size", "size of the trace", "of a recording", UNIT_BYTES,
			    SCALE_LOG, false},
    [MEASURE_PERCENT_ERROR] = {"percent-error", "error of the running time",
			       "(running time of the program - that of the replay) / that of the "
			       "program, mean over the runs, with its sign: above 0 the replay is "
			       "too short", UNIT_RATIO, SCALE_LINEAR, false},
    [MEASURE_PERCENT_ERROR_MAGNITUDE] = {"percent-error-magnitude",
					 "size of the error of the running time",
					 "percent-error without its sign", UNIT_RATIO, SCALE_LINEAR,
					 false},
    [MEASURE_TRACING_TIME] = {"tracing-time", "time of all runs of a recording",
			      "of a parallel application's, over the running time of the "
			      "application", UNIT_NUMBER, SCALE_LOG, false},
    [MEASURE_TRACING_INCREASE] = {"tracing-increase",
				  "increase of the running time while a node is delayed",
				  "mean running time of a recording's runs with a delayed node "
				  "over that of the application", UNIT_NUMBER, SCALE_LOG, false},
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
	return name_refuse(e, EINVAL, name, names, "", "\"%s\" is not a measure", name);
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
