/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A replay with the times of an observer of the same process: the assignment of observed calls to
 * requests, and the values that stay the replayer's. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "trace_file.h"
#include "validate/metrics/observed.h"

static struct trace_record call(int64_t begin, int64_t took, enum trace_op op)
{
	return (struct trace_record){.begin_ns = begin,
				     .end_ns = begin + took,
				     .intended_ns = TIME_NONE,
				     .dispatch_ns = TIME_NONE,
				     .length = 4096,
				     .rvalue = 4096,
				     .pid = 1,
				     .tid = 1,
				     .heap = HEAP_NONE,
				     .op = op};
}

enum { N = 8 };

/* Eight requests of the replayer: reads and writes alternately, 10 us apart, after an open; one is
 * not issued. */
static void own_make(struct trace_record *x)
{
	x[0] = call(1000000, 900, OP_OPEN);
	for (int i = 1; i < N; i++)
		x[i] = call(1000000 + i * 10000, 500, i % 2 ? OP_READ : OP_WRITE);
	x[6].begin_ns = x[6].end_ns = TIME_NONE;
}

static void check(const struct trace_record *side, size_t n_side, int64_t epoch_shift,
		  const int64_t *wanted, uint64_t n_observed)
{
	struct trace_record own[N];
	struct trace_path own_path = trace_file_path("own"), side_path = trace_file_path("side"),
			  out_path = trace_file_path("out");
	struct trace_meta meta = trace_file_meta();
	struct observed o;
	struct err e = ERR_INIT;
	struct trace *t;
	const struct trace_record *r;
	own_make(own);
	trace_file_write(own_path.s, own, N, &meta, false, false);
	meta.epoch_ns += epoch_shift;
	trace_file_write(side_path.s, side, n_side, &meta, false, false);
	if (observed_write(own_path.s, side_path.s, out_path.s, &o, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(o.n_requests, N - 1);
	assert_int_equal(o.n_observed, n_observed);
	assert_true(fabs(o.own_mean_ns - (900 + 6 * 500) / 7.0) < 1e-9);
	assert_int_equal(trace_open(&t, out_path.s, &e), 0);
	for (int i = 0; i < N; i++) {
		assert_int_equal(trace_next(t, &r, &e), 1);
		assert_int_equal(r->begin_ns, own[i].begin_ns);
		assert_int_equal(r->op, own[i].op);
		if (own[i].end_ns == TIME_NONE)
			assert_int_equal(r->end_ns, TIME_NONE);
		else if (r->end_ns - r->begin_ns != wanted[i])
			fail_msg("request %d: %lld instead of %lld ns", i,
				 (long long)(r->end_ns - r->begin_ns), (long long)wanted[i]);
	}
	assert_int_equal(trace_next(t, &r, &e), 0);
	trace_close(t);
	unlink(own_path.s);
	unlink(side_path.s);
	unlink(out_path.s);
}

/* The library's trace in another order, with an epoch of its own, with calls before and after the
 * replay, and without opens. */
static void test_kinds_by_order_of_begins(void **state)
{
	(void)state;
	struct trace_record side[32];
	size_t n = 0;
	int64_t shift = 123456; /* its clock began later */
	for (int i = 7; i >= 1; i--) {
		if (i != 6)
			side[n++] = call(1000000 + i * 10000 + 40 - shift, 100 + i,
					 i % 2 ? OP_READ : OP_WRITE);
	}
	side[n++] = call(-5000000 - shift, 77, OP_READ); /* the replayer reads its input */
	side[n++] = call(9000000 - shift, 77, OP_WRITE); /* and writes its trace */
	const int64_t wanted[N] = {900, 101, 102, 103, 104, 105, 0, 107};
	check(side, n, shift, wanted, 6);
}

/* A read of the replayer's own: within a millisecond of the replay, but not within the replay. */
static void test_other_calls_close_by(void **state)
{
	(void)state;
	struct trace_record side[32];
	size_t n = 0;
	for (int i = 1; i < N; i++)
		if (i != 6)
			side[n++] =
			    call(1000000 + i * 10000 + 40, 100 + i, i % 2 ? OP_READ : OP_WRITE);
	side[n++] = call(1000000 - 300000, 77, OP_READ);
	const int64_t wanted[N] = {900, 101, 102, 103, 104, 105, 0, 107};
	check(side, n, 0, wanted, 6);
}

/* One further read during the replay: the assignment is unknown, and all reads keep the replayer's
 * times. */
static void test_unknown_assignment(void **state)
{
	(void)state;
	struct trace_record side[32];
	size_t n = 0;
	for (int i = 1; i < N; i++)
		if (i != 6)
			side[n++] =
			    call(1000000 + i * 10000 + 40, 100 + i, i % 2 ? OP_READ : OP_WRITE);
	side[n++] = call(1035000, 77, OP_READ);
	const int64_t wanted[N] = {900, 500, 102, 500, 104, 500, 0, 500};
	check(side, n, 0, wanted, 2);
}

static void test_errors(void **state)
{
	(void)state;
	struct observed o;
	struct err e = ERR_INIT;
	assert_int_equal(observed_write("/proc/nonexistent/own", "/proc/nonexistent/side",
					"/proc/nonexistent/out", &o, &e),
			 -ENOENT);
	assert_non_null(strstr(e.msg, "/proc/nonexistent/own"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_kinds_by_order_of_begins),
	    cmocka_unit_test(test_other_calls_close_by),
	    cmocka_unit_test(test_unknown_assignment),
	    cmocka_unit_test(test_errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
