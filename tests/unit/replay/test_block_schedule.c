/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The modes of the block engine on a simulated device in virtual time, compared with references
 * computed request by request. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "block_rig.h"

static uint64_t below(uint64_t *seed, uint64_t n)
{
	return sample_random(seed) % n;
}

static void random_trace(struct block_rig *g, uint64_t *seed, uint32_t n, uint64_t step,
			 uint64_t service)
{
	int64_t now = 0;
	for (uint32_t i = 0; i < n; i++) {
		block_rig_add(g, now, now + (int64_t)below(seed, service),
			      1 + (int64_t)below(seed, service));
		now += (int64_t)below(seed, step);
	}
}

/* --- in flight ----------------------------------------------------------- */

static void depths_are_those_of_the_definition(void **state)
{
	(void)state;
	uint64_t seed = 1;
	for (int round = 0; round < 300; round++) {
		struct block_rig g;
		uint32_t depth[64], most[64];
		block_rig_init(&g, MODE_HF);
		random_trace(&g, &seed, 40, 4, 12);
		for (uint32_t i = 0; i < g.l.n; i++)
			if (below(&seed, 10) == 0)
				g.l.r[i].end_ns = TIME_NONE;
		block_depths(&g.l, depth);
		for (uint32_t i = 0; i < g.l.n; i++) {
			uint32_t n = 1;
			for (uint32_t k = 0; k < i; k++)
				n += g.l.r[k].end_ns != TIME_NONE &&
				     g.l.r[k].end_ns > g.l.r[i].begin_ns;
			assert_int_equal(depth[i], n);
		}
		int64_t window = (int64_t)below(&seed, 10);
		block_depths_around(&g.l, depth, window, most);
		for (uint32_t i = 0; i < g.l.n; i++) {
			uint32_t largest = 0;
			for (uint32_t k = 0; k < g.l.n; k++)
				if (llabs(g.l.r[k].begin_ns - g.l.r[i].begin_ns) <= window &&
				    depth[k] > largest)
					largest = depth[k];
			assert_int_equal(most[i], largest);
		}
		block_rig_release(&g);
	}
	assert_int_equal(block_round_up(1), 1);
	assert_int_equal(block_round_up(3), 4);
	assert_int_equal(block_round_up(32), 32);
	assert_int_equal(block_round_up(33), 64);
}

/* --- hf ------------------------------------------------------------------ */

static void hf_keeps_times_on_the_same_device(void **state)
{
	(void)state;
	uint64_t seed = 2;
	for (int limit = LIMIT_ROUNDED; limit <= LIMIT_SLACK; limit++) {
		struct block_rig g;
		block_rig_init(&g, MODE_HF);
		g.c.block.limit = limit;
		random_trace(&g, &seed, 500, 10, 60);
		for (uint32_t i = 0; i < g.l.n; i++)
			g.response[i] = g.l.r[i].end_ns - g.l.r[i].begin_ns;
		block_rig_plan(&g, 0);
		block_rig_run(&g);
		for (uint32_t i = 0; i < g.l.n; i++) {
			assert_int_equal(g.begin[i], g.l.r[i].begin_ns);
			assert_int_equal(g.order[i], i);
		}
		block_rig_release(&g);
	}
}

/* One request in 100 takes longer, so that 3 are in flight: the limit is 4, at any time. The replay
 * continues during a request of 20 ms. */
static void hf_limit_leaves_room_for_a_stall(void **state)
{
	(void)state;
	struct block_rig g;
	block_rig_init(&g, MODE_HF);
	for (int i = 0; i < 2000; i++) {
		int64_t took = i % 100 == 50 ? 250000 : 95000;
		block_rig_add(&g, 100000 * i, 100000 * i + took, i == 300 ? 20000000 : took);
	}
	block_rig_plan(&g, 0);
	block_rig_run(&g);
	for (int i = 0; i < 2000; i++)
		assert_in_range(
		    g.begin[i] - 100000 * i, 0,
		    250000); /* with two of the longer requests beside it, 4 are in flight */
	assert_int_equal(g.begin[1999], 100000 * 1999);
	block_rig_release(&g);
}

/* Requests of 100 us with this gap, `together` at a time; the device stalls for 20 ms at request
 * 500 and serves later requests `factor` times slower. Returns the largest lateness. */
static int64_t latest_of(int limit, int64_t gap, int together, int64_t factor, uint32_t *most)
{
	struct block_rig g;
	int64_t latest = 0;
	block_rig_init(&g, MODE_HF);
	g.c.block.limit = limit;
	for (int i = 0; i < 2000; i++) {
		int64_t at = i / together * gap;
		int64_t stall_end = 500 / together * gap + 20000000;
		block_rig_add(&g, at, at + 100000,
			      i >= 500 && at < stall_end ? stall_end - at + 100000
							 : factor * 100000);
	}
	block_rig_plan(&g, 0);
	block_rig_run(&g);
	*most = 0;
	for (uint32_t i = 0; i < 2000; i++) {
		uint32_t busy = 1;
		for (uint32_t k = i > 300 ? i - 300 : 0; k < i; k++)
			busy += g.end[k] > g.begin[i];
		*most = busy > *most ? busy : *most;
		if (g.begin[i] - g.l.r[i].begin_ns > latest)
			latest = g.begin[i] - g.l.r[i].begin_ns;
	}
	block_rig_release(&g);
	return latest;
}

static void hf_slack_lets_a_stall_pass(void **state)
{
	(void)state;
	uint32_t most;
	/* bursts of 4 that leave the device idle: with a hard limit the lateness is most of the
	 * stall */
	assert_true(latest_of(LIMIT_ROUNDED, 1000000, 4, 1, &most) > 15000000);
	assert_int_equal(most, 4);
	assert_true(latest_of(LIMIT_SLACK, 1000000, 4, 1, &most) < 1000000);
	assert_in_range(most, 40, 128);
}

static void hf_slack_is_none_at_saturation(void **state)
{
	(void)state;
	uint32_t most;
	/* always 4 in flight, as a program at full speed; then the device is slower */
	latest_of(LIMIT_SLACK, 100000, 4, 3, &most);
	assert_int_equal(most, 4);
	/* always 1 in flight */
	latest_of(LIMIT_SLACK, 1000000, 1, 30, &most);
	assert_int_equal(most, 1);
}

/* A program with `depth` requests in flight at any time, each of 1 ms. Its replay loses the CPU for
 * 20 ms at request 400; after that, requests take `factor` ms. Returns the lateness of the last
 * request. *n_above: number of requests that began with more than `depth` in flight. */
static int64_t late_after_lost_cpu(int limit, uint32_t depth, int64_t factor, bool known,
				   uint32_t *n_above)
{
	struct block_rig g;
	block_rig_init(&g, MODE_HF);
	g.c.block.limit = limit;
	for (uint32_t i = 0; i < 2000; i++) {
		const int64_t at = i / depth * 1000000;
		block_rig_add(&g, at, at + 1000000, i >= 400 ? factor * 1000000 : 1000000);
	}
	g.stall_from = 400 / depth * 1000000 + 1;
	g.stall_to = g.stall_from + 20000000;
	g.stall_is_known = known;
	block_rig_plan(&g, 0);
	block_rig_run(&g);
	*n_above = 0;
	for (uint32_t i = 1; i < 2000; i++) {
		uint32_t busy = 1;
		for (uint32_t k = i > 300 ? i - 300 : 0; k < i; k++)
			busy += g.end[k] > g.begin[i];
		*n_above += busy > depth;
		assert_in_range(busy, 1, depth + depth / 4);
	}
	const int64_t late = g.begin[1999] - g.l.r[1999].begin_ns;
	block_rig_release(&g);
	return late;
}

static void hf_makes_up_for_a_lost_cpu(void **state)
{
	(void)state;
	uint32_t n_above;
	/* less than two response times remain */
	assert_true(late_after_lost_cpu(LIMIT_SLACK, 4, 1, true, &n_above) < 2000000);
	/* the 80 requests of 20 ms, made up with one request more in flight */
	assert_in_range(n_above, 60, 500);
	/* the device stalled; another limit; a program with too few requests in flight */
	assert_true(late_after_lost_cpu(LIMIT_SLACK, 4, 1, false, &n_above) > 18000000);
	assert_int_equal(n_above, 0);
	assert_true(late_after_lost_cpu(LIMIT_ROUNDED, 4, 1, true, &n_above) > 18000000);
	assert_int_equal(n_above, 0);
	assert_true(late_after_lost_cpu(LIMIT_SLACK, 2, 1, true, &n_above) > 18000000);
	assert_int_equal(n_above, 0);
	/* a slower device makes the replay later than its own delay: the limit applies again */
	late_after_lost_cpu(LIMIT_SLACK, 4, 3, true, &n_above);
	assert_in_range(n_above, 0, 40);
}

static void hf_speed_divides_times(void **state)
{
	(void)state;
	struct block_rig g;
	block_rig_init(&g, MODE_HF);
	g.c.speed = 2;
	for (int i = 0; i < 10; i++)
		block_rig_add(&g, 100 * i, 100 * i + 10, 5);
	block_rig_plan(&g, 0);
	block_rig_run(&g);
	for (int i = 0; i < 10; i++)
		assert_int_equal(g.begin[i], 50 * i);
	block_rig_release(&g);
}

/* No request is issued before its time or out of order. At no issue more requests are in flight
 * than in the trace at that time, rounded up as requested. */
static void hf_keeps_limits_on_a_slower_device(void **state)
{
	(void)state;
	uint64_t seed = 3;
	for (int round = 0; round < 60; round++) {
		struct block_rig g;
		uint32_t depth[500];
		block_rig_init(&g, MODE_HF);
		g.c.block.limit = round % 2 ? LIMIT_EXACT : LIMIT_INSTANT;
		random_trace(&g, &seed, 300, 12, 40);
		for (uint32_t i = 0; i < g.l.n; i++)
			g.response[i] = 1 + (int64_t)below(&seed, 150);
		block_depths(&g.l, depth);
		block_rig_plan(&g, 0);
		block_rig_run(&g);
		bool reached = false;
		for (uint32_t i = 0; i < g.l.n; i++) {
			uint32_t busy = 1, limit = round % 2 ? depth[i] : block_round_up(depth[i]);
			assert_int_equal(g.order[i], i);
			assert_true(g.begin[i] >= g.l.r[i].begin_ns);
			for (uint32_t k = 0; k < i; k++)
				busy += g.end[k] > g.begin[i];
			assert_true(busy <= limit);
			reached |= busy == limit && limit > 1;
		}
		assert_true(reached);
		block_rig_release(&g);
	}
}

/* Requests closer than the threshold to the first request of a bundle are issued with it; a bundle
 * never exceeds its limit. */
static void hf_bundles_close_requests(void **state)
{
	(void)state;
	static const int64_t begin[] = {0, 3, 9, 10, 11, 30, 39, 41, 100, 100, 100};
	/* 0 3 9 | 10 11 | 30 39 | 41 | 100 100 100 */
	static const uint32_t expected[] = {3, 3, 3, 2, 2, 2, 2, 1, 3, 3, 3};
	struct block_rig g;
	block_rig_init(&g, MODE_HF);
	g.c.block.bundle_ns = 9;
	g.c.block.limit = LIMIT_NONE;
	for (size_t i = 0; i < 11; i++)
		block_rig_add(&g, begin[i], begin[i] + 5, 5);
	block_rig_plan(&g, 0);
	block_rig_run(&g);
	for (size_t i = 0; i < 11; i++)
		assert_int_equal(g.bundle[i], expected[i]);
	block_rig_release(&g);
	block_rig_init(&g, MODE_HF);
	g.c.block.bundle_max = 2;
	g.c.block.limit = LIMIT_NONE;
	for (size_t i = 0; i < 11; i++)
		block_rig_add(&g, 0, 5, 5);
	block_rig_plan(&g, 0);
	block_rig_run(&g);
	for (size_t i = 0; i < 11; i++)
		assert_int_equal(g.bundle[i], i < 10 ? 2 : 1);
	block_rig_release(&g);
}

/* After a stall of 100 gaps the replay issues at twice the traced rate, except for lateness that is
 * caught up at once (grace 1000: 10 gaps, so 20 requests). */
static void hf_catches_up_without_bursts(void **state)
{
	(void)state;
	struct block_rig g;
	block_rig_init(&g, MODE_HF);
	g.c.block.limit = LIMIT_NONE;
	for (int i = 0; i < 1000; i++)
		block_rig_add(&g, 100 * i, 100 * i + 10, 10);
	block_rig_plan(&g, 0);
	g.stall_from = 20000;
	g.stall_to = 30000;
	block_rig_run(&g);
	for (int i = 0; i < 1000; i++)
		for (int k = i + 1; k < 1000; k++) {
			int64_t span = g.begin[k] - g.begin[i];
			assert_true(k - i <= 2 * (span + 1000) / 100 + 1);
		}
	assert_int_equal(g.begin[200], 20000);
	assert_int_equal(g.begin[201], 30000);
	/* 201 + 20 at once, then two in a gap: at most 10000 later everything is caught up */
	assert_int_equal(g.begin[390], 39000);
	assert_int_equal(g.begin[999], 99900);
	assert_true(g.begin[300] > 30000 && g.begin[300] < 36000);
	block_rig_release(&g);
}

/* With gaps as long as the grace, eight requests more are issued at once. */
static void hf_catches_up_a_few_requests_at_once(void **state)
{
	(void)state;
	struct block_rig g;
	block_rig_init(&g, MODE_HF);
	g.c.block.limit = LIMIT_NONE;
	for (int i = 0; i < 100; i++)
		block_rig_add(&g, 1000 * i, 1000 * i + 10, 10);
	block_rig_plan(&g, 0);
	g.stall_from = 20000;
	g.stall_to = 30000;
	block_rig_run(&g);
	assert_int_equal(g.begin[20], 20000);
	for (int i = 21; i < 30; i++)
		assert_int_equal(g.begin[i], 30000);
	assert_int_equal(g.begin[30], 30500);
	for (int i = 31; i < 100; i++)
		assert_int_equal(g.begin[i], 1000 * i);
	block_rig_release(&g);
}

/* --- load and afap ------------------------------------------------------- */

/* Each request is issued at the earliest instant at which its predecessor has begun and fewer
 * requests than its limit are in flight. */
static void greedy(const struct block_rig *g, const uint32_t *limit, int64_t *begin)
{
	for (uint32_t i = 0; i < g->l.n; i++) {
		int64_t t = i ? begin[i - 1] : 0;
		for (;;) {
			uint32_t busy = 0;
			int64_t next = INT64_MAX;
			for (uint32_t k = 0; k < i; k++)
				if (begin[k] + g->response[k] > t) {
					busy++;
					next = begin[k] + g->response[k] < next
						   ? begin[k] + g->response[k]
						   : next;
				}
			if (busy < limit[i])
				break;
			t = next;
		}
		begin[i] = t;
	}
}

static void load_and_afap_are_greedy(void **state)
{
	(void)state;
	uint64_t seed = 5;
	for (int round = 0; round < 100; round++) {
		struct block_rig g;
		uint32_t limit[200];
		int64_t begin[200];
		block_rig_init(&g, round % 2 ? MODE_AFAP : MODE_LOAD);
		random_trace(&g, &seed, 150, 10, 60);
		g.c.block.depth = round % 2 ? 1 + below(&seed, 20) : 0;
		block_depths(&g.l, limit);
		for (uint32_t i = 0; i < g.l.n && round % 2; i++)
			limit[i] = (uint32_t)g.c.block.depth;
		greedy(&g, limit, begin);
		block_rig_plan(&g, 0);
		block_rig_run(&g);
		for (uint32_t i = 0; i < g.l.n; i++)
			assert_int_equal(g.begin[i], begin[i]);
		block_rig_release(&g);
	}
}

/* --- dep ----------------------------------------------------------------- */

static bool follows(const struct block_rig *g, uint32_t q, uint32_t r, int64_t threshold)
{
	return q < r && g->l.r[q].end_ns != TIME_NONE &&
	       g->l.r[q].end_ns + threshold <= g->l.r[r].begin_ns;
}

static bool is_parent(const struct block_rig *g, uint32_t q, uint32_t r, int64_t threshold)
{
	if (!follows(g, q, r, threshold))
		return false;
	for (uint32_t m = q + 1; m < r; m++)
		if (follows(g, q, m, threshold) && follows(g, m, r, threshold))
			return false;
	return true;
}

/* The parent of r that ended last; of equal ends the later request. UINT32_MAX: none. */
static uint32_t nearest_of(const struct block_rig *g, uint32_t r, int64_t threshold)
{
	uint32_t nearest = UINT32_MAX;
	for (uint32_t q = 0; q < r; q++)
		if (is_parent(g, q, r, threshold) &&
		    (nearest == UINT32_MAX || g->l.r[q].end_ns >= g->l.r[nearest].end_ns))
			nearest = q;
	return nearest;
}

static int by_time(const void *a, const void *b)
{
	return (*(const int64_t *)a > *(const int64_t *)b) -
	       (*(const int64_t *)a < *(const int64_t *)b);
}

/* With --follow count: r begins by the traced gap after as many ends as preceded it in the trace.
 * None of them is the end of a later request, because later requests begin no earlier than the last
 * of these ends. */
static int64_t after_as_many(const struct block_rig *g, uint32_t r, int64_t threshold,
			     int64_t think, const int64_t *begin)
{
	int64_t end[400], last = 0;
	uint32_t n = 0, n_before = 0;
	for (uint32_t q = 0; q < r; q++) {
		if (g->l.r[q].end_ns == TIME_NONE)
			continue;
		end[n++] = begin[q] + g->response[q];
		n_before += follows(g, q, r, threshold);
		last = follows(g, q, r, threshold) && g->l.r[q].end_ns > last ? g->l.r[q].end_ns
									      : last;
	}
	qsort(end, n, sizeof *end, by_time);
	return n_before ? end[n_before - 1] + (g->l.r[r].begin_ns - last) / think
			: g->l.r[r].begin_ns / think;
}

/* `think` and `device` are 1 or 2, so that no rounding occurs if all times are even. */
static void dep_reference(const struct block_rig *g, int64_t threshold, int64_t think,
			  int64_t device, int64_t *begin)
{
	const int follow = g->c.block.follow;
	for (uint32_t r = 0; r < g->l.n; r++) {
		if (follow == FOLLOW_COUNT) {
			begin[r] = after_as_many(g, r, threshold, think, begin);
			continue;
		}
		bool any = false;
		int64_t at = g->l.r[r].begin_ns / think;
		const uint32_t nearest =
		    follow == FOLLOW_EACH ? UINT32_MAX : nearest_of(g, r, threshold);
		for (uint32_t q = 0; q < r; q++) {
			if (!is_parent(g, q, r, threshold) ||
			    (follow == FOLLOW_NEAREST && q != nearest))
				continue;
			int64_t end = begin[q] + g->response[q];
			int64_t least =
			    device ? begin[q] + (g->l.r[q].end_ns - g->l.r[q].begin_ns) / device
				   : end;
			end = end > least ? end : least;
			int64_t due = end + (g->l.r[r].begin_ns -
					     g->l.r[nearest == UINT32_MAX ? q : nearest].end_ns) /
						think;
			at = any && at > due ? at : due;
			any = true;
		}
		begin[r] = at;
	}
}

static void dep_case(uint64_t *seed, uint32_t n_workers, uint32_t n)
{
	struct block_rig g;
	int64_t begin[400], think = 1 + (int64_t)below(seed, 2), device = (int64_t)below(seed, 3),
			    threshold = (int64_t)below(seed, 4) * 2;
	block_rig_init(&g, MODE_DEP);
	g.c.n_workers = n_workers;
	g.c.block.think_scale = (double)think;
	g.c.block.device_scale = (double)device;
	g.c.block.follow = (int)below(seed, 4);
	/* ends that count later than they occur would have no order */
	if (g.c.block.follow == FOLLOW_COUNT)
		g.c.block.device_scale = (double)(device = 0);
	uint64_t step = 1 + below(seed, 12), service = 1 + below(seed, 60);
	int64_t now = 0;
	for (uint32_t i = 0; i < n; i++) {
		int64_t end = below(seed, 15) ? now + 2 * (int64_t)below(seed, service) : TIME_NONE;
		block_rig_add(&g, now, end, 2 + 2 * (int64_t)below(seed, 1 + below(seed, 100)));
		now += 2 * (int64_t)below(seed, step);
	}
	dep_reference(&g, threshold, think, device, begin);
	block_rig_plan(&g, threshold);
	block_rig_run(&g);
	for (uint32_t i = 0; i < n; i++)
		if (g.begin[i] != begin[i])
			fail_msg("request %u of %u at %lld instead of %lld (threshold %lld, think "
				 "%lld, device %lld)",
				 i, n, (long long)g.begin[i], (long long)begin[i],
				 (long long)threshold, (long long)think, (long long)device);
	block_rig_release(&g);
}

static void dep_times_are_exact(void **state)
{
	(void)state;
	uint64_t seed = 6;
	for (int round = 0; round < 2000; round++)
		dep_case(&seed, 1, 2 + (uint32_t)below(&seed, 40));
	for (int round = 0; round < 20; round++)
		dep_case(&seed, 1, 300);
}

static void dep_times_are_exact_with_workers(void **state)
{
	(void)state;
	uint64_t seed = 7;
	for (int round = 0; round < 500; round++)
		dep_case(&seed, 2 + round % 3, 2 + (uint32_t)below(&seed, 60));
}

/* The paper's figure 3: B follows A by 3; A takes 10 in the trace and 4 in the replay. */
static void dep_keeps_think_times(void **state)
{
	(void)state;
	struct block_rig g;
	block_rig_init(&g, MODE_DEP);
	block_rig_add(&g, 0, 10, 4);
	block_rig_add(&g, 13, 23, 4);
	block_rig_plan(&g, 1);
	block_rig_run(&g);
	assert_int_equal(g.begin[1], 7);
	block_rig_release(&g);
}

/* --- several workers ----------------------------------------------------- */

static void workers_keep_order_and_limits(void **state)
{
	(void)state;
	uint64_t seed = 8;
	static const enum block_mode modes[] = {MODE_HF, MODE_LOAD, MODE_AFAP};
	for (int round = 0; round < 90; round++) {
		struct block_rig g;
		uint32_t depth[300];
		block_rig_init(&g, modes[round % 3]);
		g.c.n_workers = 2 + (uint64_t)(round / 3 % 3);
		g.c.block.limit = modes[round % 3] == MODE_HF ? LIMIT_INSTANT : LIMIT_SLACK;
		g.c.block.depth = modes[round % 3] == MODE_AFAP ? 5 : 0;
		random_trace(&g, &seed, 200, 8, 40);
		block_depths(&g.l, depth);
		block_rig_plan(&g, 0);
		block_rig_run(&g);
		assert_int_equal(g.n_issued, g.l.n);
		for (uint32_t i = 0; i < g.l.n; i++) {
			uint32_t busy = 1, limit = modes[round % 3] == MODE_HF
						       ? block_round_up(depth[i])
						   : modes[round % 3] == MODE_LOAD ? depth[i]
										   : 5;
			assert_int_equal(g.order[i], i);
			for (uint32_t k = 0; k < i; k++)
				busy += g.end[k] > g.begin[i];
			assert_true(busy <= limit);
		}
		block_rig_release(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(depths_are_those_of_the_definition),
	    cmocka_unit_test(hf_keeps_times_on_the_same_device),
	    cmocka_unit_test(hf_limit_leaves_room_for_a_stall),
	    cmocka_unit_test(hf_slack_lets_a_stall_pass),
	    cmocka_unit_test(hf_slack_is_none_at_saturation),
	    cmocka_unit_test(hf_makes_up_for_a_lost_cpu),
	    cmocka_unit_test(hf_speed_divides_times),
	    cmocka_unit_test(hf_keeps_limits_on_a_slower_device),
	    cmocka_unit_test(hf_bundles_close_requests),
	    cmocka_unit_test(hf_catches_up_without_bursts),
	    cmocka_unit_test(hf_catches_up_a_few_requests_at_once),
	    cmocka_unit_test(load_and_afap_are_greedy),
	    cmocka_unit_test(dep_times_are_exact),
	    cmocka_unit_test(dep_times_are_exact_with_workers),
	    cmocka_unit_test(dep_keeps_think_times),
	    cmocka_unit_test(workers_keep_order_and_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
