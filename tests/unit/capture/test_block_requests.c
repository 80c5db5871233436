/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts constructed block events to requests. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdbool.h>
#include <cmocka.h>

#include <errno.h>

#include "capture/kernel/block_requests.h"
#include "capture/trace.h"

struct taken {
	struct block_request r[64];
	size_t n;
	size_t fail_at; /* 0: never */
};

static int take(void *context, const struct block_request *r)
{
	struct taken *t = context;
	assert_true(t->n < 64);
	t->r[t->n++] = *r;
	return t->fail_at && t->n == t->fail_at ? -ENOSPC : 0;
}

static void add(struct block_requests *q, enum block_event_kind kind, int64_t ns, uint64_t sector,
		uint32_t n, const char *rwbs)
{
	struct block_event v = {.kind = kind, .ns = ns, .sector = sector, .n_sectors = n, .pid = 7};
	v.direction = block_rwbs(rwbs, 10, &v.flags);
	assert_int_equal(block_requests_add(q, &v), 0);
}

static void check(const struct block_request *r, uint64_t sector, int64_t begin, int64_t dispatch,
		  int64_t end)
{
	assert_int_equal(r->sector, sector);
	assert_int_equal(r->begin_ns, begin);
	assert_int_equal(r->dispatch_ns, dispatch);
	assert_int_equal(r->end_ns, end);
}

static void rwbs_letters(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum block_direction direction;
		uint32_t flags;
	} row[] = {
		{"R", BLOCK_READ, 0}, {"RA", BLOCK_READ, BLOCK_AHEAD}, {"RSM", BLOCK_READ, BLOCK_SYNC | BLOCK_META},
		{"W", BLOCK_WRITE, 0}, {"WS", BLOCK_WRITE, BLOCK_SYNC}, {"WFS", BLOCK_WRITE, BLOCK_FUA | BLOCK_SYNC},
		{"FWFSM", BLOCK_WRITE, BLOCK_PREFLUSH | BLOCK_FUA | BLOCK_SYNC | BLOCK_META}, {"FF", BLOCK_FLUSH, BLOCK_PREFLUSH},
		{"F", BLOCK_FLUSH, 0}, {"FS", BLOCK_FLUSH, BLOCK_SYNC}, {"D", BLOCK_DISCARD, 0}, {"DE", BLOCK_DISCARD, 0}, {"N", BLOCK_OTHER, 0},
		{"", BLOCK_OTHER, 0}, {"FN", BLOCK_OTHER, BLOCK_PREFLUSH},
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		uint32_t flags;
		enum block_direction d = block_rwbs(row[i].text, 10, &flags);
		if (d != row[i].direction || flags != row[i].flags)
			fail_msg("%s: direction %d, flags %u", row[i].text, d, flags);
	}
	uint32_t flags;
	static const char unended[3] = {'W', 'S', 'M'};
	assert_int_equal(block_rwbs(unended, 3, &flags), BLOCK_WRITE);
	assert_int_equal(flags, BLOCK_SYNC | BLOCK_META);
}

/* Requests that complete in another order than they were issued are returned in the order of issue,
 * each with its own end. */
static void out_of_order(void **state)
{
	(void)state;
	struct taken t = {.n = 0};
	struct block_counts n;
	struct block_requests *q = block_requests_open(false, take, &t);
	add(q, BLOCK_ISSUE, 10, 100, 8, "R");
	add(q, BLOCK_ISSUE, 20, 200, 8, "WS");
	add(q, BLOCK_COMPLETE, 30, 200, 8, "WS");
	assert_int_equal(t.n, 0);
	add(q, BLOCK_COMPLETE, 40, 100, 8, "R");
	assert_int_equal(t.n, 2);
	check(&t.r[0], 100, 10, 10, 40);
	check(&t.r[1], 200, 20, 20, 30);
	assert_int_equal(t.r[1].flags, BLOCK_SYNC);
	assert_int_equal(block_requests_finish(q, &n), 0);
	assert_int_equal(n.n_requests, 2);
	assert_int_equal(n.n_unfinished + n.n_unpaired + n.n_requeued, 0);
	block_requests_close(q);
}

/* Two equal requests in flight are matched first in, first out. A read and a write at the same
 * sector are distinguished. */
static void equal_requests_and_directions(void **state)
{
	(void)state;
	struct taken t = {.n = 0};
	struct block_counts n;
	struct block_requests *q = block_requests_open(false, take, &t);
	add(q, BLOCK_ISSUE, 1, 64, 8, "R");
	add(q, BLOCK_ISSUE, 2, 64, 8, "R");
	add(q, BLOCK_ISSUE, 3, 64, 8, "W");
	add(q, BLOCK_COMPLETE, 4, 64, 8, "W");
	add(q, BLOCK_COMPLETE, 5, 64, 8, "R");
	add(q, BLOCK_COMPLETE, 6, 64, 8, "R");
	assert_int_equal(t.n, 3);
	check(&t.r[0], 64, 1, 1, 5);
	check(&t.r[1], 64, 2, 2, 6);
	check(&t.r[2], 64, 3, 3, 4);
	block_requests_finish(q, &n);
	block_requests_close(q);
}

static void parts_requeues_errors_and_unpaired_events(void **state)
{
	(void)state;
	struct taken t = {.n = 0};
	struct block_counts n;
	struct block_requests *q = block_requests_open(false, take, &t);
	add(q, BLOCK_COMPLETE, 1, 500, 8, "R"); /* began before the capture */
	add(q, BLOCK_ISSUE, 10, 0, 16, "W");
	add(q, BLOCK_COMPLETE, 11, 0, 8, "W");
	assert_int_equal(t.n, 0);
	add(q, BLOCK_COMPLETE, 12, 8, 8, "W"); /* the second half */
	check(&t.r[0], 0, 10, 10, 12);
	add(q, BLOCK_ISSUE, 20, 32, 8, "R");
	add(q, BLOCK_REQUEUE, 21, 32, 8, "R");
	add(q, BLOCK_ISSUE, 25, 32, 8, "R");
	struct block_event failed = {.kind = BLOCK_COMPLETE, .ns = 30, .sector = 32, .n_sectors = 8, .direction = BLOCK_READ, .error = EIO};
	assert_int_equal(block_requests_add(q, &failed), 0);
	check(&t.r[1], 32, 20, 25, 30);
	assert_int_equal(t.r[1].error, EIO);
	add(q, BLOCK_ISSUE, 40, 96, 8, "R"); /* never completes */
	add(q, BLOCK_ISSUE, 41, 104, 8, "R");
	add(q, BLOCK_COMPLETE, 42, 104, 8, "R");
	assert_int_equal(block_requests_finish(q, &n), 0);
	assert_int_equal(t.n, 4);
	check(&t.r[2], 96, 40, 40, TIME_NONE);
	check(&t.r[3], 104, 41, 41, 42);
	assert_int_equal(n.n_requests, 4);
	assert_int_equal(n.n_unfinished, 1);
	assert_int_equal(n.n_unpaired, 1);
	assert_int_equal(n.n_requeued, 1);
	block_requests_close(q);
}

/* Flushes have no sector, and are matched first in, first out. */
static void flushes(void **state)
{
	(void)state;
	struct taken t = {.n = 0};
	struct block_counts n;
	struct block_requests *q = block_requests_open(false, take, &t);
	/* as Linux reports them: another sector at the completion, and then the write of length 0
	 * that requested the flush */
	add(q, BLOCK_ISSUE, 1, 0, 0, "FF");
	add(q, BLOCK_COMPLETE, 5, UINT64_MAX, 0, "FF");
	add(q, BLOCK_COMPLETE, 6, 0, 0, "WS");
	check(&t.r[0], 0, 1, 1, 5);
	assert_int_equal(t.r[0].direction, BLOCK_FLUSH);
	add(q, BLOCK_ISSUE, 11, 0, 0, "FF"); /* a flush before the commit of a journal */
	add(q, BLOCK_COMPLETE, 15, UINT64_MAX, 0, "FF");
	add(q, BLOCK_ISSUE, 16, 800, 8, "FWSM");
	add(q, BLOCK_COMPLETE, 19, 800, 8, "WSM");
	check(&t.r[1], 0, 11, 11, 15);
	check(&t.r[2], 800, 16, 16, 19);
	assert_int_equal(t.r[2].flags, BLOCK_SYNC | BLOCK_META); /* it would be flushed twice */
	assert_int_equal(block_requests_finish(q, &n), 0);
	assert_int_equal(t.n, 3);
	assert_int_equal(n.n_unfinished + n.n_unpaired, 0);
	block_requests_close(q);
}

/* One bio split into two requests, and two bios merged into one. */
static void bios_split_and_merged(void **state)
{
	(void)state;
	struct taken t = {.n = 0};
	struct block_counts n;
	struct block_requests *q = block_requests_open(true, take, &t);
	add(q, BLOCK_QUEUE, 1, 0, 32, "W");
	add(q, BLOCK_ISSUE, 3, 0, 16, "W");
	add(q, BLOCK_ISSUE, 4, 16, 16, "W");
	add(q, BLOCK_COMPLETE, 8, 16, 16, "W");
	assert_int_equal(t.n, 0);
	add(q, BLOCK_COMPLETE, 9, 0, 16, "W");
	check(&t.r[0], 0, 1, 3, 9);

	add(q, BLOCK_QUEUE, 20, 100, 8, "R");
	add(q, BLOCK_QUEUE, 21, 108, 8, "R");
	add(q, BLOCK_ISSUE, 25, 100, 16, "R");
	add(q, BLOCK_COMPLETE, 30, 100, 16, "R");
	assert_int_equal(t.n, 3);
	check(&t.r[1], 100, 20, 25, 30);
	check(&t.r[2], 108, 21, 25, 30);
	assert_int_equal(t.r[2].n_sectors, 8);

	/* an explicit flush, for which the kernel makes a request of its own */
	add(q, BLOCK_QUEUE, 40, 0, 0, "FW");
	add(q, BLOCK_ISSUE, 41, UINT64_MAX, 0, "FF");
	add(q, BLOCK_COMPLETE, 45, UINT64_MAX, 0, "FF");
	check(&t.r[3], 0, 40, 41, 45);
	assert_int_equal(block_requests_finish(q, &n), 0);
	assert_int_equal(n.n_requests, 4);
	assert_int_equal(n.n_unfinished + n.n_unpaired, 0);
	block_requests_close(q);
}

/* A second bio for the same sectors, queued while the first is in flight, keeps its own times. */
static void bios_of_the_same_sectors(void **state)
{
	(void)state;
	struct taken t = {.n = 0};
	struct block_counts n;
	struct block_requests *q = block_requests_open(true, take, &t);
	add(q, BLOCK_QUEUE, 1, 64, 8, "R");
	add(q, BLOCK_ISSUE, 2, 64, 8, "R");
	add(q, BLOCK_QUEUE, 3, 64, 8, "R");
	add(q, BLOCK_COMPLETE, 5, 64, 8, "R");
	assert_int_equal(t.n, 1);
	add(q, BLOCK_ISSUE, 6, 64, 8, "R");
	add(q, BLOCK_COMPLETE, 9, 64, 8, "R");
	check(&t.r[0], 64, 1, 2, 5);
	check(&t.r[1], 64, 3, 6, 9);
	block_requests_finish(q, &n);
	block_requests_close(q);
}

/* A bio that is queued twice because the queue was full gives one request. Two equal bios that are
 * both issued give two requests. */
static void bios_queued_again(void **state)
{
	(void)state;
	struct taken t = {.n = 0};
	struct block_counts n;
	struct block_requests *q = block_requests_open(true, take, &t);
	add(q, BLOCK_QUEUE, 1, 300, 8, "R"); /* refused */
	add(q, BLOCK_QUEUE, 2, 300, 8, "R");
	add(q, BLOCK_QUEUE, 3, 308, 8, "R");
	add(q, BLOCK_ISSUE, 5, 300, 16, "R");
	add(q, BLOCK_COMPLETE, 6, 300, 16, "R");
	add(q, BLOCK_QUEUE, 7, 400, 16, "W");
	add(q, BLOCK_QUEUE, 8, 400, 16, "W");
	add(q, BLOCK_ISSUE, 9, 400, 8, "W"); /* the first request, in two parts */
	add(q, BLOCK_ISSUE, 10, 408, 8, "W");
	add(q, BLOCK_ISSUE, 11, 400, 16, "W");
	add(q, BLOCK_COMPLETE, 12, 408, 8, "W");
	add(q, BLOCK_COMPLETE, 13, 400, 8, "W");
	add(q, BLOCK_COMPLETE, 14, 400, 16, "W");
	assert_int_equal(block_requests_finish(q, &n), 0);
	assert_int_equal(t.n, 4);
	check(&t.r[0], 300, 1, 5, 6);
	check(&t.r[1], 308, 3, 5, 6);
	check(&t.r[2], 400, 7, 9, 13);
	check(&t.r[3], 400, 8, 11, 14);
	assert_int_equal(n.n_requests, 4);
	assert_int_equal(n.n_unfinished + n.n_unpaired, 0);
	block_requests_close(q);
}

/* An error of the callback is returned, and the callback is not called again. */
static void an_error_ends_it(void **state)
{
	(void)state;
	struct taken t = {.fail_at = 2};
	struct block_requests *q = block_requests_open(false, take, &t);
	for (uint64_t i = 0; i < 3; i++)
		add(q, BLOCK_ISSUE, (int64_t)i, i * 8, 8, "R");
	struct block_event done = {.kind = BLOCK_COMPLETE, .ns = 9, .n_sectors = 8, .direction = BLOCK_READ};
	for (uint64_t i = 2; i; i--) {
		done.sector = i * 8;
		assert_int_equal(block_requests_add(q, &done), 0);
	}
	done.sector = 0;
	assert_int_equal(block_requests_add(q, &done), -ENOSPC);
	assert_int_equal(t.n, 2);
	block_requests_close(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rwbs_letters),
	    cmocka_unit_test(out_of_order),
	    cmocka_unit_test(equal_requests_and_directions),
	    cmocka_unit_test(parts_requeues_errors_and_unpaired_events),
	    cmocka_unit_test(flushes),
	    cmocka_unit_test(bios_split_and_merged),
	    cmocka_unit_test(bios_queued_again),
	    cmocka_unit_test(bios_of_the_same_sectors),
	    cmocka_unit_test(an_error_ends_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
