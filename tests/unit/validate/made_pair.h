/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random pairs of a reference and a replay, in memory and as files, and the metrics of such a pair
 * in a plain computation. */
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/validate/random.h"
#include "tests/unit/validate/trace_file.h"
#include "validate/metrics/metrics.h"
#include "tests/model/concurrency.h"
#include "tests/model/reorder.h"

enum { MAX_N = 700 };

struct made {
	struct trace_record r[MAX_N], x[MAX_N + 20];
	size_t n, n_x; /* x[i] replays r[i]; x beyond n is extra */
	size_t place[MAX_N]; /* index of x[i] in its file */
	size_t n_lost;
};

static inline void make(struct random *q, struct made *m, size_t n_max, bool losses)
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
		m->place[i] = i;
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

static inline void write_pair(const struct made *m, const struct trace_path *r,
			      const struct trace_path *x)
{
	struct trace_meta meta = trace_file_meta();
	trace_file_write(r->s, m->r, m->n, &meta, false, false);
	trace_file_write(x->s, m->x, m->n_x, &meta, true, false);
}

static inline void compute(struct metrics *m, const struct trace_path *r,
			   const struct trace_path *x, const struct metrics_options *o)
{
	struct err e = ERR_INIT;
	struct metrics_origin a = metrics_file(r->s), b = metrics_file(x->s);
	if (metrics_compute(m, &a, &b, o, &e))
		fail_msg("%s", e.msg);
}

/* --- the plain computation ----------------------------------------------------- */

struct event {
	int64_t time;
	size_t place;
	uint64_t s;
};

static inline int compare_events(const void *x, const void *y)
{
	const struct event *a = x, *b = y;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return a->s < b->s ? -1 : a->s > b->s;
}

/* Reordering of the requests for which `mine` holds, numbered from 1 in the order of the reference;
 * requests with equal times in the order of the file. */
static inline void order_of(const struct made *m, bool at_completion, enum order_scope scope,
			    uint32_t which, struct reorder *r)
{
	struct event v[MAX_N];
	uint64_t s[MAX_N], bytes[MAX_N], by_number[MAX_N + 1], number = 0;
	int64_t time[MAX_N];
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++) {
		uint32_t of = scope == SCOPE_OBJECT   ? m->r[i].object
			      : scope == SCOPE_THREAD ? m->r[i].tid
						      : which;
		if (of != which)
			continue;
		by_number[++number] = (uint64_t)m->x[i].rvalue;
		if (m->x[i].begin_ns != TIME_NONE)
			v[n++] = (struct event){at_completion ? m->x[i].end_ns : m->x[i].begin_ns,
						m->place[i], number};
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

static inline void sums_add(struct sums *t, const struct reorder *r)
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

static inline void check_order(const struct made *made, const struct metrics *m)
{
	for (int k = 0; k < 2 * SCOPE_N; k++) {
		enum order_scope scope = (enum order_scope)(k / 2);
		const struct disorder_total *t =
		    &m->order[k % 2 ? POINT_COMPLETE : POINT_ISSUE].total[scope];
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

static inline void check_levels(const struct trace_record *r, size_t n,
				const struct metrics_side *s)
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
		assert_int_equal(s->concurrency.requests_at_level[level],
				 l.total.requests_at_level[level]);
	}
	for (size_t i = 0; i < k; i++)
		if (!isnan(l.lifetime[i])) {
			sum += l.lifetime[i];
			n_lives++;
		}
	assert_int_equal(s->n_lifetimes, n_lives);
	if (n_lives)
		assert_true(fabs(s->mean_lifetime_level - sum / (double)n_lives) <
			    1e-9 * sum / (double)n_lives);
	concurrency_levels_release(&l);
}

static inline void check_tally(const struct made *made, const struct metrics *m)
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
	assert_true(fabs(moment_sum_result(&m->schedule.sum, m->schedule_rest_ns).mean -
			 (sum / (double)n - (double)shift)) < 1e-6);
	assert_true(fabs(moment_sum_result(&m->issue_error.sum, 0).mean - issue / (double)n) <
		    1e-6);
	assert_int_equal(m->replay.response[OP_PREAD].sum.n, n + m->n_extra);
}

static inline struct metrics_options options_by(enum metrics_match match, uint64_t bt,
						unsigned int n_threads, bool tiny)
{
	struct metrics_options o = METRICS_DEFAULTS;
	o.match = match;
	o.bt = bt;
	o.n_threads = n_threads;
	if (tiny)
		o.sorting = (struct arrivals_options){8, 16, 2000, NULL};
	return o;
}
