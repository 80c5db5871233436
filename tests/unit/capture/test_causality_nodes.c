/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which threads are the nodes of an application in every run, which of them are delayed, and which
 * data of the runs are kept. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/causality/collect_runs.h"
#include "capture/causality/nodes.h"
#include "common/files.h"
#include "common/xalloc.h"

#define THREAD(k, p, t, r, n) {.key = k, .pid = p, .tid = t, .rank = r, .n_requests = n}

static void test_ranks(void **unused)
{
	const struct watch_thread t[] = {THREAD(5, 30, 30, 1, 4), THREAD(6, 10, 10, -1, 9),
					 THREAD(7, 20, 21, 0, 3), THREAD(8, 20, 20, 0, 2),
					 THREAD(9, 40, 40, 2, 0)};
	struct watch_thread *node;
	uint32_t n, outside;
	struct err e = ERR_INIT;
	(void)unused;
	assert_int_equal(nodes_take(t, 5, 0, &node, &n, &outside, &e), 0);
	assert_int_equal(n, 3);
	assert_int_equal(outside, 1);
	assert_int_equal(node[0].key, 8);
	assert_int_equal(node[1].key, 7);
	assert_int_equal(node[2].key, 5);
	free(node);
	assert_int_equal(nodes_take(t + 4, 1, 0, &node, &n, &outside, &e), -ENOENT);
	assert_null(node);
}

static const struct watch_thread with_senders[] = {
	{.key = 4, .pid = 10, .tid = 10, .rank = -1, .n_requests = 9, .sends = true, .compute_sum_ns = 99},
	{.key = 5, .pid = 20, .tid = 20, .rank = 0, .n_requests = 3, .sends = true, .compute_sum_ns = 50},
	{.key = 6, .pid = 30, .tid = 30, .rank = 1, .n_requests = 3, .sends = true, .compute_sum_ns = 49},
	THREAD(7, 40, 40, 2, 8)};

/* They follow the nodes with requests. In an MPI job other threads than ranks are none. */
static void test_without_requests(void **unused)
{
	struct watch_thread *node, run[4];
	uint32_t n, outside;
	int64_t number[4];
	struct err e = ERR_INIT;
	(void)unused;
	assert_int_equal(nodes_take(with_senders, 4, 50, &node, &n, &outside, &e), 0);
	assert_int_equal(n, 2);
	assert_int_equal(outside, 0);
	assert_int_equal(node[0].key, 7);
	assert_int_equal(node[1].key, 5);
	assert_int_equal(nodes_match(node, n, with_senders, 4, number, &e), 0);
	assert_int_equal(number[0], -1);
	assert_int_equal(number[1], 1);
	assert_int_equal(number[2], -1);
	assert_int_equal(number[3], 0);
	memcpy(run, with_senders, sizeof run);
	run[1].n_requests = 4;
	assert_int_equal(nodes_match(node, n, run, 4, number, &e), -EILSEQ);
	assert_non_null(strstr(e.msg, "3 messages in the first run, but 4"));
	run[1].sends = false;
	run[1].n_requests = 3;
	assert_int_equal(nodes_match(node, n, run, 4, number, &e), -EILSEQ);
	free(node);
	/* nothing but messages is no application */
	assert_int_equal(nodes_take(with_senders, 3, 0, &node, &n, &outside, &e), -ENOENT);
	assert_null(node);
}

static void test_match(void **unused)
{
	const struct watch_thread base[] = {THREAD(8, 20, 20, -1, 2), THREAD(5, 20, 21, -1, 3),
					    THREAD(5, 20, 22, -1, 4)};
	/* two nodes with the same key: the node that appeared first is the first */
	const struct watch_thread run[] = {THREAD(5, 90, 95, -1, 4), THREAD(1, 91, 91, -1, 0),
					   THREAD(5, 90, 93, -1, 3), THREAD(8, 90, 90, -1, 2)};
	const struct watch_thread more[] = {THREAD(8, 1, 1, -1, 2), THREAD(5, 1, 2, -1, 3),
					    THREAD(5, 1, 3, -1, 3), THREAD(4, 1, 4, -1, 1)};
	int64_t number[4];
	struct err e = ERR_INIT;
	(void)unused;
	assert_int_equal(nodes_match(base, 3, run, 4, number, &e), 0);
	assert_int_equal(number[0], 2);
	assert_int_equal(number[1], -1);
	assert_int_equal(number[2], 1);
	assert_int_equal(number[3], 0);
	assert_int_equal(nodes_match(base, 3, run, 3, number, &e), -EILSEQ);
	assert_non_null(strstr(e.msg, "node 0"));
	assert_int_equal(nodes_match(base, 3, more, 4, number, &e), -EILSEQ);
}

static uint32_t chosen(const bool *w, uint32_t n)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += w[i];
	return sum;
}

static void test_choose(void **unused)
{
	bool w[8], again[8];
	uint32_t hits[8] = {0};
	struct err e = ERR_INIT;
	(void)unused;
	assert_int_equal(nodes_choose("all", 1, 8, w, &e), 0);
	assert_int_equal(chosen(w, 8), 8);
	assert_int_equal(nodes_choose("0,2-4", 1, 8, w, &e), 0);
	assert_true(w[0] && !w[1] && w[2] && w[3] && w[4] && chosen(w, 8) == 4);
	for (uint64_t seed = 0; seed < 4000; seed++) {
		assert_int_equal(nodes_choose("random:3", seed, 8, w, &e), 0);
		assert_int_equal(nodes_choose("random:3", seed, 8, again, &e), 0);
		assert_memory_equal(w, again, sizeof w);
		assert_int_equal(chosen(w, 8), 3);
		for (int i = 0; i < 8; i++)
			hits[i] += w[i];
	}
	for (int i = 0; i < 8; i++) /* 1500 expected, standard deviation 31 */
		assert_in_range(hits[i], 1350, 1650);
	static const char *const wrong[] = {"",         "x",        "8",        "3-1", "1-",
					    "random:0", "random:9", "random:x", "-1",  "1,,2"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_true(nodes_choose(wrong[i], 1, 8, w, &e) < 0);
}

static void test_kept_runs(void **unused)
{
	char dir[] = "/tmp/test-causality-XXXXXX";
	struct kept_runs k;
	struct err e = ERR_INIT;
	struct causality_edge edge[] = {{1, 0, 5, UINT64_C(1) << 40, 999999, 7, 250000, true},
					{0, 1, 0, 0, COMPUTED_ALL, 0, 0}},
			      *got;
	uint64_t n;
	(void)unused;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(kept_runs_open(&k, dir, "that", false, &e), 0);
	k.n_nodes = 2;
	k.node = xcalloc(2, sizeof *k.node);
	k.node[1] = (struct watch_thread){.key = UINT64_MAX - 3, .pid = 7, .tid = 8, .rank = -1, .n_requests = 12, .sends = true, .phase_max_ns = 99};
	k.without_senders = true;
	k.application_ns = 12345;
	k.scale = 4;
	kept_run_add(&k, &(struct kept_run){.throttled = -1, .took_ns = 5, .name = xstrdup("run-base")});
	kept_run_add(&k, &(struct kept_run){.throttled = 1, .period = 10, .n_edges = 2, .name = xstrdup("run-10-1")});
	assert_int_equal(kept_runs_save(&k, &e), 0);
	char *path = kept_path(&k, "run-10-1", ".edges");
	assert_int_equal(edges_save(path, edge, 2, &e), 0);
	kept_runs_release(&k);

	assert_int_equal(kept_runs_open(&k, dir, "that", false, &e), -EEXIST);
	kept_runs_release(&k);
	assert_int_equal(kept_runs_open(&k, dir, "this", true, &e), -ESTALE);
	kept_runs_release(&k);
	assert_int_equal(kept_runs_open(&k, dir, "that", true, &e), 0);
	assert_int_equal(k.n_nodes, 2);
	assert_true(k.node[1].key == UINT64_MAX - 3 && k.node[1].phase_max_ns == 99 && k.node[1].sends && k.without_senders &&
		    k.scale == 4 && k.application_ns == 12345);
	assert_non_null(kept_run_find(&k, -1, 77));
	assert_non_null(kept_run_find(&k, 1, 10));
	assert_null(kept_run_find(&k, 1, 1));
	assert_int_equal(edges_load(path, &got, &n, &e), 0);
	assert_int_equal(n, 2);
	for (size_t i = 0; i < 2; i++)
		assert_true(got[i].signaller == edge[i].signaller &&
			    got[i].waiter == edge[i].waiter &&
			    got[i].signaller_request == edge[i].signaller_request &&
			    got[i].waiter_request == edge[i].waiter_request &&
			    got[i].computed_ppm == edge[i].computed_ppm &&
			    got[i].n_later == edge[i].n_later &&
			    got[i].signalled_ppm == edge[i].signalled_ppm &&
			    got[i].uncertain == edge[i].uncertain);
	free(got);
	kept_runs_forget(&k, 1);
	assert_int_equal(k.n_runs, 1);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(file_write_atomic(path, "1:2 3", 5, &e), 0);
	assert_int_equal(edges_load(path, &got, &n, &e), -EILSEQ);
	free(got);
	kept_runs_release(&k);
	free(path);
	assert_int_equal(dir_remove_tree(dir, &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_without_requests),
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_choose),
		cmocka_unit_test(test_kept_runs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
