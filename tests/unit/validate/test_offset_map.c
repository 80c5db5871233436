/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The grid of reads and writes by time and offset: no request is lost when cells widen, and each
 * request is in the cell of its time and offset. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "common/xalloc.h"
#include "validate/profile/offset_map.h"

static uint64_t count_all(const struct offset_map *m)
{
	uint64_t n = 0;
	for (int64_t o = m->offset.from; o <= m->offset.to; o++)
		for (int64_t t = m->time.from; t <= m->time.to; t++)
			n += offset_map_count(m, t, o);
	return n;
}

static void a_request_is_in_its_cell(void **state)
{
	(void)state;
	struct offset_map *m = xcalloc(1, sizeof *m);
	offset_map_add(m, 1000, 4096);
	offset_map_add(m, 1000, 4096);
	offset_map_add(m, 1001, 4097);
	assert_int_equal(m->n, 3);
	assert_int_equal(offset_map_count(m, 1000, 4096), 2);
	assert_int_equal(offset_map_count(m, 1001, 4097), 1);
	offset_map_add(m, -5000000, UINT64_C(1) << 40); /* earlier, and far away */
	assert_int_equal(count_all(m), 4);
	assert_int_equal(
	    offset_map_count(m, -5000000 >> m->time.shift, (INT64_C(1) << 40) >> m->offset.shift),
	    1);
	offset_map_add(m, 0, UINT64_MAX);
	assert_int_equal(m->n, 4);
	free(m);
}

static void no_request_is_lost(void **state)
{
	(void)state;
	uint64_t random = 7;
	for (int round = 0; round < 20; round++) {
		struct offset_map *m = xcalloc(1, sizeof *m);
		for (int i = 0; i < 2000; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			const unsigned int bits = (unsigned int)(random >> 58) % 45;
			offset_map_add(m, (int64_t)(random >> 20) >> (round % 30),
				       (random >> 10) & ((UINT64_C(1) << bits) - 1));
			assert_true(m->time.to - m->time.from < OFFSET_MAP_TIMES);
			assert_true(m->offset.to - m->offset.from < OFFSET_MAP_OFFSETS);
		}
		assert_int_equal(count_all(m), 2000);
		free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_request_is_in_its_cell),
	    cmocka_unit_test(no_request_is_lost),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
