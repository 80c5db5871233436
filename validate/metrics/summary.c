/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The summary of a run: a pass over its trace and its input, and a second pass over the trace alone
 * if its requests are far from the order of their starts. */
#include "validate/metrics/summary.h"

#include "capture/op.h"
#include "validate/metrics/correction.h"
#include "validate/metrics/metrics.h"
#include "validate/metrics/requests_hash.h"
#include "validate/metrics/summary_private.h"

_Static_assert(OP_N <= SUMMARY_MAX_OPS, "SUMMARY_MAX_OPS is smaller than the number of operations");

void summary_release(struct run_summary *s)
{
	histogram_release(&s->response_histogram);
	FREE_EACH(s->op, s->pace, s->issue_error_quantile, s->requests_at_lateness,
		  s->response_at_lateness, s->ns_at_level, s->requests_at_level,
		  s->response_at_level, s->node);
	memset(s, 0, sizeof *s);
}

double summary_response(const struct run_summary *s, const char *operation)
{
	if (!operation)
		return s->response.mean;
	for (unsigned int i = 0; i < s->n_ops; i++)
		if (!strcmp(s->op[i].op, operation))
			return s->op[i].response.n ? s->op[i].response.mean : NAN;
	return NAN;
}

/* --- the pass ------------------------------------------------------------ */

struct summary_pass {
	const char *trace_path, *input_path; /* input_path NULL: none */
	struct trace *trace, *input;
	struct summary_tally tally;
	struct summary_order order;
	struct requests_hash requests; /* used without an input */
	uint64_t n_records; /* records of the trace so far */
	struct slice_clock clock; /* clock.slices NULL: the run was not divided into slices */
	/* the unprocessed rest of an input batch */
	const struct trace_record *r;
	size_t n_r;
	bool input_ended;
};

static int input_fill(struct summary_pass *p, struct err *e)
{
	if (!p->input || p->n_r || p->input_ended)
		return 0;
	int ret = trace_next_batch(p->input, &p->r, &p->n_r, e);
	if (ret == 0)
		p->input_ended = true;
	if (ret <= 0)
		p->n_r = 0;
	return ret < 0 ? ret : 0;
}

/* Records processed together: they fit into the first-level cache. */
#define RECORDS_AT_ONCE 128

/* Records of a run in slices, with active times. */
struct summary_mapped {
	struct trace_record record[RECORDS_AT_ONCE];
	bool kept[RECORDS_AT_ONCE];
};

/* Returns n <= RECORDS_AT_ONCE records with active times; *kept says which of them count in
 * response times (NULL: all). */
static const struct trace_record *records_map(struct summary_pass *p, const struct trace_record *x,
					      size_t n, struct summary_mapped *m, const bool **kept)
{
	*kept = NULL;
	if (!p->clock.slices)
		return x;
	for (size_t i = 0; i < n; i++)
		m->kept[i] = slice_clock_map(&p->clock, &x[i], &m->record[i]);
	*kept = m->kept;
	return m->record;
}

static int take_batch(struct summary_pass *p, const struct trace_record *x, size_t n, struct err *e)
{
	struct summary_mapped mapped;
	const bool *kept;
	while (n) {
		int ret = input_fill(p, e);
		if (ret)
			return ret;
		bool extra = p->input && p->input_ended;
		size_t m = n < RECORDS_AT_ONCE ? n : RECORDS_AT_ONCE;
		if (p->input && !extra)
			m = m < p->n_r ? m : p->n_r;
		const struct trace_record *y = records_map(p, x, m, &mapped, &kept);
		if (p->input && !extra) {
			summary_tally_compare(&p->tally, y, p->r, m);
			p->r += m;
			p->n_r -= m;
		}
		summary_tally_add(&p->tally, y, kept, m, p->n_records, extra);
		if (!p->input)
			requests_hash_add(&p->requests, y, m);
		p->n_records += m;
		ret = summary_order_add(&p->order, y, kept, m, extra, e);
		if (ret)
			return err_context(e, "%s", p->trace_path);
		x += m;
		n -= m;
	}
	return 0;
}

static int pass_run(struct summary_pass *p, struct err *e)
{
	const struct trace_record *x;
	size_t n;
	int ret;
	while ((ret = trace_next_batch(p->trace, &x, &n, e)) > 0) {
		ret = take_batch(p, x, n, e);
		if (ret)
			return ret;
	}
	while (!ret && p->input && !p->input_ended) {
		ret = input_fill(p, e);
		summary_tally_missing(&p->tally, p->r, p->n_r);
		p->n_r = 0;
	}
	return ret;
}

/* Makes the second pass: over the trace alone, sorted in runs. */
static int reorder_run(struct summary_pass *p, const struct arrivals_options *options,
		       struct err *e)
{
	const struct trace_record *x;
	struct summary_mapped mapped;
	const bool *kept;
	uint64_t left = p->tally.n_input;
	bool late;
	size_t n;
	summary_order_release(&p->order);
	int ret = summary_order_init(&p->order, ARRIVALS_RUNS, options, p->input, e);
	ret = ret ? ret : trace_rewind(p->trace, e);
	if (ret)
		return ret;
	while ((ret = trace_next_batch(p->trace, &x, &n, e)) > 0)
		for (size_t m; n; x += m, n -= m) {
			const bool extra = p->input && !left;
			m = n < RECORDS_AT_ONCE ? n : RECORDS_AT_ONCE;
			m = p->input && left && left < m ? (size_t)left : m;
			left -= p->input && left ? m : 0;
			const struct trace_record *y = records_map(p, x, m, &mapped, &kept);
			ret = summary_order_add(&p->order, y, kept, m, extra, e);
			if (ret)
				return err_context(e, "%s", p->trace_path);
		}
	ret = ret ? ret : summary_order_finish(&p->order, &late, e);
	return ret;
}

/* Counts the halves again if the file did not state its number of requests. */
static int halves_run(struct summary_pass *p, struct err *e)
{
	const struct trace_record *x;
	struct summary_mapped mapped;
	const bool *kept;
	uint64_t index = 0;
	size_t n;
	memset(p->tally.response, 0, sizeof p->tally.response);
	int ret = trace_rewind(p->trace, e);
	if (ret)
		return ret;
	while ((ret = trace_next_batch(p->trace, &x, &n, e)) > 0)
		for (size_t m; n; x += m, n -= m, index += m) {
			m = n < RECORDS_AT_ONCE ? n : RECORDS_AT_ONCE;
			const struct trace_record *y = records_map(p, x, m, &mapped, &kept);
			summary_tally_add_response(&p->tally, y, kept, m, index);
		}
	return ret;
}

static int halves_check(struct summary_pass *p, struct err *e)
{
	const uint64_t n = p->input ? p->tally.n_input : p->n_records, n_first = n / 2 + n % 2;
	if (p->tally.n_first == n_first)
		return 0;
	p->tally.n_first = n_first;
	return halves_run(p, e);
}

/* --- checks -------------------------------------------------------------- */

static int check_run(const struct summary_pass *p, struct err *e)
{
	const struct summary_tally *t = &p->tally;
	int ret = metrics_trace_check(p->trace, p->trace_path, p->n_records, e);
	if (ret)
		return ret;
	if (t->n_negative) {
		const struct trace_record *q = &t->first_negative;
		return err_set(e, EINVAL, "%s: %llu of %llu requests have negative response times; "
			"the first is record %llu (%s from %lld ns to %lld ns)", p->trace_path,
			(unsigned long long)t->n_negative, (unsigned long long)t->n_issued,
			(unsigned long long)t->first_negative_index, op_name(q->op),
			(long long)q->begin_ns, (long long)q->end_ns);
	}
	if (t->n_left_out && t->n_issued == t->n_unfinished + t->n_left_out)
		return err_set(e, ENODATA, "%s: all %llu requests were in flight at a switch of "
			"slices, or began in the settling time after it: set longer slices "
			"(key \"slice\" of [protocol])",
			p->trace_path, (unsigned long long)t->n_left_out);
	if (t->n_issued == t->n_unfinished && (p->input || !t->n_issued))
		return err_set(e, p->input && !t->n_issued ? ENOMSG : ENODATA,
			       "%s: no request was issued and completed (%llu requests are in the "
			       "trace)",
			       p->trace_path, (unsigned long long)p->n_records);
	return 0;
}

/* --- results ------------------------------------------------------------- */

static int response_quantile(const struct run_summary *s, double p, double *value, struct err *e)
{
	int ret = histogram_quantile(&s->response_histogram, p, value, e);
	if (!ret) /* a bucket's midpoint may be outside the extremes */
		*value = value_clamp(*value, s->response.min, s->response.max);
	return ret;
}

/* Sets the moments of all requests, by operation and by half. */
static void fill_moments(struct run_summary *s, struct summary_tally *t)
{
	struct moment_sum all = {0}, half[2] = {{0}};
	unsigned int n_ops = 0;
	for (unsigned int op = 0; op < OP_N; op++)
		n_ops += t->response[0][op].n + t->response[1][op].n > 0;
	s->op = xcalloc(n_ops + 1, sizeof *s->op);
	for (unsigned int op = 0; op < OP_N; op++) {
		struct moment_sum both = t->response[0][op];
		moment_sum_merge(&both, &t->response[1][op]);
		if (!both.n)
			continue;
		struct op_summary *o = &s->op[s->n_ops++];
		strncpy(o->op, op_name(op), sizeof o->op - 1);
		o->response = moment_sum_result(&both, 0);
		for (size_t i = 0; i < 2; i++)
			moment_sum_merge(&half[i], &t->response[i][op]);
		moment_sum_merge(&all, &both);
	}
	s->response = moment_sum_result(&all, 0);
	s->response_histogram = t->histogram;
	t->histogram = (struct histogram){0};
	summary_fill_distribution(
	    s, (struct moments[]){moment_sum_result(&half[0], 0), moment_sum_result(&half[1], 0)});
}

static int fill_response(struct run_summary *s, struct summary_tally *t, struct err *e)
{
	fill_moments(s, t);
	/* in a recording without response times only order and issue times are known */
	const bool none = !s->response.n;
	int ret = none ? 0 : response_quantile(s, 0.5, &s->response_median, e);
	ret = ret || none ? ret : response_quantile(s, 0.9, &s->response_p90, e);
	ret = ret || none ? ret : response_quantile(s, 0.99, &s->response_p99, e);
	ret = ret || none ? ret : response_quantile(s, 0.999, &s->response_p999, e);
	ret = ret || none ? ret
			: histogram_trimmed_mean(&s->response_histogram, 0.1,
						 &s->response_trimmed_mean, e);
	s->response_trimmed_mean =
	    value_clamp(s->response_trimmed_mean, s->response.min, s->response.max);
	s->n_failed = t->n_failed;
	s->n_unfinished = t->n_unfinished;
	s->n_left_out = t->n_left_out;
	s->n_bytes = t->n_bytes;
	return ret;
}

static void *copy_of(const void *from, size_t size)
{
	return memcpy(xmalloc(size), from, size);
}

static void fill_classes(struct run_summary *s, const struct summary_pass *p)
{
	const struct summary_order *o = &p->order;
	s->has_classes = !s->n_unfinished;
	if (!s->has_classes)
		return;
	s->response_at_level = xreallocarray(NULL, s->n_levels, sizeof *s->response_at_level);
	memcpy(s->response_at_level, o->response_at_level,
	       s->n_levels * sizeof *s->response_at_level);
	s->response_reordered_all = o->reordered_all;
	s->response_reordered_thread = o->reordered_thread;
	s->response_reordered_object = o->reordered_object;
	if (p->tally.issue.sum.n) {
		s->requests_at_lateness =
		    copy_of(p->tally.requests_at_lateness, sizeof p->tally.requests_at_lateness);
		s->response_at_lateness =
		    copy_of(p->tally.response_at_lateness, sizeof p->tally.response_at_lateness);
	}
}

static void fill_pace(struct run_summary *s, const struct pace *p)
{
	if (!p->width_ns)
		return;
	s->pace = copy_of(p, sizeof *p);
	/* times of requests that were active after the last start */
	for (uint64_t i = p->n; i < PACE_MAX; i++)
		s->pace->active_ns[i] = s->pace->moved[i] = 0;
}

static struct reorder_summary reorder_of(const struct disorder *d)
{
	struct reorder_summary r = {d->total.n_received, d->total.n_reordered, d->total.n_descents,
				    0};
	for (size_t i = 0; i < d->n_sequences; i++)
		if (d->sequence[i].max_extent > r.max_extent)
			r.max_extent = d->sequence[i].max_extent;
	return r;
}

static void fill_comparison(struct run_summary *s, const struct summary_pass *p)
{
	const struct summary_tally *t = &p->tally;
	s->has_input = true;
	s->n_input = t->n_input;
	s->n_lost = t->n_lost;
	s->n_skipped = t->n_skipped;
	s->n_extra = t->n_extra;
	s->n_mismatched = t->n_mismatched;
	s->reorder_all = reorder_of(&p->order.all);
	s->reorder_thread = reorder_of(&p->order.by_thread);
	s->reorder_object = reorder_of(&p->order.by_object);
	s->schedule_error =
	    moment_sum_result(&t->schedule, t->first_pair_ns - t->input_first_pair_ns);
}

static int fill_issue_error(struct run_summary *s, const struct summary_tally *t, struct err *e)
{
	if (!t->issue.sum.n)
		return 0;
	s->has_issue_error = true;
	s->issue_error = moment_sum_result(&t->issue.sum, 0);
	struct {
		double p, *value;
	} wanted[] = {
	    {0.5, &s->issue_error_p50}, {0.99, &s->issue_error_p99}, {0.999, &s->issue_error_p999}};
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		int ret = issue_error_quantile(&t->issue, wanted[i].p, wanted[i].value, e);
		if (ret)
			return ret;
		*wanted[i].value =
		    value_clamp(*wanted[i].value, s->issue_error.min, s->issue_error.max);
	}
	s->issue_error_quantile =
	    xcalloc(SUMMARY_N_ISSUE_QUANTILES, sizeof *s->issue_error_quantile);
	for (int i = 0; i < SUMMARY_N_ISSUE_QUANTILES; i++) {
		double *q = &s->issue_error_quantile[i];
		int ret =
		    issue_error_quantile(&t->issue, i / (SUMMARY_N_ISSUE_QUANTILES - 1.0), q, e);
		if (ret)
			return ret;
		*q = value_clamp(*q, s->issue_error.min, s->issue_error.max);
	}
	s->has_issue_quantiles = true;
	double mean_gap_ns = 0;
	if (t->n_input_issued > 1)
		mean_gap_ns = (double)(t->input_last_ns - t->input_first_ns) /
			      (double)(t->n_input_issued - 1);
	s->share_late = issue_error_share_late(
	    &t->issue, 0.01 * mean_gap_ns > 1000 ? 0.01 * mean_gap_ns : 1000);
	return 0;
}

static uint64_t results_unknown(const json_t *extra, uint64_t most)
{
	const json_t *replayer = json_object_get(json_object_get(extra, "replay"), "replayer");
	const json_t *count = json_object_get(replayer, "n_results_unknown");
	if (!count) /* a trace of an earlier version */
		count = json_object_get(replayer, "n_results_untold");
	const json_int_t n = json_is_integer(count) ? json_integer_value(count) : 0;
	return n <= 0 ? 0 : (uint64_t)n < most ? (uint64_t)n : most;
}

static void fill_cpu_delay(struct run_summary *s, const json_t *extra)
{
	const json_t *told = json_object_get(extra, "replay"), *n = json_object_get(told,
		"n_held_up"), *p99 = json_object_get(told, "others_issue_error_p99_ns");
	s->has_cpu_delayed = s->has_issue_error && json_is_integer(n) && json_integer_value(n) >= 0;
	if (!s->has_cpu_delayed)
		return;
	s->n_cpu_delayed = (uint64_t)json_integer_value(n) < s->issue_error.n
			   ? (uint64_t)json_integer_value(n)
			   : s->issue_error.n;
	s->issue_error_others_p99 =
	    json_is_number(p99)
		? value_clamp(json_number_value(p99), s->issue_error.min, s->issue_error.max)
		: s->issue_error_p99;
}

/* Returns the number of asynchronous requests to which the records of a program's run refer but
 * which the trace lacks. */
static uint64_t async_unseen(const struct summary_pass *p)
{
	const struct async_counts *a = &p->tally.async;
	return p->input ? 0
			: async_calls_unshown(a) + async_requests_missing(a) +
			      async_results_missing(a);
}

static int fill_meta(struct run_summary *s, const struct summary_pass *p, struct err *e)
{
	const struct trace_meta *m = trace_meta(p->trace);
	s->clock_resolution_ns = m->clock_resolution_ns;
	s->clock_read_cost_ns = m->clock_read_cost_ns;
	s->n_events_lost = m->n_events_lost;
	s->n_cut = m->cut;
	const char *scope = unseen_scope(m);
	snprintf(s->not_visible, sizeof s->not_visible, "%s", scope ? scope : "");
	struct trace_health health;
	trace_health(p->trace, &health);
	const uint64_t n_async = async_unseen(p);
	s->n_requests_unseen = n_async + health.n_unread;
	if (!m->extra_json)
		return 0;
	json_error_t why;
	json_auto_t *extra = json_loads(m->extra_json, 0, &why);
	if (!extra)
		return err_set(e, EINVAL, "%s: the extra metadata is not JSON: %s", p->trace_path,
			       why.text);
	const json_t *facts = json_object_get(extra, "facts");
	struct correction correction;
	int ret = correction_from_json(&correction, extra, e);
	if (ret > 0)
		s->correction_u_ns = correction.u_ns;
	s->n_programs_unseen = programs_unseen(extra);
	if (!n_async) /* capture counts the same requests */
		s->n_requests_unseen += requests_unseen(extra);
	fill_cpu_delay(s, extra);
	s->n_results_unknown = s->has_input ? results_unknown(extra, s->n_input) : 0;
	ret = ret < 0 ? ret : 0;
	if (!ret && facts) {
		ret = run_facts_from_json(&s->facts, facts, e);
		s->has_facts = !ret;
	}
	return ret ? err_context(e, "%s", p->trace_path) : 0;
}

static int fill_summary(struct run_summary *s, struct summary_pass *p, struct err *e)
{
	int ret = fill_response(s, &p->tally, e);
	if (ret)
		return err_context(e, "%s", p->trace_path);
	s->n_slices = p->clock.slices ? p->clock.slices->n : 0;
	const struct concurrency *c = &p->order.concurrency;
	s->execution_ns = c->last_ns - c->first_ns;
	s->n_levels = c->highest + 1;
	s->ns_at_level = xreallocarray(NULL, s->n_levels, sizeof *s->ns_at_level);
	s->requests_at_level = xreallocarray(NULL, s->n_levels, sizeof *s->requests_at_level);
	memcpy(s->ns_at_level, c->ns_at_level, s->n_levels * sizeof *s->ns_at_level);
	memcpy(s->requests_at_level, c->requests_at_level,
	       s->n_levels * sizeof *s->requests_at_level);
	fill_classes(s, p);
	fill_pace(s, &p->tally.pace.pace);
	if (p->input)
		fill_comparison(s, p);
	else
		s->requests_hash = requests_hash_value(&p->requests);
	ret = fill_issue_error(s, &p->tally, e);
	return ret ? ret : fill_meta(s, p, e);
}

/* --- the whole computation ----------------------------------------------- */

static int pass_start(struct summary_pass *p, const struct slices *slices,
		      const struct arrivals_options *options, struct err *e)
{
	bool known;
	trace_requests_only(p->trace, true);
	if (p->input)
		trace_requests_only(p->input, true);
	summary_tally_init(&p->tally, p->trace, p->input);
	/* 0 if unknown */
	const uint64_t n = trace_n_records(p->input ? p->input : p->trace, &known);
	p->tally.n_first = n / 2 + n % 2;
	requests_hash_init(&p->requests, p->trace);
	int ret = summary_order_init(&p->order, ARRIVALS_WINDOW, options, p->input, e);
	if (!ret && slices)
		ret = slice_clock_init(&p->clock, slices, trace_meta(p->trace)->epoch_ns, e);
	return ret;
}

int summary_compute_with(struct run_summary *s, const char *trace, const char *input,
	const struct slices *slices, const struct arrivals_options *options, struct err *e)
{
	struct summary_pass p = {.trace_path = trace, .input_path = input};
	bool late = false;
	memset(s, 0, sizeof *s);
	int ret = trace_open(&p.trace, trace, e);
	if (!ret && input)
		ret = trace_open(&p.input, input, e);
	if (!ret) {
		ret = pass_start(&p, slices, options, e);
		ret = ret ? ret : pass_run(&p, e);
		ret = ret ? ret : check_run(&p, e);
		ret = ret ? ret : summary_order_finish(&p.order, &late, e);
		if (!ret && late)
			ret = reorder_run(&p, options, e);
		ret = ret ? ret : halves_check(&p, e);
		ret = ret ? ret : fill_summary(s, &p, e);
		ret = ret ? ret : summary_nodes(s, trace, input, slices, e);
		summary_tally_release(&p.tally);
		requests_hash_release(&p.requests);
		summary_order_release(&p.order);
		slice_clock_release(&p.clock);
	}
	if (ret)
		summary_release(s);
	trace_close(p.trace);
	trace_close(p.input);
	return ret;
}

int summary_compute(struct run_summary *s, const char *trace, const char *input,
		    const struct slices *slices, struct err *e)
{
	struct arrivals_options options = ARRIVALS_DEFAULTS;
	return summary_compute_with(s, trace, input, slices, &options, e);
}
