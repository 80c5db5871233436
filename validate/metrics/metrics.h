/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All metrics of a pair of traces: a reference, and a replay of it by any replayer.
 *
 * Units: ns, bytes, requests. A ratio over nothing is NaN here, and null or "undefined" where it is
 * printed. Sources: RFC 4737, RFC 5236, metrology paper figure 5; doc/run-metrics.md has each
 * convention. */
#ifndef VALIDATE_METRICS_METRICS_H
#define VALIDATE_METRICS_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/trace.h"
#include "common/err.h"
#include "validate/metrics/concurrency.h"
#include "validate/metrics/disorder.h"
#include "validate/metrics/issue_error.h"
#include "validate/metrics/observation.h"

enum metrics_match { MATCH_AUTO, MATCH_NUMBER, MATCH_KEY };
enum metrics_point { POINT_ISSUE, POINT_DISPATCH, POINT_COMPLETE, POINT_N };
/* What is computed: execution and throughput always are. */
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
	/* bits 1 << enum metrics_point; 0: issue and completion, dispatch where the traces have it
	 */
	unsigned int points;
	unsigned int scopes; /* bits 1 << enum order_scope */
	/* thresholds of RFC 5236; DENSITY_UNBOUNDED: none; bt then is chosen where requests are
	 * lost */
	uint64_t dt, bt;
	/* requests that end before they begin, and traces without an end, are counted and no error
	 */
	bool lenient;
	unsigned int n_threads;		 /* 1 or 2 */
	struct arrivals_options sorting; /* ARRIVALS_DEFAULTS */
	/* At most one of them: so many requests, or those that begin so early after the first, in
	 * the order of the reference's begins, are left out, and their replays. Requests of the
	 * replay that are extra stay. */
	uint64_t warmup_requests;
	int64_t warmup_ns;
};
/* clang-format off */
#define METRICS_DEFAULTS {MATCH_AUTO, PART_ALL, 0, 7, DENSITY_UNBOUNDED, DENSITY_UNBOUNDED, false, 2, ARRIVALS_DEFAULTS, 0, 0}
/* clang-format on */

/* Where requests come from: a file, or a program that makes them up. */
struct metrics_source {
	const char *name; /* for messages */
	void *context;
	/* of the records: objects and metadata. NULL: object numbers are the same in both */
	const struct trace *trace;
	/* As trace_next_batch. */
	int (*next)(void *context, const struct trace_record **r, size_t *n, struct err *e);
	/* after the last: whether the trace is whole; NULL: it is */
	int (*check_end)(void *context, struct err *e);
	void (*close)(void *context);
};
struct metrics_origin { /* opens a source as often as there are threads */
	const char *name;
	const void *context;
	int (*open)(const struct metrics_origin *o, struct metrics_source *s, struct err *e);
};
/* A trace file of any format; `path` is borrowed. */
struct metrics_origin metrics_file(const char *path);

struct metrics_side { /* one trace */
	uint64_t n_records, n_issued, n_unfinished, n_failed;
	uint64_t n_negative;	/* end before begin: left out */
	uint64_t n_backwards;	/* begins before the one before it in its thread */
	uint64_t n_unknown;	/* names no object: cannot be matched by key */
	/* requests left out as warm-up; not in n_issued, and in no other count but n_records */
	uint64_t n_warmup;
	/* the first record of each, from 0; while there is one */
	uint64_t first_negative, first_backwards;
	bool complete;		/* the file has an end */
	/* it has none, or was made of one that has none: requests may be missing */
	bool cut;
	uint64_t n_events_lost; /* when it was captured: requests may be missing */
	uint64_t n_bytes;
	int64_t first_begin_ns, last_ns; /* last end, or begin */
	struct distribution response[OP_N];
	struct concurrency concurrency; /* with PART_CONCURRENCY */
	double mean_lifetime_level;	/* with PART_LIFETIME; NaN: no request has one */
	uint64_t n_lifetimes;
};

struct metrics_order {
	bool observed;
	struct disorder_total total[SCOPE_N];
	uint64_t bt; /* the threshold used for the buffer's occupancy */
	/* the sequence with the largest share of reordered requests (ties: the larger one), while
	 * one has any */
	struct {
		bool exists;
		/* key: pid << 32 | tid; object number, see below */
		uint64_t key, n_received, n_reordered, max_extent;
	} worst[SCOPE_N];
};
/* worst.key of an object: pid << 32 | fd, where it is no object */
#define METRICS_KEY_DESCRIPTOR (UINT64_C(1) << 63)

/* Requests that name no object are of their descriptor's sequence. */
static inline uint64_t metrics_object_key(const struct trace_record *r)
{
	return r->object != OBJECT_NONE
		   ? r->object
		   : METRICS_KEY_DESCRIPTOR | (uint64_t)r->pid << 32 | (uint32_t)r->fd;
}

struct metrics {
	enum metrics_match match; /* what was done */
	const char *match_reason; /* of MATCH_AUTO, static text; else NULL */
	uint64_t warmup_requests; /* as asked for */
	int64_t warmup_ns;
	/* of MATCH_AUTO, where the replay's metadata says that it replays by number and both are
	 * trace files: pairs by number that were compared, and those of the same operation, object,
	 * offset and length */
	uint64_t n_compared, n_same_request;
	unsigned int parts, scopes;
	struct metrics_side reference, replay;
	uint64_t n_matched, n_lost, n_extra;
	/* requests of the reference that the replay skipped (match.h): neither lost nor matched,
	 * and left out of both sides, as warm-up is */
	uint64_t n_passed;
	/* matched, and another result (by number: or another operation, object, offset, length) */
	uint64_t n_mismatched;
	uint64_t first_mismatched; /* record of the replay, from 0; while there is one */
	/* by key: keys that the reference has more than once, and the requests that have them; more
	 * than 25 million different keys are too many to count: at least so many then */
	uint64_t n_ambiguous_keys, n_ambiguous_requests;
	bool ambiguous_at_least;
	bool has_issue_error;
	struct issue_error issue_error; /* begin - intended */
	/* begin in the replay - begin in the reference - schedule_shift_ns */
	struct issue_error schedule;
	int64_t schedule_shift_ns;	/* of the first matched request */
	/* what the earliest matched begins differ by beyond it: to be subtracted */
	int64_t schedule_rest_ns;
	struct metrics_order order[POINT_N];
	char *worst_object[POINT_N];  /* name of worst[SCOPE_OBJECT]'s object; NULL: unknown */
};

/* Errors: of reading; EBADMSG for damaged blocks, ENODATA for a trace without an end (unless
 * lenient) or without requests; EINVAL for a request that ends before it begins (unless lenient),
 * with file, record and times; E2BIG for more than two million requests at a time that wait for a
 * partner by key. All name the file. `m` is empty after an error. Memory: some 100 MB for each
 * point of observation and thread, whatever the length, plus what disorder.h says. Ownership:
 * metrics_release. */
int metrics_compute(struct metrics *m, const struct metrics_origin *reference,
		    const struct metrics_origin *replay, const struct metrics_options *o,
		    struct err *e);
void metrics_release(struct metrics *m);

double metrics_execution_ns(const struct metrics_side *s);
/* Requests that ended per second of the execution time; NaN for an execution time of 0. */
double metrics_throughput(const struct metrics_side *s);

#endif
