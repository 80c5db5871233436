/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order in which merge_next() returns the records of a spool. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* before cmocka */
#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/app/app_private.h"

static struct log_record record(uint64_t begin, uint16_t op, uint64_t offset)
{
	return (struct log_record){
	    .begin = begin, .end = begin + 5, .op = op, .offset = offset, .n_units = 2};
}

/* A signal handler makes a thread's records unordered. Its windows are spooled in another order
 * than it filled them. The data of a write has the start of its request, and still precedes it. */
static void test_data_precedes_its_request(void **state)
{
	const struct log_record second[] = {record(200, LOG_CONTENT_OF, 4096),
					    record(200, LOG_CONTENT_OF, 8192),
					    record(200, OP_WRITE, 0)},
				first[] = {record(50, OP_READ, 0), record(40, OP_READ, 0),
					   record(200, LOG_CONTENT_OF, 0)};
	struct spool_window window[] = {
	    {.at = 0, .sequence = 1, .n_units = 6, .pid = 9, .tid = 9},
	    {.at = sizeof second, .sequence = 0, .n_units = 6, .pid = 9, .tid = 9},
	};
	char path[] = "spool-XXXXXX";
	struct spool s = {.fd = mkstemp(path), .end = sizeof second + sizeof first,
			  .window = window, .n_windows = 2};
	struct merge *m;
	struct merge_record r;
	struct err e = ERR_INIT;
	const uint64_t expected[][2] = {{40, 0},     {50, 0},     {200, 0},
					{200, 4096}, {200, 8192}, {200, 0}};
	(void)state;
	unlink(path);
	assert_int_equal(write(s.fd, second, sizeof second), sizeof second);
	assert_int_equal(write(s.fd, first, sizeof first), sizeof first);
	assert_int_equal(merge_open(&m, &s, &e), 0);
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		assert_true(merge_next(m, &r));
		assert_int_equal(r.r->begin, expected[i][0]);
		assert_int_equal(r.r->offset, expected[i][1]);
	}
	assert_int_equal(r.r->op, OP_WRITE);
	assert_false(merge_next(m, &r));
	merge_close(m);
	close(s.fd);
}

/* merge_events() leaves out short records, except those of io_uring_enter. */
static void test_short_requests_are_left_out(void **state)
{
	const uint64_t ops[] = {OP_READ, OP_IO_URING_ENTER, OP_WRITE, OP_READ};
	struct log_short units[6];
	const struct log_record event = record(250, LOG_START, 0);
	for (uint64_t i = 0; i < 4; i++)
		units[i < 2 ? i : i + 2] = (struct log_short){
		    .begin_op = (i + 1) * 100 | ops[i] << LOG_SHORT_BEGIN_BITS, .commit = LOG_SHORT};
	memcpy(&units[2], &event, sizeof event);
	struct spool_window window = {.at = 0, .n_units = 6, .pid = 9, .tid = 9};
	char path[] = "spool-XXXXXX";
	struct spool s = {
	    .fd = mkstemp(path), .end = sizeof units, .window = &window, .n_windows = 1};
	const uint16_t all[] = {OP_READ, OP_IO_URING_ENTER, LOG_START, OP_WRITE, OP_READ},
		       events[] = {OP_IO_URING_ENTER, LOG_START};
	struct merge *m;
	struct merge_record r;
	struct err e = ERR_INIT;
	(void)state;
	unlink(path);
	assert_int_equal(write(s.fd, units, sizeof units), sizeof units);
	assert_int_equal(merge_open(&m, &s, &e), 0);
	for (int round = 0; round < 2; round++) {
		merge_events(m);
		for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
			assert_true(merge_next(m, &r));
			assert_int_equal(r.r->op, events[i]);
		}
		assert_false(merge_next(m, &r));
		merge_rewind(m);
		for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
			assert_true(merge_next(m, &r));
			assert_int_equal(r.r->op, all[i]);
		}
		assert_false(merge_next(m, &r));
	}
	merge_close(m);
	close(s.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_data_precedes_its_request),
	    cmocka_unit_test(test_short_requests_are_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
