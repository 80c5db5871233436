/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of traces with any records: results must not depend on threads and windows, and must add
 * up.
 *
 * Input: four bytes of options, then records of eight bytes, alternately of the reference and of
 * the replay or not (third byte): step of the start, duration, thread, object, offset, operation
 * and result, flags. */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "validate/metrics/metrics.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_N = 400, RECORD_BYTES = 8 };

struct made {
	struct trace_record r[MAX_N];
	size_t n;
	bool done;
};

static int made_next(void *context, const struct trace_record **r, size_t *n, struct err *e)
{
	struct made *m = context;
	(void)e;
	*r = m->r;
	*n = m->done ? 0 : m->n;
	m->done = true;
	return *n > 0;
}

static int made_open(const struct metrics_origin *o, struct metrics_source *s, struct err *e)
{
	(void)e;
	struct made *m = malloc(sizeof *m);
	assert(m);
	memcpy(m, o->context, sizeof *m);
	*s = (struct metrics_source){.name = o->name, .context = m, .next = made_next, .close = free};
	return 0;
}

static void made_add(struct made *m, const uint8_t *p, int64_t *now_ns)
{
	static const enum trace_op ops[] = {OP_PREAD, OP_PWRITE, OP_OPEN, OP_FSYNC};
	/* long durations are rare, because their histograms take most of the time */
	const int64_t steps[] = {1, 16, 1000, p[3] == 77 ? INT64_C(1) << 55 : 5};
	struct trace_record *r = &m->r[m->n];
	int64_t step = (int8_t)p[0] * steps[p[7] & 3],
		duration = (int8_t)p[1] * steps[p[7] >> 2 & 3];
	if (*now_ns + step > -TRACE_TIME_MAX / 2 && *now_ns + step < TRACE_TIME_MAX / 2)
		*now_ns += step;
	*r = (struct trace_record){.seq = m->n,
				   .begin_ns = *now_ns,
				   .end_ns = *now_ns + duration / ((p[7] & 0x40) ? 1 : 128),
				   .intended_ns = p[4] & 1 ? *now_ns - p[0] : TIME_NONE,
				   .dispatch_ns = p[4] & 2 ? *now_ns + p[1] : TIME_NONE,
				   .offset = p[4] >> 2,
				   .length = 1,
				   .rvalue = (int8_t)p[5],
				   .pid = 1,
				   .tid = p[2] & 15,
				   .object = p[3] & 128 ? OBJECT_NONE : p[3] & 7,
				   .fd = p[3] >> 4,
				   .heap = HEAP_NONE,
				   .op = (uint16_t)ops[p[6] & 3],
				   .error = p[6] & 4 ? 5 : 0,
				   .commit = TRACE_COMMIT};
	if ((p[6] & 0xf0) == 0x10)
		r->end_ns = TIME_NONE;
	if ((p[6] & 0xf0) == 0x20) { /* never begun: lost, or skipped */
		r->begin_ns = r->end_ns = TIME_NONE;
		r->error = p[6] & 8 ? EOPNOTSUPP : r->error;
	}
	m->n++;
}

static void check_sum(const struct metrics *m)
{
	for (int point = 0; point < POINT_N; point++)
		for (int s = 0; s < SCOPE_N && m->order[point].observed; s++) {
			const struct disorder_total *t = &m->order[point].total[s];
			assert(t->n_reordered <= t->n_received && t->n_moves <= t->n_received);
			assert(t->inversions <= t->n_pairs && t->n_displaced <= t->n_received);
			assert(t->extent.sum.n == t->n_reordered && t->runs_a <= t->runs_p);
			assert(t->n_received <= m->n_matched);
		}
	assert(m->n_matched + m->n_extra <= m->replay.n_issued);
	assert(m->n_matched + m->n_lost <= m->reference.n_issued);
	assert(m->n_skipped + m->reference.n_issued <= m->reference.n_records);
	if (m->parts & PART_CONCURRENCY) {
		int64_t ns = 0;
		for (size_t c = 0; c <= m->replay.concurrency.highest; c++)
			ns += m->replay.concurrency.ns_at_level[c];
		assert(ns == m->replay.concurrency.last_ns - m->replay.concurrency.first_ns);
	}
}

static bool same_moments(const struct moment_sum *a, const struct moment_sum *b)
{
	return a->n == b->n && a->sum == b->sum && a->sum_sq == b->sum_sq && a->min == b->min &&
	       a->max == b->max;
}

static void check_same_order(const struct disorder_total *t, const struct disorder_total *u)
{
	assert(t->n_received == u->n_received && t->n_lost == u->n_lost &&
	       t->n_reordered == u->n_reordered);
	assert(t->n_discontinuities == u->n_discontinuities && t->inversions == u->inversions);
	assert(t->n_sequence_discontinuities == u->n_sequence_discontinuities &&
	       t->n_descents == u->n_descents);
	assert(same_moments(&t->extent.sum, &u->extent.sum) &&
	       same_moments(&t->late_ns.sum, &u->late_ns.sum));
	assert(same_moments(&t->gap.sum, &u->gap.sum) &&
	       same_moments(&t->byte_offset.sum, &u->byte_offset.sum));
	assert(t->runs_x == u->runs_x && t->runs_q == u->runs_q && t->n_moves == u->n_moves);
	assert(t->footrule == u->footrule && t->displacement_sum == u->displacement_sum);
	assert(t->n_occupancies == u->n_occupancies && t->occupancy_sum == u->occupancy_sum);
}

static void check_same(const struct metrics *a, const struct metrics *b)
{
	assert(a->n_matched == b->n_matched && a->n_lost == b->n_lost && a->n_extra == b->n_extra);
	assert(a->n_skipped == b->n_skipped && a->reference.n_issued == b->reference.n_issued);
	assert(a->n_mismatched == b->n_mismatched &&
	       a->reference.n_backwards == b->reference.n_backwards);
	assert(a->replay.n_negative == b->replay.n_negative &&
	       a->replay.n_bytes == b->replay.n_bytes);
	assert(same_moments(&a->schedule.sum, &b->schedule.sum) &&
	       a->schedule_rest_ns == b->schedule_rest_ns);
	assert(a->reference.concurrency.highest == b->reference.concurrency.highest);
	assert(a->replay.n_lifetimes == b->replay.n_lifetimes);
	for (int point = 0; point < POINT_N; point++) {
		assert(a->order[point].observed == b->order[point].observed &&
		       a->order[point].bt == b->order[point].bt);
		for (int s = 0; s < SCOPE_N && a->order[point].observed; s++)
			check_same_order(&a->order[point].total[s], &b->order[point].total[s]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct made reference, replay;
	static struct metrics a, b;
	struct metrics_options o = METRICS_DEFAULTS;
	struct err e = ERR_INIT, f = ERR_INIT;
	if (size < 4)
		return 0;
	reference.n = replay.n = 0;
	int64_t now[2] = {0, 0};
	for (size_t i = 4, k = 0; i + RECORD_BYTES <= size && k < MAX_N; i += RECORD_BYTES, k++) {
		bool second = data[2] & 1 ? k & 1 : data[i + 7] & 0x80;
		made_add(second ? &replay : &reference, data + i, &now[second]);
	}
	o.match = data[0] & 1 ? MATCH_KEY : MATCH_NUMBER;
	o.lenient = !(data[0] & 2);
	o.dt = data[0] & 4 ? data[1] & 15 : DENSITY_UNBOUNDED;
	o.bt = data[0] & 8 ? data[1] >> 4 : DENSITY_UNBOUNDED;
	o.points = data[0] & 16 ? data[3] & 7 : 0;
	o.parts = data[0] & 32 ? (data[2] >> 1 & 63) : PART_ALL;
	o.warmup_requests = data[3] & 128 ? data[3] >> 3 & 15 : 0;
	o.warmup_ns = data[3] & 64 ? data[1] : 0;
	o.warmup_requests = o.warmup_ns ? 0 : o.warmup_requests;
	o.n_threads = 1;
	o.sorting = (struct arrivals_options){512, 1024, 1u << 20, NULL}; /* all in one window */
	struct metrics_origin r = {"reference", &reference, made_open},
			      x = {"replay", &replay, made_open};
	int rc = metrics_compute(&a, &r, &x, &o, &e);
	o.n_threads = 2;
	o.sorting = (struct arrivals_options){8, 16, 300, NULL};
	int again = metrics_compute(&b, &r, &x, &o, &f);
	assert(rc == again);
	if (rc) {
		assert(e.msg[0]);
		return 0;
	}
	check_sum(&a);
	check_same(&a, &b);
	metrics_release(&a);
	metrics_release(&b);
	return 0;
}
