/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replays of a plan in a file, with memory for a few requests at a time: with every order and
 * timing the results equal those of a replay with the whole plan in memory. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "rig.h"

enum { N_REQUESTS = 300, SMALL = 8192 }; /* SMALL: less than a tenth of the plan's size */

static void random_make(struct sample *s, uint64_t seed)
{
	static const char *const paths[] = {"f", "g", "h", "i"};
	memcpy(s->paths, paths, sizeof paths);
	s->n_paths = 4;
	int next_fd = 5;
	for (int64_t i = 0; i < N_REQUESTS; i++) {
		const uint32_t tid = 1 + (uint32_t)(sample_random(&seed) % 4);
		random_fs_request(s, &seed, tid, 10 * i,
				  10 * i + 1 + (int64_t)(sample_random(&seed) % 9), &next_fd);
	}
}

static void replay(struct rig *g, const struct sample *s, uint64_t memory_bytes)
{
	struct err e = ERR_INIT;
	g->c.memory_bytes = memory_bytes;
	if (rig_replay(g, s, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(g->n, s->n);
	assert_int_equal(g->s.n_issued, s->n);
}

/* One request at a time, so that every result follows from the trace. */
static void results_are_those_of_a_replay_in_memory(void **state)
{
	(void)state;
	static const int timings[] = {TIMING_FULLSPEED, TIMING_TIMESTAMP, TIMING_THINK};
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct sample s = {.r = NULL};
		struct rig whole, parts;
		random_make(&s, seed);
		rig_init(&whole);
		rig_init(&parts);
		whole.c.order = parts.c.order = ORDER_TEMPORAL_SERIAL;
		whole.c.timing = parts.c.timing = timings[seed % 3];
		replay(&whole, &s, UINT64_MAX);
		replay(&parts, &s, SMALL);
		assert_int_equal(whole.s.memory.ahead_bytes, 0);
		assert_in_range(parts.s.memory.ahead_bytes, 1, SMALL);
		assert_true(parts.s.memory.n_chunks > 8);
		for (size_t i = 0; i < s.n; i++) {
			assert_int_equal(parts.r[i].error, whole.r[i].error);
			/* an open that failed in the trace may succeed now and return a
			 * descriptor */
			if (s.r[i].op != OP_OPEN)
				assert_int_equal(parts.r[i].rvalue, whole.r[i].rvalue);
			if (i)
				assert_true(parts.r[i].begin_ns >= parts.r[i - 1].end_ns);
			if (parts.c.timing == TIMING_TIMESTAMP)
				assert_int_equal(parts.r[i].intended_ns, whole.r[i].intended_ns);
			if (parts.c.timing != TIMING_FULLSPEED)
				assert_true(parts.r[i].begin_ns >= parts.r[i].intended_ns);
		}
		rig_release(&whole);
		rig_release(&parts);
		sample_release(&s);
	}
}

static void every_order_and_timing(void **state)
{
	(void)state;
	static const int orders[] = {ORDER_TEMPORAL, ORDER_FS, ORDER_THREAD};
	uint64_t seed = 11;
	struct sample s = {.r = NULL};
	static const char *const paths[] = {"f", "g"};
	memcpy(s.paths, paths, sizeof paths);
	s.n_paths = 2;
	sample_reads(&s, &seed, 5, 800, OP_PREAD);
	for (int i = 0; i < 9; i++) {
		struct rig g;
		rig_init(&g);
		g.c.order = orders[i / 3];
		g.c.timing = i % 3;
		replay(&g, &s, SMALL);
		assert_int_equal(g.s.n_mismatches, 0);
		for (size_t k = 0; k < s.n; k++)
			assert_true(g.r[k].end_ns >= g.r[k].begin_ns);
		rig_release(&g);
	}
	sample_release(&s);
}

/* Request 400 has another result: earlier requests are reported, and later requests are not
 * issued. */
static void stops_on_a_mismatch(void **state)
{
	(void)state;
	struct sample s = {.r = NULL};
	struct rig g;
	struct err e = ERR_INIT;
	uint64_t seed = 3;
	s.paths[0] = "f", s.paths[1] = "g", s.n_paths = 2;
	sample_reads(&s, &seed, 3, 1000, OP_PREAD);
	s.r[400].rvalue = 63; /* 64 bytes exist, because later requests read them */
	rig_init(&g);
	g.c.order = ORDER_TEMPORAL_SERIAL;
	g.c.stop_on_mismatch = true;
	g.c.memory_bytes = SMALL;
	if (rig_replay(&g, &s, &e))
		fail_msg("%s", e.msg);
	assert_true(g.s.stopped);
	assert_true(g.s.memory.ahead_bytes > 0);
	assert_int_equal(g.s.n_mismatches, 1);
	assert_int_equal(g.s.mismatch[0].expected, 63);
	uint64_t n_issued = 0;
	for (size_t i = 0; i < g.n; i++)
		n_issued += g.r[i].begin_ns != TIME_NONE;
	assert_int_equal(n_issued, g.s.n_issued);
	assert_in_range(n_issued, 300, 500);
	rig_release(&g);
	sample_release(&s);
}

static void limits(void **state)
{
	(void)state;
	struct sample s = {.r = NULL};
	struct rig g;
	struct err e = ERR_INIT;
	uint64_t seed = 5;
	s.paths[0] = "f", s.paths[1] = "g", s.n_paths = 2;
	sample_reads(&s, &seed, 4, 1000, OP_PREAD);
	rig_init(&g);
	g.c.memory_bytes = 1000;
	assert_int_equal(rig_replay(&g, &s, &e), -ERANGE);
	assert_non_null(strstr(e.msg, "--memory"));
	g.c.order = ORDER_NONE;
	if (rig_replay(&g, &s, &e))
		fail_msg("%s", e.msg);
	assert_non_null(g.s.memory.whole);
	assert_int_equal(g.s.memory.ahead_bytes, 0);
	g.c.order = ORDER_FS;
	g.c.memory_bytes = SMALL;
	g.c.scratch = "/proc/nonexistent";
	assert_int_equal(rig_replay(&g, &s, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "/proc/nonexistent"));
	g.c.scratch = g.tree;
	g.c.memory_bytes = REPLAY_MEMORY_BYTES;
	if (rig_replay(&g, &s, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(g.s.memory.ahead_bytes, 0);
	assert_null(g.s.memory.whole);
	rig_release(&g);
	sample_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_are_those_of_a_replay_in_memory),
		cmocka_unit_test(every_order_and_timing),
		cmocka_unit_test(stops_on_a_mismatch),
		cmocka_unit_test(limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
