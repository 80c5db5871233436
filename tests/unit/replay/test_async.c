/* SPDX-License-Identifier: GPL-3.0-or-later */
/* waits: for asynchronous requests */
/* Asynchronous requests: which of them get channels, which waits they have, and that every engine
 * keeps these waits. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "replay/registry.h"
#include "rig.h"

static char *dir;

static struct trace_record *async_read(struct sample *s, uint32_t tid, int64_t begin, int64_t end,
				       uint64_t offset)
{
	return sample_data(s, tid, begin, end, OP_AIO_READ, 5, 0, offset, 8, 8);
}

static struct trace_record *call(struct sample *s, uint32_t tid, int64_t begin, int64_t end,
				 enum trace_op op, int64_t rvalue)
{
	struct trace_record *r = sample_add(s, tid, begin, end, op);
	r->rvalue = rvalue;
	r->length = 8;
	return r;
}

/* Three requests submitted together, two of them fetched together; a call meanwhile; a request
 * whose result is fetched at once. `fetcher` fetches. */
static void made(struct sample *s, uint32_t fetcher)
{
	s->paths[0] = "f";
	s->n_paths = 1;
	sample_open(s, 1, 0, 5, 0, O_RDWR, 5);				  /* 0 */
	call(s, 1, 10, 14, OP_IO_SUBMIT, 3);				  /* 1 */
	async_read(s, 1, 10, 40, 0);					  /* 2 */
	async_read(s, 1, 10, 60, 8);					  /* 3 */
	async_read(s, 1, 10, 40, 16);					  /* 4 */
	call(s, fetcher, 16, 40, OP_IO_GETEVENTS, 2);			  /* 5 */
	sample_data(s, 1, 42, 43, OP_PREAD, 5, 0, 0, 4, 4);		  /* 6 */
	call(s, fetcher, 50, 60, OP_IO_GETEVENTS, 1);			  /* 7 */
	call(s, 1, 70, 72, OP_IO_SUBMIT, 1);				  /* 8 */
	async_read(s, 1, 70, 80, 24);					  /* 9 */
	call(s, fetcher, 73, 80, OP_IO_GETEVENTS, 1);			  /* 10 */
	sample_data(s, 1, 90, 91, OP_PREAD, 5, 0, 0, 4, 4);		  /* 11 */
}

static uint32_t place_of(const struct loaded *x, uint32_t record)
{
	for (uint32_t i = 0; i < x->l.n; i++)
		if (x->l.request[i].record == record)
			return i;
	fail_msg("record %u is gone", record);
	return 0;
}

/* Whether record r waits for record q. */
static bool waits(const struct loaded *x, const struct edges *d, uint32_t r, uint32_t q,
		  bool for_end)
{
	const struct load_request *a = &x->l.request[place_of(x, q)];
	for (size_t i = 0; i < d->n; i++)
		if (d->edge[i].request == place_of(x, r) && d->edge[i].thread == a->thread &&
		    d->edge[i].threshold == (for_end ? threshold_ended(a) : threshold_begun(a)))
			return true;
	return false;
}

static void derive(const struct loaded *x, enum replay_order order, struct edges *d)
{
	struct err e = ERR_INIT;
	if (order_derive(d, order, RULES_ALL, &x->l, &x->s, &e))
		fail_msg("%s", e.msg);
}

static void load(struct sample *s, struct loaded *x)
{
	struct err e = ERR_INIT;
	if (sample_load(s, dir, x, &e))
		fail_msg("%s", e.msg);
}

static uint32_t thread_of(const struct loaded *x, uint32_t record)
{
	return x->l.request[place_of(x, record)].thread;
}

static void channels(void **state)
{
	(void)state;
	for (uint32_t fetcher = 1; fetcher <= 2; fetcher++) {
		struct sample s = {.n = 0};
		struct loaded x;
		struct edges d;
		made(&s, fetcher);
		load(&s, &x);
		assert_int_equal(x.l.n_channels, 2);
		assert_int_equal(x.l.n_threads, fetcher + 2);
		const uint32_t own = thread_of(&x, 0), a = thread_of(&x, 2), b = thread_of(&x, 3);
		assert_true(own != a && own != b && a != b);
		assert_true(x.l.thread[b].is_channel && x.l.thread[b].of == own &&
			    x.l.thread[b].pid == 1);
		/* no later call of their thread overlapped them */
		assert_true(thread_of(&x, 4) == own && thread_of(&x, 9) == own);
		for (int order = ORDER_FS; order <= ORDER_THREAD; order++) {
			derive(&x, (enum replay_order)order, &d);
			assert_true(waits(&x, &d, 2, 1, true) && waits(&x, &d, 3, 1, true));
			assert_true(waits(&x, &d, 5, 2, true) && !waits(&x, &d, 5, 3, true));
			assert_true(fetcher == 1 ||
				    (waits(&x, &d, 5, 4, true) && waits(&x, &d, 10, 9, true)));
			assert_true(waits(&x, &d, 7, 3, true));
			for (uint32_t q = 2; q <= 4; q++)
				for (uint32_t r = 2; r <= 4; r++)
					assert_false(waits(&x, &d, r, q,
							   true)); /* they are in flight together */
			assert_false(waits(&x, &d, 6, 3, true)); /* a call in the meantime */
			edges_release(&d);
		}
		derive(&x, ORDER_TEMPORAL, &d);
		assert_true(waits(&x, &d, 3, 2, false) && !waits(&x, &d, 3, 2, true));
		edges_release(&d);
		loaded_release(&x);
		sample_release(&s);
	}
}

/* No call in the trace fetches the request: the first call of its thread after its end waits for
 * it. The close of a descriptor waits for the request that was in flight at that close. */
static void without_a_call(void **state)
{
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	struct loaded x;
	struct edges d;
	(void)state;
	sample_open(&s, 1, 0, 5, 0, O_RDWR, 5);			/* 0 */
	async_read(&s, 1, 10, 30, 0);				/* 1 */
	async_read(&s, 1, 12, 60, 8);				/* 2 */
	sample_data(&s, 1, 20, 25, OP_PREAD, 5, 0, 0, 4, 4);	/* 3 */
	sample_data(&s, 1, 30, 35, OP_PREAD, 5, 0, 0, 4, 4);	/* 4 */
	sample_data(&s, 1, 40, 41, OP_CLOSE, 5, OBJECT_NONE, OFFSET_NONE, 0, 0); /* 5 */
	load(&s, &x);
	assert_int_equal(x.l.n_channels, 2);
	derive(&x, ORDER_THREAD, &d);
	assert_true(waits(&x, &d, 1, 0, true) && waits(&x, &d, 2, 0, true));
	assert_true(!waits(&x, &d, 3, 1, true) && waits(&x, &d, 4, 1, true) &&
		    !waits(&x, &d, 4, 2, true));
	assert_true(waits(&x, &d, 5, 2, true));
	assert_int_equal(d.n, 4);
	edges_release(&d);
	loaded_release(&x);
	sample_release(&s);
}

/* The submitting call has no known end, because the program was killed in it. Earlier calls of its
 * thread still come before the requests that it submitted. */
static void handed_over_without_an_end(void **state)
{
	(void)state;
	for (int order = ORDER_FS; order <= ORDER_THREAD; order++) {
		struct sample s = {.paths = {"f"}, .n_paths = 1};
		struct loaded x;
		struct edges d;
		sample_open(&s, 1, 0, 5, 0, O_RDWR, 5);				     /* 0 */
		sample_data(&s, 1, 6, 8, OP_PREAD, 5, 0, 0, 4, 4);		     /* 1 */
		call(&s, 1, 10, TIME_NONE, OP_IO_SUBMIT, -1);			     /* 2 */
		async_read(&s, 1, 10, 30, 0);					     /* 3 */
		async_read(&s, 1, 10, 40, 8);					     /* 4 */
		load(&s, &x);
		assert_int_equal(x.l.n_channels, 1);
		const uint32_t moved = x.l.thread[thread_of(&x, 3)].is_channel ? 3 : 4;
		derive(&x, (enum replay_order)order, &d);
		assert_true(waits(&x, &d, moved, 1, true) && !waits(&x, &d, moved, 2, true));
		edges_release(&d);
		loaded_release(&x);
		sample_release(&s);
	}
}

/* With a clock so coarse that a request took no time, and began at the end of a call that the trace
 * has before it and that fetched a request: the waits have no cycle. */
static void at_one_instant(void **state)
{
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	struct loaded x;
	struct edges d;
	(void)state;
	sample_open(&s, 1, 0, 5, 0, O_RDWR, 5);			/* 0 */
	call(&s, 2, 20, 30, OP_IO_GETEVENTS, 1);		/* 1 */
	sample_data(&s, 2, 30, 30, OP_PWRITE, 5, 0, 0, 8, 8);	/* 2 */
	async_read(&s, 1, 30, 30, 0);				/* 3 */
	sample_data(&s, 1, 40, 41, OP_PREAD, 5, 0, 0, 4, 4);	/* 4 */
	load(&s, &x);
	derive(&x, ORDER_FS, &d);
	assert_true(waits(&x, &d, 3, 2, true));
	assert_false(waits(&x, &d, 1, 3, true));
	edges_release(&d);
	loaded_release(&x);
	sample_release(&s);
}

/* If a trace has files but no descriptors, the close of a file ends no requests on other files. */
static void without_descriptors(void **state)
{
	struct sample s = {.paths = {"f", "g"}, .n_paths = 2};
	struct loaded x;
	(void)state;
	sample_data(&s, 1, 0, 5, OP_PREAD, -1, 1, 0, 4, 4);		   /* 0 */
	sample_data(&s, 1, 10, 60, OP_AIO_READ, -1, 0, 0, 8, 8);	   /* 1 */
	sample_data(&s, 1, 20, 25, OP_CLOSE, -1, 1, OFFSET_NONE, 0, 0);	   /* 2 */
	load(&s, &x);
	assert_int_equal(load_end_ns(&x.l, &x.l.request[place_of(&x, 1)]), 60);
	loaded_release(&x);
	sample_release(&s);
}

static void replayed(void **state)
{
	static const char *const engines[] = {"event", "coordinator"};
	struct sample s = {.n = 0};
	struct rig g;
	struct err e = ERR_INIT;
	(void)state;
	rig_init(&g);
	made(&s, 2);
	for (int engine = 0; engine < 2; engine++)
		for (int order = 0; order <= ORDER_NONE; order++)
			for (int timing = 0;
			     timing <= (order == ORDER_NONE ? TIMING_TIMESTAMP : TIMING_THINK);
			     timing++)
				for (int processes = 0; processes < (order == ORDER_NONE ? 1 : 2);
				     processes++) {
					g.c.engine = engines[engine];
					g.c.order = order;
					g.c.timing = timing;
					g.c.processes = processes;
					if (rig_replay(&g, &s, &e))
						fail_msg("%s", e.msg);
					assert_int_equal(g.s.n_threads, 2);
					assert_int_equal(g.s.n_issued, 12);
					if (order == ORDER_NONE)
						continue;
					assert_int_equal(g.s.n_mismatches, 0);
					assert_true(g.r[2].begin_ns >= g.r[1].end_ns &&
						    g.r[3].begin_ns >= g.r[1].end_ns);
					assert_true(g.r[5].begin_ns >= g.r[2].end_ns);
					assert_true(g.r[7].begin_ns >= g.r[3].end_ns);
				}
	g.c = (struct replay_config){.dir = NULL};
	rig_release(&g);
	sample_release(&s);
}

/* Pauses are those between calls: the time of requests in flight is no pause. */
static void pauses(void **state)
{
	enum { LONG = 2000000 }; /* in flight, ns */
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	struct rig g;
	struct err e = ERR_INIT;
	(void)state;
	rig_init(&g);
	sample_open(&s, 1, 0, 5, 0, O_RDWR, 5);
	for (int i = 0; i < 20; i++) {
		const int64_t at = 1000 + (int64_t)i * LONG;
		call(&s, 1, at, at + 100, OP_IO_SUBMIT, 2);
		async_read(&s, 1, at, at + LONG - 1000, 0);
		async_read(&s, 1, at, at + LONG - 1000, 8);
		call(&s, 1, at + 200, at + LONG - 1000, OP_IO_GETEVENTS, 2);
	}
	g.c.order = ORDER_THREAD;
	g.c.timing = TIMING_THINK;
	if (rig_replay(&g, &s, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(g.s.n_mismatches, 0);
	for (size_t i = 1; i < g.n; i++)
		if (g.r[i].op != OP_AIO_READ &&
		    /* due at most 1000 ns after the actual end of its thread's previous call */
		    g.r[i].op != OP_OPEN) {
			assert_true(g.r[i].intended_ns - g.r[i - 1].end_ns <= 1100);
		}
	g.c = (struct replay_config){.dir = NULL};
	rig_release(&g);
	sample_release(&s);
}

static int setup(void **state)
{
	(void)state;
	dir = sample_dir();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	sample_dir_remove(dir);
	return 0;
}

/* Results are due at the traced time of their fetch, the end of a call that waited for them; this
 * is not lateness. */
static void fetched_in_time(void **state)
{
	(void)state;
	enum { FETCHED_NS = 30000000 };
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	struct err e = ERR_INIT;
	struct rig g;
	rig_init(&g);
	sample_open(&s, 1, 0, 1000, 0, O_RDWR | O_CREAT, 5);
	call(&s, 1, 10000, 11000, OP_IO_SUBMIT, 1);
	sample_data(&s, 1, 10000, FETCHED_NS, OP_AIO_WRITE, 5, 0, 0, 8, 8);
	call(&s, 1, 20000, FETCHED_NS, OP_IO_GETEVENTS, 1);
	g.c.timing = TIMING_TIMESTAMP;
	if (rig_replay(&g, &s, &e))
		fail_msg("%s", e.msg);
	assert_in_range(g.r[3].intended_ns, FETCHED_NS - 100, FETCHED_NS + 100);
	assert_in_range(g.r[1].intended_ns, 10000 - 100, 10000 + 100);
	assert_true(g.r[3].begin_ns >= FETCHED_NS - 100);
	rig_release(&g);
	sample_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(channels),
	    cmocka_unit_test(without_a_call),
	    cmocka_unit_test(handed_over_without_an_end),
	    cmocka_unit_test(at_one_instant),
	    cmocka_unit_test(without_descriptors),
	    cmocka_unit_test(replayed),
	    cmocka_unit_test(pauses),
	    cmocka_unit_test(fetched_in_time),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
