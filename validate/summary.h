/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The small summary of one run: a function of its trace and, for a replay, of the trace it replayed. Reports and later comparisons
 * read summaries, never traces.
 *
 * Units: times in ns, shares as ratios. Source: METHODS sections 0 and 10, REORDER sections 1, 2, 6. */
#ifndef VALIDATE_SUMMARY_H
#define VALIDATE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/fileset.h"
#include "capture/run_facts.h"
#include "common/err.h"
#include "validate/histogram.h"

#define SUMMARY_MAX_OPS 32
#define SUMMARY_MAX_LEVELS 1025 /* concurrency levels 0..1024; what exceeds them is counted in the last */

struct moments { /* of one quantity over the requests of a run; sd by a shifted two-pass or Welford sum */
	uint64_t n;
	double mean, sd; /* sd 0 while n < 2: look at n */
	double min, max;
};

struct op_summary {
	char op[16];
	struct moments response;
};

struct reorder_summary { /* RFC 4737, observed at issue */
	uint64_t n_received, n_reordered; /* Type-P-Reordered of unique arrivals */
	uint64_t n_descents;		  /* hfplayer's own count, shown beside it */
	uint64_t max_extent;
};

struct run_summary {
	/* response time: end - begin of every request that was issued */
	struct moments response;
	double response_median, response_trimmed_mean; /* trimmed: 10 % at each end, from the histogram */
	double response_p90, response_p99, response_p999;
	struct histogram response_histogram;
	struct op_summary op[SUMMARY_MAX_OPS];
	unsigned int n_ops;
	uint64_t n_failed; /* requests that returned an error */
	uint64_t n_negative; /* end before begin: an input error, the run is failed */

	int64_t execution_ns; /* first begin to last end */
	uint64_t n_bytes;     /* moved, by return value */

	/* concurrency (REORDER section 6): [c] is the time with c requests active, and the requests that found level c */
	uint64_t n_levels; /* largest level + 1 */
	int64_t *ns_at_level;	     /* [n_levels], sums to execution_ns */
	uint64_t *requests_at_level; /* [n_levels], [0] is 0, sums to response.n */

	/* against the trace it replayed (absent for the program itself: has_input false) */
	bool has_input;
	uint64_t n_input, n_lost, n_extra, n_mismatched;
	struct reorder_summary reorder_all, reorder_thread, reorder_object; /* the latter two: sums over the sequences */

	/* issue error: begin - intended, timed replays only */
	bool has_issue_error;
	struct moments issue_error;
	double issue_error_p50, issue_error_p99, issue_error_p999;
	double share_late; /* of requests issued later than intended + 1 % of the mean traced gap or 1 us, whichever is larger */
	/* deviation of the schedule in any replay: (begin - first begin) here minus in the input */
	struct moments schedule_error;

	double clock_resolution_ns, clock_read_cost_ns;
	uint64_t n_events_lost;
	bool has_facts;
	struct run_facts facts;
};

/* Streams TRACE (and INPUT, NULL for the program's own runs). Memory is bounded as the header of summary.c says.
 * Errors: of reading; EINVAL for a trace without requests or with negative response times, with the first one named. */
int summary_compute(struct run_summary *s, const char *trace, const char *input, struct err *e);
void summary_release(struct run_summary *s);

json_t *summary_to_json(const struct run_summary *s);
int summary_from_json(struct run_summary *s, const json_t *o, struct err *e);

#endif
