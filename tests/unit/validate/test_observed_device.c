/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run as its device observed it: the assignment of the device's requests, pieces, losses,
 * requests of other programs, and the instant from which a request counts. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/op.h"
#include "trace_file.h"
#include "validate/metrics/observed_device.h"

#define K 4096u

static struct trace_record request(enum trace_op op, uint64_t offset, uint64_t length,
				   int64_t begin, int64_t end)
{
	return (struct trace_record){.begin_ns = begin, .end_ns = end, .intended_ns = TIME_NONE, .dispatch_ns = TIME_NONE, .offset = offset,
				     .length = length, .rvalue = (int64_t)length, .pid = 1, .tid = 1, .heap = HEAP_NONE, .op = op};
}

/* Queued at q, dispatched to the device at d, completed at e. */
static struct trace_record seen(enum trace_op op, uint64_t offset, uint64_t length, int64_t q,
				int64_t d, int64_t e)
{
	struct trace_record r = request(op, offset, length, q, e);
	r.dispatch_ns = d;
	return r;
}

struct made {
	struct trace_record r[32];
	size_t n;
	struct observed_device o;
	int rc;
	struct err e;
};

static bool floating;
#define SHIFT 500000 /* offset of the device's epoch */

static void make(struct made *m, const struct trace_record *sequence, size_t n,
		 const struct trace_record *own, size_t n_own, const struct trace_record *side,
		 size_t n_side, bool queued, uint64_t lost)
{
	struct trace_path seq = trace_file_path("seq"), mine = trace_file_path("own"),
			  dev = trace_file_path("side"), out = trace_file_path("out");
	struct trace_meta meta = trace_file_meta();
	const struct trace_record *r;
	struct trace *t;
	*m = (struct made){.e = ERR_INIT};
	trace_file_write(seq.s, sequence, n, &meta, false, false);
	if (own)
		trace_file_write(mine.s, own, n_own, &meta, false, false);
	meta.epoch_ns += SHIFT;
	meta.n_events_lost = lost;
	trace_file_write(dev.s, side, n_side, &meta, false, false);
	struct device_observation how = {.side = dev.s, .sequence = n ? seq.s : NULL, .own = own ? mine.s : NULL, .numbered = own != NULL,
					 .floating = floating, .queued = queued};
	m->rc = observed_device_write(&how, out.s, &m->o, &m->e);
	if (!m->rc) {
		assert_int_equal(trace_open(&t, out.s, &m->e), 0);
		assert_int_equal(trace_meta(t)->n_events_lost, lost);
		while (trace_next(t, &r, &m->e) == 1)
			m->r[m->n++] = *r;
		trace_close(t);
	}
	unlink(seq.s);
	unlink(mine.s);
	unlink(dev.s);
	unlink(out.s);
}

static void times_are(const struct trace_record *r, int64_t begin, int64_t end)
{
	if (r->begin_ns != begin || r->end_ns != end)
		fail_msg("%lld to %lld instead of %lld to %lld", (long long)r->begin_ns,
			 (long long)r->end_ns, (long long)begin, (long long)end);
}

static void test_by_key_in_any_order(void **state)
{
	(void)state;
	const struct trace_record sequence[] = {
	    request(OP_PREAD, 0, K, 10, 20), request(OP_PWRITE, 0, K, 11, 21),
	    request(OP_PREAD, 0, K, 12, 22), request(OP_PREAD, K, K, 13, 23)};
	/* the device got the last request first; equal requests keep their order */
	const struct trace_record side[] = {
	    seen(OP_PREAD, K, K, 100, 105, 150), seen(OP_PREAD, 0, K, 110, 115, 160),
	    seen(OP_PREAD, 0, K, 120, 125, 170), seen(OP_PWRITE, 0, K, 130, 135, 180)};
	struct made m;
	for (int queued = 0; queued < 2; queued++) {
		make(&m, sequence, 4, NULL, 0, side, 4, queued, 0);
		assert_int_equal(m.rc, 0);
		assert_int_equal(m.n, 4);
		times_are(&m.r[0], queued ? 110 : 115, 160);
		times_are(&m.r[1], queued ? 130 : 135, 180);
		times_are(&m.r[2], queued ? 120 : 125, 170);
		times_are(&m.r[3], queued ? 100 : 105, 150);
		assert_int_equal(m.o.n_requests, 4);
		assert_int_equal(m.o.n_seen, 4);
		assert_int_equal(m.o.n_extra + m.o.n_outside + m.o.n_split, 0);
	}
}

/* A lost request, a request of another length, a repeated request; requests before and after the
 * run; an error of the device. */
static void test_lost_extra_and_failed(void **state)
{
	(void)state;
	const struct trace_record sequence[] = {
	    request(OP_PREAD, 0, K, 10, 20), request(OP_PREAD, 2 * K, K, 11, 21),
	    request(OP_PREAD, 3 * K, K, 12, 22), request(OP_PWRITE, 8 * K, K, 13, 23)};
	struct trace_record side[] = {
	    seen(OP_PREAD, 64 * K, K, 50, 55, 60),    seen(OP_PREAD, 0, K, 100, 105, 150),
	    seen(OP_PREAD, 0, K, 110, 115, 160),      seen(OP_PREAD, 3 * K, 2 * K, 120, 125, 170),
	    seen(OP_PWRITE, 8 * K, K, 130, 135, 180), seen(OP_PREAD, 70 * K, K, 400, 405, 410)};
	struct made m;
	side[4].rvalue = -1;
	side[4].error = EIO;
	make(&m, sequence, 4, NULL, 0, side, 6, false, 7);
	assert_int_equal(m.rc, 0);
	assert_int_equal(m.o.n_requests, 4);
	assert_int_equal(m.o.n_seen, 2);
	assert_int_equal(m.o.n_lost_events, 7);
	times_are(&m.r[0], 105, 150);
	for (int i = 1; i < 3; i++) {
		times_are(&m.r[i], TIME_NONE, TIME_NONE);
		assert_int_equal(m.r[i].error, 0); /* lost, and not skipped */
	}
	assert_int_equal(m.r[3].error, EIO);
	assert_int_equal(m.r[3].rvalue, -1);
	assert_int_equal(m.o.n_extra, 2); /* the repetition, and the request of another length */
	assert_int_equal(m.n, 6);
	times_are(&m.r[4], 115, 160);
	times_are(&m.r[5], 125, 170);
	assert_int_equal(m.o.n_outside, 2);
}

/* A request in three pieces, of which the second completes last. Another request lacks its last
 * piece: it is lost, and its pieces are extra. */
static void test_pieces(void **state)
{
	(void)state;
	const struct trace_record sequence[] = {request(OP_PREAD, 0, 6 * K, 10, 20),
						request(OP_PREAD, 100 * K, 4 * K, 10, 20),
						request(OP_PREAD, 50 * K, K, 10, 20)};
	const struct trace_record side[] = {seen(OP_PREAD, 0, 2 * K, 100, 140, 150),
					    seen(OP_PREAD, 2 * K, 2 * K, 101, 120, 190),
					    seen(OP_PREAD, 4 * K, 2 * K, 102, 130, 160),
					    seen(OP_PREAD, 100 * K, 2 * K, 120, 125, 130),
					    seen(OP_PREAD, 50 * K, K, 200, 201, 202)};
	struct made m;
	make(&m, sequence, 3, NULL, 0, side, 5, false, 0);
	assert_int_equal(m.rc, 0);
	times_are(&m.r[0], 120, 190);
	times_are(&m.r[1], TIME_NONE, TIME_NONE);
	assert_int_equal(m.o.n_split, 1);
	assert_int_equal(m.o.n_seen, 2);
	assert_int_equal(m.o.n_extra, 1);
}

/* A request that need not reach a device is skipped; intended times come from the run's own trace,
 * on the device's clock. */
static void test_skipped_and_intended(void **state)
{
	(void)state;
	const struct trace_record sequence[] = {request(OP_PREAD, 0, K, 10, 20),
						request(OP_FSYNC, OFFSET_NONE, 0, 11, 21),
						request(OP_PREAD, K, K, 12, 22)};
	struct trace_record own[] = {sequence[0], sequence[1], sequence[2]};
	const struct trace_record side[] = {seen(OP_PREAD, 0, K, 100, 105, 150),
					    seen(OP_PREAD, K, K, 110, 115, 160)};
	struct made m;
	own[0].intended_ns = SHIFT + 90;
	own[2].begin_ns = own[2].end_ns = TIME_NONE;
	own[2].error = EOPNOTSUPP;
	make(&m, sequence, 3, own, 3, side, 2, false, 0);
	assert_int_equal(m.rc, 0);
	assert_int_equal(m.r[0].intended_ns, 90);
	assert_int_equal(m.r[1].error, EOPNOTSUPP);
	times_are(&m.r[1], TIME_NONE, TIME_NONE);
	assert_int_equal(m.r[2].error, EOPNOTSUPP); /* the replayer reported that it skips them */
	assert_int_equal(m.o.n_requests, 2);
	assert_int_equal(m.o.n_seen, 1);
}

/* A replayer with a clock of its own, or without a clock: its intended times count from the first
 * request that was found, at the instant at which that request was queued for the device. */
static void test_intended_of_a_floating_clock(void **state)
{
	(void)state;
	const struct trace_record sequence[] = {request(OP_PREAD, 5 * K, K, 10, 20),
						request(OP_PREAD, 0, K, 1010, 1020),
						request(OP_PREAD, K, K, 2010, 2020)};
	struct trace_record own[] = {sequence[0], sequence[1], sequence[2]};
	const struct trace_record side[] = {seen(OP_PREAD, 0, K, 70000, 70005, 70100),
					    seen(OP_PREAD, K, K, 71300, 71350, 71400)};
	struct made m;
	for (size_t i = 0; i < 3; i++) {
		own[i].intended_ns = own[i].begin_ns - 10;
		own[i].begin_ns = own[i].end_ns = TIME_NONE;
		own[i].error = ECANCELED;
	}
	floating = true;
	make(&m, sequence, 3, own, 3, side, 2, false, 0);
	floating = false;
	assert_int_equal(m.rc, 0);
	assert_int_equal(m.o.n_requests, 3);
	assert_int_equal(m.o.n_seen, 2);
	times_are(&m.r[0], TIME_NONE, TIME_NONE);
	assert_int_equal(m.r[0].error, 0); /* lost, and not skipped */
	assert_true(m.r[0].intended_ns == TIME_NONE);
	assert_int_equal(m.r[1].intended_ns, 70000);
	times_are(&m.r[1], 70005, 70100);
	assert_int_equal(m.r[2].intended_ns, 71000);
	times_are(&m.r[2], 71350, 71400);
}

/* Without a sequence the device's own order is the sequence. An empty observation is an error. */
static void test_alone_and_nothing(void **state)
{
	(void)state;
	const struct trace_record side[] = {seen(OP_PREAD, K, K, 100, 105, 150),
					    seen(OP_PWRITE, 0, K, 90, 95, 99)};
	const struct trace_record elsewhere[] = {request(OP_PREAD, 512 * K, K, 1, 2)};
	struct made m;
	make(&m, NULL, 0, NULL, 0, side, 2, false, 0);
	assert_int_equal(m.rc, 0);
	assert_int_equal(m.n, 2);
	times_are(&m.r[0], 95, 99);
	times_are(&m.r[1], 105, 150);
	assert_int_equal(m.o.n_seen, 2);
	make(&m, elsewhere, 1, NULL, 0, side, 2, false, 0);
	assert_int_equal(m.rc, -ENODATA);
	assert_non_null(strstr(m.e.msg, "none of the 1 requests"));
	make(&m, NULL, 0, NULL, 0, side, 0, false, 0);
	assert_int_equal(m.rc, -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_by_key_in_any_order),
	    cmocka_unit_test(test_lost_extra_and_failed),
	    cmocka_unit_test(test_pieces),
	    cmocka_unit_test(test_skipped_and_intended),
	    cmocka_unit_test(test_intended_of_a_floating_clock),
	    cmocka_unit_test(test_alone_and_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
