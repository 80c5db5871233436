/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>

#include "replay/order/deps.h"
#include "rig.h"

static void read_sample(struct deps *d, const struct sample *s, struct rig *g,
			enum replay_order order)
{
	struct err e = ERR_INIT;
	sample_write(s, g->input);
	if (deps_read(d, g->input, order, RULES_ALL, &e))
		fail_msg("%s", e.msg);
}

/* Two threads: A [0,10) [20,30), B [5,15) [16,26). Temporal: B1 waits for the start of A1; B2 for
 * the end of A1; A2 for the end of B1 and the start of B2. The latter suffices, because B2 follows
 * B1. */
static struct sample two_threads(void)
{
	struct sample s = {.paths = {"a"}, .n_paths = 1};
	sample_data(&s, 1, 0, 10, OP_PREAD, 3, 0, 0, 64, 64);
	sample_data(&s, 2, 5, 15, OP_PREAD, 3, 0, 64, 64, 64);
	sample_data(&s, 2, 16, 26, OP_PREAD, 3, 0, 128, 64, 64);
	sample_data(&s, 1, 20, 30, OP_PREAD, 3, 0, 192, 64, 64);
	return s;
}

static void temporal_by_hand(void **state)
{
	(void)state;
	struct rig g;
	struct deps d;
	struct sample s = two_threads();
	rig_init(&g);
	read_sample(&d, &s, &g, ORDER_TEMPORAL);
	assert_int_equal(d.summary.n_requests, 4);
	assert_int_equal(d.summary.n_threads, 2);
	assert_int_equal(d.summary.n_begun, 2);
	assert_int_equal(d.summary.n_ended, 1);
	assert_int_equal(d.summary.n_waiting, 3);
	assert_int_equal(d.summary.n_waits_max, 1);
	assert_int_equal(d.summary.n_pairs, 2);
	assert_int_equal(d.summary.span_ns, 30);
	assert_int_equal(d.summary.service_ns, 40);
	/* A1 0..10, B1 0..10, B2 10..20, A2 10..20 */
	assert_int_equal(d.summary.critical_ns, 20);
	assert_true(fabs(d.summary.parallelism - 2) < 1e-12);
	assert_true(fabs(d.summary.mean_concurrency - 40.0 / 30) < 1e-12);
	for (size_t i = 0; i < d.edges.n; i++)
		assert_true(deps_source(&d, &d.edges.edge[i]) < d.edges.edge[i].request);
	deps_release(&d);
	sample_release(&s);
	rig_release(&g);
}

static void the_critical_path_of_each_order(void **state)
{
	(void)state;
	static const int64_t critical[] = {[ORDER_TEMPORAL] = 20,
					   [ORDER_TEMPORAL_SERIAL] = 40,
					   [ORDER_FS] = 20,
					   [ORDER_THREAD] = 20,
					   [ORDER_NONE] = 10};
	struct rig g;
	struct sample s = two_threads();
	rig_init(&g);
	for (int order = ORDER_TEMPORAL; order <= ORDER_NONE; order++) {
		struct deps d;
		read_sample(&d, &s, &g, (enum replay_order)order);
		assert_int_equal(d.summary.critical_ns, critical[order]);
		if (order == ORDER_FS || order == ORDER_THREAD || order == ORDER_NONE)
			assert_int_equal(d.edges.n,
					 0); /* reads of one file by pread are independent */
		deps_release(&d);
	}
	sample_release(&s);
	rig_release(&g);
}

/* An unknown end adds no time; an empty trace has no figures. */
static void unknown_ends_and_nothing(void **state)
{
	(void)state;
	struct rig g;
	struct deps d;
	struct sample s = two_threads(), none = {.n_paths = 0};
	rig_init(&g);
	s.r[0].end_ns = TIME_NONE;
	read_sample(&d, &s, &g, ORDER_THREAD);
	assert_int_equal(d.summary.service_ns, 30);
	deps_release(&d);
	read_sample(&d, &none, &g, ORDER_TEMPORAL);
	assert_int_equal(d.summary.n_requests, 0);
	assert_true(isnan(d.summary.parallelism) && isnan(d.summary.mean_concurrency));
	deps_release(&d);
	assert_true(deps_read(&d, "/nowhere/at/all", ORDER_FS, RULES_ALL, NULL) < 0);
	deps_release(&d);
	sample_release(&s);
	rig_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(temporal_by_hand),
		cmocka_unit_test(the_critical_path_of_each_order),
		cmocka_unit_test(unknown_ends_and_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
