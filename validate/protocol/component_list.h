/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The components of a verdict, in the order of every report. This list makes the enum, the limits
 * of a protocol, their keys in [accept] and the table of rows (component.h). A new component needs
 * a line in this list and a file that defines its row.
 *
 * X(KIND, row, name, limit, type, default, key, least, most, help)
 *   KIND         COMPONENT_KIND
 *   row          component_row, defined in the component's file
 *   name         in verdicts and reports
 *   limit        member of struct accept_limits; its C type is limit_TYPE
 *   type         of the option (common/options.h); NaN, -1 (durations) and UINT64_MAX (counts) as
 *                default mean "none"
 *   least, most  range of the key */
#pragma once

#include "common/std.h"

#define COMPONENT_LIST(X)                                                                          \
	X(BIAS, bias, "bias", bias, OPT_RATIO, 0.10, "bias", 1e-6, 0.99,                           \
	  "largest permitted relative bias of the mean response time, in either direction "        \
	  "(default 10%)")                                                                         \
	X(TYPICAL, typical, "typical response", typical, OPT_RATIO, 0.10, "typical", 1e-6, 0.99,   \
	  "largest permitted relative bias of the mean of the fastest 90 % of the requests, in "   \
	  "either direction (default 10%)")                                                        \
	X(SHAPE, shape, "shape", shape, OPT_RATIO, 0.10, "shape", 1e-6, 1,                         \
	  "largest permitted difference between the distributions of the response times, each "    \
	  "divided by the typical response time of its run (default 10%)")                         \
	X(TAIL, tail, "tail", tail, OPT_RATIO, 0.25, "tail", 1e-6, 0.99,                           \
	  "largest permitted relative bias of the mean of the slowest 1 % of the requests, in "    \
	  "either direction (default 25%)")                                                        \
	X(OPERATION, operation, "bias by operation", operation, OPT_RATIO, 0.15, "operation", 1e-6,\
	  0.99,                                                                                    \
	  "largest permitted relative bias of the mean response time of an operation, in either "  \
	  "direction (default 15%)")                                                               \
	X(HALF, half, "bias by half", half, OPT_RATIO, 0.15, "half", 1e-6, 0.99,                   \
	  "largest permitted relative bias of the mean response time of the first or second half " \
	  "of a run's requests, in either direction (default 15%)")                                \
	X(PRECISION, precision, "precision", precision_ratio, OPT_DOUBLE, 2, "precision-ratio", 1, \
	  1e6,                                                                                     \
	  "largest permitted standard deviation of the mean response times of the replays, "       \
	  "divided by that of the program's runs (default 2)")                                     \
	X(EXECUTION_TIME, execution_time, "execution time", execution_time, OPT_RATIO, 0.10,       \
	  "execution-time", 1e-6, 0.99,                                                            \
	  "largest permitted relative deviation of the execution time, in either direction "       \
	  "(default 10%; for timed replays "                                                       \
	  "1%)")                                                                                   \
	X(REORDERING, reordering, "reordering", reordered, OPT_RATIO, 0.01, "reordered", 0, 1,     \
	  "largest permitted share of the requests that are issued too late: after a request that "\
	  "comes later in the trace (default 1%)")                                                 \
	X(FIDELITY, fidelity, "fidelity", n_mismatched, OPT_UINT, 0, "mismatches", 0, 0,           \
	  "largest permitted sum of lost, extra and mismatched requests in a run (default 0)")     \
	X(UNCERTAINTY, uncertainty, "uncertainty", uncertainty, OPT_RATIO, 0.20, "uncertainty",    \
	  1e-6, 100,                                                                               \
	  "largest permitted expanded uncertainty U (default 20%)")                                \
	X(CONCURRENCY, concurrency, "concurrency", concurrency, OPT_RATIO, 0.10, "concurrency",    \
	  1e-6, 1,                                                                                 \
	  "largest permitted distance between the CDFs of the number of requests in flight "       \
	  "(default 10%)")                                                                         \
	X(LINEARITY, linearity, "linearity", linearity, OPT_RATIO, 0.10, "linearity", 1e-6, 0.99,  \
	  "largest permitted change of the relative bias with the load level, in either direction "\
	  "(default 10%)")                                                                         \
	X(ISSUE_ERROR, issue_error, "issue error", issue_error_ns, OPT_DURATION, -1, "issue-error",\
	  1, 3600e9,                                                                               \
	  "largest permitted 99th percentile of the issue errors of a timed replay (default none)")\
	X(SHARE_LATE, share_late, "share late", share_late, OPT_RATIO, NAN, "share-late", 1e-6, 1, \
	  "largest permitted share of requests that a timed replay issues late (default none)")    \
	X(IN_FLIGHT, in_flight, "in flight", in_flight, OPT_RATIO, 0.10, "in-flight", 1e-6, 0.99,  \
	  "largest permitted relative deviation of the mean number of requests in flight, in "     \
	  "either direction (default 10%)")                                                        \
	X(IN_FLIGHT_MAX, in_flight_max, "maximum in flight", in_flight_max, OPT_RATIO, 0.25,       \
	  "in-flight-max", 1e-6, 0.99,                                                             \
	  "largest permitted relative deviation of the maximum number of requests in flight, in "  \
	  "either direction (default 25%)")                                                        \
	X(RESPONSIVENESS, responsiveness, "responsiveness", responsiveness, OPT_RATIO, 0.10,       \
	  "responsiveness", 1e-6, 0.99,                                                            \
	  "largest permitted difference between the slowdown of a replay and that of the program " \
	  "on a slower volume, in either direction (default 10%)")                                 \
	X(MEDIAN, median, "median", median, OPT_RATIO, NAN, "median", 1e-6, 0.99,                  \
	  "largest permitted relative deviation of the median of the response times, in either "   \
	  "direction (default none)")                                                              \
	X(P90, p90, "p90", p90, OPT_RATIO, NAN, "p90", 1e-6, 0.99,                                 \
	  "largest permitted relative deviation of the 90th percentile of the response times, in " \
	  "either direction (default none)")                                                       \
	X(P99, p99, "p99", p99, OPT_RATIO, NAN, "p99", 1e-6, 0.99,                                 \
	  "largest permitted relative deviation of the 99th percentile of the response times, in " \
	  "either direction (default none)")                                                       \
	X(P999, p999, "p99.9", p999, OPT_RATIO, NAN, "p999", 1e-6, 0.99,                           \
	  "largest permitted relative deviation of the 99.9th percentile of the response times, "  \
	  "in either direction (default none)")                                                    \
	X(IOPS, iops, "IOPS", iops, OPT_RATIO, NAN, "iops", 1e-6, 0.99,                            \
	  "largest permitted relative deviation of the requests per second, in either direction "  \
	  "(default none)")

#define COMPONENT_KIND(KIND, ...) COMPONENT_##KIND,
enum component_kind { COMPONENT_LIST(COMPONENT_KIND) COMPONENT_N };
#undef COMPONENT_KIND
/* The following components are listed only if a protocol limits one of them. */
#define COMPONENT_ON_DEMAND COMPONENT_MEDIAN

typedef double limit_OPT_RATIO, limit_OPT_DOUBLE;
typedef uint64_t limit_OPT_UINT;
typedef int64_t limit_OPT_DURATION;
