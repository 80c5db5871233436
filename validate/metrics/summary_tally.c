/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of a summary that does not depend on the order: response times, bytes, failures,
 * comparison with the input. */
#include "capture/op.h"
#include "validate/metrics/summary_private.h"

void summary_tally_init(struct summary_tally *t, const struct trace *trace,
			const struct trace *input)
{
	memset(t, 0, sizeof *t);
	if (input)
		matcher_init(&t->matcher, trace, input);
	for (unsigned int op = 0; op < OP_N; op++)
		t->moves_bytes[op] = op_info(op)->uses & OP_RETURNS_BYTES;
	t->first_pair_ns = t->input_first_pair_ns = t->input_first_ns = INT64_MAX;
	t->input_last_ns = INT64_MIN;
}

void summary_tally_release(struct summary_tally *t)
{
	histogram_release(&t->histogram);
	matcher_release(&t->matcher);
	issue_error_release(&t->issue);
}

static size_t lateness_class(int64_t late_ns)
{
	if (late_ns <= 1000)
		return 0;
	size_t k = 64 - (size_t)__builtin_clzll((uint64_t)(late_ns - 1) / 1000);
	return k < SUMMARY_N_LATENESS ? k : SUMMARY_N_LATENESS - 1;
}

static void response_add(struct summary_tally *t, const struct trace_record *q, uint64_t index)
{
	moment_sum_add(&t->response[index >= t->n_first][q->op], q->end_ns - q->begin_ns);
}

void summary_tally_add_response(struct summary_tally *t, const struct trace_record *x,
				const bool *kept, size_t n, uint64_t index)
{
	for (size_t i = 0; i < n; i++)
		if (x[i].begin_ns != TIME_NONE && x[i].end_ns != TIME_NONE && (!kept || kept[i]))
			response_add(t, &x[i], index + i);
}

void summary_tally_add(struct summary_tally *t, const struct trace_record *x, const bool *kept,
		       size_t n, uint64_t index, bool extra)
{
	for (size_t i = 0; i < n; i++) {
		const struct trace_record *q = &x[i];
		async_counts_add(&t->async, q);
		if (q->begin_ns == TIME_NONE)
			continue;
		t->n_issued++;
		t->n_extra += extra;
		/* an extra copy has the intended time of the request that it repeats */
		bool timed = q->intended_ns != TIME_NONE && !extra;
		if (timed)
			issue_error_add(&t->issue, q->begin_ns, q->intended_ns);
		pace_add(&t->pace, q->begin_ns, timed, q->intended_ns);
		if (q->end_ns == TIME_NONE) { /* its result is unknown too */
			t->n_unfinished++;
			continue;
		}
		t->n_failed += q->error || q->rvalue < 0;
		t->n_bytes += t->moves_bytes[q->op] && q->rvalue > 0 ? (uint64_t)q->rvalue : 0;
		if (q->end_ns < q->begin_ns) {
			if (!t->n_negative++) {
				t->first_negative = *q;
				t->first_negative_index = index + i;
			}
		} else {
			pace_active(&t->pace, q->begin_ns, q->end_ns,
				    t->moves_bytes[q->op] && q->rvalue > 0 ? (double)q->rvalue : 0);
			bool counts = !kept || kept[i];
			t->n_left_out += !counts;
			if (counts) {
				response_add(t, q, index + i);
				histogram_add(&t->histogram, q->end_ns - q->begin_ns);
			}
			if (timed) {
				size_t k = lateness_class(q->begin_ns - q->intended_ns);
				t->requests_at_lateness[k]++;
				t->response_at_lateness[k] +=
				    counts ? (double)(q->end_ns - q->begin_ns) : 0;
			}
		}
	}
}

static int64_t earlier_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void see_input(struct summary_tally *t, const struct trace_record *r)
{
	t->n_input_issued++;
	t->input_first_ns = earlier_of(t->input_first_ns, r->begin_ns);
	t->input_last_ns = r->begin_ns > t->input_last_ns ? r->begin_ns : t->input_last_ns;
}

void summary_tally_compare(struct summary_tally *t, const struct trace_record *x,
			   const struct trace_record *r, size_t n)
{
	t->n_input += n;
	for (size_t i = 0; i < n; i++) {
		bool issued = x[i].begin_ns != TIME_NONE, expected = r[i].begin_ns != TIME_NONE;
		bool skipped = match_skipped(&x[i]);
		if (expected && !skipped)
			see_input(t, &r[i]);
		if (!issued) { /* a request that was not issued in the input either is not lost */
			t->n_lost += expected && !skipped;
			t->n_skipped += expected && skipped;
			continue;
		}
		t->n_mismatched += matcher_compare(&t->matcher, &x[i], &r[i]) != 0;
		if (!expected)
			continue;
		moment_sum_add(&t->schedule, x[i].begin_ns - r[i].begin_ns);
		t->first_pair_ns = earlier_of(t->first_pair_ns, x[i].begin_ns);
		t->input_first_pair_ns = earlier_of(t->input_first_pair_ns, r[i].begin_ns);
	}
}

void summary_tally_missing(struct summary_tally *t, const struct trace_record *r, size_t n)
{
	t->n_input += n;
	for (size_t i = 0; i < n; i++) {
		if (r[i].begin_ns == TIME_NONE)
			continue;
		see_input(t, &r[i]);
		t->n_lost++;
	}
}
