/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/op.h"
#include "tests/unit/capture/sample.h"

/* Numbers and names are part of the file formats. */
static void numbers_and_names_stay(void **state)
{
	(void)state;
	static const char *const want[] = {"invalid", "open",   "close", "read",  "write",
					   "pread",   "pwrite", "lseek", "fsync", "fdatasync",
					   "readv",   "writev", "preadv", "pwritev", "preadv2"};
	for (unsigned int op = 0; op < sizeof want / sizeof *want; op++)
		assert_string_equal(op_name(op), want[op]);
	assert_int_equal(OP_STAT, 30);
	assert_int_equal(OP_RENAME, 50);
	assert_int_equal(OP_MMAP, 72);
	assert_int_equal(OP_FOPEN, 82);
	assert_int_equal(OP_AIO_OTHER, 110);
	assert_int_equal(OP_PAGE_CACHE_ADD, 112);
	assert_int_equal(OP_WAIT, 115);
}

static void every_row_is_whole(void **state)
{
	(void)state;
	for (unsigned int op = 1; op < OP_N; op++) {
		const struct op_info *o = op_info(op);
		assert_non_null(o->name);
		assert_true(o->family < FAMILY_N && op_family_names[o->family]);
		/* no arguments */
		assert_true((o->uses & (OP_HAS_FD | OP_HAS_PATH)) || op == OP_SYNC ||
			    o->family == FAMILY_CAUSE);
		assert_true(strlen(o->name) < 16); /* as summaries have it */
		assert_int_equal(op_find(o->name), op);
		assert_string_equal(op_names[op - 1], o->name);
		/* data calls have a length and an offset */
		if (o->family == FAMILY_READ || o->family == FAMILY_WRITE)
			assert_true((o->uses & OP_HAS_LENGTH) && (o->uses & OP_RETURNS_BYTES) &&
				    (o->uses & (OP_HAS_OFFSET | OP_KNOWS_OFFSET)));
		/* the same field */
		assert_false((o->uses & OP_HAS_MODE) && (o->uses & OP_HAS_LENGTH));
		unsigned int heap = o->uses & OP_HEAP;
		assert_int_equal(heap & (heap - 1), 0); /* at most one kind of heap item */
	}
	assert_null(op_names[OP_N - 1]);
	assert_null(op_family_names[FAMILY_N]);
}

static void unknown_operations(void **state)
{
	(void)state;
	assert_string_equal(op_name(OP_N), "invalid");
	assert_string_equal(op_name(65535), "invalid");
	assert_int_equal(op_info(OP_N)->uses, 0);
	assert_int_equal(op_find("preadv3"), OP_INVALID);
	assert_int_equal(op_find(""), OP_INVALID);
	assert_int_equal(op_find("invalid"), OP_INVALID);
}

static void bytes_moved(void **state)
{
	(void)state;
	struct trace_record r = {.op = OP_PREAD, .length = 100, .rvalue = 60};
	assert_int_equal(op_bytes_moved(&r), 60);
	r.rvalue = -1;
	assert_int_equal(op_bytes_moved(&r), 0);
	r.op = OP_LSEEK;
	r.rvalue = 4096; /* a position, no amount */
	assert_int_equal(op_bytes_moved(&r), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numbers_and_names_stay),
	    cmocka_unit_test(every_row_is_whole),
	    cmocka_unit_test(unknown_operations),
	    cmocka_unit_test(bytes_moved),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
