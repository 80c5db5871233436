/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pass over a trace and its input. Private to validate/metrics/summary*.c. */
#pragma once

#include "validate/metrics/arrivals.h"
#include "validate/metrics/concurrency.h"
#include "validate/metrics/disorder.h"
#include "validate/metrics/issue_error.h"
#include "validate/metrics/match.h"
#include "capture/match/sequences.h"

/* Quantities that need the requests in the order of their starts. */
struct summary_order {
	bool has_input;
	uint32_t n_issued; /* number of issued requests of the input so far, modulo 2^32 */
	struct sequences threads, objects;
	struct arrivals arrivals;
	struct concurrency concurrency;
	struct disorder all, by_thread, by_object;
	double *response_at_level; /* [SUMMARY_MAX_LEVELS], ns, sums */
	/* sums over the reordered requests, in ns */
	double reordered_all, reordered_thread, reordered_object;
};

int summary_order_init(struct summary_order *o, enum arrivals_mode mode,
		       const struct arrivals_options *options, bool has_input, struct err *e);
void summary_order_release(struct summary_order *o);
/* Adds n records in the order of the file. `kept`: as in summary_tally_add. `extra`: the records
 * replay no record of the input. Ignores records without a start and records that end before they
 * begin. */
int summary_order_add(struct summary_order *o, const struct trace_record *x, const bool *kept,
		      size_t n, bool extra, struct err *e);
/* Ends the input. `*late`: the order was wrong; repeat with ARRIVALS_RUNS. */
int summary_order_finish(struct summary_order *o, bool *late, struct err *e);

/* Quantities that do not depend on the order. */
struct summary_tally {
	struct moment_sum response[2][OP_N]; /* by half of the run and operation */
	uint64_t n_first;		     /* records of the first half */
	struct histogram histogram;
	uint64_t n_issued, n_failed, n_negative, n_unfinished, n_left_out, n_bytes;
	uint64_t n_input, n_lost, n_skipped, n_extra, n_mismatched;
	struct trace_record first_negative;
	uint64_t first_negative_index;
	bool moves_bytes[OP_N];
	struct matcher matcher;
	struct moment_sum schedule; /* start in the trace - start in the input */
	struct issue_error issue;
	struct pace_tally pace;
	uint64_t requests_at_lateness[SUMMARY_N_LATENESS];
	double response_at_lateness[SUMMARY_N_LATENESS];
	/* first starts of the requests issued in both */
	int64_t first_pair_ns, input_first_pair_ns;
	int64_t input_first_ns, input_last_ns;      /* first and last start in the input */
	uint64_t n_input_issued;
	struct async_counts async;
};

void summary_tally_init(struct summary_tally *t, const struct trace *trace,
			const struct trace *input);
void summary_tally_release(struct summary_tally *t);
/* Adds records index .. index+n-1 of the trace. kept[i] false: record i is excluded from response
 * times because of a switch of slices; kept NULL: all count. `extra`: the records replay no record
 * of the input. */
void summary_tally_add(struct summary_tally *t, const struct trace_record *x, const bool *kept,
		       size_t n, uint64_t index, bool extra);
/* Adds the records' response times by half again, for another n_first. The caller must set the sums
 * to zero first. */
void summary_tally_add_response(struct summary_tally *t, const struct trace_record *x,
				const bool *kept, size_t n, uint64_t index);
/* Compares n records of the trace with the n records of the input that they replay. */
void summary_tally_compare(struct summary_tally *t, const struct trace_record *x,
			   const struct trace_record *r, size_t n);
/* Adds records of the input that the trace lacks. */
void summary_tally_missing(struct summary_tally *t, const struct trace_record *r, size_t n);

static inline double value_clamp(double value, double min, double max)
{
	return value < min ? min : value > max ? max : value;
}

/* Sets tail, typical response time, halves and shape from `response` and its histogram. */
void summary_fill_distribution(struct run_summary *s, const struct moments *half);

/* Sets the nodes of s and, if there is no input, `causality`. Does nothing for a trace that is not
 * from a parallel application. Errors: of reading, EINVAL. */
int summary_nodes(struct run_summary *s, const char *trace, const char *input,
		  const struct slices *slices, struct err *e);

/* Like summary_compute, with another window and memory budget for sorting, so that tests reach
 * every path. */
int summary_compute_with(struct run_summary *s, const char *trace, const char *input,
	const struct slices *slices, const struct arrivals_options *options, struct err *e);

/* Rejects a summary that cannot come from a trace: sums that do not add up, quantiles outside the
 * extremes, more failures than requests. `brief`: without the histogram. Errors: EINVAL with the
 * member's name. */
int summary_check(const struct run_summary *s, bool brief, struct err *e);
