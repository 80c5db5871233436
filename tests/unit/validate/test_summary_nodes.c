/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes of a parallel application in summaries, compared with sums computed by hand: of its trace,
 * and of a replay whose threads have other numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/op.h"
#include "trace_file.h"
#include "validate/metrics/summary.h"

enum { N = 8 };

static const char causality[] =
    "{\"causality\": {\"nodes\": [{\"node\": 0, \"pid\": 40, \"tid\": 40, \"rank\": 0}, "
    "{\"node\": 1, \"pid\": 50, \"tid\": 50, \"rank\": 1}], \"period\": 10, \"throttled\": [1], "
    "\"runs\": 2, \"application_ns\": 1000, \"predicted_ns\": 750, \"tracing_ns\": 7000}}";

static struct trace_record record(uint32_t thread, unsigned int op, int64_t begin_ns,
				  int64_t end_ns, uint64_t length)
{
	return (struct trace_record){.begin_ns = begin_ns, .end_ns = end_ns, .intended_ns = TIME_NONE, .dispatch_ns = TIME_NONE, .length = length,
				     .rvalue = op == OP_READ ? (int64_t)length : 0, .pid = thread, .tid = thread, .object = 0, .heap = HEAP_NONE, .op = (uint8_t)op};
}

/* Node 0 reads, computes and signals; node 1 waits and reads twice; a thread that is no node reads
 * too. */
static void application(struct trace_record *r)
{
	const struct trace_record made[N] = {
	    record(40, OP_READ, 0, 100, 4096),     record(40, OP_SIGNAL, 100, 100, 1),
	    record(40, OP_COMPUTE, 100, 250, 150), record(50, OP_WAIT, 110, 110, 0),
	    record(50, OP_READ, 120, 320, 8192),   record(60, OP_READ, 130, 140, 10),
	    record(50, OP_READ, 400, 800, 8192),   record(40, OP_READ, 900, 1000, 4096),
	};
	memcpy(r, made, sizeof made);
	for (uint64_t i = 0; i < N; i++)
		r[i].seq = i;
}

static void test_application(void **state)
{
	(void)state;
	struct trace_record r[N];
	struct run_summary s;
	struct err e = ERR_INIT;
	struct trace_meta meta = trace_file_meta();
	struct trace_path path = trace_file_path("application");
	meta.extra_json = causality;
	application(r);
	trace_file_write(path.s, r, N, &meta, false, false);
	if (summary_compute(&s, path.s, NULL, NULL, &e))
		fail_msg("%s", e.msg);
	const struct causality_summary *c = &s.causality;
	assert_int_equal(c->n_nodes, 2);
	assert_int_equal(c->n_throttled, 1);
	assert_int_equal(c->n_runs, 2);
	assert_int_equal(c->period, 10);
	assert_int_equal(c->n_waits, 1);
	assert_int_equal(c->n_signals, 1);
	assert_int_equal(c->n_computes, 1);
	assert_int_equal(c->compute_ns, 150);
	assert_true(fabs(causality_tracing_time(c) - 7) < 1e-12);
	assert_true(fabs(causality_tracing_increase(c) - 6) < 1e-12);
	assert_true(fabs(causality_predicted_error(c) - 0.25) < 1e-12);
	assert_int_equal(s.n_nodes, 2);
	assert_int_equal(s.node[0].node, 0);
	assert_int_equal(s.node[0].response.n, 2);
	assert_true(fabs(s.node[0].response.mean - 100) < 1e-9);
	assert_int_equal(s.node[0].busy_ns, 1000);
	assert_int_equal(s.node[1].response.n, 2);
	assert_true(fabs(s.node[1].response.mean - 300) < 1e-9);
	assert_int_equal(s.node[1].busy_ns, 680);
	summary_release(&s);
	unlink(path.s);
}

/* Record i replays record i, whatever the number of its thread: everything takes half of the time,
 * and a request was lost. */
static void test_replay(void **state)
{
	(void)state;
	struct trace_record r[N], x[N];
	struct run_summary s;
	struct err e = ERR_INIT;
	struct trace_meta meta = trace_file_meta(), other = meta;
	struct trace_path input = trace_file_path("input"), path = trace_file_path("replay");
	meta.extra_json = causality;
	application(r);
	for (int i = 0; i < N; i++) {
		x[i] = r[i];
		x[i].begin_ns /= 2;
		x[i].end_ns /= 2;
		x[i].pid = x[i].tid = 9;
	}
	x[6].begin_ns = x[6].end_ns = TIME_NONE;
	trace_file_write(input.s, r, N, &meta, false, false);
	trace_file_write(path.s, x, N, &other, false, false);
	if (summary_compute(&s, path.s, input.s, NULL, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(s.causality.n_nodes, 0); /* it is no recording */
	assert_int_equal(s.n_nodes, 2);
	assert_int_equal(s.node[0].response.n, 2);
	assert_true(fabs(s.node[0].response.mean - 50) < 1e-9);
	assert_int_equal(s.node[1].response.n, 1);
	assert_true(fabs(s.node[1].response.mean - 100) < 1e-9);
	summary_release(&s);
	unlink(input.s);
	unlink(path.s);
}

static void test_unknown(void **state)
{
	(void)state;
	const struct causality_summary rows[] = {{0}, {.n_runs = 3, .application_ns = 10}, {.n_runs = 1, .application_ns = 10, .tracing_ns = 10}};
	assert_true(isnan(causality_tracing_time(&rows[0])) &&
		    isnan(causality_tracing_time(&rows[1])));
	for (size_t i = 0; i < 3; i++)
		assert_true(isnan(causality_tracing_increase(&rows[i])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_application),
	    cmocka_unit_test(test_replay),
	    cmocka_unit_test(test_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
