/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of trace files, random and made to be wrong: the metrics of a pair by number, by key, in one thread and two, with
 * windows large and tiny, against plain computations on the requests in memory. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/validate/random.h"
#include "tests/unit/validate/trace_file.h"
#include "validate/metrics/levels.h"
#include "validate/metrics/metrics.h"
#include "validate/metrics/reorder.h"

enum { MAX_N = 700 };

struct made {
	struct trace_record r[MAX_N], x[MAX_N + 20];
	size_t n, n_x; /* x[i] replays r[i]; x beyond n is extra */
	size_t n_lost;
};

static void make(struct random *q, struct made *m, size_t n_max, bool losses)
{
	int64_t now = 1000;
	size_t disorder = random_below(q, 3) ? random_below(q, 30) : 1000;
	m->n = 2 + random_below(q, n_max - 2);
	m->n_lost = 0;
	for (size_t i = 0; i < m->n; i++) {
		now += (int64_t)random_below(q, 50);
		m->r[i] = (struct trace_record){.seq = i,
						.begin_ns = now,
						.end_ns = now + (int64_t)random_below(q, 400),
						.intended_ns = TIME_NONE,
						.dispatch_ns = TIME_NONE,
						.offset = 512 * i, /* a key of its own */
						.length = 512,
						.rvalue = 512,
						.pid = 7,
						.tid = 8 + (uint32_t)random_below(q, 3),
						.object = (uint32_t)random_below(q, TRACE_N_OBJECTS),
						.fd = 3,
						.heap = HEAP_NONE,
						.op = OP_PREAD};
		m->x[i] = m->r[i];
		m->x[i].begin_ns = now + 5000 + (int64_t)random_below(q, 1 + 25 * disorder);
		m->x[i].end_ns = m->x[i].begin_ns + (int64_t)random_below(q, 500);
		m->x[i].intended_ns = now + 5000;
		m->x[i].rvalue = random_below(q, 3) ? 512 : 100;
		if (losses && i && !random_below(q, 9)) {
			m->x[i].begin_ns = m->x[i].end_ns = TIME_NONE;
			m->n_lost++;
		}
	}
	m->n_x = m->n;
	for (size_t i = losses ? random_below(q, 4) : 0; i--; m->n_x++) {
		m->x[m->n_x] = m->r[random_below(q, m->n)];
		m->x[m->n_x].begin_ns += 6000;
		m->x[m->n_x].end_ns += 6000;
	}
}

static void write_pair(const struct made *m, const struct trace_path *r, const struct trace_path *x)
{
	struct trace_meta meta = trace_file_meta();
	trace_file_write(r->s, m->r, m->n, &meta, false, false);
	trace_file_write(x->s, m->x, m->n_x, &meta, true, false);
}

static void compute(struct metrics *m, const struct trace_path *r, const struct trace_path *x,
		    const struct metrics_options *o)
{
	struct err e = ERR_INIT;
	struct metrics_origin a = metrics_file(r->s), b = metrics_file(x->s);
	if (metrics_compute(m, &a, &b, o, &e))
		fail_msg("%s", e.msg);
}

/* --- the plain way -------------------------------------------------------------------------------------------------- */

struct event {
	int64_t time;
	uint64_t s;
};

static int compare_events(const void *x, const void *y)
{
	const struct event *a = x, *b = y;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->s < b->s ? -1 : a->s > b->s;
}

/* Reordering of the requests for which `mine` holds, numbered from 1 in the order of the reference, ties in time in the
 * order of the file. */
static void order_of(const struct made *m, bool at_completion, enum order_scope scope, uint32_t which, struct reorder *r)
{
	struct event v[MAX_N];
	uint64_t s[MAX_N], bytes[MAX_N], by_number[MAX_N + 1], number = 0;
	int64_t time[MAX_N];
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++) {
		uint32_t of = scope == SCOPE_OBJECT ? m->r[i].object : scope == SCOPE_THREAD ? m->r[i].tid : which;
		if (of != which)
			continue;
		by_number[++number] = (uint64_t)m->x[i].rvalue;
		if (m->x[i].begin_ns != TIME_NONE)
			v[n++] = (struct event){at_completion ? m->x[i].end_ns : m->x[i].begin_ns, number};
	}
	qsort(v, n, sizeof *v, compare_events);
	for (size_t i = 0; i < n; i++) {
		s[i] = v[i].s;
		time[i] = v[i].time;
		bytes[i] = by_number[v[i].s];
	}
	assert_int_equal(reorder_analyse(r, s, bytes, time, n, NULL), 0);
}

struct sums {
	uint64_t n, n_reordered, n_discontinuities, n_sequence, q, inversions, descents;
	int64_t extent, late, bytes;
};

static void sums_add(struct sums *t, const struct reorder *r)
{
	t->n += r->n;
	t->n_reordered += r->n_reordered;
	t->n_discontinuities += r->n_discontinuities;
	t->n_sequence += r->n_sequence_discontinuities;
	t->q += r->runs_q;
	t->descents += r->n_descents;
	t->inversions += order_distance(r->s, r->n).inversions;
	for (size_t i = 0; i < r->n_reordered; i++) {
		t->extent += (int64_t)(r->reordered[i].i - r->reordered[i].j);
		t->late += r->reordered[i].late;
		t->bytes += (int64_t)r->reordered[i].byte_offset;
	}
}

static void check_order(const struct made *made, const struct metrics *m)
{
	for (int k = 0; k < 2 * SCOPE_N; k++) {
		enum order_scope scope = (enum order_scope)(k / 2);
		const struct disorder_total *t = &m->order[k % 2 ? POINT_COMPLETE : POINT_ISSUE].total[scope];
		struct sums x = {0};
		for (uint32_t which = 0; which < (scope == SCOPE_ALL ? 1 : 12); which++) {
			struct reorder r;
			order_of(made, k % 2, scope, which, &r);
			sums_add(&x, &r);
			reorder_release(&r);
		}
		assert_int_equal(t->n_received, x.n);
		assert_int_equal(t->n_lost, made->n_lost);
		assert_int_equal(t->n_reordered, x.n_reordered);
		assert_int_equal(t->n_discontinuities, x.n_discontinuities);
		assert_int_equal(t->n_sequence_discontinuities, x.n_sequence);
		assert_int_equal(t->runs_q, x.q);
		assert_int_equal(t->n_descents, x.descents);
		assert_int_equal(t->inversions, x.inversions);
		assert_int_equal((int64_t)t->extent.sum.sum, x.extent);
		assert_int_equal((int64_t)t->late_ns.sum.sum, x.late);
		assert_int_equal((int64_t)t->byte_offset.sum.sum, x.bytes);
		assert_false(t->needs_bt);
	}
}

static void check_levels(const struct trace_record *r, size_t n, const struct metrics_side *s)
{
	struct concurrency_levels l;
	int64_t begin[MAX_N + 20], end[MAX_N + 20];
	size_t k = 0, n_lives = 0;
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		if (r[i].begin_ns != TIME_NONE) {
			begin[k] = r[i].begin_ns;
			end[k++] = r[i].end_ns;
		}
	assert_int_equal(concurrency_levels(&l, begin, end, k, NULL), 0);
	assert_int_equal(s->concurrency.highest, l.total.highest);
	for (size_t level = 0; level <= l.total.highest; level++) {
		assert_int_equal(s->concurrency.ns_at_level[level], l.total.ns_at_level[level]);
		assert_int_equal(s->concurrency.requests_at_level[level], l.total.requests_at_level[level]);
	}
	for (size_t i = 0; i < k; i++)
		if (!isnan(l.lifetime[i])) {
			sum += l.lifetime[i];
			n_lives++;
		}
	assert_int_equal(s->n_lifetimes, n_lives);
	if (n_lives)
		assert_true(fabs(s->mean_lifetime_level - sum / (double)n_lives) < 1e-9 * sum / (double)n_lives);
	concurrency_levels_release(&l);
}

static void check_tally(const struct made *made, const struct metrics *m)
{
	uint64_t n_mismatched = 0;
	int64_t shift = 0, first_r = INT64_MAX, first_x = INT64_MAX;
	double sum = 0, issue = 0;
	size_t n = 0;
	for (size_t i = 0; i < made->n; i++) {
		const struct trace_record *r = &made->r[i], *x = &made->x[i];
		if (x->begin_ns == TIME_NONE)
			continue;
		n_mismatched += r->rvalue != x->rvalue;
		first_r = r->begin_ns < first_r ? r->begin_ns : first_r;
		first_x = x->begin_ns < first_x ? x->begin_ns : first_x;
		sum += (double)(x->begin_ns - r->begin_ns);
		issue += (double)(x->begin_ns - x->intended_ns);
		n++;
	}
	shift = first_x - first_r;
	assert_int_equal(m->n_matched, n);
	assert_int_equal(m->n_lost, made->n_lost);
	assert_int_equal(m->n_extra, made->n_x - made->n);
	assert_int_equal(m->n_mismatched, n_mismatched);
	assert_int_equal(m->schedule_shift_ns + m->schedule_rest_ns, shift);
	assert_true(fabs(moment_sum_result(&m->schedule.sum, m->schedule_rest_ns).mean - (sum / (double)n - (double)shift)) <
		    1e-6);
	assert_true(fabs(moment_sum_result(&m->issue_error.sum, 0).mean - issue / (double)n) < 1e-6);
	assert_int_equal(m->replay.response[OP_PREAD].sum.n, n + m->n_extra);
}

/* --- by number ------------------------------------------------------------------------------------------------------ */

static struct metrics_options options_by(enum metrics_match match, uint64_t bt, unsigned int n_threads, bool tiny)
{
	struct metrics_options o = METRICS_DEFAULTS;
	o.match = match;
	o.bt = bt;
	o.n_threads = n_threads;
	if (tiny)
		o.sorting = (struct arrivals_options){8, 16, 2000, NULL};
	return o;
}

static void test_by_number(void **state)
{
	(void)state;
	struct trace_path r = trace_file_path("reference.trace"), x = trace_file_path("replay.trace");
	struct random q = {2026};
	static struct made made;
	static struct metrics m;
	for (int round = 0; round < 120; round++) {
		bool losses = round % 2;
		make(&q, &made, round < 60 ? 40 : MAX_N, losses);
		write_pair(&made, &r, &x);
		struct metrics_options o = options_by(MATCH_NUMBER, round % 4 < 2 ? DENSITY_UNBOUNDED : 9,
						      1 + (unsigned int)round / 2 % 2, round % 3 == 0);
		compute(&m, &r, &x, &o);
		check_tally(&made, &m);
		check_order(&made, &m);
		check_levels(made.r, made.n, &m.reference);
		check_levels(made.x, made.n_x, &m.replay);
		metrics_release(&m);
	}
}

/* --- by key --------------------------------------------------------------------------------------------------------- */

static int compare_begins(const void *x, const void *y)
{
	const struct trace_record *a = x, *b = y;
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* A replay that knows no numbers: in the order of its begins, other processes, what was lost is not there. */
static void test_by_key(void **state)
{
	(void)state;
	struct trace_path r = trace_file_path("reference.trace"), x = trace_file_path("replay.trace");
	struct trace_meta meta = trace_file_meta();
	struct random q = {77};
	static struct made made;
	static struct metrics m;
	for (int round = 0; round < 80; round++) {
		struct trace_record x_file[MAX_N];
		size_t n = 0;
		make(&q, &made, round < 40 ? 40 : MAX_N, round % 2);
		made.n_x = made.n; /* a repeated request has the key of another: which of them is extra is open */
		for (size_t i = 0; i < made.n; i++) {
			if (made.x[i].begin_ns == TIME_NONE)
				continue;
			x_file[n] = made.x[i];
			x_file[n].pid = 99;
			x_file[n++].tid = 99;
		}
		qsort(x_file, n, sizeof *x_file, compare_begins);
		trace_file_write(r.s, made.r, made.n, &meta, false, false);
		trace_file_write(x.s, x_file, n, &meta, true, false);
		struct metrics_options o = options_by(MATCH_AUTO, 9, 1 + (unsigned int)round / 2 % 2, round % 3 == 0);
		compute(&m, &r, &x, &o);
		assert_int_equal(m.match, MATCH_KEY);
		assert_int_equal(m.n_ambiguous_keys, 0);
		check_tally(&made, &m);
		check_order(&made, &m);
		check_levels(made.x, made.n, &m.replay);
		metrics_release(&m);
	}
}

static void test_ambiguous_keys(void **state)
{
	(void)state;
	struct trace_path r = trace_file_path("reference.trace"), x = trace_file_path("replay.trace");
	struct random q = {5};
	static struct made made;
	static struct metrics m;
	make(&q, &made, 20, false);
	made.n = made.n_x = 7;
	for (size_t i = 0; i < 7; i++) { /* three times one key, twice another, two of their own; one extra, one lost */
		made.r[i].offset = i < 3 ? 0 : i < 5 ? 512 : 512 * i;
		made.r[i].object = made.x[i].object = 1;
		made.x[i].offset = made.r[i].offset;
	}
	made.x[6].offset = 0;
	write_pair(&made, &r, &x);
	struct metrics_options o = options_by(MATCH_KEY, 9, 1, false);
	compute(&m, &r, &x, &o);
	assert_int_equal(m.n_ambiguous_keys, 2);
	assert_int_equal(m.n_ambiguous_requests, 5);
	assert_int_equal(m.n_matched, 6);
	assert_int_equal(m.n_lost, 1);
	assert_int_equal(m.n_extra, 1);
	metrics_release(&m);
}

/* The reference's file need not be in the order of its begins. */
static void test_reference_out_of_order(void **state)
{
	(void)state;
	struct trace_path r = trace_file_path("reference.trace"), x = trace_file_path("replay.trace");
	struct random q = {31};
	static struct made made, shuffled;
	static struct metrics a, b;
	for (int round = 0; round < 40; round++) {
		make(&q, &made, MAX_N, round % 2);
		for (size_t i = 1; i < made.n; i++) /* no ties: their order would be another one in the other file */
			made.r[i].begin_ns += made.r[i].begin_ns <= made.r[i - 1].begin_ns
						  ? made.r[i - 1].begin_ns - made.r[i].begin_ns + 1
						  : 0;
		for (size_t i = 0; i < made.n; i++) {
			made.r[i].end_ns = made.r[i].begin_ns + 3;
			if (made.x[i].begin_ns != TIME_NONE) {
				made.x[i].begin_ns = made.x[i].begin_ns * 1000 + (int64_t)i;
				made.x[i].end_ns = made.x[i].end_ns * 1000 + (int64_t)i;
			}
		}
		struct metrics_options o = options_by(MATCH_NUMBER, 9, 2, round % 3 == 0);
		write_pair(&made, &r, &x);
		compute(&a, &r, &x, &o);
		shuffled = made;
		for (size_t i = 0; i < 50; i++) {
			size_t j = random_below(&q, made.n), k = random_below(&q, made.n);
			struct trace_record t = shuffled.r[j], u = shuffled.x[j];
			shuffled.r[j] = shuffled.r[k];
			shuffled.x[j] = shuffled.x[k];
			shuffled.r[k] = t;
			shuffled.x[k] = u;
		}
		write_pair(&shuffled, &r, &x);
		compute(&b, &r, &x, &o);
		for (int s = 0; s < SCOPE_N; s++) {
			const struct disorder_total *t = &a.order[POINT_ISSUE].total[s], *u = &b.order[POINT_ISSUE].total[s];
			assert_int_equal(t->n_reordered, u->n_reordered);
			assert_int_equal(t->inversions, u->inversions);
			assert_int_equal(t->displacement_sum, u->displacement_sum);
			assert_int_equal(t->occupancy_sum, u->occupancy_sum);
			assert_int_equal(t->n_sequence_discontinuities, u->n_sequence_discontinuities);
		}
		assert_int_equal(a.n_mismatched, b.n_mismatched);
		assert_int_equal(a.replay.concurrency.highest, b.replay.concurrency.highest);
		metrics_release(&a);
		metrics_release(&b);
	}
}

/* --- what is wrong -------------------------------------------------------------------------------------------------- */

static int status_of(const struct trace_path *r, const struct trace_path *x, bool lenient, struct metrics *m, struct err *e)
{
	struct metrics_origin a = metrics_file(r->s), b = metrics_file(x->s);
	struct metrics_options o = METRICS_DEFAULTS;
	o.match = MATCH_NUMBER;
	o.lenient = lenient;
	err_clear(e);
	return metrics_compute(m, &a, &b, &o, e);
}

static void test_bad_traces(void **state)
{
	(void)state;
	struct trace_path r = trace_file_path("reference.trace"), x = trace_file_path("replay.trace");
	struct trace_meta meta = trace_file_meta();
	struct random q = {8};
	struct err e = ERR_INIT;
	static struct made made;
	static struct metrics m;
	make(&q, &made, 40, false);
	made.x[1].end_ns = made.x[1].begin_ns - 1;
	write_pair(&made, &r, &x);
	assert_int_equal(status_of(&r, &x, false, &m, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "replay.trace: record 1 (pread"));
	assert_int_equal(status_of(&r, &x, true, &m, &e), 0);
	assert_int_equal(m.replay.n_negative, 1);
	assert_int_equal(m.replay.first_negative, 1);
	assert_int_equal(m.replay.response[OP_PREAD].sum.n, made.n - 1);
	metrics_release(&m);

	trace_file_write(x.s, made.r, made.n, &meta, false, true); /* killed */
	assert_int_equal(status_of(&r, &x, false, &m, &e), -ENODATA);
	assert_int_equal(status_of(&r, &x, true, &m, &e), 0);
	assert_false(m.replay.complete);
	metrics_release(&m);

	trace_file_write(x.s, made.r, 0, &meta, false, false); /* empty */
	assert_int_equal(status_of(&r, &x, false, &m, &e), -ENODATA);
	assert_non_null(strstr(e.msg, "replay.trace"));
	assert_int_equal(status_of(&x, &r, false, &m, &e), -ENODATA);

	made.r[2].tid = made.r[1].tid; /* a clock that goes backwards */
	made.r[2].begin_ns = made.r[1].begin_ns - 10;
	trace_file_write(x.s, made.r, made.n, &meta, false, false);
	trace_file_write(r.s, made.r, made.n, &meta, false, false);
	assert_int_equal(status_of(&r, &x, false, &m, &e), 0);
	assert_int_equal(m.reference.n_backwards, 1);
	assert_int_equal(m.reference.first_backwards, 2);
	metrics_release(&m);
}

static void test_a_trace_with_itself(void **state)
{
	(void)state;
	struct trace_path r = trace_file_path("reference.trace"), x = trace_file_path("replay.trace");
	struct random q = {12};
	static struct made made;
	static struct metrics m;
	make(&q, &made, MAX_N, false);
	write_pair(&made, &r, &x);
	struct metrics_options o = options_by(MATCH_AUTO, DENSITY_UNBOUNDED, 2, false);
	compute(&m, &r, &r, &o);
	assert_int_equal(m.n_matched, made.n);
	assert_int_equal(m.n_mismatched + m.n_lost + m.n_extra, 0);
	for (int s = 0; s < SCOPE_N; s++)
		assert_int_equal(m.order[POINT_ISSUE].total[s].n_reordered, 0);
	for (int w = 0; w < 3; w++)
		assert_true(levels_distance(&m.reference.concurrency, &m.replay.concurrency, (enum levels_weight)w).area == 0);
	assert_true(metrics_execution_ns(&m.reference) == metrics_execution_ns(&m.replay));
	metrics_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_by_number),
	    cmocka_unit_test(test_by_key),
	    cmocka_unit_test(test_ambiguous_keys),
	    cmocka_unit_test(test_reference_out_of_order),
	    cmocka_unit_test(test_bad_traces),
	    cmocka_unit_test(test_a_trace_with_itself),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
