/* SPDX-License-Identifier: GPL-3.0-or-later */
/* long: 29 s */
/* Real replays: whether the stamps of the replay trace show that the order was kept, what the trace
 * contains, and times. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>

#include "rig.h"

#define ROUNDS 6

static const char *engine = "event"; /* the engine under test */
/* uses only every nth round and order, because compiling takes time */
static int stride = 1, order_stride = 1;

static void replay(struct rig *g, const struct sample *s)
{
	struct err e = ERR_INIT;
	g->c.engine = engine;
	if (rig_replay(g, s, &e))
		fail_msg("%s", e.msg);
}

/* --- order --------------------------------------------------------------- */

/* Every wait that the order requires, pair by pair, as the stamps show. */
static void check_stamps(struct rig *g, const struct sample *s, demand *wants)
{
	struct loaded x;
	assert_int_equal(sample_load(s, g->dir, &x, NULL), 0);
	for (uint32_t r = 0; r < x.l.n; r++)
		for (uint32_t q = 0; q < r; q++) {
			uint32_t threshold = wants(&x, q, r);
			const struct trace_record *a = &g->r[x.l.request[q].record],
						  *b = &g->r[x.l.request[r].record];
			if (threshold && (threshold & 1 ? a->begin_ns : a->end_ns) > b->begin_ns)
				fail_msg(
				    "request %u began at %lld, but %u had to %s first, at %lld", r,
				    (long long)b->begin_ns, q, threshold & 1 ? "begin" : "end",
				    (long long)(threshold & 1 ? a->begin_ns : a->end_ns));
		}
	loaded_release(&x);
}

static void order_holds(enum replay_order order, demand *wants)
{
	static const uint32_t n_threads[] = {1, 2, 3, 5, 16, 40}; /* more than processors */
	static const int64_t spin_ns[] = {0, 1000, 20000};
	uint64_t seed = 1000 + order;
	for (int round = stride / 2; round < ROUNDS; round += stride) {
		struct rig g;
		struct sample s = {.paths = {"a", "b"}, .n_paths = 2};
		rig_init(&g);
		sample_reads(&s, &seed, n_threads[round % 6], 300, round % 2 ? OP_PREAD : OP_READ);
		struct fileset_entry files[] = {{"a", 20000, false}, {"b", 20000, false}};
		s.files = (struct fileset){files, 2};
		g.c.order = order;
		g.c.spin_ns = spin_ns[round % 3];
		replay(&g, &s);
		assert_int_equal(g.n, 300);
		assert_int_equal(g.s.n_issued, 300);
		if (order != ORDER_NONE || round % 2)
			assert_int_equal(g.s.n_mismatches, 0);
		if (wants)
			check_stamps(&g, &s, wants);
		rig_release(&g);
		sample_release(&s);
	}
}

static void temporal_holds(void **state)
{
	(void)state;
	order_holds(ORDER_TEMPORAL, demand_temporal);
}

static void temporal_serial_holds(void **state)
{
	(void)state;
	order_holds(ORDER_TEMPORAL_SERIAL, demand_serial);
}

static void thread_holds(void **state)
{
	(void)state;
	order_holds(ORDER_THREAD, demand_thread);
}

static void none_issues_everything_once(void **state)
{
	(void)state;
	order_holds(ORDER_NONE, NULL);
}

static void fs_holds(void **state)
{
	(void)state;
	uint64_t seed = 777;
	struct fileset_entry files[] = {{"f", 20, false}, {"g", 0, false}};
	for (int round = 0; round < 30; round += 4 * stride - 3) {
		struct rig g;
		struct sample s = {.paths = {"f", "g", "h", "i"}, .n_paths = 4, .files = {files, 2}};
		uint32_t n_threads = 2 + (uint32_t)round % 5;
		int64_t free_at[8] = {0};
		int next_fd = 5;
		for (uint32_t i = 0; i < 60; i++) {
			uint32_t t = (uint32_t)(sample_random(&seed) % n_threads);
			int64_t begin = free_at[t] + (int64_t)(sample_random(&seed) % 6);
			free_at[t] = begin + (int64_t)(sample_random(&seed) % 9);
			random_fs_request(&s, &seed, t + 1, begin, free_at[t], &next_fd);
#if defined(__SANITIZE_THREAD__)
			/* a close that overlaps a use is a race in the trace, and so in its
			 * replay */
			if (s.r[i].op == OP_CLOSE)
				s.r[i].op = OP_FSYNC;
#endif
		}
		rig_init(&g);
		g.c.order = ORDER_FS;
		g.c.spin_ns = round % 2 ? 0 : 20000;
		replay(&g, &s);
		assert_int_equal(g.s.n_issued, 60);
		check_stamps(&g, &s, demand_fs);
		rig_release(&g);
		sample_release(&s);
	}
}

/* With order `fs`, results that depend on the file system are as traced, in every run. */
static void results_are_as_traced_in_order_fs(void **state)
{
	(void)state;
	for (int round = 0; round < 5; round += stride) {
		struct rig g;
		struct sample s = {.paths = {"new", "tail"}, .n_paths = 2};
		struct fileset_entry files[] = {{"tail", 10, false}};
		s.files = (struct fileset){files, 1};
		sample_open(&s, 2, 0, 1, 0, O_RDONLY, -ENOENT);
		sample_open(&s, 1, 10, 11, 0, O_RDWR | O_CREAT, 5);
		sample_data(&s, 1, 20, 21, OP_WRITE, 5, 0, OFFSET_NONE, 100, 100);
		sample_open(&s, 2, 30, 31, 0, O_RDONLY, 6);
		sample_data(&s, 2, 40, 41, OP_PREAD, 6, 0, 50, 100, 50);
		sample_data(&s, 3, 50, 51, OP_PREAD, 7, 1, 8, 10, 2); /* meets the end */
		sample_data(&s, 1, 60, 61, OP_PWRITE, 8, 1, 10, 10, 10);
		sample_data(&s, 3, 70, 71, OP_PREAD, 7, 1, 8, 10, 10);
		sample_data(&s, 2, 80, 81, OP_CLOSE, 6, 0, OFFSET_NONE, 0, 0);
		sample_data(&s, 3, 90, 91, OP_PREAD, 6, 0, 0, 1, -EBADF);
		rig_init(&g);
		g.c.order = ORDER_FS;
		replay(&g, &s);
		if (g.s.n_mismatches)
			fail_msg("request %llu returned %lld, not %lld",
				 (unsigned long long)g.s.mismatch[0].seq,
				 (long long)g.s.mismatch[0].actual,
				 (long long)g.s.mismatch[0].expected);
		rig_release(&g);
		sample_release(&s);
	}
}

static void none_with_more_and_fewer_workers(void **state)
{
	(void)state;
	uint64_t seed = 5;
	for (uint64_t n_workers = 1; n_workers < 40; n_workers += 6 * (uint64_t)stride) {
		struct rig g;
		struct sample s = {.paths = {"a", "b"}, .n_paths = 2};
		sample_reads(&s, &seed, 3, 500, OP_PREAD);
		rig_init(&g);
		g.c.order = ORDER_NONE;
		g.c.n_workers = n_workers;
		replay(&g, &s);
		assert_int_equal(g.s.n_workers, n_workers);
		assert_int_equal(g.s.n_issued, 500);
		assert_int_equal(g.s.n_mismatches, 0);
		rig_release(&g);
		sample_release(&s);
	}
}

/* --- content of the replay trace --------------------------------------------- */

static void every_call_is_replayed(void **state)
{
	(void)state;
	struct rig g;
	struct sample s = {.paths = {"d/f"}, .n_paths = 1};
	int64_t t = 0;
#define NEXT 1, t, t + 5
	sample_open(&s, NEXT, 0, O_RDWR | O_CREAT | O_EXCL, 3), t += 10;
	sample_data(&s, NEXT, OP_WRITE, 3, 0, OFFSET_NONE, 1000, 1000), t += 10;
	sample_data(&s, NEXT, OP_PWRITE, 3, 0, 5000, 100, 100), t += 10;
	sample_data(&s, NEXT, OP_LSEEK, 3, 0, (uint64_t)-200, 0, 4900)->flags = SEEK_END, t += 10;
	sample_data(&s, NEXT, OP_READ, 3, 0, OFFSET_NONE, 500, 200), t += 10;
	sample_data(&s, NEXT, OP_READ, 3, 0, OFFSET_NONE, 500, 0), t += 10;
	sample_data(&s, NEXT, OP_PREAD, 3, 0, 4999, 10, 10), t += 10;
	sample_data(&s, NEXT, OP_FSYNC, 3, 0, OFFSET_NONE, 0, 0), t += 10;
	sample_data(&s, NEXT, OP_FDATASYNC, 3, 0, OFFSET_NONE, 0, 0), t += 10;
	sample_data(&s, NEXT, OP_CLOSE, 3, 0, OFFSET_NONE, 0, 0), t += 10;
	sample_data(&s, NEXT, OP_CLOSE, 3, 0, OFFSET_NONE, 0, -EBADF), t += 10;
	sample_open(&s, NEXT, 0, O_RDWR | O_CREAT | O_EXCL, -EEXIST), t += 10;
#undef NEXT
	rig_init(&g);
	replay(&g, &s);
	if (g.s.n_mismatches)
		fail_msg("request %llu returned %lld, not %lld",
			 (unsigned long long)g.s.mismatch[0].seq,
			 (long long)g.s.mismatch[0].actual,
			 (long long)g.s.mismatch[0].expected);
	assert_int_equal(g.s.n_failed, 2);
	assert_int_equal(g.n, s.n);
	for (size_t i = 0; i < g.n; i++) {
		const struct trace_record *a = &s.r[i], *b = &g.r[i];
		assert_int_equal(b->seq, a->seq);
		assert_int_equal(b->pid, a->pid);
		assert_int_equal(b->tid, a->tid);
		assert_int_equal(b->op, a->op);
		assert_int_equal(b->fd, a->fd);
		assert_int_equal(b->flags, a->flags);
		assert_int_equal(b->offset, a->offset);
		assert_int_equal(b->length, a->length);
		assert_int_equal(b->rvalue, a->rvalue);
		assert_int_equal(b->error, a->error);
		assert_true(b->intended_ns == TIME_NONE && b->dispatch_ns == TIME_NONE);
		assert_true(b->begin_ns >= 0 && b->end_ns >= b->begin_ns);
		assert_true(i == 0 || b->begin_ns >= g.r[i - 1].end_ns);
	}
	struct stat st;
	char *path = xasprintf("%s/d/f", g.tree);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 5100);
	free(path);
	rig_release(&g);
	sample_release(&s);
}

static void the_metadata_describe_the_replay(void **state)
{
	(void)state;
	struct rig g;
	struct sample s = {.paths = {"a", "b"}, .n_paths = 2, .extra_json = "{\"descriptors\":[{\"fd\":3,\"path\":\"a\"}],\"x\":1}"};
	struct fileset_entry files[] = {{"a", 5000, false}, {"b", 5000, false}};
	uint64_t seed = 3;
	s.files = (struct fileset){files, 2};
	sample_reads(&s, &seed, 2, 20, OP_PREAD);
	rig_init(&g);
	g.c.order = ORDER_FS;
	replay(&g, &s);
	struct trace *t;
	assert_int_equal(trace_open(&t, g.output, NULL), 0);
	const struct trace_meta *m = trace_meta(t);
	assert_int_equal(m->level, LEVEL_SYSCALL);
	assert_int_equal(m->files.n, 2);
	assert_non_null(strstr(m->captured_by, "validate replay event"));
	assert_non_null(strstr(m->command, "--order fs"));
	assert_non_null(strstr(m->extra_json, "\"facts\""));
	assert_non_null(strstr(m->extra_json, "\"descriptors\""));
	assert_non_null(strstr(m->extra_json, "\"n_mismatches\":0"));
	assert_non_null(strstr(m->extra_json, "\"order\":\"fs\""));
	assert_true(m->epoch_ns > 0 && m->wall_epoch_ns > 0);
	const struct trace_record *r;
	assert_int_equal(trace_next(t, &r, NULL), 1);
	assert_string_equal(trace_object(t, r->object)->name, s.paths[s.r[0].object]);
	trace_close(t);
	/* it can be replayed itself */
	char *again = xasprintf("%s/again.trace", g.dir);
	g.c.output = again;
	assert_int_equal(replay_run_summary(g.output, &g.c, &g.s, NULL), 0);
	assert_int_equal(g.s.n_mismatches, 0);
	free(again);
	rig_release(&g);
	sample_release(&s);
}

static void mismatches_are_counted_and_reported(void **state)
{
	(void)state;
	struct rig g;
	struct sample s = {.paths = {"a"}, .n_paths = 1};
	struct fileset_entry file = {"a", 100, false};
	s.files = (struct fileset){&file, 1};
	sample_data(&s, 1, 0, 1, OP_PREAD, 3, 0, 0, 50, 50);
	sample_data(&s, 1, 2, 3, OP_PREAD, 3, 0, 60, 50, 50);	  /* the file has only 40 bytes */
	sample_data(&s, 1, 4, 5, OP_PREAD, 3, 0, 0, 50, -EIO);	  /* succeeds */
	/* fails in the same way: the access mode is inferred as read-only */
	sample_data(&s, 1, 6, 7, OP_PWRITE, 3, 0, 0, 50, -EBADF);
	/* fails otherwise: EBADF */
	sample_data(&s, 1, 8, 9, OP_PREAD, 4, OBJECT_NONE, 0, 50, -EINVAL);
	/* a descriptor without a known file */
	sample_data(&s, 1, 10, 11, OP_PREAD, 4, OBJECT_NONE, 0, 50, 50);
	/* errno unknown: any failure matches */
	s.r[4].error = 0;
	rig_init(&g);
	replay(&g, &s);
	assert_int_equal(g.s.n_mismatches, 3);
	assert_int_equal(g.s.mismatch[0].seq, 1);
	assert_int_equal(g.s.mismatch[0].expected, 50);
	assert_int_equal(g.s.mismatch[0].actual, 40);
	assert_int_equal(g.s.n_unknown_fd, 1);
	assert_int_equal(g.s.n_failed, 3);
	assert_int_equal(g.r[1].rvalue, 40);
	assert_int_equal(g.r[3].rvalue, -1);
	assert_int_equal(g.r[3].error, EBADF);
	rig_release(&g);
	sample_release(&s);
}

/* Threads that wait for a stopped thread must end, too. */
static void stopping_stops_everybody(bool processes)
{
	for (int order = ORDER_TEMPORAL; order <= ORDER_NONE - processes; order += order_stride) {
		struct rig g;
		struct sample s = {.paths = {"a", "b"}, .n_paths = 2};
		uint64_t seed = 11;
		sample_reads(&s, &seed, 6, 400, OP_PREAD);
		s.r[100].rvalue = 63;
		rig_init(&g);
		g.c.order = order;
		g.c.spin_ns = order % 2 ? 0 : 20000;
		g.c.stop_on_mismatch = true;
		g.c.processes = processes;
		replay(&g, &s);
		assert_true(g.s.stopped);
		assert_int_equal(g.s.n_mismatches, 1);
		assert_int_equal(g.s.mismatch[0].seq, 100);
		assert_int_equal(g.n, 400);
		size_t n_left = 0;
		for (size_t i = 0; i < g.n; i++)
			if (g.r[i].begin_ns == TIME_NONE) {
				assert_int_equal(g.r[i].error, ECANCELED);
				assert_true(g.r[i].end_ns == TIME_NONE);
				n_left++;
			}
		assert_int_equal(n_left, 400 - g.s.n_issued);
		size_t n_before = 0;
		for (size_t i = 0; i < 400; i++)
			n_before += s.r[i].begin_ns < s.r[100].begin_ns ||
				    (s.r[i].begin_ns == s.r[100].begin_ns && i < 100);
		if (order == ORDER_TEMPORAL_SERIAL)
			assert_int_equal(g.s.n_issued, n_before + 1);
		rig_release(&g);
		sample_release(&s);
	}
}

static void stopping_on_a_mismatch_stops_all_threads(void **state)
{
	(void)state;
	stopping_stops_everybody(false);
	if (order_stride == 1)
		stopping_stops_everybody(true);
}

/* --- times --------------------------------------------------------------- */

/* No request begins earlier than intended. The clock's last calibration may differ from the
 * calibration that the waits used. */
static void check_not_early(const struct trace_record *r)
{
	int64_t slack_ns = 200 + r->intended_ns / 10000;
	if (r->begin_ns < r->intended_ns - slack_ns)
		fail_msg("request %llu began at %lld, before %lld", (unsigned long long)r->seq,
			 (long long)r->begin_ns, (long long)r->intended_ns);
}

static void timed_sample(struct sample *s, uint32_t n_threads)
{
	for (uint32_t i = 0; i < 60; i++)
		sample_data(s, 1 + i % n_threads, 1000000 + 100000 * i,
			    1000000 + 100000 * i + 20000 * (1 + i % 3), OP_PREAD, 3, 0, 0, 64, 64);
}

static void timestamps_are_met(void **state)
{
	(void)state;
	for (int wait = 0; wait < 3; wait++)
		for (int order = ORDER_TEMPORAL; order <= ORDER_NONE; order += order_stride) {
			struct rig g;
			struct sample s = {.paths = {"a"}, .n_paths = 1};
			timed_sample(&s, 3);
			rig_init(&g);
			g.c.order = order;
			g.c.timing = TIMING_TIMESTAMP;
			g.c.wait = wait;
			g.c.speed = wait == 1 ? 2 : 1;
			replay(&g, &s);
			assert_int_equal(g.s.n_timed, 60);
			for (size_t i = 0; i < g.n; i++) {
				int64_t due = (int64_t)(100000 * i / (wait == 1 ? 2 : 1));
				assert_int_equal(g.r[i].intended_ns, due);
				check_not_early(&g.r[i]);
			}
			assert_true(g.s.issue_error_max_ns >= g.s.issue_error_p99_ns);
			assert_true(g.s.issue_error_p99_ns >= g.s.issue_error_p50_ns);
			rig_release(&g);
			sample_release(&s);
		}
}

/* Pauses and times as traced, divided by the speed: slower, equal and faster, whatever other waits
 * there are. */
static void check_think_times(enum replay_order order, double speed)
{
	struct rig g;
	struct sample s = {.paths = {"a"}, .n_paths = 1};
	timed_sample(&s, 2);
	s.r[10].end_ns = TIME_NONE; /* its successor in the thread, number 12, has no gap */
	rig_init(&g);
	g.c.timing = TIMING_THINK;
	g.c.order = (int)order;
	g.c.speed = speed;
	replay(&g, &s);
	for (size_t i = 0; i < g.n; i++) {
		int64_t expected;
		if (i < 2)
			expected = llrint(100000 * (double)i / speed);
		else if (i == 12)
			expected = g.r[10].end_ns;
		else
			expected = g.r[i - 2].end_ns +
				   llrint((double)(s.r[i].begin_ns - s.r[i - 2].end_ns) / speed);
		if (llabs(g.r[i].intended_ns - expected) > 200)
			fail_msg("request %zu: intended for %lld, not for %lld", i,
				 (long long)g.r[i].intended_ns, (long long)expected);
		check_not_early(&g.r[i]);
	}
	rig_release(&g);
	sample_release(&s);
}

static void think_times_follow_the_end(void **state)
{
	(void)state;
	static const double speeds[] = {0.5, 1, 4};
	for (int order = ORDER_TEMPORAL; order <= ORDER_THREAD; order += order_stride)
		for (size_t i = 0; i < 3; i += (size_t)order_stride)
			check_think_times((enum replay_order)order, speeds[i]);
}

/* A trace of 60 s at a speed of 1000: with both timings every gap, and so the whole replay, takes a
 * thousandth. */
static void a_replay_is_accelerated(void **state)
{
	(void)state;
	for (int timing = TIMING_TIMESTAMP; timing <= TIMING_THINK; timing++) {
		struct rig g;
		struct sample s = {.paths = {"a"}, .n_paths = 1};
		for (uint32_t i = 0; i < 60; i++)
			sample_data(&s, 1 + i % 4, 1000000000ll * i, 1000000000ll * i + 3000,
				    OP_PREAD, 3, 0, 0, 64, 64);
		rig_init(&g);
		g.c.order = ORDER_THREAD;
		g.c.timing = timing;
		g.c.speed = 1000;
		replay(&g, &s);
		assert_int_equal(g.s.n_timed, 60);
		assert_true(g.s.traced_elapsed_ns == 59000003000);
		/* the upper limit depends on the machine */
		assert_true(g.r[59].end_ns >= 59000000 - 200);
		for (size_t i = 0; i < g.n; i++) {
			int64_t before = i < 4 ? 0 : g.r[i - 4].end_ns,
				gap = llrint((4e9 - 3000) / 1000);
			int64_t expected =
			    timing == TIMING_THINK && i >= 4 ? before + gap : (int64_t)i * 1000000;
			assert_true(llabs(g.r[i].intended_ns - expected) <= 200);
			check_not_early(&g.r[i]);
		}
		rig_release(&g);
		sample_release(&s);
	}
}

static void combinations_that_make_no_sense_are_refused(void **state)
{
	(void)state;
	struct replay_config c;
	struct err e = ERR_INIT;
	replay_config_init(&c);
	assert_int_equal(replay_check(&c, &e), 0);
	c.order = ORDER_NONE, c.timing = TIMING_THINK;
	assert_int_equal(replay_check(&c, &e), -EINVAL);
	replay_config_init(&c);
	c.n_workers = 3;
	assert_int_equal(replay_check(&c, &e), -EINVAL);
	replay_config_init(&c);
	c.mutant = "drift:10ppm";
	assert_int_equal(replay_check(&c, &e), -EINVAL);
	c.timing = TIMING_TIMESTAMP;
	assert_int_equal(replay_check(&c, &e), 0);
	replay_config_init(&c);
	c.engine = "evnt";
	assert_int_equal(replay_check(&c, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "\"event\""));
	replay_config_init(&c);
	c.speed = NAN;
	assert_int_equal(replay_check(&c, &e), -EINVAL);
}

static void options_of_other_engines_are_refused(void **state)
{
	(void)state;
	struct replay_config c;
	struct err e = ERR_INIT;
	replay_config_init(&c);
	c.compiled.unroll = true; /* ignored */
	assert_int_equal(replay_check(&c, &e), 0);
	replay_config_init(&c);
	c.engine = "block";
	c.device = "/dev/null";
	assert_int_equal(replay_check(&c, &e), 0);
	c.parallel.launcher = "mpirun";
	assert_int_equal(replay_check(&c, &e), -EINVAL);
	c.engine = "parallel";
	c.device = NULL;
	assert_int_equal(replay_check(&c, &e), 0);
	c.block.mode = MODE_AFAP; /* both have modes */
	assert_int_equal(replay_check(&c, &e), 0);
	c.block.depth = 4;
	assert_int_equal(replay_check(&c, &e), -EINVAL);
	assert_string_equal(e.msg,
			    "depth: engine parallel has no such option (engines with it: block)");
	replay_config_init(&c);
	c.device = "/dev/null";
	assert_int_equal(replay_check(&c, &e), -EINVAL);
	c.device = NULL;
	c.adapter.full_speed = true;
	assert_int_equal(replay_check(&c, &e), -EINVAL);
}

static void tables_are_complete(void **state)
{
	(void)state;
	for (const struct replay_engine *const *g = replay_engines; *g; g++) {
		assert_true((*g)->help && *(*g)->help &&
			    ((*g)->run != NULL) != ((*g)->replay != NULL));
		assert_ptr_equal(replay_engine_find((*g)->name), *g);
	}
	for (const struct option_spec *o = replay_options; o->name; o++)
		assert_true(o->help && *o->help);
	assert_null(replay_engine_find("coordinater"));
	assert_string_equal(replay_order_names[ORDER_TEMPORAL_SERIAL], "temporal-serial");
	assert_string_equal(replay_order_names[ORDER_NONE], "none");
	assert_null(replay_order_names[ORDER_NONE + 1]);
	assert_string_equal(replay_timing_names[TIMING_THINK], "think");
	assert_null(replay_timing_names[TIMING_THINK + 1]);
}

static int choose_event(void **state)
{
	(void)state;
	engine = "event";
	return 0;
}

static int choose_coordinator(void **state)
{
	(void)state;
	engine = "coordinator";
	return 0;
}

static int choose_compiled(void **state)
{
	(void)state;
	engine = "compiled";
	stride = 11;
	order_stride = 3;
	return 0;
}

#define EVERY_ENGINE \
	cmocka_unit_test(temporal_holds), cmocka_unit_test(temporal_serial_holds), \
	cmocka_unit_test(thread_holds), cmocka_unit_test(none_issues_everything_once), \
	cmocka_unit_test(fs_holds), cmocka_unit_test(results_are_as_traced_in_order_fs), \
	cmocka_unit_test(none_with_more_and_fewer_workers), \
	cmocka_unit_test(every_call_is_replayed), \
	cmocka_unit_test(mismatches_are_counted_and_reported), \
	cmocka_unit_test(timestamps_are_met), cmocka_unit_test(think_times_follow_the_end), \
	cmocka_unit_test(a_replay_is_accelerated)

int main(void)
{
	const struct CMUnitTest event[] = {
		EVERY_ENGINE,
		cmocka_unit_test(the_metadata_describe_the_replay),
		cmocka_unit_test(stopping_on_a_mismatch_stops_all_threads),
		cmocka_unit_test(combinations_that_make_no_sense_are_refused),
		cmocka_unit_test(options_of_other_engines_are_refused),
		cmocka_unit_test(tables_are_complete),
	};
	const struct CMUnitTest coordinator[] = {
	    EVERY_ENGINE, cmocka_unit_test(stopping_on_a_mismatch_stops_all_threads)};
	const struct CMUnitTest compiled[] = {
	    EVERY_ENGINE, cmocka_unit_test(stopping_on_a_mismatch_stops_all_threads)};
	return cmocka_run_group_tests_name("event", event, choose_event, NULL) +
	       cmocka_run_group_tests_name("coordinator", coordinator, choose_coordinator, NULL) +
	       cmocka_run_group_tests_name("compiled", compiled, choose_compiled, NULL);
}
