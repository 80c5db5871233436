/* SPDX-License-Identifier: GPL-3.0-or-later */
/* long: 12 s */
/* Each deliberate fault has its defined effect, as the replay trace and the files show. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "rig.h"

enum { N = 400 };

static void parsing(void **state)
{
	(void)state;
	struct mutant m;
	struct err e = ERR_INIT;
	assert_int_equal(mutant_parse(&m, NULL, &e), 0);
	assert_int_equal(m.kind, FAULT_NONE);
	assert_int_equal(mutant_parse(&m, "", &e), 0);
	assert_int_equal(m.kind, FAULT_NONE);
	assert_int_equal(mutant_parse(&m, "delay:35us", &e), 0);
	assert_int_equal(m.kind, FAULT_DELAY);
	assert_int_equal(m.ns, 35000);
	assert_int_equal(mutant_parse(&m, "delay", &e), 0);
	assert_int_equal(m.ns, 20000);
	assert_int_equal(mutant_parse(&m, "drift:250ppm", &e), 0);
	assert_true(m.ratio > 249e-6 && m.ratio < 251e-6);
	assert_int_equal(mutant_parse(&m, "lost:2.5%", &e), 0);
	assert_true(m.ratio > 0.0249 && m.ratio < 0.0251);
	assert_int_equal(mutant_parse(&m, "stall:1ms/20ms", &e), 0);
	assert_int_equal(m.ns, 1000000);
	assert_int_equal(m.every_ns, 20000000);
	static const char *const bad[] = {
	    "delay:",    "delay:20",         "delay:0us",   "delay:-1us",   "lost:0",
	    "lost:101%", "lost:x",           "serialise:3", "stall:10ms",   "stall:10ms/5ms",
	    "drift:ppm", "proportional:-5%", ":",           "delay:1us:2us"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		err_clear(&e);
		if (mutant_parse(&m, bad[i], &e) >= 0)
			fail_msg("\"%s\" was taken", bad[i]);
		assert_true(e.msg[0]);
	}
	assert_int_equal(mutant_parse(&m, "lots:1%", &e), -ENOENT);
	assert_non_null(strstr(e.msg, "\"lost\""));
}

static void every_fault_has_its_row(void **state)
{
	(void)state;
	size_t n = 0;
	for (const struct fault *f = faults; f->name; f++, n++) {
		struct mutant m;
		assert_true(f->help && *f->help);
		assert_int_equal((f->argument == ARGUMENT_NONE) == (f->usual == NULL), 1);
		assert_int_equal(mutant_parse(&m, f->name, NULL), 0);
		assert_int_equal(m.kind, f->kind);
		assert_ptr_equal(mutant_fault(f->kind), f);
	}
	assert_int_equal(n, 12);
	assert_null(mutant_fault(FAULT_NONE));
}

static void shares_are_exact(void **state)
{
	(void)state;
	assert_int_equal(mutant_count(0.01, 1000), 10);
	assert_int_equal(mutant_count(0.01, 149), 1);
	assert_int_equal(mutant_count(0.01, 49), 0);
	assert_int_equal(mutant_count(1, 77), 77);
	assert_int_equal(shift_before(shifts_pack(-4096, 8192)), -4096);
	assert_int_equal(shift_after(shifts_pack(-4096, -8192)), -8192);
}

/* Two threads, each with N / 2 requests of 64 bytes from the start of its own file. */
static void plain_sample(struct sample *s, enum trace_op op)
{
	static struct fileset_entry files[] = {{"a", 64 * N, false}, {"b", 64 * N, false}};
	*s = (struct sample){.paths = {"a", "b"}, .n_paths = 2, .files = {files, 2}};
	for (uint32_t i = 0; i < N; i++)
		sample_data(s, 1 + i % 2, 20 * i, 20 * i + 30, op, 3 + (int)(i % 2), i % 2,
			    64 * (i / 2), 64, 64);
}

static void run(struct rig *g, struct sample *s, enum trace_op op, const char *mutant)
{
	struct err e = ERR_INIT;
	plain_sample(s, op);
	rig_init(g);
	g->c.mutant = mutant;
	if (rig_replay(g, s, &e))
		fail_msg("%s: %s", mutant, e.msg);
}

static void done(struct rig *g, struct sample *s)
{
	rig_release(g);
	sample_release(s);
}

/* Every order, and both timings with an order and without; a timed replay takes at least 0.1 s. */
static const struct policy {
	int order, timing;
} policies[] = {
	{ORDER_TEMPORAL, TIMING_FULLSPEED}, {ORDER_TEMPORAL_SERIAL, TIMING_FULLSPEED}, {ORDER_FS, TIMING_FULLSPEED},
	{ORDER_THREAD, TIMING_FULLSPEED},   {ORDER_NONE, TIMING_FULLSPEED},	       {ORDER_TEMPORAL, TIMING_TIMESTAMP},
	{ORDER_NONE, TIMING_TIMESTAMP},	    {ORDER_THREAD, TIMING_THINK},	       {-1, 0},
};

static void run_with(struct rig *g, struct sample *s, enum trace_op op, const char *mutant,
		     const struct policy *q)
{
	struct err e = ERR_INIT;
	plain_sample(s, op);
	rig_init(g);
	g->c.mutant = mutant;
	g->c.order = q->order;
	g->c.timing = q->timing;
	if (rig_replay(g, s, &e))
		fail_msg("%s, order %s, timing %s: %s", mutant, replay_order_names[q->order],
			 replay_timing_names[q->timing], e.msg);
}

/* Faults of single requests: exact counts with every policy, and no other deviation. */
static void counts_under_every_policy(void **state)
{
	(void)state;
	static const char *const mutant[] = {"lost:7%", "repeat:7%", "offset:7%", "size:7%",
					     "swap:7%"};
	for (int m = 0; m < 5; m++)
		for (const struct policy *q = policies; q->order >= 0; q++) {
			struct rig g;
			struct sample s;
			uint64_t n = 0, n_struck = N * 7 / 100;
			run_with(&g, &s, OP_PREAD, mutant[m], q);
			assert_int_equal(g.n, N + (m == 1 ? n_struck : 0));
			assert_int_equal(g.s.n_issued, N - (m == 0 ? n_struck : 0));
			assert_int_equal(g.s.n_mismatches, m == 3 ? n_struck : 0);
			for (size_t i = 0; i < N; i++)
				n += (m == 0 && g.r[i].begin_ns == TIME_NONE) ||
				     (m == 2 && g.r[i].offset != s.r[i].offset) ||
				     (m == 3 && g.r[i].length != s.r[i].length);
			assert_int_equal(n, m == 1 || m == 4 ? 0 : n_struck);
			assert_int_equal(g.s.n_repeated, m == 1 ? n_struck : 0);
			done(&g, &s);
		}
}

static const enum trace_op both[] = {OP_PREAD, OP_READ};

static void lost_requests(void **state)
{
	(void)state;
	for (int k = 0; k < 2; k++) {
		struct rig g;
		struct sample s;
		run(&g, &s, both[k], "lost:5%");
		size_t n = 0;
		for (size_t i = 0; i < g.n; i++)
			if (g.r[i].begin_ns == TIME_NONE) {
				assert_int_equal(g.r[i].rvalue, -1);
				assert_int_equal(g.r[i].error, ECANCELED);
				n++;
			}
		assert_int_equal(g.n, N);
		assert_int_equal(n, N / 20);
		assert_int_equal(g.s.n_issued, N - N / 20);
		assert_int_equal(g.s.n_mismatches, 0);
		done(&g, &s);
	}
}

static void repeated_requests(void **state)
{
	(void)state;
	for (int k = 0; k < 2; k++) {
		struct rig g;
		struct sample s;
		run(&g, &s, both[k], "repeat:5%");
		assert_int_equal(g.n, N + N / 20);
		assert_int_equal(g.s.n_repeated, N / 20);
		assert_int_equal(g.s.n_issued, N);
		for (size_t i = N; i < g.n; i++) {
			const struct trace_record *first = &g.r[g.r[i].seq];
			assert_true(g.r[i].begin_ns >= first->end_ns);
			assert_int_equal(g.r[i].offset, first->offset);
			assert_int_equal(g.r[i].rvalue, 64);
			assert_true(i == N || g.r[i].seq > g.r[i - 1].seq);
		}
		/* the position of a sequential request is restored before the repetition */
		assert_int_equal(g.s.n_mismatches, 0);
		done(&g, &s);
	}
}

static void wrong_offsets(void **state)
{
	(void)state;
	for (int k = 0; k < 2; k++) {
		struct rig g;
		struct sample s;
		run(&g, &s, both[k], "offset:5%");
		size_t n = 0;
		for (size_t i = 0; i < g.n; i++) {
			int64_t off = (int64_t)(g.r[i].offset - s.r[i].offset);
			assert_true(off == 0 || off == 64 || off == -64);
			n += off != 0;
		}
		assert_int_equal(n, N / 20);
		assert_int_equal(g.s.n_mismatches, 0);
		done(&g, &s);
	}
}

static void wrong_sizes(void **state)
{
	(void)state;
	for (int k = 0; k < 2; k++) {
		struct rig g;
		struct sample s;
		run(&g, &s, both[k], "size:5%");
		size_t n = 0;
		for (size_t i = 0; i < g.n; i++) {
			assert_true(g.r[i].length == 64 || g.r[i].length == 32);
			assert_int_equal(g.r[i].rvalue, (int64_t)g.r[i].length);
			n += g.r[i].length == 32;
		}
		assert_int_equal(n, N / 20);
		assert_int_equal(g.s.n_mismatches, N / 20);
		done(&g, &s);
	}
}

static void swapped_neighbours(void **state)
{
	(void)state;
	for (int k = 0; k < 2; k++) {
		struct rig g;
		struct sample s;
		run(&g, &s, both[k], "swap:5%");
		size_t n = 0;
		/* the next request of the same thread is two records later */
		for (size_t i = 0; i + 2 < g.n; i++)
			n += g.r[i].begin_ns > g.r[i + 2].begin_ns;
		assert_int_equal(n, N / 20);
		assert_int_equal(g.s.n_issued, N);
		assert_int_equal(g.s.n_mismatches, 0);
		done(&g, &s);
	}
}

/* The bytes that a sequential mutant really touched: each request writes other content, so the
 * positions can be read back. */
static void sequential_shifts_are_undone(void **state)
{
	(void)state;
	static const char *const mutants[] = {"swap:30%", "offset:30%", "size:30%", "repeat:30%",
					      "lost:30%"};
	for (int k = 0; k < 5; k++) {
		struct rig g;
		struct sample s = {.paths = {"w"}, .n_paths = 1};
		struct err e = ERR_INIT;
		for (uint32_t i = 0; i < 100; i++)
			sample_data(&s, 1, 10 * i, 10 * i + 5, OP_WRITE, 3, 0, 64 * i, 64, 64);
		/* shows its final position */
		sample_data(&s, 1, 2000, 2001, OP_LSEEK, 3, 0, 0, 0, 6400)->flags = SEEK_CUR;
		struct fileset_entry file = {"w", 0, false};
		s.files = (struct fileset){&file, 1};
		rig_init(&g);
		g.c.mutant = mutants[k];
		if (rig_replay(&g, &s, &e))
			fail_msg("%s: %s", mutants[k], e.msg);
		assert_int_equal(g.r[100].rvalue, 6400);
		rig_release(&g);
		sample_release(&s);
	}
}

static void serialised(void **state)
{
	(void)state;
	for (const struct policy *q = policies; q->order >= 0; q++) {
		struct rig g;
		struct sample s;
		run_with(&g, &s, OP_PREAD, "serialise", q);
		for (size_t i = 0; i < g.n; i++)
			for (size_t k = 0; k < i; k++)
				assert_true(g.r[i].begin_ns >= g.r[k].end_ns ||
					    g.r[k].begin_ns >= g.r[i].end_ns);
		done(&g, &s);
	}
}

static void doubled_concurrency(void **state)
{
	(void)state;
	for (const struct policy *q = policies; q->order >= 0; q++) {
		struct rig g;
		struct sample s;
		if (q->timing == TIMING_THINK)
			continue;
		run_with(&g, &s, OP_PREAD, "double", q);
		assert_int_equal(g.s.n_threads, 2);
		assert_int_equal(g.s.n_workers, 4);
		assert_int_equal(g.s.n_issued, N);
		assert_int_equal(g.s.n_mismatches, 0);
		done(&g, &s);
	}
}

static void delayed(void **state)
{
	(void)state;
	for (const struct policy *q = policies; q->order >= 0; q++) {
		struct rig g;
		struct sample s;
		run_with(&g, &s, OP_PREAD, "delay:30us", q);
		/* a call takes longer than the permitted time of reading the clock */
		for (size_t i = 0; i < g.n; i++)
			assert_true(g.r[i].end_ns - g.r[i].begin_ns >= 30000);
		done(&g, &s);
	}
}

static int64_t shortest(const struct rig *g)
{
	int64_t ns = INT64_MAX;
	for (size_t i = 0; i < g->n; i++)
		ns =
		    g->r[i].end_ns - g->r[i].begin_ns < ns ? g->r[i].end_ns - g->r[i].begin_ns : ns;
	return ns;
}

/* Ten times the shortest time of a call; half of it is required, because a call may take less in
 * another run. */
static void proportional(void **state)
{
	(void)state;
	for (const struct policy *q = policies; q->order >= 0; q++) {
		struct rig plain, g;
		struct sample s;
		run_with(&plain, &s, OP_PREAD, NULL, q);
		int64_t ns = shortest(&plain);
		done(&plain, &s);
		run_with(&g, &s, OP_PREAD, "proportional:900%", q);
		assert_true(shortest(&g) >= 5 * ns);
		assert_int_equal(g.s.n_issued, N);
		assert_int_equal(g.s.n_mismatches, 0);
		done(&g, &s);
	}
}

/* A fault of single requests does not change the times of the other requests: no further reads of
 * the clock occur between the stamps. */
static void other_requests_are_not_touched(void **state)
{
	(void)state;
	struct rig g;
	struct sample s;
	run(&g, &s, OP_PREAD, "swap:1%");
	int64_t least = shortest(&g);
	done(&g, &s);
	run(&g, &s, OP_PREAD, "delay:1us");
	assert_true(shortest(&g) >= least / 2 + 1000 - 200);
	done(&g, &s);
}

static void run_timed(struct rig *g, struct sample *s, const char *mutant)
{
	struct err e = ERR_INIT;
	*s = (struct sample){.paths = {"a"}, .n_paths = 1};
	for (uint32_t i = 0; i < 50; i++)
		sample_data(s, 1, 1000 + 300000 * (int64_t)i, 1000 + 300000 * (int64_t)i + 10,
			    OP_PREAD, 3, 0, 0, 64, 64);
	rig_init(g);
	g->c.timing = TIMING_TIMESTAMP;
	g->c.mutant = mutant;
	if (rig_replay(g, s, &e))
		fail_msg("%s: %s", mutant, e.msg);
}

static void a_drifting_clock(void **state)
{
	(void)state;
	struct rig g;
	struct sample s;
	run_timed(&g, &s, "drift:20%");
	for (size_t i = 0; i < g.n; i++) {
		/* the intended times do not drift */
		assert_int_equal(g.r[i].intended_ns, 300000 * (int64_t)i);
		assert_true(g.r[i].begin_ns >= g.r[i].intended_ns + g.r[i].intended_ns / 5 - 1000);
	}
	done(&g, &s);
}

static void a_coarse_timer(void **state)
{
	(void)state;
	struct rig g;
	struct sample s;
	run_timed(&g, &s, "coarse:1ms");
	for (size_t i = 0; i < g.n; i++) {
		int64_t grid = (g.r[i].intended_ns + 999999) / 1000000 * 1000000;
		assert_true(g.r[i].begin_ns >= grid - 2000);
	}
	done(&g, &s);
}

/* Two threads that must wait for each other, 15 ms long at the traced times. */
static void alternating_sample(struct sample *s)
{
	*s = (struct sample){.paths = {"a"}, .n_paths = 1};
	for (uint32_t i = 0; i < 50; i++)
		sample_data(s, 1 + i % 2, 1000 + 300000 * (int64_t)i,
			    1000 + 300000 * (int64_t)i + 10, OP_PREAD, 3, 0, 0, 64, 64);
}

static void a_periodic_stall(void **state)
{
	(void)state;
	for (const struct policy *q = policies; q->order >= 0; q++) {
		struct rig g;
		struct sample s;
		size_t n_inside = 0;
		alternating_sample(&s);
		rig_init(&g);
		g.c.order = q->order;
		g.c.timing = q->timing;
		g.c.mutant = "stall:3ms/4ms";
		assert_int_equal(rig_replay(&g, &s, NULL), 0);
		/* 2 us: the clock is calibrated again after the run */
		for (size_t i = 0; i < g.n; i++)
			n_inside += (g.r[i].begin_ns + 2000) % 4000000 < 3000000;
		assert_true(g.r[0].begin_ns >= 2998000);
		/* a thread may lose its CPU between reading the clock and its call */
		assert_true(n_inside <= 5);
		assert_int_equal(g.s.n_issued, 50);
		done(&g, &s);
	}
}

/* Timing `think`: every wait is longer by the share, measured from its start; lateness does not add
 * up. */
static void faults_of_thinking(void **state)
{
	(void)state;
	static const char *const mutants[] = {"drift:20%", "coarse:1ms"};
	for (int m = 0; m < 2; m++) {
		struct rig g;
		struct sample s = {.paths = {"a"}, .n_paths = 1};
		for (uint32_t i = 0; i < 100; i++)
			sample_data(&s, 1, 300000 * (int64_t)i, 300000 * (int64_t)i + 100000,
				    OP_PREAD, 3, 0, 0, 64, 64);
		rig_init(&g);
		g.c.timing = TIMING_THINK;
		g.c.mutant = mutants[m];
		assert_int_equal(rig_replay(&g, &s, NULL), 0);
		for (size_t i = 1; i < g.n; i++) {
			int64_t due = g.r[i - 1].end_ns + 200000, late = due + 40000;
			assert_true(g.r[i].intended_ns >= due - 10 &&
				    g.r[i].intended_ns <= due + 10);
			if (m == 1)
				late = (due - 2000 + 999999) / 1000000 * 1000000;
			assert_true(g.r[i].begin_ns >= late - 2000);
		}
		assert_true(g.s.elapsed_ns < 5000000000); /* 24 ms, or 100 */
		done(&g, &s);
	}
}

/* Everything except the calls: no file is opened, read or created, and each request is issued once,
 * in its order. */
static void blank_replays(void **state)
{
	(void)state;
	static const char *const engines[] = {"event", "coordinator", "compiled"};
	for (int k = 0; k < 3; k++)
		for (const struct policy *q = policies; q->order >= 0; q++) {
			struct rig g;
			struct sample s;
			struct err e = ERR_INIT;
			plain_sample(&s, OP_PWRITE);
			rig_init(&g);
			g.c.engine = engines[k];
			g.c.blank = true;
			g.c.prepare = false;
			g.c.order = q->order;
			g.c.timing = q->timing;
			if (rig_replay(&g, &s, &e))
				fail_msg("%s: %s", engines[k], e.msg);
			assert_int_equal(g.s.n_issued, N);
			assert_int_equal(g.s.n_mismatches, 0);
			for (size_t i = 0; i < N; i++)
				assert_true(g.r[i].rvalue == 0 && g.r[i].error == 0 &&
					    g.r[i].end_ns >= g.r[i].begin_ns);
			char *path = xasprintf("%s/a", g.tree);
			assert_int_equal(access(path, F_OK), -1);
			free(path);
			done(&g, &s);
		}
}

static void blank_goes_with_no_fault(void **state)
{
	(void)state;
	struct replay_config c;
	struct err e = ERR_INIT;
	replay_config_init(&c);
	c.blank = true;
	assert_int_equal(replay_check(&c, &e), 0);
	c.mutant = "delay";
	assert_int_equal(replay_check(&c, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "blank"));
	c.mutant = NULL;
	c.stop_on_mismatch = true;
	assert_int_equal(replay_check(&c, &e), -EINVAL);
}

static void a_share_of_nothing_is_refused(void **state)
{
	(void)state;
	struct rig g;
	struct sample s = {.paths = {"a"}, .n_paths = 1};
	struct err e = ERR_INIT;
	sample_data(&s, 1, 0, 1, OP_FSYNC, 3, 0, OFFSET_NONE, 0, 0);
	rig_init(&g);
	g.c.mutant = "lost:50%";
	assert_int_equal(rig_replay(&g, &s, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "mutant lost"));
	done(&g, &s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parsing),
		cmocka_unit_test(every_fault_has_its_row),
		cmocka_unit_test(shares_are_exact),
		cmocka_unit_test(counts_under_every_policy),
		cmocka_unit_test(lost_requests),
		cmocka_unit_test(repeated_requests),
		cmocka_unit_test(wrong_offsets),
		cmocka_unit_test(wrong_sizes),
		cmocka_unit_test(swapped_neighbours),
		cmocka_unit_test(sequential_shifts_are_undone),
		cmocka_unit_test(serialised),
		cmocka_unit_test(doubled_concurrency),
		cmocka_unit_test(delayed),
		cmocka_unit_test(proportional),
		cmocka_unit_test(other_requests_are_not_touched),
		cmocka_unit_test(a_drifting_clock),
		cmocka_unit_test(a_coarse_timer),
		cmocka_unit_test(a_periodic_stall),
		cmocka_unit_test(faults_of_thinking),
		cmocka_unit_test(blank_replays),
		cmocka_unit_test(blank_goes_with_no_fault),
		cmocka_unit_test(a_share_of_nothing_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
