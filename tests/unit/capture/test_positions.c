/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Follows positions through opens, copies of descriptors, seeks and transfers; compares with an
 * independent reading of POSIX for each call. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/match/positions.h"

#define REST .intended_ns = TIME_NONE, .dispatch_ns = TIME_NONE, .heap = HEAP_NONE

static struct trace_record call(enum trace_op op, uint32_t pid, int32_t fd, uint64_t offset,
				int64_t rvalue)
{
	return (struct trace_record){.op = op, .pid = pid, .tid = pid, .fd = fd, .offset = offset, .length = rvalue > 0 ? (uint64_t)rvalue : 0,
				     .rvalue = rvalue, REST};
}

static uint64_t place(struct positions *p, enum trace_op op, uint32_t pid, int32_t fd,
		      uint64_t offset, int64_t rvalue)
{
	const struct trace_record r = call(op, pid, fd, offset, rvalue);
	return positions_follow(p, &r);
}

#define AT(wanted, ...) assert_int_equal(place(&p, __VA_ARGS__), wanted)
#define N OFFSET_NONE

static void test_reads_follow_each_other(void **state)
{
	(void)state;
	struct positions p;
	positions_init(&p);
	place(&p, OP_OPEN, 1, 3, N, 3);
	AT(0, OP_READ, 1, 3, N, 100);
	AT(100, OP_READ, 1, 3, N, 50); /* as many as came */
	AT(7, OP_PREAD, 1, 3, 7, 1000); /* moves nothing */
	AT(150, OP_WRITEV, 1, 3, N, 10);
	AT(160, OP_READ, 1, 3, N, -1); /* a failure neither */
	AT(160, OP_READ, 1, 3, N, 0);
	AT(500, OP_READ, 1, 3, 500, 10); /* known is known */
	AT(510, OP_READ, 1, 3, N, 1);
	place(&p, OP_LSEEK, 1, 3, 5, 4096);
	AT(4096, OP_READ, 1, 3, N, 1);
	place(&p, OP_LSEEK, 1, 3, 5, -1);
	AT(4097, OP_READ, 1, 3, N, 1);
	positions_release(&p);
}

static void test_descriptors(void **state)
{
	(void)state;
	struct positions p;
	positions_init(&p);
	AT(0, OP_READ, 1, 9, N, 10); /* open before the trace: position 0 */
	AT(0, OP_READ, 2, 9, N, 20); /* the same number of another process */
	AT(10, OP_READ, 1, 9, N, 10);
	place(&p, OP_DUP2, 1, 9, N, 4); /* shares the position */
	AT(20, OP_READ, 1, 4, N, 5);
	AT(25, OP_READ, 1, 9, N, 5);
	place(&p, OP_CLOSE, 1, 9, N, 0);
	AT(30, OP_READ, 1, 4, N, 5);
	place(&p, OP_OPEN, 1, 9, N, 9); /* the number of another file */
	AT(0, OP_READ, 1, 9, N, 3);
	place(&p, OP_OPEN, 1, 9, N, 9); /* opened again; its close was not observed */
	AT(0, OP_READ, 1, 9, N, 3);
	AT(35, OP_READ, 1, 4, N, 5);
	place(&p, OP_OPEN, 1, -1, N, -1);
	AT(N, OP_READ, 1, -1, N, 5); /* no descriptor, no place */
	positions_release(&p);
}

static void test_appends_and_requests_without_begin(void **state)
{
	(void)state;
	struct positions p;
	struct trace_record r = call(OP_OPEN, 1, 3, N, 3);
	positions_init(&p);
	r.flags = O_WRONLY | O_APPEND;
	positions_follow(&p, &r);
	AT(N, OP_WRITE, 1, 3, N, 10);
	AT(0, OP_READ, 1, 3, N, 10);
	r = call(OP_READ, 1, 3, N, 10);
	r.begin_ns = TIME_NONE;
	assert_int_equal(positions_follow(&p, &r), N);
	AT(10, OP_READ, 1, 3, N, 10);
	for (int32_t fd = 4; fd < 5000; fd++) { /* many, and their places again */
		place(&p, OP_OPEN, 1, fd, N, fd);
		AT(0, OP_READ, 1, fd, N, fd);
		if (fd % 2)
			place(&p, OP_CLOSE, 1, fd, N, 0);
	}
	AT(4998, OP_READ, 1, 4998, N, 1);
	assert_true(p.n_open < 2600);
	positions_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reads_follow_each_other),
	    cmocka_unit_test(test_descriptors),
	    cmocka_unit_test(test_appends_and_requests_without_begin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
