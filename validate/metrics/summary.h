/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The small summary of one run: a function of its trace and, for a replay, of the trace it
 * replayed. Reports and later comparisons read summaries, never traces.
 *
 * Units: times in ns, shares as ratios. Sources: RFC 4737 for reordering; the files of metrics/ for
 * each formula. */
#ifndef VALIDATE_SUMMARY_H
#define VALIDATE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "capture/run_facts.h"
#include "common/err.h"
#include "validate/metrics/histogram.h"
#include "validate/metrics/pace.h"
#include "validate/metrics/slices.h"

#define SUMMARY_MAX_OPS 128
#define SUMMARY_MAX_NODES 4096
/* concurrency levels 0..1024; what exceeds them is counted in the last */
#define SUMMARY_MAX_LEVELS 1025

/* of one quantity over the requests of a run, from exact sums (metrics/moment_sum.h) */
struct moments {
	uint64_t n;      /* 0: the rest is 0 and means nothing */
	double mean, sd; /* sd 0 while n < 2: look at n */
	double min, max;
};

struct op_summary {
	char op[16];
	struct moments response;
};

/* RFC 4737, observed at issue: sequence numbers from the input, arrival in the order of begins. */
struct reorder_summary {
	/* Type-P-Reordered of unique arrivals: extra requests are left out */
	uint64_t n_received, n_reordered;
	/* hfplayer's own count, of the same arrivals, shown beside it */
	uint64_t n_descents;
	uint64_t max_extent;              /* arrivals */
};

/* Edges of the shape (doc/run-metrics.md): ratios of a response time to the typical response of its
 * run, ascending, fixed. From 1/64 to 64 in 128 steps of equal ratio within each part: 26 % below
 * 1/16, 15 % to 1/4, 6 % to 0.5, 2.8 % to 0.7, 1.6 % to 0.9, 0.5 % to 1.1, 2.1 % to 1.3, 5.5 % to
 * 2, 15 % to 8, 41 % to 64. k < SUMMARY_N_SHAPE. */
#define SUMMARY_N_SHAPE 129
double summary_shape_edge(size_t k);

/* Classes of lateness (begin - intended): [0] up to 1 us or early, [k] from 2^(k-1) us to 2^k us,
 * the last all beyond. */
#define SUMMARY_N_LATENESS 26

/* Of a trace of a parallel application (capture/causality/causality.h); all 0: it is of none. */
struct causality_summary {
	/* runs: that it was made from, the one without delays included */
	uint64_t n_nodes, n_throttled, n_runs, period;
	int64_t application_ns, tracing_ns;		/* the latter of all runs */
	uint64_t n_computes, n_waits, n_signals;	/* records, which are no requests */
	int64_t compute_ns;				/* sum over the nodes */
};

/* Time of all runs over that of the application; of a run with a delayed node, in the mean. NaN:
 * not known, none. */
double causality_tracing_time(const struct causality_summary *c);
double causality_tracing_increase(const struct causality_summary *c);

/* Requests of one node, a thread of a parallel application: in a replay those that replay its own.
 */
struct node_summary {
	uint64_t node;
	struct moments response;
	int64_t busy_ns; /* first begin to last end */
};

/* Quantiles of the issue error that are kept: 0 %, 1 %, ... 100 %. */
#define SUMMARY_N_ISSUE_QUANTILES 101

struct run_summary {
	/* Response time: end - begin of every request that was issued, extra ones included.
	 * Requests that are left out at a switch of slices (n_left_out) count in no member of this
	 * part. */
	struct moments response;
	/* from the histogram: off by less than 0.05 %, exact below 2048 ns; trimmed: without 10 %
	 * at each end */
	double response_median, response_trimmed_mean;
	double response_p90, response_p99, response_p999;
	/* Mean of the slowest ceil(n/100) requests, and of the fastest max(1, floor(0.9 n)), from
	 * the histogram: off by at most 0.05 %. NaN in summaries of earlier versions. */
	double response_tail, response_typical;
	/* Response times of the first and the second half of the requests by number: record index
	 * below ceil(N/2), where N is the number of requests of the input, or of the trace where
	 * there is no input; extra requests are in the second. */
	bool has_halves; /* false in summaries of earlier versions */
	struct moments half[2];
	/* Requests with response <= summary_shape_edge(k) * response_typical, interpolated inside a
	 * bucket of the histogram. */
	/* false in summaries of earlier versions, and where the typical response is 0 */
	bool has_shape;
	uint64_t shape[SUMMARY_N_SHAPE];
	struct histogram response_histogram;
	struct op_summary *op; /* op[n_ops], at most SUMMARY_MAX_OPS */
	unsigned int n_ops;
	uint64_t n_failed;   /* requests that returned an error */
	/* end before begin: always 0, for that is an error of summary_compute */
	uint64_t n_negative;
	/* no end known: not in response, n_failed, n_bytes; in the levels active to the end */
	uint64_t n_unfinished;

	/* A run made in slices (metrics/slices.h): n_slices > 0, and all times are active time.
	 * Requests in flight at a switch, or begun in the settling time after it: they have no
	 * response time here, and count everywhere else. */
	uint64_t n_left_out, n_slices;

	int64_t execution_ns; /* first begin to last end (or begin, of a request without an end) */
	uint64_t n_bytes;     /* moved, by return value */

	/* concurrency (metrics/concurrency.h): the time with c requests active, and the requests
	 * that found level c */
	uint64_t n_levels;           /* largest level + 1, at most SUMMARY_MAX_LEVELS */
	int64_t *ns_at_level;        /* [n_levels], sums to execution_ns */
	/* [n_levels], [0] is 0, sums to response.n + n_unfinished: without those left out */
	uint64_t *requests_at_level;

	/* Sums of response times by what the requests met, ns. Absent (has_classes false) in
	 * summaries of earlier versions and where some request has no end. */
	bool has_classes;
	double *response_at_level; /* [n_levels]: of the requests that found level c */
	/* of the reordered ones */
	double response_reordered_all, response_reordered_thread, response_reordered_object;

	/* over the time of the run, extra requests included; NULL in summaries of earlier versions
	 */
	struct pace *pace;

	/* against the trace it replayed (absent for the program itself: has_input false) */
	bool has_input;
	uint64_t n_input;      /* its requests */
	/* of those, never issued: no record, or one without a begin; those skipped left out */
	uint64_t n_lost;
	/* of those, skipped by the replayer (metrics/match.h). 0 in summaries of earlier versions
	 */
	uint64_t n_passed;
	/* of those, whose results the replayer does not tell (adapters/times.h): they stand as
	 * traced. As n_passed */
	uint64_t n_untold;
	uint64_t n_extra;      /* requests issued that it does not have: records beyond its last */
	/* another result, operation, object, offset or length than there (metrics/match.h) */
	uint64_t n_mismatched;
	struct reorder_summary reorder_all;
	struct reorder_summary reorder_thread, reorder_object; /* sums over the sequences */

	/* issue error: begin - intended, timed replays only */
	bool has_issue_error;
	struct moments issue_error;
	double issue_error_p50, issue_error_p99, issue_error_p999;
	/* of the requests that the machine held up while their time was waited for
	 * (doc/replay-engines.md): how many, and the 99th percentile of the others, or of all where
	 * there is no other. As the replay itself told it; absent (has_held false) where it did not
	 */
	bool has_held;
	uint64_t n_held;
	double issue_error_others_p99;
	/* of requests issued later than intended + 1 % of the mean traced gap (between begins) or 1
	 * us, whichever is larger */
	double share_late;
	/* absent (has_issue_quantiles false) in summaries of earlier versions */
	bool has_issue_quantiles;
	/* [SUMMARY_N_ISSUE_QUANTILES], ns, ascending; NULL without them */
	double *issue_error_quantile;
	/* [SUMMARY_N_LATENESS]; NULL but with has_classes and has_issue_error, as the next */
	uint64_t *requests_at_lateness;
	double *response_at_lateness;	/* [SUMMARY_N_LATENESS], ns, sums */
	/* deviation of the schedule in any replay: (begin - first begin) here minus in the input,
	 * of requests issued in both */
	struct moments schedule_error;

	/* of parallel applications, and replays of them */
	struct causality_summary causality;
	struct node_summary *node; /* node[n_nodes], by number; those without a request left out */
	uint64_t n_nodes;

	/* which requests were made (metrics/requests_hash.h), of runs without an input; 0: not
	 * known, as in summaries of earlier versions */
	uint64_t requests_hash;
	double clock_resolution_ns, clock_read_cost_ns;
	/* standard uncertainty that a correction of its response times left (correction.h); 0 none
	 */
	double correction_u_ns;
	uint64_t n_events_lost;
	/* 1: it was made of a trace that has no end: requests may be missing */
	uint64_t n_cut;
	/* that made calls which capture could not see (capture/unseen.h) */
	uint64_t n_programs_unseen;
	/* and what else it counted that is not in the trace (likewise) */
	uint64_t n_requests_unseen;
	bool has_facts;
	struct run_facts facts;
};

/* Streams TRACE (and INPUT, NULL for the program's own runs) in one pass, two where the requests
 * are far from the order of their begins. Memory does not grow with the length of the traces: about
 * 50 MB at the most, 64 MiB more for a second pass, which puts what is beyond into an unlinked
 * temporary file (in $TMPDIR, /var/tmp or /tmp); besides, some bytes for every thread and object
 * there is, for every request active at one time (8), and for every place of a window of places
 * out of order (20 in each of the three scopes; beyond 64 MiB in a temporary file).
 *
 * SLICES (borrowed, NULL for an undivided run) maps the times of TRACE to active time; those of
 * INPUT stay as they are.
 *
 * Errors: of reading; EBADMSG for a damaged trace, ENODATA for one that has no end (its writer was
 * killed, or ran out of space) or no request that was issued and kept; EINVAL for requests that end
 * before they begin, with the first one named. All name the file. A summary that could not be
 * computed is empty. Ownership: summary_release. */
int summary_compute(struct run_summary *s, const char *trace, const char *input,
		    const struct slices *slices, struct err *e);
void summary_release(struct run_summary *s);

/* New reference; the members are those of the struct. Reals need all their digits for an exact
 * round trip: dump with JSON_REAL_PRECISION(17). NULL when out of memory. */
json_t *summary_to_json(const struct run_summary *s);
/* Checks every member, for it may come from a stranger's results directory: types, ranges, sums
 * that must agree, finite numbers. Members of later versions are skipped. Errors: EINVAL, naming
 * the member. `s` is empty after an error. Ownership: summary_release. */
int summary_from_json(struct run_summary *s, const json_t *o, struct err *e);
/* The same of one that has no "response_histogram", which is empty then. */
int summary_brief_from_json(struct run_summary *s, const json_t *o, struct err *e);

#endif
