/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inferred dependencies, compared with the definition pair by pair, and with values computed by
 * hand. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "replay/order/infer_trace.h"
#include "rig.h"
#include "tests/heap_item.h"

#define MAX 24

struct times {
	int64_t begin[MAX], end[MAX];
	size_t n;
};

struct result {
	struct infer_parents p[MAX];
	uint64_t rank[MAX];
	struct infer_summary sum;
};

static void rank_note(void *ctx, uint64_t request, uint64_t rank)
{
	((struct result *)ctx)->rank[request] = rank;
}

static void infer(struct result *r, const struct times *t, int64_t threshold)
{
	struct infer f;
	struct err e = ERR_INIT;
	infer_init(&f, threshold);
	f.ended = rank_note;
	f.ctx = r;
	for (size_t i = 0; i < MAX; i++)
		r->rank[i] = UINT64_MAX;
	for (size_t i = 0; i < t->n; i++)
		if (infer_feed(&f, t->begin[i], t->end[i], &r->p[i], &e))
			fail_msg("%s", e.msg);
	infer_finish(&f);
	r->sum = f.sum;
	infer_release(&f);
}

/* --- the definition ------------------------------------------------------ */

static bool before(const struct times *t, size_t q, size_t r, int64_t threshold)
{
	return q < r && t->end[q] != TIME_NONE && t->end[q] + threshold <= t->begin[r];
}

static bool reduced(const struct times *t, size_t q, size_t r, int64_t threshold)
{
	if (!before(t, q, r, threshold))
		return false;
	for (size_t m = 0; m < t->n; m++)
		if (before(t, q, m, threshold) && before(t, m, r, threshold))
			return false;
	return true;
}

static uint64_t longest_chain(const struct times *t, int64_t threshold)
{
	uint64_t depth[MAX], longest = 0;
	for (size_t r = 0; r < t->n; r++) {
		depth[r] = 1;
		for (size_t q = 0; q < r; q++)
			if (before(t, q, r, threshold) && depth[q] + 1 > depth[r])
				depth[r] = depth[q] + 1;
		longest = depth[r] > longest ? depth[r] : longest;
	}
	return longest;
}

/* The largest set without a dependent pair: tries all sets. */
static uint64_t antichain(const struct times *t, int64_t threshold)
{
	uint64_t largest = 0;
	for (uint32_t set = 0; set < UINT32_C(1) << t->n; set++) {
		bool independent = true;
		for (size_t r = 0; independent && r < t->n; r++)
			for (size_t q = 0; independent && set >> r & 1 && q < r; q++)
				independent = !(set >> q & 1 && before(t, q, r, threshold));
		uint64_t n = (uint64_t)__builtin_popcount(set);
		largest = independent && n > largest ? n : largest;
	}
	return largest;
}

static int64_t think_span(const struct times *t, int64_t threshold)
{
	int64_t issue[MAX], last = t->begin[0];
	for (size_t r = 0; r < t->n; r++) {
		bool any = false;
		for (size_t q = 0; q < r; q++) {
			if (!reduced(t, q, r, threshold))
				continue;
			int64_t at = issue[q] + t->begin[r] - t->end[q];
			issue[r] = any && issue[r] > at ? issue[r] : at;
			any = true;
		}
		issue[r] = any ? issue[r] : t->begin[r];
		last = issue[r] > last ? issue[r] : last;
	}
	return last - t->begin[0];
}

static void times_draw(struct times *t, uint64_t *seed, size_t n, uint64_t step, uint64_t service,
		       bool endless)
{
	int64_t now = (int64_t)(sample_random(seed) % 50) - 25;
	t->n = n;
	for (size_t i = 0; i < n; i++) {
		now += (int64_t)(sample_random(seed) % step);
		t->begin[i] = now;
		t->end[i] = now + (int64_t)(sample_random(seed) % service);
		if (endless && sample_random(seed) % 8 == 0)
			t->end[i] = TIME_NONE;
	}
}

static void check_all(const struct times *t, int64_t threshold, bool antichains)
{
	struct result r;
	infer(&r, t, threshold);
	uint64_t n_edges = 0, n_roots = 0;
	for (size_t i = 0; i < t->n; i++) {
		uint64_t mine = 0;
		for (size_t q = 0; q < t->n; q++) {
			bool parent = r.rank[q] != UINT64_MAX && r.rank[q] >= r.p[i].lo &&
				      r.rank[q] < r.p[i].hi;
			if (parent != reduced(t, q, i, threshold))
				fail_msg("request %zu and %zu of %zu, threshold %lld: %d", q, i,
					 t->n, (long long)threshold, parent);
			mine += parent;
		}
		assert_int_equal(mine, r.p[i].hi - r.p[i].lo);
		n_edges += mine;
		n_roots += mine == 0;
	}
	assert_int_equal(r.sum.n_edges, n_edges);
	assert_int_equal(r.sum.n_roots, n_roots);
	assert_int_equal(r.sum.longest_chain, longest_chain(t, threshold));
	assert_int_equal(r.sum.think_ns, think_span(t, threshold));
	if (antichains)
		assert_int_equal(r.sum.width_max, antichain(t, threshold));
}

/* Equal begins and ends, requests that take no time, thresholds of zero: such small numbers make
 * all of them common. */
static void agrees_with_the_definition(void **state)
{
	(void)state;
	uint64_t seed = 20261121;
	for (int i = 0; i < 10000; i++) {
		struct times t;
		bool small = i % 10 == 0;
		size_t n = 1 + sample_random(&seed) % (small ? 10 : MAX);
		times_draw(&t, &seed, n, 1 + sample_random(&seed) % 6,
			   1 + sample_random(&seed) % 20, i % 3 == 0);
		check_all(&t, (int64_t)(sample_random(&seed) % 5), small);
	}
}

/* The paper's Figure 2, as its text explains it: A and B overlap; C follows B too soon; D begins
 * after A's end; E waits for D, and therefore also for A. */
static void figure_2(void **state)
{
	(void)state;
	struct times t = {.n = 5, .begin = {0, 20000, 55000, 61000, 120000}, .end = {40000, 50000, 90000, 100000, 150000}};
	struct result r;
	infer(&r, &t, INFER_THRESHOLD_NS);
	assert_int_equal(r.p[1].hi - r.p[1].lo, 0);
	/* C: A alone, 15 us before */
	assert_int_equal(r.rank[0], 0);
	assert_int_equal(r.p[2].lo, 0);
	assert_int_equal(r.p[2].hi, 1);
	/* D: A and B */
	assert_int_equal(r.p[3].lo, 0);
	assert_int_equal(r.p[3].hi, 2);
	/* E depends on C and D; these depend on A and B */
	assert_int_equal(r.p[4].lo, 2);
	assert_int_equal(r.p[4].hi, 4);
	assert_int_equal(r.sum.longest_chain, 3);
	assert_int_equal(r.sum.width_max, 2);
}

static void refused(void **state)
{
	(void)state;
	struct infer f;
	struct infer_parents p;
	struct err e = ERR_INIT;
	infer_init(&f, 0);
	assert_int_equal(infer_feed(&f, 10, 20, &p, &e), 0);
	assert_int_equal(infer_feed(&f, 9, 20, &p, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "1 ns before the previous request"));
	assert_int_equal(infer_feed(&f, 30, 29, &p, &e), -EINVAL);
	infer_release(&f);
}

/* Many open at a time, then all ended: memory grows and is used again. */
static void wide(void **state)
{
	(void)state;
	struct infer f;
	struct infer_parents p;
	infer_init(&f, 1);
	for (int64_t round = 0; round < 3; round++)
		for (int64_t i = 0; i < 5000; i++)
			assert_int_equal(infer_feed(&f, round * 100000 + i,
						    round * 100000 + 50000 - i, &p, NULL),
					 0);
	infer_finish(&f);
	assert_int_equal(f.sum.width_max, 5000);
	assert_int_equal(f.sum.longest_chain, 3);
	assert_int_equal(f.sum.n_parents_max, 5000);
	assert_int_equal(f.hi, 15000);
	infer_release(&f);
}

static void think_times_of(struct think_times *h, struct sample *s, struct rig *g)
{
	struct trace *t;
	struct err e = ERR_INIT;
	sample_write(s, g->input);
	assert_int_equal(trace_open(&t, g->input, &e), 0);
	if (think_times_read(h, t, &e))
		fail_msg("%s", e.msg);
	trace_close(t);
}

static void think_times(void **state)
{
	(void)state;
	struct rig g;
	struct think_times h;
	struct sample s = {.n = 0};
	rig_init(&g);
	int64_t now = 0;
	/* gaps of 1 to 1000 us; each second request overlaps its predecessor */
	for (int i = 0; i < 1000; i++) {
		int64_t gap = 1000 * (i + 1);
		sample_data(&s, 1, now + gap, now + gap + 500, OP_READ, -1, OBJECT_NONE, 0, 4096,
			    4096);
		sample_data(&s, 1, now + gap + 100, now + gap + 600, OP_READ, -1, OBJECT_NONE, 0,
			    4096, 4096);
		now += gap + 600;
	}
	think_times_of(&h, &s, &g);
	assert_int_equal(h.n, 999); /* the first request has no think time */
	assert_int_equal(h.least_ns, 2000);
	sample_release(&s);
	rig_release(&g);
}

/* The annotated trace has the result of the pass, and everything else of its input. */
static void annotated(void **state)
{
	(void)state;
	struct rig g;
	struct sample s = {.n = 0};
	struct err e = ERR_INIT;
	struct times times;
	struct result r;
	struct trace *t;
	const struct trace_record *record;
	uint64_t seed = 5;
	rig_init(&g);
	times_draw(&times, &seed, MAX, 5, 15, false);
	for (size_t i = 0; i < MAX; i++)
		sample_data(&s, 1, times.begin[i], times.end[i], OP_WRITE, -1, OBJECT_NONE, 512 * i,
			    512, 512);
	sample_write(&s, g.input);
	infer(&r, &times, 2);
	assert_int_equal(trace_open(&t, g.input, &e), 0);
	if (infer_annotate(t, 2, g.output, &e))
		fail_msg("%s", e.msg);
	trace_close(t);
	assert_int_equal(trace_open(&t, g.output, &e), 0);
	for (size_t i = 0; i < MAX; i++) {
		size_t len;
		uint64_t lo;
		uint32_t n;
		assert_int_equal(trace_next(t, &record, &e), 1);
		assert_int_equal(record->offset, 512 * i);
		const char *item = heap_item(t, record->heap, &len);
		assert_int_equal(len, 12);
		memcpy(&lo, item, sizeof lo);
		memcpy(&n, item + 8, sizeof n);
		assert_int_equal(lo, r.p[i].lo);
		assert_int_equal(n, r.p[i].hi - r.p[i].lo);
	}
	assert_non_null(strstr(trace_meta(t)->extra_json, "\"threshold_ns\":2"));
	trace_close(t);
	sample_release(&s);
	rig_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(agrees_with_the_definition),
	    cmocka_unit_test(figure_2),
	    cmocka_unit_test(refused),
	    cmocka_unit_test(wide),
	    cmocka_unit_test(think_times),
	    cmocka_unit_test(annotated),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
