/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The small summary of a run: a function of its trace and, for a replay, of the replayed trace.
 * Reports and later comparisons read only summaries, not traces.
 *
 * Units: times in ns, shares as ratios. Sources: RFC 4737 for reordering; the headers of
 * validate/metrics/ for each formula. */
#pragma once

#include "capture/run_facts.h"
#include "capture/unseen.h"
#include "validate/metrics/histogram.h"
#include "validate/metrics/pace.h"
#include "validate/metrics/slices.h"

#define SUMMARY_MAX_OPS 128
#define SUMMARY_MAX_NODES 4096
/* levels 0..1024; higher levels are counted together with the last level */
#define SUMMARY_MAX_LEVELS 1025

/* moments of a quantity over the requests of a run, from exact sums (metrics/moment_sum.h) */
struct moments {
	uint64_t n;      /* 0: the other members are 0 and undefined */
	double mean, sd; /* sd is 0 and undefined for n < 2 */
	double min, max;
};

struct op_summary {
	char op[16];
	struct moments response;
};

/* RFC 4737, observed at issue: numbers come from the input, arrivals are in the order of starts. */
struct reorder_summary {
	/* number of unique arrivals, without extra requests; number of those with
	 * Type-P-Reordered */
	uint64_t n_received, n_reordered;
	/* number of descents in the same arrivals, as hfplayer's script counts them */
	uint64_t n_descents;
	uint64_t max_extent;              /* arrivals */
};

/* Edges of the shape (doc/run-metrics.md): fixed, ascending ratios of a response time to the
 * typical response time of its run. They go from 1/64 to 64 in 128 steps of equal ratio within each
 * part: 26 % up to 1/16, 15 % to 1/4, 6 % to 0.5, 2.8 % to 0.7, 1.6 % to 0.9, 0.5 % to 1.1, 2.1 %
 * to 1.3, 5.5 % to 2, 15 % to 8, 41 % to 64. k < SUMMARY_N_SHAPE. */
#define SUMMARY_N_SHAPE 129
double summary_shape_edge(size_t k);

/* Classes of lateness (start - intended): [0] early or up to 1 us late, [k] from 2^(k-1) us to 2^k
 * us; the last class also has all larger values. */
#define SUMMARY_N_LATENESS 26

/* For a trace of a parallel application (capture/causality/causality.h); all 0 for other traces. */
struct causality_summary {
	/* n_runs: capture runs, including the one without delays */
	uint64_t n_nodes, n_throttled, n_runs, period;
	int64_t application_ns, tracing_ns;		/* tracing_ns: of all capture runs */
	int64_t predicted_ns;	/* predicted execution time; 0: unknown */
	uint64_t n_computes, n_waits, n_signals;	/* records that are not requests */
	int64_t compute_ns;				/* sum over the nodes, on a CPU */
};

/* Time of all capture runs over that of the application, and its mean increase for each run with a
 * delayed node. NaN: unknown, or there is no such run. */
double causality_tracing_time(const struct causality_summary *c);
double causality_tracing_increase(const struct causality_summary *c);
/* Returns (execution time - predicted execution time) / execution time. NaN: unknown. */
double causality_predicted_error(const struct causality_summary *c);

/* Requests of a node, which is a thread of a parallel application; in a replay the requests that
 * replay them. */
struct node_summary {
	uint64_t node;
	/* host of the traced thread (shortened); empty: unknown, or all nodes have one host */
	char host[64];
	struct moments response;
	int64_t busy_ns; /* first start to last end */
};

/* Stored quantiles of the issue error: 0 %, 1 %, ... 100 %. */
#define SUMMARY_N_ISSUE_QUANTILES 101

struct run_summary {
	/* Response time: end - start of every issued request, including extra requests. Requests
	 * skipped at a switch of slices (n_left_out) count in no member of this part. */
	struct moments response;
	/* from the histogram: error below 0.05 %, exact below 2048 ns; trimmed mean: without 10 %
	 * at each end */
	double response_median, response_trimmed_mean;
	double response_p90, response_p99, response_p999;
	/* Mean of the slowest ceil(n/100) requests, and of the fastest max(1, floor(0.9 n))
	 * requests, from the histogram: error at most 0.05 %. NaN in summaries of earlier
	 * versions. */
	double response_tail, response_typical;
	/* Response times of the first and the second half of the requests. A request is in the
	 * first half if its record number is below ceil(N/2), with N the number of requests of the
	 * input, or of the trace if there is no input. Extra requests are in the second half. */
	bool has_halves; /* false in summaries of earlier versions */
	struct moments half[2];
	/* Number of requests with response <= summary_shape_edge(k) * response_typical,
	 * interpolated within a bucket of the histogram. */
	/* false in summaries of earlier versions, and if the typical response time is 0 */
	bool has_shape;
	uint64_t shape[SUMMARY_N_SHAPE];
	struct histogram response_histogram;
	struct op_summary *op; /* op[n_ops], at most SUMMARY_MAX_OPS */
	uint64_t n_ops;
	uint64_t n_failed;   /* requests that returned an error */
	/* number of requests that end before they begin: always 0, because otherwise
	 * summary_compute fails */
	uint64_t n_negative;
	/* number of requests without an end: they do not count in response, n_failed and n_bytes;
	 * in the levels they are active until the end */
	uint64_t n_unfinished;

	/* A run in slices (metrics/slices.h): n_slices > 0, and all times are active time. Requests
	 * that are in flight at a switch, or that begin in the settling time after it, have no
	 * response time here but count everywhere else. */
	uint64_t n_left_out, n_slices;

	/* from the first start to the last end (or to the last start of a request without an
	 * end) */
	int64_t execution_ns;
	uint64_t n_bytes;     /* transferred, by return value */

	/* Concurrency (metrics/concurrency.h): the time with c active requests, and the number of
	 * requests that found level c. */
	uint64_t n_levels;           /* largest level + 1, at most SUMMARY_MAX_LEVELS */
	int64_t *ns_at_level;        /* [n_levels], sums to execution_ns */
	/* [n_levels], [0] is 0, sums to response.n + n_unfinished, without skipped requests */
	uint64_t *requests_at_level;

	/* Sums of response times by condition, in ns. Missing (has_classes false) in summaries of
	 * earlier versions, and if some request has no end. */
	bool has_classes;
	double *response_at_level; /* [n_levels]: sums over the requests that found level c */
	/* of the reordered requests */
	double response_reordered_all, response_reordered_thread, response_reordered_object;

	/* over the time of the run, including extra requests; NULL in summaries of earlier
	 * versions */
	struct pace *pace;

	/* Comparison with the replayed trace. Missing (has_input false) for the program's own
	 * runs. */
	bool has_input;
	uint64_t n_input;      /* requests of the input */
	/* number of requests that were never issued: there is no record, or a record without a
	 * start; skipped requests do not count */
	uint64_t n_lost;
	/* number of requests the replayer skipped (metrics/match.h); 0 in summaries of earlier
	 * versions */
	uint64_t n_skipped;
	/* number of requests whose results the replayer does not report (adapters/times.h): the
	 * traced results are used; 0 in summaries of earlier versions */
	uint64_t n_results_unknown;
	uint64_t n_extra;      /* number of issued requests after the last record of the input */
	/* number of requests whose result, operation, object, offset or length differs from the
	 * input (metrics/match.h) */
	uint64_t n_mismatched;
	struct reorder_summary reorder_all;
	struct reorder_summary reorder_thread, reorder_object; /* sums over the sequences */

	/* issue error: start - intended; timed replays only */
	bool has_issue_error;
	struct moments issue_error;
	double issue_error_p50, issue_error_p99, issue_error_p999;
	/* Requests that the machine delayed while the replayer waited for their time
	 * (doc/replay-engines.md): their number, and the 99th percentile of the other requests (of
	 * all requests if there are no others). The replay reports them; if it does not,
	 * has_cpu_delayed is false. */
	bool has_cpu_delayed;
	uint64_t n_cpu_delayed;
	double issue_error_others_p99;
	/* share of the requests that were issued later than the intended time plus an allowance:
	 * the larger of 1 us and 1 % of the mean gap between traced starts */
	double share_late;
	/* false in summaries of earlier versions */
	bool has_issue_quantiles;
	/* [SUMMARY_N_ISSUE_QUANTILES], ns, ascending; NULL if absent */
	double *issue_error_quantile;
	/* [SUMMARY_N_LATENESS]; this and the next member are NULL unless has_classes and
	 * has_issue_error are set */
	uint64_t *requests_at_lateness;
	double *response_at_lateness;	/* [SUMMARY_N_LATENESS], ns, sums */
	/* deviation from the schedule in any replay: (start - first start) minus the same
	 * difference in the input, over requests issued in both */
	struct moments schedule_error;

	/* for parallel applications and their replays */
	struct causality_summary causality;
	/* node[n_nodes], by number; nodes without a request are omitted */
	struct node_summary *node;
	uint64_t n_nodes;

	/* hash of the requests (metrics/requests_hash.h) of runs without an input; 0: unknown, as
	 * in summaries of earlier versions */
	uint64_t requests_hash;
	double clock_resolution_ns, clock_read_cost_ns;
	/* standard uncertainty of a correction of the response times (correction.h); 0: no
	 * correction */
	double correction_u_ns;
	uint64_t n_events_lost;
	/* 1: made from a trace without an end: requests may be missing */
	uint64_t n_cut;
	/* number of programs with calls that capture could not observe (capture/unseen.h) */
	uint64_t n_programs_unseen;
	/* number of requests that capture counted but that are not in the trace
	 * (capture/unseen.h) */
	uint64_t n_requests_unseen;
	/* which requests the method of the recording does not show (capture/unseen.h); empty: the
	 * program recorded its own requests, or an earlier version made the summary */
	char not_visible[UNSEEN_SCOPE_BYTES];
	bool has_facts;
	struct run_facts facts;
};

/* Defines a static function of a summary `s`: the value of a run. */
#define SUMMARY_VALUE(name, value)                                                                 \
	static double name(const struct run_summary *s)                                            \
	{                                                                                          \
		return value;                                                                      \
	}

/* Reads TRACE (and INPUT; NULL for the program's own runs) in one pass, or in two passes if the
 * requests are far from the order of their starts. Memory does not grow with the length of the
 * traces: at most about 50 MB, and 64 MiB for a second pass, which writes further data to an
 * unlinked temporary file (in $TMPDIR, /var/tmp or /tmp). In addition: some bytes per thread and
 * object, 8 bytes per active request, and 20 bytes per place of a window out of order in each of
 * three scopes (beyond 64 MiB in a temporary file).
 *
 * SLICES (borrowed; NULL for a run without slices) converts the times of TRACE to active time.
 * Times of INPUT are not changed.
 *
 * Errors: of reading; EBADMSG for a damaged trace; ENODATA for a trace without an end (its writer
 * was killed, or ran out of space) or without an issued request (with INPUT: ENOMSG); EINVAL for
 * requests that end before they begin, with the first of them. Each message names the file. The
 * summary is empty after an error. Ownership: summary_release. */
int summary_compute(struct run_summary *s, const char *trace, const char *input,
		    const struct slices *slices, struct err *e);
void summary_release(struct run_summary *s);

/* Number of ended requests. It includes requests that are left out at a switch of slices, because
 * the execution time, CPU time and page faults of a run belong to all its requests. */
static inline double summary_n_ended(const struct run_summary *s)
{
	return (double)s->response.n + (double)s->n_left_out;
}

/* Mean response time of the requests of one operation (NULL: all); NaN if there are none. */
double summary_response(const struct run_summary *s, const char *operation);

/* Returns an object whose members are those of the struct. Write it with JSON_REAL_PRECISION(17),
 * so that numbers are restored exactly. New reference. NULL: out of memory. */
json_t *summary_to_json(const struct run_summary *s);
/* Reads a summary. Checks every member, because the results directory is untrusted: types, ranges,
 * sums, finite numbers. Unknown members are ignored. Errors: EINVAL with the member's name. `s` is
 * empty after an error. Ownership: summary_release. */
int summary_from_json(struct run_summary *s, const json_t *o, struct err *e);
/* Like summary_from_json, for JSON without "response_histogram": then the histogram is empty. */
int summary_brief_from_json(struct run_summary *s, const json_t *o, struct err *e);
