/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Summaries of traces: random traces compared with the definitions, small traces with values
 * computed by hand, and traces that are no runs. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/trace.h"
#include "tests/unit/validate/random.h"
#include "tests/unit/validate/trace_file.h"
#include "tests/model/reorder.h"
#include "validate/metrics/summary.h"
#include "validate/metrics/summary_private.h"

enum { MAX_N = 400 };

static void assert_close(double got, double expected, double rel_tol)
{
	if (!(fabs(got - expected) <= rel_tol * fabs(expected)))
		fail_msg("%.17g instead of %.17g", got, expected);
}

static struct trace_record request(int64_t begin, int64_t end, uint32_t tid, uint32_t object)
{
	return (struct trace_record){.begin_ns = begin,
				     .end_ns = end,
				     .intended_ns = TIME_NONE,
				     .dispatch_ns = TIME_NONE,
				     .op = OP_PREAD,
				     .pid = 100,
				     .tid = tid,
				     .object = object,
				     .fd = 3,
				     .offset = 4096,
				     .length = 512,
				     .rvalue = 512,
				     .heap = HEAP_NONE};
}

/* --- the definitions ----------------------------------------------------- */

static void sort_by_begin(size_t *order, const struct trace_record *x, size_t n)
{
	for (size_t i = 1; i < n; i++) { /* by insertion: stable */
		size_t k = order[i], j = i;
		for (; j && x[order[j - 1]].begin_ns > x[k].begin_ns; j--)
			order[j] = order[j - 1];
		order[j] = k;
	}
}

enum scope { ALL, THREAD, OBJECT };

static uint32_t scope_key(const struct trace_record *x, enum scope scope)
{
	return scope == ALL ? 0 : scope == THREAD ? x->tid : x->object;
}

static struct reorder_summary reordering(const struct trace_record *x, size_t n, enum scope scope)
{
	struct reorder_summary total = {0};
	size_t order[MAX_N], m = 0;
	for (size_t i = 0; i < n; i++)
		if (x[i].begin_ns != TIME_NONE)
			order[m++] = i;
	sort_by_begin(order, x, m);
	for (uint32_t key = 0; key < 10; key++) {
		uint64_t s[MAX_N];
		size_t l = 0;
		struct reorder r;
		for (size_t i = 0; i < m; i++)
			if (scope_key(&x[order[i]], scope) == key)
				s[l++] = order[i] + 1;
		assert_int_equal(reorder_analyse(&r, s, NULL, NULL, l, NULL), 0);
		total.n_received += r.n;
		total.n_reordered += r.n_reordered;
		total.n_descents += r.n_descents;
		total.max_extent =
		    r.max_extent > total.max_extent ? r.max_extent : total.max_extent;
		reorder_release(&r);
	}
	return total;
}

static void assert_reorder(struct reorder_summary got, struct reorder_summary expected)
{
	assert_int_equal(got.n_received, expected.n_received);
	assert_int_equal(got.n_reordered, expected.n_reordered);
	assert_int_equal(got.n_descents, expected.n_descents);
	assert_int_equal(got.max_extent, expected.max_extent);
}

static int compare_ns(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	return a < b ? -1 : a > b;
}

/* t[m] ascending, all below 2048: exact. */
static void check_distribution(const struct run_summary *s, const int64_t *t, size_t m)
{
	size_t n_tail = (m + 99) / 100, n_typical = 9 * m / 10 ? 9 * m / 10 : 1;
	double tail = 0, typical = 0;
	for (size_t i = 0; i < n_tail; i++)
		tail += (double)t[m - 1 - i];
	for (size_t i = 0; i < n_typical; i++)
		typical += (double)t[i];
	assert_close(s->response_tail, tail / (double)n_tail, 1e-12);
	assert_close(s->response_typical, typical / (double)n_typical, 1e-12);
	assert_true(s->has_shape == (s->response_typical > 0));
	for (size_t k = 0; k < SUMMARY_N_SHAPE && s->has_shape; k++) {
		uint64_t n = 0;
		for (size_t i = 0; i < m; i++)
			n += (double)t[i] <= summary_shape_edge(k) * s->response_typical;
		assert_int_equal(s->shape[k], n);
	}
}

/* Records before `n_first` are the first half. */
static void check_halves(const struct run_summary *s, const struct trace_record *x, size_t n,
			 size_t n_first)
{
	double sum[2] = {0}, max[2] = {0};
	uint64_t m[2] = {0};
	assert_true(s->has_halves);
	for (size_t i = 0; i < n; i++) {
		if (x[i].begin_ns == TIME_NONE)
			continue;
		const double t = (double)(x[i].end_ns - x[i].begin_ns);
		const size_t half = i >= n_first;
		m[half]++;
		sum[half] += t;
		max[half] = t > max[half] ? t : max[half];
	}
	for (size_t half = 0; half < 2; half++) {
		assert_int_equal(s->half[half].n, m[half]);
		assert_close(s->half[half].mean, m[half] ? sum[half] / (double)m[half] : 0, 1e-13);
		assert_true(s->half[half].max == max[half]);
	}
}

static void check_response(const struct run_summary *s, const struct trace_record *x, size_t n)
{
	int64_t t[MAX_N];
	size_t m = 0;
	double sum = 0, ss = 0;
	for (size_t i = 0; i < n; i++)
		if (x[i].begin_ns != TIME_NONE)
			t[m++] = x[i].end_ns - x[i].begin_ns;
	qsort(t, m, sizeof *t, compare_ns);
	for (size_t i = 0; i < m; i++)
		sum += (double)t[i];
	for (size_t i = 0; i < m; i++)
		ss += ((double)t[i] - sum / (double)m) * ((double)t[i] - sum / (double)m);
	assert_int_equal(s->response.n, m);
	assert_close(s->response.mean, sum / (double)m, 1e-13);
	if (m > 1)
		assert_true(fabs(s->response.sd - sqrt(ss / (double)(m - 1))) <
			    1e-9 * (1 + s->response.sd));
	assert_true(s->response.min == (double)t[0] && s->response.max == (double)t[m - 1]);
	assert_true(s->response_median == (double)t[(m + 1) / 2 - 1]); /* all below 2048: exact */
	assert_true(s->response_p90 == (double)t[(9 * m + 9) / 10 - 1]);
	assert_true(s->response_p99 == (double)t[(99 * m + 99) / 100 - 1]);
	assert_true(s->response_p999 == (double)t[(999 * m + 999) / 1000 - 1]);
	sum = 0;
	for (size_t i = m / 10; i < m - m / 10; i++)
		sum += (double)t[i];
	assert_close(s->response_trimmed_mean, sum / (double)(m - 2 * (m / 10)), 1e-12);
	assert_int_equal(s->response_histogram.n, m);
	check_distribution(s, t, m);
}

static void check_levels(const struct run_summary *s, const struct trace_record *x, size_t n)
{
	int64_t first = INT64_MAX, last = INT64_MIN, ns_at[MAX_N + 1] = {0};
	uint64_t requests_at[MAX_N + 1] = {0}, highest = 0;
	double response_at[MAX_N + 1] = {0};
	for (size_t i = 0; i < n; i++) {
		if (x[i].begin_ns == TIME_NONE)
			continue;
		first = x[i].begin_ns < first ? x[i].begin_ns : first;
		last = x[i].end_ns > last ? x[i].end_ns : last;
		size_t level = 1;
		for (size_t k = 0; k < n; k++) {
			bool earlier = x[k].begin_ns < x[i].begin_ns ||
				       (x[k].begin_ns == x[i].begin_ns && k < i);
			level += k != i && x[k].begin_ns != TIME_NONE && earlier &&
				 x[k].end_ns > x[i].begin_ns;
		}
		requests_at[level]++;
		response_at[level] += (double)(x[i].end_ns - x[i].begin_ns);
		highest = level > highest ? level : highest;
	}
	/* between adjacent instants the level is constant */
	int64_t instant[2 * MAX_N];
	size_t m = 0;
	for (size_t i = 0; i < n; i++)
		if (x[i].begin_ns != TIME_NONE) {
			instant[m++] = x[i].begin_ns;
			instant[m++] = x[i].end_ns;
		}
	qsort(instant, m, sizeof *instant, compare_ns);
	for (size_t i = 0; i + 1 < m; i++) {
		size_t level = 0;
		for (size_t k = 0; k < n; k++)
			level += x[k].begin_ns != TIME_NONE && x[k].begin_ns <= instant[i] &&
				 instant[i] < x[k].end_ns;
		ns_at[level] += instant[i + 1] - instant[i];
	}
	assert_int_equal(s->execution_ns, last - first);
	assert_int_equal(s->n_levels, highest + 1);
	assert_memory_equal(s->ns_at_level, ns_at, s->n_levels * sizeof *ns_at);
	assert_memory_equal(s->requests_at_level, requests_at, s->n_levels * sizeof *requests_at);
	assert_true(s->has_classes);
	assert_memory_equal(s->response_at_level, response_at, s->n_levels * sizeof *response_at);
}

/* Number of requests before which a request with a higher number began in the same sequence. */
static double response_of_reordered(const struct trace_record *x, size_t n, enum scope scope)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++) {
		bool late = false;
		for (size_t k = i + 1; k < n && !late && x[i].begin_ns != TIME_NONE; k++)
			late = x[k].begin_ns != TIME_NONE && x[k].begin_ns < x[i].begin_ns &&
			       scope_key(&x[i], scope) == scope_key(&x[k], scope);
		sum += late ? (double)(x[i].end_ns - x[i].begin_ns) : 0;
	}
	return sum;
}

/* --- random runs --------------------------------------------------------- */

struct run_case {
	struct trace_record r[MAX_N], x[MAX_N];
	size_t n_r, n_x;
	bool spoiled[MAX_N];
	uint64_t n_lost, n_skipped, n_extra, n_mismatched;
};

static void spoil(struct random *rnd, struct trace_record *q)
{
	switch (random_below(rnd, 6)) {
	case 0:
		q->rvalue--;
		break;
	case 1:
		q->rvalue = -1;
		q->error = EIO;
		break;
	case 2:
		q->offset += 512;
		break;
	case 3:
		q->length /= 2;
		break;
	case 4:
		q->op = OP_PWRITE;
		break;
	default:
		q->object = (q->object + 1) % TRACE_N_OBJECTS;
	}
}

static void draw_case(struct random *rnd, struct run_case *c)
{
	memset(c, 0, sizeof *c);
	c->n_r = c->n_x = 1 + random_below(rnd, MAX_N - 20);
	uint64_t disorder = random_below(rnd, 3) * random_below(rnd, 3) * 300,
		 longest = 1 + random_below(rnd, 800);
	bool faulty = random_below(rnd, 2);
	int64_t t = -1000;
	for (size_t i = 0; i < c->n_r; i++) {
		t += (int64_t)random_below(rnd, 40);
		c->r[i] = request(t, t + (int64_t)random_below(rnd, 100),
				  1 + (uint32_t)random_below(rnd, 3),
				  (uint32_t)random_below(rnd, TRACE_N_OBJECTS));
		c->r[i].offset = 512 * random_below(rnd, 100);
		struct trace_record *x = &c->x[i];
		*x = c->r[i];
		x->begin_ns = t + 5000 + (int64_t)random_below(rnd, disorder + 1);
		x->end_ns = x->begin_ns + (int64_t)random_below(rnd, longest);
		if (faulty && i && !random_below(rnd, 10)) {
			x->begin_ns = x->end_ns = TIME_NONE;
			bool skipped = random_below(rnd, 2);
			x->error = skipped ? EOPNOTSUPP : ECANCELED;
			c->n_lost += !skipped;
			c->n_skipped += skipped;
		} else if (faulty && !random_below(rnd, 10)) {
			spoil(rnd, x);
			c->n_mismatched += c->spoiled[i] = true;
		}
	}
	if (faulty && c->n_x > 1 && random_below(rnd, 2)) { /* a trace that stops early */
		const struct trace_record *cut = &c->x[--c->n_x];
		/* now there is no record: lost */
		bool skipped = cut->begin_ns == TIME_NONE && cut->error == EOPNOTSUPP;
		c->n_lost += skipped || cut->begin_ns != TIME_NONE;
		c->n_skipped -= skipped;
		c->n_mismatched -= c->spoiled[c->n_x];
	}
	for (; faulty && c->n_x >= c->n_r && c->n_x < c->n_r + 5; c->n_x++, c->n_extra++) {
		int64_t begin = 5000 + (int64_t)random_below(rnd, 5000);
		c->x[c->n_x] = request(begin, begin + 700, 1, 2);
	}
}

static void check_case(const struct run_case *c, const struct arrivals_options *options)
{
	struct run_summary s;
	struct err e = ERR_INIT;
	struct trace_meta meta = trace_file_meta();
	struct trace_path r_path = trace_file_path("input"), x_path = trace_file_path("replay");
	trace_file_write(r_path.s, c->r, c->n_r, &meta, false, false);
	trace_file_write(x_path.s, c->x, c->n_x, &meta, true, false);
	if (summary_compute_with(&s, x_path.s, r_path.s, NULL, options, &e))
		fail_msg("%s", e.msg);
	check_response(&s, c->x, c->n_x);
	check_levels(&s, c->x, c->n_x);
	check_halves(&s, c->x, c->n_x, (c->n_r + 1) / 2);
	size_t n_paired = c->n_x < c->n_r ? c->n_x : c->n_r;
	assert_reorder(s.reorder_all, reordering(c->x, n_paired, ALL));
	assert_reorder(s.reorder_thread, reordering(c->x, n_paired, THREAD));
	assert_reorder(s.reorder_object, reordering(c->x, n_paired, OBJECT));
	assert_true(s.response_reordered_all == response_of_reordered(c->x, n_paired, ALL));
	assert_true(s.response_reordered_thread == response_of_reordered(c->x, n_paired, THREAD));
	assert_true(s.response_reordered_object == response_of_reordered(c->x, n_paired, OBJECT));
	assert_true(s.has_input);
	assert_int_equal(s.n_input, c->n_r);
	assert_int_equal(s.n_lost, c->n_lost);
	assert_int_equal(s.n_skipped, c->n_skipped);
	assert_int_equal(s.n_extra, c->n_extra);
	assert_int_equal(s.n_mismatched, c->n_mismatched);
	int64_t x0 = INT64_MAX, r0 = c->r[0].begin_ns; /* the first is never lost */
	double sum = 0, n = 0;
	for (size_t i = 0; i < n_paired; i++)
		if (c->x[i].begin_ns != TIME_NONE)
			x0 = c->x[i].begin_ns < x0 ? c->x[i].begin_ns : x0;
	for (size_t i = 0; i < n_paired; i++) {
		if (c->x[i].begin_ns == TIME_NONE)
			continue;
		sum += (double)(c->x[i].begin_ns - x0 - c->r[i].begin_ns + r0);
		n++;
	}
	assert_true(s.schedule_error.n == n && fabs(s.schedule_error.mean - sum / n) < 1e-6);
	assert_false(s.has_issue_error);
	summary_release(&s);
	/* the program's own run: the same without the comparison */
	assert_int_equal(summary_compute_with(&s, x_path.s, NULL, NULL, options, &e), 0);
	check_response(&s, c->x, c->n_x);
	check_levels(&s, c->x, c->n_x);
	check_halves(&s, c->x, c->n_x, (c->n_x + 1) / 2);
	assert_false(s.has_input);
	summary_release(&s);
	unlink(r_path.s);
	unlink(x_path.s);
}

static void test_random_runs_by_definition(void **state)
{
	(void)state;
	struct random rnd = {61};
	const struct arrivals_options options[] = {
	    ARRIVALS_DEFAULTS,      /* all in one window */
	    {8, 8, 1u << 20, NULL}, /* second pass, runs in memory */
	    {8, 16, 0, NULL},       /* second pass, runs in a file */
	    {32, 64, 1000, NULL},
	};
	for (int round = 0; round < 400; round++) {
		struct run_case c;
		draw_case(&rnd, &c);
		check_case(&c, &options[round % 4]);
	}
}

/* --- worked by hand ------------------------------------------------------ */

static void summarise(struct run_summary *s, const struct trace_record *x, size_t n_x,
		      const struct trace_record *r, size_t n_r)
{
	struct err e = ERR_INIT;
	struct trace_meta meta = trace_file_meta();
	struct trace_path x_path = trace_file_path("replay"), r_path = trace_file_path("input");
	trace_file_write(x_path.s, x, n_x, &meta, false, false);
	if (r)
		trace_file_write(r_path.s, r, n_r, &meta, false, false);
	if (summary_compute(s, x_path.s, r ? r_path.s : NULL, NULL, &e))
		fail_msg("%s", e.msg);
	unlink(x_path.s);
	unlink(r_path.s);
}

static void test_operations_and_bytes(void **state)
{
	(void)state;
	struct trace_record x[] = {request(0, 100, 1, 0), request(200, 500, 1, 0),
				   request(600, 650, 1, 0), request(700, 720, 1, 0),
				   request(800, TIME_NONE, 1, 0)};
	x[0].op = OP_OPEN;
	x[0].rvalue = 3;
	x[2].op = OP_PWRITE;
	x[2].rvalue = -1;
	x[2].error = ENOSPC;
	x[3].rvalue = 100;
	struct run_summary s;
	summarise(&s, x, 5, NULL, 0);
	assert_int_equal(s.n_ops, 3);
	assert_string_equal(s.op[0].op, "open");
	assert_string_equal(s.op[1].op, "pread");
	assert_string_equal(s.op[2].op, "pwrite");
	assert_true(s.op[1].response.n == 2 && s.op[1].response.mean == 160);
	assert_int_equal(s.response.n, 4);
	assert_int_equal(s.n_failed, 1);
	assert_int_equal(s.n_bytes, 612);
	assert_int_equal(s.n_unfinished, 1);
	assert_int_equal(s.execution_ns, 800);
	assert_int_equal(s.n_levels, 2);
	assert_int_equal(s.ns_at_level[1], 470);
	assert_int_equal(s.requests_at_level[1], 5);
	assert_true(s.clock_resolution_ns == 0.5 && s.clock_read_cost_ns == 21.25);
	summary_release(&s);
}

static void test_results_that_may_differ(void **state)
{
	(void)state;
	struct trace_record r[6], x[6];
	for (int i = 0; i < 6; i++)
		r[i] = x[i] = request(i * 100, i * 100 + 50, 1, 0);
	r[0].op = x[0].op = OP_OPEN; /* another descriptor number is no mismatch */
	r[0].rvalue = 3;
	x[0].rvalue = 7;
	r[1].op = x[1].op = OP_READ; /* nor is a position that only one side has */
	r[1].offset = OFFSET_NONE;
	r[2].op = x[2].op = OP_READ; /* two known positions: a mismatch */
	x[2].offset = 0;
	r[3].rvalue = x[3].rvalue = -1; /* both failed: the same error, or an unknown error */
	x[3].error = EIO;
	r[4].rvalue = x[4].rvalue = -1; /* another error: a mismatch */
	x[4].error = EIO;
	r[4].error = ENOENT;
	x[5].object = OBJECT_NONE; /* an object not known */
	x[5].tid = 9;
	struct run_summary s;
	summarise(&s, x, 6, r, 6);
	assert_int_equal(s.n_mismatched, 2);
	assert_int_equal(s.reorder_object.n_received, 6);
	summary_release(&s);
	/* an open that failed and did not fail in the trace */
	x[0].rvalue = -1;
	x[0].error = ENOENT;
	summarise(&s, x, 6, r, 6);
	assert_int_equal(s.n_mismatched, 3);
	summary_release(&s);
}

static void test_requests_the_input_did_not_issue(void **state)
{
	(void)state;
	struct trace_record r[3], x[3];
	for (int i = 0; i < 3; i++)
		r[i] = x[i] = request(i * 100, i * 100 + 50, 1, 0);
	r[1].begin_ns = r[1].end_ns = x[1].begin_ns = x[1].end_ns = TIME_NONE;
	struct run_summary s;
	summarise(&s, x, 3, r, 3);
	assert_int_equal(s.n_lost, 0);
	assert_int_equal(s.n_input, 3);
	assert_int_equal(s.schedule_error.n, 2);
	summary_release(&s);
}

static void test_classes_of_lateness(void **state)
{
	(void)state;
	const int64_t late[] = {-5000,
				0,
				1000,
				1001,
				2000,
				2001,
				4000,
				4001,
				INT64_C(1000) << 24,
				(INT64_C(1000) << 24) + 1,
				INT64_C(1) << 60};
	const size_t class[] = {0, 0, 0, 1, 1, 2, 2, 3, 24, 25, 25};
	enum { N = sizeof late / sizeof *late };
	struct trace_record x[N];
	uint64_t n_at[SUMMARY_N_LATENESS] = {0};
	double response_at[SUMMARY_N_LATENESS] = {0};
	for (int i = 0; i < N; i++) {
		x[i] = request(100000 * i, 100000 * i + 10 + i, 1, 0);
		x[i].intended_ns = x[i].begin_ns - late[i];
		n_at[class[i]]++;
		response_at[class[i]] += 10 + i;
	}
	struct run_summary s;
	summarise(&s, x, N, NULL, 0);
	assert_true(s.has_classes);
	assert_memory_equal(s.requests_at_lateness, n_at, sizeof n_at);
	assert_memory_equal(s.response_at_lateness, response_at, sizeof response_at);
	summary_release(&s);
	x[2].end_ns = TIME_NONE;
	summarise(&s, x, N, NULL, 0);
	assert_false(s.has_classes);
	summary_release(&s);
}

static void test_issue_error(void **state)
{
	(void)state;
	enum { N = 1000 };
	static struct trace_record r[N], x[N];
	for (int i = 0; i < N; i++) {
		r[i] = request(i * 50000, i * 50000 + 500, 1, 0);
		x[i] = r[i];
		x[i].intended_ns = r[i].begin_ns;
		x[i].begin_ns += i - 10; /* -10 .. 989 ns */
		x[i].end_ns = x[i].begin_ns + 500;
	}
	/* 1 us and more is late: 1 % of the gap is half of that */
	x[N - 1].begin_ns = x[N - 1].intended_ns + 1001;
	x[N - 1].end_ns = x[N - 1].begin_ns + 500;
	x[N - 2].begin_ns = x[N - 2].intended_ns + 1000;
	x[N - 2].end_ns = x[N - 2].begin_ns + 500;
	struct run_summary s;
	summarise(&s, x, N, r, N);
	assert_true(s.has_issue_error);
	assert_int_equal(s.issue_error.n, N);
	assert_true(s.issue_error.min == -10 && s.issue_error.max == 1001);
	assert_int_equal(s.requests_at_lateness[0], N - 1); /* up to 1 us */
	assert_int_equal(s.requests_at_lateness[1], 1);
	assert_true(s.response_at_lateness[0] == 500.0 * (N - 1) &&
		    s.response_at_lateness[1] == 500);
	assert_true(s.issue_error_p50 == 489 && s.issue_error_p99 == 979 &&
		    s.issue_error_p999 == 1000);
	assert_close(s.share_late, 0.001, 1e-15);
	/* both begin with their first request */
	assert_true(s.schedule_error.n == N && s.schedule_error.min == 0);
	summary_release(&s);
	/* gaps of 1 ms: 10 us are permitted; three requests exceed them */
	for (int i = 0; i < N; i++) {
		int64_t error = i < 3 ? 10100 : 9900;
		r[i] = request(i * 1000000, i * 1000000 + 500, 1, 0);
		x[i] = request(i * 1000000 + error, i * 1000000 + error + 500, 1, 0);
		x[i].intended_ns = r[i].begin_ns;
	}
	summarise(&s, x, N, r, N);
	assert_close(s.share_late, 0.003, 1e-12);
	summary_release(&s);
	/* only early requests: the quantiles come from the other end */
	for (int i = 0; i < N; i++)
		x[i].intended_ns = x[i].begin_ns + 1 + i;
	summarise(&s, x, N, r, N);
	assert_true(s.issue_error_p50 == -501 && s.issue_error_p99 == -11 &&
		    s.issue_error_p999 == -2);
	assert_true(s.share_late == 0);
	summary_release(&s);
}

static void test_lost_and_repeated_requests_of_a_timed_replay(void **state)
{
	(void)state;
	struct trace_record r[4], x[5];
	for (int i = 0; i < 4; i++) {
		r[i] = request(i * 100, i * 100 + 50, 1, 0);
		x[i] = request(i * 100 + 7, i * 100 + 57, 1, 0);
		x[i].intended_ns = i * 100;
	}
	x[4] = x[1]; /* the copy is far behind the time of the repeated request: no issue error */
	x[4].begin_ns += 5000;
	x[4].end_ns += 5000;
	x[0].begin_ns = x[0].end_ns = x[0].intended_ns =
	    TIME_NONE; /* nor does the loss of the first request shift the others */
	struct run_summary s;
	summarise(&s, x, 5, r, 4);
	assert_int_equal(s.n_lost, 1);
	assert_int_equal(s.n_extra, 1);
	assert_int_equal(s.response.n, 4);
	assert_int_equal(s.reorder_all.n_received, 3);
	assert_true(s.issue_error.n == 3 && s.issue_error.max == 7);
	assert_true(s.schedule_error.n == 3 && s.schedule_error.min == 0 &&
		    s.schedule_error.max == 0);
	summary_release(&s);
}

/* Lateness is limited to a hundredth of the traced gaps between replayed requests. */
static void test_skipped(void **state)
{
	(void)state;
	enum { N = 11 };
	struct trace_record r[N], x[N];
	/* the middle requests, 10 us apart, are between two requests that are 10 ms apart */
	for (int i = 0; i < N; i++) {
		int64_t t = i == 0 ? 0 : i == N - 1 ? 10000000 : 10000 * i;
		r[i] = x[i] = request(t, t + 50, 1, 0);
		x[i].begin_ns += 40000;
		x[i].end_ns += 40000;
		x[i].intended_ns = r[i].begin_ns;
		if (i == 0 || i == N - 1)
			continue;
		x[i].begin_ns = x[i].end_ns = x[i].intended_ns = TIME_NONE;
		x[i].rvalue = -1;
		x[i].error = EOPNOTSUPP;
	}
	struct run_summary s;
	summarise(&s, x, N, r, N);
	assert_int_equal(s.n_skipped, N - 2);
	assert_int_equal(s.n_lost + s.n_extra + s.n_mismatched, 0);
	assert_int_equal(s.n_failed, 0);
	assert_int_equal(s.reorder_all.n_received, 2);
	assert_true(s.share_late == 0); /* 40 us late; 1 % of a mean gap of 10 ms, not of 1 ms */
	summary_release(&s);
	/* never begun for another reason, or begun and failed with this error */
	x[3].error = ECANCELED;
	x[0].error = EOPNOTSUPP;
	x[0].rvalue = -1;
	r[5].begin_ns = r[5].end_ns = TIME_NONE; /* not issued there either */
	summarise(&s, x, N, r, N);
	assert_int_equal(s.n_lost, 1);
	assert_int_equal(s.n_skipped, N - 4);
	assert_int_equal(s.n_mismatched, 1);
	assert_int_equal(s.n_failed, 1);
	summary_release(&s);
}

/* The trace of a killed program is a valid input of a replay. */
static void test_input_without_an_end(void **state)
{
	(void)state;
	struct trace_path x_path = trace_file_path("replay"), r_path = trace_file_path("input");
	struct trace_meta meta = trace_file_meta();
	struct trace_record x[] = {request(0, 10, 1, 0), request(20, 30, 1, 0)};
	struct run_summary s;
	struct err e = ERR_INIT;
	trace_file_write(x_path.s, x, 2, &meta, false, false);
	trace_file_write(r_path.s, x, 2, &meta, false, true);
	if (summary_compute(&s, x_path.s, r_path.s, NULL, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(s.n_input, 2);
	assert_int_equal(s.n_extra + s.n_lost + s.n_mismatched, 0);
	summary_release(&s);
	unlink(x_path.s);
	unlink(r_path.s);
}

/* Far too many threads and objects for tables of a fixed size, and descriptors without objects. */
static void test_many_sequences(void **state)
{
	(void)state;
	enum { N = 20000, THREADS = 3000 };
	struct trace_record *x = calloc(N, sizeof *x);
	/* within each thread, adjacent requests are swapped; each descriptor is used once */
	for (int i = 0; i < N; i++) {
		int64_t t = i / THREADS % 2 ? i - THREADS : i + THREADS;
		x[i] = request(t * 10, t * 10 + 5, 1 + (uint32_t)i % THREADS, OBJECT_NONE);
		x[i].fd = i;
	}
	struct run_summary s;
	summarise(&s, x, N, x, N);
	assert_int_equal(s.reorder_thread.n_received, N);
	assert_int_equal(s.reorder_thread.n_reordered, THREADS * (N / THREADS / 2));
	assert_int_equal(s.reorder_thread.max_extent, 1);
	assert_int_equal(s.reorder_object.n_reordered, 0);
	assert_int_equal(s.reorder_object.n_received, N);
	assert_int_equal(s.n_mismatched, 0);
	summary_release(&s);
	free(x);
}

/* --- the distribution of long response times ----------------------------- */

enum { N_LONG = 20000 };

/* From 1 us to 16 ms, each power of two with the same probability. */
static int64_t draw_response(struct random *q)
{
	const int64_t scale = INT64_C(1000) << random_below(q, 14);
	return scale + (int64_t)random_below(q, (uint64_t)scale);
}

static double mean_of(const int64_t *t, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += (double)t[i];
	return sum / (double)n;
}

static uint64_t count_at_most(const int64_t *t, size_t n, double edge)
{
	uint64_t count = 0;
	for (size_t i = 0; i < n; i++)
		count += (double)t[i] <= edge;
	return count;
}

static void test_distribution_of_long_response_times(void **state)
{
	(void)state;
	struct random q = {2049};
	struct trace_record *x = calloc(N_LONG, sizeof *x);
	int64_t *t = calloc(N_LONG, sizeof *t);
	for (int round = 0; round < 3; round++) {
		const size_t n = round ? 101 + random_below(&q, N_LONG - 101) : N_LONG;
		struct run_summary s;
		int64_t now = 0;
		for (size_t i = 0; i < n; i++) {
			t[i] = draw_response(&q);
			x[i] = request(now, now + t[i], 1, 0);
			now += t[i];
		}
		summarise(&s, x, n, NULL, 0);
		check_halves(&s, x, n, (n + 1) / 2);
		qsort(t, n, sizeof *t, compare_ns);
		const size_t n_tail = (n + 99) / 100;
		assert_close(s.response_tail, mean_of(t + n - n_tail, n_tail), 5e-4);
		assert_close(s.response_typical, mean_of(t, 9 * n / 10), 5e-4);
		for (size_t k = 0; k < SUMMARY_N_SHAPE; k++) { /* a bucket is at most 0.1 % wide */
			const double edge = summary_shape_edge(k) * s.response_typical;
			assert_in_range(s.shape[k], count_at_most(t, n, edge * (1 - 1e-3)),
					count_at_most(t, n, edge * (1 + 1e-3)));
		}
		summary_release(&s);
	}
	free(x);
	free(t);
}

static void test_edges_of_the_shape(void **state)
{
	(void)state;
	assert_true(summary_shape_edge(0) == 1 / 64.0 &&
		    summary_shape_edge(SUMMARY_N_SHAPE - 1) == 64);
	for (size_t k = 1; k < SUMMARY_N_SHAPE; k++) {
		const double ratio = summary_shape_edge(k) / summary_shape_edge(k - 1);
		const bool near_mean =
		    summary_shape_edge(k - 1) >= 0.9 && summary_shape_edge(k) <= 1.1;
		assert_true(ratio > 1.001 && ratio < (near_mean ? 1.0051 : 1.42));
	}
}

/* --- facts --------------------------------------------------------------- */

static int compute_with_extra(struct run_summary *s, const char *extra_json, struct err *e)
{
	struct trace_meta meta = trace_file_meta();
	struct trace_path path = trace_file_path("facts");
	struct trace_record x = request(0, 10, 1, 0);
	meta.extra_json = extra_json;
	meta.n_events_lost = 17;
	meta.cut = strstr(extra_json, "\"cut\"") != NULL;
	trace_file_write(path.s, &x, 1, &meta, false, false);
	int rc = summary_compute(s, path.s, NULL, NULL, e);
	unlink(path.s);
	return rc;
}

static void test_facts(void **state)
{
	(void)state;
	struct run_facts f = {
	    .wall_ns = 5, .cpu_user_ns = 6, .steal_ns = -1, .n_minor_faults = 7, .runqueue_wait_ns = 8};
	struct run_summary s;
	struct err e = ERR_INIT;
	json_t *o = json_pack("{s:o, s:s}", "facts", run_facts_to_json(&f), "more", "of it");
	char *text = json_dumps(o, 0);
	assert_int_equal(compute_with_extra(&s, text, &e), 0);
	assert_true(s.has_facts);
	assert_memory_equal(&s.facts, &f, sizeof f);
	assert_int_equal(s.n_events_lost, 17);
	summary_release(&s);
	free(text);
	json_decref(o);
	assert_int_equal(s.n_cut, 0);
	assert_int_equal(compute_with_extra(&s, "{\"other\": \"cut\"}", &e), 0);
	assert_false(s.has_facts);
	assert_int_equal(s.n_cut, 1);
	assert_int_equal(s.n_programs_unseen, 0);
	summary_release(&s);
	assert_int_equal(
	    compute_with_extra(&s,
			       "{\"capture\": {\"programs_unseen\": 1, \"programs_own_calls\": 2, "
			       "\"programs_own_rings\": -5}}",
			       &e),
	    0);
	assert_int_equal(s.n_programs_unseen, 3);
	assert_int_equal(s.n_requests_unseen, 0);
	summary_release(&s);
	assert_int_equal(compute_with_extra(&s,
					    "{\"capture\": {\"ring_entries\": 1, \"n_rings\": 2, "
					    "\"n_ring_unread\": 4, \"n_unshown\": 8, "
					    "\"n_handed_over\": 16, \"interrupted\": true}}",
					    &e),
			 0);
	assert_int_equal(s.n_programs_unseen, 0);
	assert_int_equal(s.n_requests_unseen, 32);
	summary_release(&s);
	/* facts that do not mean missing requests, such as the umask, do not count */
	assert_int_equal(compute_with_extra(&s,
					    "{\"capture\": {\"n_untraced\": 1, \"n_filtered\": 2, "
					    "\"n_reopened\": 4, \"n_cut_off\": 8, "
					    "\"n_unknown_fd\": 16, \"n_unnamed\": 32, "
					    "\"n_unknown_descriptors\": 64, \"n_outlived\": 128, "
					    "\"n_unread\": 256, \"n_umask_unknown\": 1000}}",
					    &e),
			 0);
	assert_int_equal(s.n_requests_unseen, 511);
	summary_release(&s);
	assert_int_equal(compute_with_extra(&s, "{\"facts\": {\"wall_ns\": \"x\"}}", &e), -EINVAL);
	assert_non_null(strstr(e.msg, "facts:")); /* the trace's name in front */
}

/* A trace lacks asynchronous requests that were submitted according to it, or their results. Its
 * input decides this for a replay. */
static void test_asynchronous_requests_missing(void **state)
{
	(void)state;
	static const struct {
		uint16_t op;
		int64_t rvalue;
		bool ended;
	} call[] = {{OP_IO_SUBMIT, 3, true},	   {OP_IO_SUBMIT, -1, true},
		    {OP_IO_URING_ENTER, 0, true},  {OP_IO_URING_ENTER, 2, true},
		    {OP_AIO_READ, 512, true},	   {OP_AIO_WRITE, 0, false},
		    {OP_AIO_OTHER, 0, false}};
	static const struct {
		size_t from, n;
		uint64_t missing;
	} part[] = {{0, 1, 1} /* a call without its requests */,
		    {1, 2, 0} /* calls that submit nothing */,
		    {3, 1, 1},
		    {4, 1, 0},
		    {4, 3, 1} /* a result */,
		    {0, 5, 2} /* two of three requests */,
		    {5, 1, 0} /* no request has a result, because results were not recorded */};
	for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
		struct trace_meta meta = trace_file_meta();
		struct trace_path path = trace_file_path("async");
		struct trace_record x[8];
		struct run_summary s;
		struct err e = ERR_INIT;
		for (size_t k = 0; k < part[i].n; k++) {
			const size_t c = part[i].from + k;
			x[k] = request((int64_t)k * 100, (int64_t)k * 100 + 10, 1, 0);
			x[k].op = call[c].op;
			x[k].rvalue = call[c].rvalue;
			x[k].length = call[c].op == OP_IO_URING_ENTER ? (uint64_t)call[c].rvalue
								      : 512;
			if (!call[c].ended)
				x[k].end_ns = TIME_NONE;
		}
		trace_file_write(path.s, x, part[i].n, &meta, false, false);
		assert_int_equal(summary_compute(&s, path.s, NULL, NULL, &e), 0);
		assert_int_equal(s.n_requests_unseen, part[i].missing);
		summary_release(&s);
		unlink(path.s);
	}
}

/* --- traces that are no runs --------------------------------------------- */

static void expect_error(const char *trace, const char *input, int code, const char *part)
{
	struct run_summary s, empty;
	struct err e = ERR_INIT;
	memset(&empty, 0, sizeof empty);
	int rc = summary_compute(&s, trace, input, NULL, &e);
	if (rc != -code || !strstr(e.msg, part) || !strstr(e.msg, trace_file_path("").s))
		fail_msg("%d, not %d \"%s\": %s", rc, -code, part, e.msg);
	assert_memory_equal(&s, &empty, sizeof s);
}

static void test_no_runs(void **state)
{
	(void)state;
	struct trace_path path_bad = trace_file_path("bad"), path_good = trace_file_path("good");
	const char *path = path_bad.s, *good = path_good.s;
	struct trace_meta meta = trace_file_meta();
	struct trace_record x[] = {request(0, 10, 1, 0), request(20, 19, 1, 0),
				   request(30, 40, 1, 0)};
	trace_file_write(good, &x[2], 1, &meta, false, false);
	trace_file_write(path, x, 0, &meta, false, false);
	expect_error(path, NULL, ENODATA, "no request");
	expect_error(path, good, ENOMSG, "no request");
	trace_file_write(path, x, 3, &meta, false, false);
	expect_error(path, NULL, EINVAL,
		     "1 of 3 requests have negative response times; the first is record 1 (pread from "
		     "20 ns to 19");
	trace_file_write(path, &x[2], 1, &meta, false, true);
	expect_error(path, NULL, ENODATA, "killed");
	expect_error(path, good, ENODATA, "killed");
	x[0].begin_ns = x[0].end_ns = TIME_NONE;
	trace_file_write(path, x, 1, &meta, false, false);
	expect_error(path, NULL, ENODATA, "was issued and completed");
	unlink(path);
	expect_error(path, NULL, ENOENT, "bad");
	expect_error(good, path, ENOENT, "bad");
	FILE *f = fopen(path, "w");
	fputs("this is no trace at all, however long one looks at it; it is just some words\n", f);
	fclose(f);
	struct run_summary s;
	struct err e = ERR_INIT;
	assert_true(summary_compute(&s, path, NULL, NULL, &e) < 0);
	assert_true(summary_compute(&s, good, path, NULL, &e) < 0);
	unlink(path);
	unlink(good);
}

/* Every changed byte and every truncation gives either the same summary (the byte was not needed)
 * or an error, and never another summary. */
static void test_damage(void **state)
{
	(void)state;
	struct trace_path damaged = trace_file_path("damaged");
	const char *path = damaged.s;
	struct trace_meta meta = trace_file_meta();
	struct trace_record x[40];
	struct run_summary s;
	struct err e = ERR_INIT;
	for (int i = 0; i < 40; i++)
		x[i] = request(i * 10, i * 10 + 7 + i % 3, 1, 0);
	trace_file_write(path, x, 40, &meta, false, false);
	int fd = open(path, O_RDWR);
	struct stat st;
	assert_int_equal(fstat(fd, &st), 0);
	size_t n_errors = 0;
	for (off_t at = 0; at < st.st_size; at++) {
		unsigned char byte, changed;
		assert_int_equal(pread(fd, &byte, 1, at), 1);
		changed = byte ^ 0x10;
		assert_int_equal(pwrite(fd, &changed, 1, at), 1);
		int rc = summary_compute(&s, path, NULL, NULL, &e);
		n_errors += rc != 0;
		if (!rc) {
			assert_int_equal(s.response.n, 40);
			assert_int_equal(s.execution_ns, 397);
			summary_release(&s);
		}
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	assert_true(n_errors > 40 * sizeof *x); /* at least each byte of each record */
	for (off_t size = st.st_size - 1; size >= 0; size -= 13) {
		assert_int_equal(ftruncate(fd, size), 0);
		assert_true(summary_compute(&s, path, NULL, NULL, &e) < 0);
	}
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_runs_by_definition),
	    cmocka_unit_test(test_operations_and_bytes),
	    cmocka_unit_test(test_results_that_may_differ),
	    cmocka_unit_test(test_requests_the_input_did_not_issue),
	    cmocka_unit_test(test_classes_of_lateness),
	    cmocka_unit_test(test_issue_error),
	    cmocka_unit_test(test_lost_and_repeated_requests_of_a_timed_replay),
	    cmocka_unit_test(test_skipped),
	    cmocka_unit_test(test_input_without_an_end),
	    cmocka_unit_test(test_many_sequences),
	    cmocka_unit_test(test_distribution_of_long_response_times),
	    cmocka_unit_test(test_edges_of_the_shape),
	    cmocka_unit_test(test_facts),
	    cmocka_unit_test(test_asynchronous_requests_missing),
	    cmocka_unit_test(test_no_runs),
	    cmocka_unit_test(test_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
