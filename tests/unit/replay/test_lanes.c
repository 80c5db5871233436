/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that did not exist at the same time share a lane, and so a worker. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "replay/plan/plan.h"
#include "rig.h"

/* Compared with the definition: in a lane no two threads exist at the same time and the earlier
 * comes first; and there are only as many lanes as threads existed at one time. */
static void assignment(void **state)
{
	(void)state;
	uint64_t seed = 3;
	for (int round = 0; round < 200; round++) {
		struct load_request r[120];
		struct load_thread t[40] = {{0}};
		struct load l = {.request = r, .thread = t, .n_threads = 1 + (uint32_t)(sample_random(&seed) % 40)};
		struct lanes x;
		int64_t begin[40], end[40];
		for (uint32_t i = 0; i < l.n_threads; i++) {
			begin[i] = (int64_t)(sample_random(&seed) % 1000);
			end[i] = begin[i] + (int64_t)(sample_random(&seed) % 100);
			for (uint32_t k = 0; k < 3; k++, l.n++) {
				r[l.n] = (struct load_request){.thread = i & 0xff, .index = k,
							       .begin_ns = begin[i] + (k ? (end[i] - begin[i]) / 2 : 0)};
				load_end_set(&l, &r[l.n], end[i]);
			}
			t[i].n_requests = 3;
		}
		lanes_assign(&x, &l, true);
		uint32_t most = 0;
		for (uint32_t i = 0; i < l.n_threads; i++) {
			uint32_t alive = 0, before = 0;
			for (uint32_t k = 0; k < l.n_threads; k++) {
				alive += begin[k] <= begin[i] &&
					 (end[k] > begin[i] || begin[k] == begin[i]);
				if (k == i || x.lane[k] != x.lane[i])
					continue;
				assert_true(end[k] <= begin[i] || end[i] <= begin[k]);
				before += x.base[k] < x.base[i] ? 3 : 0;
				if (x.base[k] < x.base[i])
					assert_true(end[k] <= begin[i]);
			}
			assert_int_equal(x.base[i], before);
			most = alive > most ? alive : most;
		}
		assert_true(x.n <= most);
		lanes_release(&x);
		lanes_assign(&x, &l, false);
		assert_true(x.n == l.n_threads && x.lane[l.n_threads - 1] == l.n_threads - 1 &&
			    !x.joined);
		lanes_release(&x);
	}
}

/* Five thousand threads, three at a time; in every order each request has its outcome, and each
 * thread its order. */
static void short_lived(void **state)
{
	(void)state;
	enum { N = 5000 };
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	struct rig g;
	struct err e = ERR_INIT;
	rig_init(&g);
	for (int i = 0; i < N; i++) {
		const uint32_t tid = 10 + (uint32_t)i;
		const int64_t at = 100 * i;
		struct trace_record *r = sample_open(&s, tid, at, at + 5, 0, O_RDWR | O_CREAT, 3);
		r->pid = tid;
		for (int k = 0; k < 2; k++) {
			r = sample_data(&s, tid, at + 10 + 100 * k, at + 20 + 140 * k, OP_PWRITE, 3,
					0, (uint64_t)i, 1, 1);
			r->pid = tid;
		}
	}
	for (int order = 0; order <= ORDER_NONE; order++) {
		g.c.order = order;
		for (int timing = 0;
		     timing <= (order == ORDER_NONE ? TIMING_TIMESTAMP : TIMING_THINK); timing++) {
			g.c.timing = timing;
			if (rig_replay(&g, &s, &e))
				fail_msg("%s", e.msg);
			assert_int_equal(g.s.n_threads, N);
			assert_true(g.s.n_workers <= 3);
			assert_int_equal(g.s.n_issued, 3 * N);
			assert_int_equal(order == ORDER_NONE ? 0 : g.s.n_mismatches, 0);
			for (size_t i = 0; i < g.n && order != ORDER_NONE; i++)
				if (i % 3)
					assert_true(g.r[i].begin_ns >= g.r[i - 1].end_ns);
		}
	}
	g.c = (struct replay_config){.dir = NULL};
	rig_release(&g);
	sample_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(assignment),
	    cmocka_unit_test(short_lived),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
