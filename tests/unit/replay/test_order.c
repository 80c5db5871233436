/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The derived waits of each order, compared with the definition of the order for every pair of
 * requests. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sys/file.h>

#include "sample.h"

enum { MAX_THREADS = 6, MAX_N = 128 };

static char *dir;

/* --- what a list of edges guarantees ------------------------------------- */

struct guarantee { /* sure[r][t]: progress that thread t must have reached when r begins */
	uint32_t sure[MAX_N][MAX_THREADS];
};

static uint32_t request_of(const struct loaded *x, uint32_t thread, uint32_t threshold)
{
	for (uint32_t i = 0; i < x->l.n; i++)
		if (x->l.request[i].thread == thread &&
		    x->l.request[i].index == (threshold - 1) / 2)
			return i;
	fail_msg("no request %u of thread %u", (threshold - 1) / 2, thread);
	return 0;
}

static void raise_to(uint32_t *a, const uint32_t *b)
{
	for (uint32_t t = 0; t < MAX_THREADS; t++)
		a[t] = a[t] > b[t] ? a[t] : b[t];
}

static void guarantee_make(struct guarantee *g, const struct loaded *x, const struct edges *d,
			   size_t without)
{
	uint32_t last[MAX_THREADS];
	memset(g, 0, sizeof *g);
	memset(last, 0xff, sizeof last);
	for (uint32_t r = 0; r < x->l.n; r++) {
		const struct load_request *q = &x->l.request[r];
		if (last[q->thread] != NONE32)
			raise_to(g->sure[r], g->sure[last[q->thread]]);
		g->sure[r][q->thread] = 2 * q->index;
		for (size_t i = 0; i < d->n; i++)
			if (d->edge[i].request == r && i != without) {
				uint32_t p = request_of(x, d->edge[i].thread, d->edge[i].threshold);
				/* no request waits for a later request: no deadlock */
				assert_true(p < r);
				raise_to(g->sure[r], g->sure[p]);
				if (g->sure[r][d->edge[i].thread] < d->edge[i].threshold)
					g->sure[r][d->edge[i].thread] = d->edge[i].threshold;
			}
		last[q->thread] = r;
	}
}

static bool satisfies(const struct loaded *x, const struct guarantee *g, demand *wants)
{
	for (uint32_t r = 0; r < x->l.n; r++)
		for (uint32_t q = 0; q < r; q++)
			if (g->sure[r][x->l.request[q].thread] < wants(x, q, r))
				return false;
	return true;
}

/* No required wait is missing, and every edge is required. */
static void check_exact(const struct loaded *x, const struct edges *d, demand *wants)
{
	struct guarantee g;
	guarantee_make(&g, x, d, SIZE_MAX);
	assert_true(satisfies(x, &g, wants));
	for (size_t i = 0; i < d->n; i++) {
		const struct edge *k = &d->edge[i];
		assert_true(i == 0 || d->edge[i - 1].request <= k->request);
		assert_int_not_equal(k->thread, x->l.request[k->request].thread);
		uint32_t p = request_of(x, k->thread, k->threshold);
		assert_true(k->threshold <= wants(x, p, k->request));
	}
}

/* No edge can be left out. */
static void check_reduced(const struct loaded *x, const struct edges *d, demand *wants)
{
	struct guarantee g;
	for (size_t i = 0; i < d->n; i++) {
		guarantee_make(&g, x, d, i);
		assert_false(satisfies(x, &g, wants));
	}
}

static void check_order(const struct sample *s, enum replay_order order, demand *wants,
			bool reduced)
{
	struct err e = ERR_INIT;
	struct loaded x;
	struct edges d;
	assert_int_equal(sample_load(s, dir, &x, &e), 0);
	assert_int_equal(order_derive(&d, order, RULES_ALL, &x.l, &x.s, &e), 0);
	check_exact(&x, &d, wants);
	if (reduced)
		check_reduced(&x, &d, wants);
	edges_release(&d);
	loaded_release(&x);
}

static void check_edges(const struct sample *s, enum replay_order order,
			const struct edge *expected, size_t n)
{
	struct err e = ERR_INIT;
	struct loaded x;
	struct edges d;
	assert_int_equal(sample_load(s, dir, &x, &e), 0);
	assert_int_equal(order_derive(&d, order, RULES_ALL, &x.l, &x.s, &e), 0);
	assert_int_equal(d.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(d.edge[i].request, expected[i].request);
		assert_int_equal(d.edge[i].thread, expected[i].thread);
		assert_int_equal(d.edge[i].threshold, expected[i].threshold);
	}
	edges_release(&d);
	loaded_release(&x);
}

#define EDGES(...) (const struct edge[]){__VA_ARGS__}, sizeof((const struct edge[]){__VA_ARGS__}) / sizeof(struct edge)

/* --- temporal by hand ---------------------------------------------------- */

static void pread_at(struct sample *s, uint32_t tid, int64_t begin, int64_t end)
{
	sample_data(s, tid, begin, end, OP_PREAD, 3, 0, 0, 1, 1);
}

static void temporal_keeps_overlap(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	pread_at(&s, 1, 0, 100);  /* thread 0, request 0 */
	pread_at(&s, 2, 10, 20);  /* begins within it */
	pread_at(&s, 2, 30, 40);
	pread_at(&s, 1, 110, 120); /* after both of thread 1 */
	pread_at(&s, 2, 130, 140);
	check_edges(&s, ORDER_TEMPORAL, EDGES({1, 0, 1}, {3, 1, 4}, {4, 0, 4}));
	check_edges(&s, ORDER_TEMPORAL_SERIAL, EDGES({1, 0, 2}, {3, 1, 4}, {4, 0, 4}));
	check_edges(&s, ORDER_THREAD, NULL, 0);
	check_edges(&s, ORDER_NONE, NULL, 0);
	sample_release(&s);
}

static void temporal_with_three_threads(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	pread_at(&s, 1, 0, 10);
	pread_at(&s, 2, 1, 11);
	pread_at(&s, 3, 2, 50);
	/* of the two ended requests only those of its own thread and of thread 1 count; thread 2
	 * has begun */
	pread_at(&s, 1, 20, 30);
	pread_at(&s, 2, 40, 45); /* after the second request of thread 1: its end is new */
	check_edges(&s, ORDER_TEMPORAL,
		    EDGES({1, 0, 1}, {2, 1, 1}, {3, 1, 2}, {3, 2, 1}, {4, 0, 4}));
	sample_release(&s);
}

static void ties_are_ends_before_begins(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	pread_at(&s, 1, 0, 10);
	pread_at(&s, 2, 10, 20); /* begins when the first request ends, so it comes after it */
	pread_at(&s, 1, 20, 20); /* takes no time */
	/* starts and ends with its predecessor, but is later in the file */
	pread_at(&s, 2, 20, 20);
	check_edges(&s, ORDER_TEMPORAL, EDGES({1, 0, 2}, {2, 1, 2}, {3, 0, 4}));
	sample_release(&s);
}

static void an_unknown_end_is_no_end(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	pread_at(&s, 1, 0, TIME_NONE);
	pread_at(&s, 2, 1000, 1001);
	check_edges(&s, ORDER_TEMPORAL, EDGES({1, 0, 1}));
	sample_release(&s);
}

/* --- at random ----------------------------------------------------------- */

/* Each thread runs one request after another; times are small numbers, so that equal times are
 * common. */
static void random_times(struct sample *s, uint64_t *seed, uint32_t n_threads, uint32_t n,
			 int64_t longest)
{
	int64_t free_at[MAX_THREADS] = {0};
	for (uint32_t i = 0; i < n; i++) {
		uint32_t t = (uint32_t)(sample_random(seed) % n_threads);
		int64_t begin = free_at[t] + (int64_t)(sample_random(seed) % 4);
		int64_t end = begin + (int64_t)(sample_random(seed) % (uint64_t)longest);
		free_at[t] = end;
		pread_at(s, t + 1, begin, end);
	}
}

static void temporal_is_exact_and_reduced(void **state)
{
	(void)state;
	uint64_t seed = 88172645463325252u;
	for (int round = 0; round < 150; round++) {
		struct sample s = {.paths = {"f"}, .n_paths = 1};
		random_times(&s, &seed, 1 + (uint32_t)round % MAX_THREADS,
			     1 + (uint32_t)(sample_random(&seed) % 40), 2 + round % 20);
		check_order(&s, ORDER_TEMPORAL, demand_temporal, true);
		check_order(&s, ORDER_TEMPORAL_SERIAL, demand_serial, true);
		check_order(&s, ORDER_THREAD, demand_thread, true);
		sample_release(&s);
	}
}

static void requests_of_one_thread_may_overlap_in_a_bad_trace(void **state)
{
	(void)state;
	uint64_t seed = 1234567;
	for (int round = 0; round < 100; round++) {
		struct sample s = {.paths = {"f"}, .n_paths = 1};
		for (int i = 0; i < 30; i++) {
			int64_t begin = (int64_t)(sample_random(&seed) % 30);
			pread_at(&s, 1 + (uint32_t)(sample_random(&seed) % 4), begin,
				 begin + (int64_t)(sample_random(&seed) % 20));
		}
		check_order(&s, ORDER_TEMPORAL, demand_temporal, false);
		check_order(&s, ORDER_TEMPORAL_SERIAL, demand_serial, true);
		sample_release(&s);
	}
}

/* --- fs by hand ---------------------------------------------------------- */

static void fs_does_not_order_independent_reads(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f", "g"}, .n_paths = 2};
	for (int i = 0; i < 10; i++) {
		pread_at(&s, 1, 10 * i, 10 * i + 8);
		pread_at(&s, 2, 10 * i + 1, 10 * i + 9);
		sample_data(&s, 3, 10 * i + 2, 10 * i + 9, OP_READ, 4, 1, OFFSET_NONE, 1, 1);
	}
	check_edges(&s, ORDER_FS, NULL, 0);
	sample_release(&s);
}

static void fs_open_use_close(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	sample_open(&s, 1, 0, 5, 0, O_RDWR, 7);
	sample_data(&s, 2, 10, 15, OP_PREAD, 7, 0, 0, 4, 4);
	/* no further wait: still in progress at the close */
	sample_data(&s, 2, 16, 30, OP_PREAD, 7, 0, 4, 4, 4);
	sample_data(&s, 1, 20, 25, OP_CLOSE, 7, OBJECT_NONE, OFFSET_NONE, 0, 0);
	sample_data(&s, 2, 40, 41, OP_PREAD, 7, 0, 4, 4, -EBADF);
	check_edges(&s, ORDER_FS, EDGES({1, 0, 2}, {3, 1, 4}, {4, 0, 4}));
	sample_release(&s);
}

static void fs_position_of_a_shared_descriptor(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	sample_data(&s, 1, 0, 5, OP_READ, 3, 0, 0, 4, 4);
	sample_data(&s, 2, 1, 6, OP_READ, 3, 0, 4, 4, 4);   /* overlap, but share the position */
	sample_data(&s, 1, 7, 8, OP_PREAD, 3, 0, 100, 4, 4); /* independent */
	struct trace_record *r = sample_data(&s, 1, 9, 10, OP_LSEEK, 3, 0, 0, 0, 0);
	r->flags = SEEK_SET;
	check_edges(&s, ORDER_FS, EDGES({1, 0, 2}, {3, 1, 2}));
	sample_release(&s);
}

static void fs_a_file_is_made_before_it_is_opened(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	sample_open(&s, 3, 0, 1, 0, O_RDONLY, -ENOENT);
	sample_open(&s, 1, 2, 5, 0, O_RDWR | O_CREAT, 7);
	sample_open(&s, 2, 10, 11, 0, O_RDWR, 8);
	sample_open(&s, 2, 12, 13, 0, O_RDWR, 9);
	check_edges(&s, ORDER_FS, EDGES({1, 2, 2}, {2, 0, 2}));
	sample_release(&s);
}

static void fs_a_read_comes_after_the_write_it_saw(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	struct fileset_entry entry = {"f", 100, false};
	s.files = (struct fileset){&entry, 1};
	sample_data(&s, 1, 0, 1, OP_PWRITE, 3, 0, 100, 10, 10); /* extends */
	sample_data(&s, 2, 2, 3, OP_PREAD, 3, 0, 105, 2, 2);	/* saw it */
	sample_data(&s, 2, 4, 5, OP_PREAD, 3, 0, 0, 50, 50);	/* saw nothing new */
	sample_data(&s, 3, 4, 9, OP_PWRITE, 3, 0, 120, 10, 10); /* leaves a hole from 110 */
	/* in the hole: readable because thread 2 wrote after it */
	sample_data(&s, 2, 10, 11, OP_PREAD, 3, 0, 111, 2, 2);
	sample_data(&s, 1, 12, 13, OP_PREAD, 3, 0, 125, 50, 5); /* met the end of the file */
	sample_data(&s, 2, 14, 15, OP_PWRITE, 3, 0, 130, 1, 1); /* moves it */
	check_edges(&s, ORDER_FS, EDGES({1, 0, 2}, {4, 2, 2}, {5, 2, 2}, {6, 0, 4}));
	sample_release(&s);
}

/* A process ends with a lock: the next process takes it after that end. */
static void fs_a_lock_ends_with_its_process(void **state)
{
	(void)state;
	for (int shared = 0; shared < 2; shared++) {
		struct sample s = {.paths = {"f", "g"}, .n_paths = 2};
		for (uint32_t t = 1; t <= 2; t++) {
			const int64_t at = 100 * t;
			sample_open(&s, t, at, at + 1, 0, O_RDWR, 7)->pid = t;
			struct trace_record *r = sample_data(&s, t, at + 2, at + 3, OP_FLOCK, 7, 0,
							     OFFSET_NONE, 0, 0);
			r->pid = t;
			r->flags = t == 1 && shared ? LOCK_SH : LOCK_EX;
			sample_open(&s, t, at + 4, at + 5, 1, O_RDONLY, 8)->pid = t;
		}
		check_edges(&s, ORDER_FS, EDGES({4, 0, 6}));
		sample_release(&s);
	}
}

/* A shared lock replaces the exclusive one of the process: the next process takes its shared lock
 * after that. Two further shared locks do not wait for each other. */
static void fs_a_shared_lock_replaces_an_exclusive_one(void **state)
{
	(void)state;
	static const int how[] = {LOCK_EX, LOCK_SH, LOCK_SH, LOCK_SH};
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	for (uint32_t t = 1; t <= 3; t++)
		sample_open(&s, t, t, t + 1, 0, O_RDWR, 7)->pid = t;
	for (uint32_t i = 0; i < 4; i++) {
		struct trace_record *r =
		    sample_data(&s, i < 2 ? 1 : i, 10 * (int64_t)i + 10, 10 * (int64_t)i + 15,
				OP_FLOCK, 7, 0, OFFSET_NONE, 0, 0);
		r->pid = r->tid;
		r->flags = (uint32_t)how[i];
	}
	sample_open(&s, 1, 100, 101, 0, O_RDWR, 8)->pid = 1; /* process 1 has not ended */
	check_edges(&s, ORDER_FS, EDGES({5, 0, 6}, {6, 0, 6}));
	sample_release(&s);
}

static void fs_truncation_is_a_fence_for_its_file(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f", "g"}, .n_paths = 2};
	sample_data(&s, 1, 0, 1, OP_PREAD, 3, 0, 0, 4, 4);
	sample_data(&s, 2, 0, 1, OP_PREAD, 4, 1, 0, 4, 4);
	sample_open(&s, 3, 2, 3, 0, O_WRONLY | O_TRUNC, 9);
	sample_data(&s, 1, 4, 5, OP_PREAD, 3, 0, 0, 4, 0);
	sample_data(&s, 2, 4, 5, OP_PREAD, 4, 1, 0, 4, 4);
	check_edges(&s, ORDER_FS, EDGES({2, 0, 2}, {3, 2, 2}));
	sample_release(&s);
}

/* A hole is punched, and searched for, in some bytes; bytes before it do not matter. */
static void fs_holes(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	sample_data(&s, 1, 0, 1, OP_PWRITE, 3, 0, 0, 9000, 9000);			    /* 0 */
	/* 1: keeps the size, punches */
	sample_data(&s, 2, 2, 3, OP_FALLOCATE, 4, 0, 4096, 4096, 0)->flags = 3;
	sample_data(&s, 3, 4, 5, OP_LSEEK, 5, 0, 0, 0, 4096)->flags = SEEK_HOLE;	    /* 2 */
	/* 3: reads zeros */
	sample_data(&s, 4, 6, 7, OP_PREAD, 6, 0, 4096, 10, 10);
	sample_data(&s, 4, 8, 9, OP_PREAD, 6, 0, 0, 10, 10);				    /* 4 */
	struct loaded x;
	struct edges d;
	struct err e = ERR_INIT;
	if (sample_load(&s, dir, &x, &e) ||
	    order_derive(&d, ORDER_FS, 1u << RULE_DATA, &x.l, &x.s, &e))
		fail_msg("%s", e.msg);
	bool found[5][4] = {{false}};
	for (size_t i = 0; i < d.n; i++)
		found[d.edge[i].request][d.edge[i].thread] = true;
	assert_true(found[2][1] && found[2][0] && found[3][1] && found[4][0]);
	assert_false(found[4][1]);
	edges_release(&d);
	loaded_release(&x);
	sample_release(&s);
}

/* A read over more extents than are examined waits for the last write of every thread instead. */
static void fs_a_read_over_many_writes(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	uint32_t n = 5000;
	for (uint32_t i = 0; i < n; i++)
		sample_data(&s, 1 + i % 2, 2 * i, 2 * i + 1, OP_PWRITE, 3, 0,
			    (uint64_t)(i * 7919 % n) * 10, 5, 5);
	sample_data(&s, 3, 2 * n, 2 * n + 1, OP_PREAD, 3, 0, 0, n * 10, n * 10);
	check_edges(&s, ORDER_FS, EDGES({n, 0, n}, {n, 1, n}));
	sample_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(temporal_keeps_overlap),
		cmocka_unit_test(temporal_with_three_threads),
		cmocka_unit_test(ties_are_ends_before_begins),
		cmocka_unit_test(an_unknown_end_is_no_end),
		cmocka_unit_test(temporal_is_exact_and_reduced),
		cmocka_unit_test(requests_of_one_thread_may_overlap_in_a_bad_trace),
		cmocka_unit_test(fs_does_not_order_independent_reads),
		cmocka_unit_test(fs_open_use_close),
		cmocka_unit_test(fs_position_of_a_shared_descriptor),
		cmocka_unit_test(fs_a_file_is_made_before_it_is_opened),
		cmocka_unit_test(fs_a_read_comes_after_the_write_it_saw),
		cmocka_unit_test(fs_a_lock_ends_with_its_process),
		cmocka_unit_test(fs_a_shared_lock_replaces_an_exclusive_one),
		cmocka_unit_test(fs_truncation_is_a_fence_for_its_file),
		cmocka_unit_test(fs_holes),
		cmocka_unit_test(fs_a_read_over_many_writes),
	};
	dir = sample_dir();
	int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
	sample_dir_remove(dir);
	return n_failed;
}
