/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All metrics of a pair of traces: a reference, and its replay by any replayer.
 *
 * Units: ns, bytes, requests. A ratio with denominator 0 is NaN here, and null or "undefined" in
 * output. Sources: RFC 4737, RFC 5236, metrology paper figure 5; doc/run-metrics.md describes each
 * convention. */
#pragma once

#include "validate/metrics/issue_error.h"
#include "validate/metrics/observation.h"

enum metrics_match { MATCH_AUTO, MATCH_NUMBER, MATCH_KEY };
enum metrics_point { POINT_ISSUE, POINT_DISPATCH, POINT_COMPLETE, POINT_N };
/* Optional parts; execution time and throughput are always computed. */
enum metrics_part {
	PART_RESPONSE = 1,     /* response times by operation */
	PART_SCHEDULE = 2,     /* issue error, deviation from the traced schedule */
	PART_CONCURRENCY = 4,  /* levels by time and by request */
	PART_LIFETIME = 8,     /* mean level over each request's life */
	PART_ORDER = 16,       /* reordering, both densities, distances of orders */
	PART_FIDELITY = 32,    /* mismatched results */
	PART_ALL = 63,
};

struct metrics_options {
	enum metrics_match match;
	unsigned int parts;  /* enum metrics_part */
	/* bits 1 << enum metrics_point; 0: issue and completion, and also dispatch if the traces
	 * have it */
	unsigned int points;
	unsigned int scopes; /* bits 1 << enum order_scope */
	/* thresholds of RFC 5236; DENSITY_UNBOUNDED: none. But if requests are lost, bt is chosen
	 * in this case */
	uint64_t dt, bt;
	/* count requests that end before they begin instead of refusing them, and accept traces
	 * without an end */
	bool lenient;
	unsigned int n_threads;		 /* 1 or 2 */
	struct arrivals_options sorting; /* ARRIVALS_DEFAULTS */
	/* At most one of these is set. Skips the first `warmup_requests` requests of the reference
	 * in the order of starts, or the requests that begin within warmup_ns of the first start,
	 * together with their replays. Extra requests of the replay are kept. */
	uint64_t warmup_requests;
	int64_t warmup_ns;
};
/* clang-format off */
#define METRICS_DEFAULTS                                                                           \
	{MATCH_AUTO, PART_ALL, 0, 7, DENSITY_UNBOUNDED, DENSITY_UNBOUNDED, false, 2,               \
	 ARRIVALS_DEFAULTS, 0, 0}
/* clang-format on */

/* Where requests come from: a file, or a generator in the program. */
struct metrics_source {
	const char *name; /* for messages */
	void *context;
	/* source of metadata and of the objects of records; NULL: object numbers are equal in both
	 * sources */
	const struct trace *trace;
	/* As trace_next_batch. */
	int (*next)(void *context, const struct trace_record **r, size_t *n, struct err *e);
	/* called after the last record: checks that the trace is complete; NULL: it always is */
	int (*check_end)(void *context, struct err *e);
	void (*close)(void *context);
};
struct metrics_origin { /* opens a source once per thread */
	const char *name;
	const void *context;
	int (*open)(const struct metrics_origin *o, struct metrics_source *s, struct err *e);
};
/* A trace file of any format; `path` is borrowed. */
struct metrics_origin metrics_file(const char *path);

struct metrics_side { /* one trace */
	uint64_t n_records, n_issued, n_unfinished, n_failed;
	uint64_t n_negative;	/* end before start; skipped */
	/* number of requests that begin before the previous start of the same thread */
	uint64_t n_backwards;
	/* number of requests without an object, which cannot be matched by key */
	uint64_t n_unknown;
	/* number of requests skipped as warm-up; they count only here and in n_records */
	uint64_t n_warmup;
	/* number of the first record of each kind, from 0; valid if the count is not 0 */
	uint64_t first_negative, first_backwards;
	bool complete;		/* the file has an end mark */
	/* The trace, or the trace from which it was made, has no end mark: requests may be
	 * missing. */
	bool cut;
	uint64_t n_events_lost; /* number of events lost during capture: requests may be missing */
	/* number of programs and requests that capture could not observe, and what its method never
	 * shows (NULL: nothing; capture/unseen.h) */
	uint64_t n_unseen;
	const char *not_visible;
	uint64_t n_bytes;
	int64_t first_begin_ns, last_ns; /* last_ns: last end or start */
	struct distribution response[OP_N];
	struct concurrency concurrency; /* with PART_CONCURRENCY */
	double mean_lifetime_level;     /* with PART_LIFETIME; NaN: undefined for every request */
	uint64_t n_lifetimes;
};

struct metrics_worst {
	bool exists;
	/* key of a thread: pid << 32 | tid; of an object: its number, see below */
	uint64_t key, n_received, n_reordered, max_extent;
};

struct metrics_order {
	bool observed;
	struct disorder_total total[SCOPE_N];
	uint64_t bt; /* the threshold that was used for the buffer occupancy */
	/* The sequence with the largest share of reordered requests; of equal shares the longest
	 * sequence. */
	struct metrics_worst worst[SCOPE_N];
};
/* part of worst.key for a request without an object: the key is pid << 32 | fd with this bit */
#define METRICS_KEY_DESCRIPTOR (UINT64_C(1) << 63)

/* Requests without an object belong to the sequence of their descriptor. */
static inline uint64_t metrics_object_key(const struct trace_record *r)
{
	return r->object != OBJECT_NONE
		   ? r->object
		   : METRICS_KEY_DESCRIPTOR | (uint64_t)r->pid << 32 | (uint32_t)r->fd;
}

/* Why MATCH_AUTO chose its method. */
enum match_reason {
	MATCHED_AS_SET, /* the caller chose it */
	MATCHED_NUMBERED, /* the requests are numbered */
	/* the metadata of the replay states this number of requests, or another number */
	MATCHED_SAME_COUNT,
	MATCHED_OTHER_COUNT,
	MATCHED_NO_COUNT,
	MATCHED_COUNT_AT_END, /* the reference states its number only at its end */
	/* the number is the same, but most records are requests other than those of the
	 * reference */
	MATCHED_OTHER_REQUESTS,
	MATCHED_N
};

struct metrics {
	enum metrics_match match; /* the method used */
	enum match_reason match_reason; /* of MATCH_AUTO; else MATCHED_AS_SET */
	uint64_t warmup_requests; /* from the options */
	int64_t warmup_ns;
	/* With MATCH_AUTO, if the replay's metadata states a replay by number and both sources are
	 * trace files: number of compared pairs, and of pairs with equal operation, object, offset
	 * and length. */
	uint64_t n_compared, n_same_request;
	unsigned int parts, scopes;
	struct metrics_side reference, replay;
	uint64_t n_matched, n_lost, n_extra;
	/* number of requests that the replayer skipped on purpose (match.h): neither lost nor
	 * matched, and excluded from both sides, as warm-up is */
	uint64_t n_skipped;
	/* number of matched requests with another result (by number: or another operation, object,
	 * offset or length) */
	uint64_t n_mismatched;
	/* first such record of the replay, from 0; valid if n_mismatched is not 0 */
	uint64_t first_mismatched;
	/* by key: number of keys that occur more than once in the reference, and of the requests
	 * with such keys; a lower bound if there are more than 25 million different keys */
	uint64_t n_ambiguous_keys, n_ambiguous_requests;
	bool ambiguous_at_least;
	bool has_issue_error;
	struct issue_error issue_error; /* start - intended */
	/* start in the replay - start in the reference - schedule_shift_ns */
	struct issue_error schedule;
	int64_t schedule_shift_ns;	/* schedule shift of the first matched request */
	/* remaining shift of the earliest matched starts, to be subtracted */
	int64_t schedule_rest_ns;
	struct metrics_order order[POINT_N];
	char *worst_object[POINT_N];  /* name of worst[SCOPE_OBJECT]'s object; NULL: unknown */
};

/* Computes the metrics. Errors: of reading; EBADMSG for damaged blocks; ENODATA for a trace without
 * an end (unless lenient) or without requests; EINVAL for a request that ends before it begins
 * (unless lenient), with file, record and times; E2BIG if more than two million requests wait for a
 * partner by key. Each message names the file. `m` is empty after an error. Memory: about 100 MB
 * per point of observation and thread, independent of the trace length, plus that of disorder.h.
 * Ownership: metrics_release. */
int metrics_compute(struct metrics *m, const struct metrics_origin *reference,
	const struct metrics_origin *replay, const struct metrics_options *o, struct err *e);
void metrics_release(struct metrics *m);

/* Checks that a trace that was read completely, with n requests, is complete. Errors: EBADMSG for
 * damaged blocks, ENODATA for a trace without an end. */
int metrics_trace_check(const struct trace *t, const char *path, uint64_t n, struct err *e);

double metrics_execution_ns(const struct metrics_side *s);
/* Completed requests per second of execution time; NaN if the execution time is 0. */
double metrics_throughput(const struct metrics_side *s);
