/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each deliberate fault does what it says, as the replay trace and the files show. */
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
	static const char *const bad[] = {"delay:", "delay:20", "delay:0us", "delay:-1us", "lost:0", "lost:101%", "lost:x",
					  "serialise:3", "stall:10ms", "stall:10ms/5ms", "drift:ppm", "proportional:-5%", ":", "delay:1us:2us"};
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
		sample_data(s, 1 + i % 2, 20 * i, 20 * i + 30, op, 3 + (int)(i % 2), i % 2, 64 * (i / 2),
			    64, 64);
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
		assert_int_equal(g.s.n_mismatches, 0); /* a sequential one is put back before it is repeated */
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
		for (size_t i = 0; i + 2 < g.n; i++) /* the next of the same thread is two records on */
			n += g.r[i].begin_ns > g.r[i + 2].begin_ns;
		assert_int_equal(n, N / 20);
		assert_int_equal(g.s.n_issued, N);
		assert_int_equal(g.s.n_mismatches, 0);
		done(&g, &s);
	}
}

/* Which bytes a sequential mutant really touched: each writes other content, so the positions can be read back. */
static void sequential_shifts_are_undone(void **state)
{
	(void)state;
	static const char *const mutants[] = {"swap:30%", "offset:30%", "size:30%", "repeat:30%"};
	for (int k = 0; k < 4; k++) {
		struct rig g;
		struct sample s = {.paths = {"w"}, .n_paths = 1};
		struct err e = ERR_INIT;
		for (uint32_t i = 0; i < 100; i++)
			sample_data(&s, 1, 10 * i, 10 * i + 5, OP_WRITE, 3, 0, 64 * i, 64, 64);
		sample_data(&s, 1, 2000, 2001, OP_LSEEK, 3, 0, 0, 0, 6400)->flags = SEEK_CUR; /* tells where it ended up */
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
	struct rig g;
	struct sample s;
	plain_sample(&s, OP_PREAD);
	rig_init(&g);
	g.c.mutant = "serialise";
	g.c.order = ORDER_THREAD;
	assert_int_equal(rig_replay(&g, &s, NULL), 0);
	for (size_t i = 0; i < g.n; i++)
		for (size_t k = 0; k < i; k++)
			assert_true(g.r[i].begin_ns >= g.r[k].end_ns || g.r[k].begin_ns >= g.r[i].end_ns);
	done(&g, &s);
}

static void doubled_concurrency(void **state)
{
	(void)state;
	struct rig g;
	struct sample s;
	run(&g, &s, OP_PREAD, "double");
	assert_int_equal(g.s.n_workers, 4);
	assert_int_equal(g.s.n_issued, N);
	done(&g, &s);
}

static void delayed(void **state)
{
	(void)state;
	struct rig g;
	struct sample s;
	for (int order = ORDER_TEMPORAL; order <= ORDER_NONE; order++) {
		plain_sample(&s, OP_PREAD);
		rig_init(&g);
		g.c.mutant = "delay:30us";
		g.c.order = order;
		assert_int_equal(rig_replay(&g, &s, NULL), 0);
		for (size_t i = 0; i < g.n; i++)
			assert_true(g.r[i].end_ns - g.r[i].begin_ns >= 29990);
		done(&g, &s);
	}
}

/* No part of it can be seen from one run; that it costs time where it must is enough. */
static void proportional(void **state)
{
	(void)state;
	struct rig g;
	struct sample s;
	run(&g, &s, OP_PREAD, "proportional:500%");
	assert_int_equal(g.s.n_issued, N);
	assert_int_equal(g.s.n_mismatches, 0);
	done(&g, &s);
}

static void run_timed(struct rig *g, struct sample *s, const char *mutant)
{
	struct err e = ERR_INIT;
	*s = (struct sample){.paths = {"a"}, .n_paths = 1};
	for (uint32_t i = 0; i < 50; i++)
		sample_data(s, 1, 1000 + 300000 * (int64_t)i, 1000 + 300000 * (int64_t)i + 10, OP_PREAD, 3, 0, 0, 64, 64);
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
		assert_int_equal(g.r[i].intended_ns, 300000 * (int64_t)i); /* what was meant does not drift */
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

static void a_periodic_stall(void **state)
{
	(void)state;
	struct rig g;
	struct sample s;
	run_timed(&g, &s, "stall:5ms/50ms");
	assert_true(g.r[0].begin_ns >= 4999000);
	done(&g, &s);
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
		cmocka_unit_test(a_drifting_clock),
		cmocka_unit_test(a_coarse_timer),
		cmocka_unit_test(a_periodic_stall),
		cmocka_unit_test(a_share_of_nothing_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
