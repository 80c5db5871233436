/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/placement.h"

enum { N_KINDS = PLACEMENT_ROTATE + 1, N_THREADS = 3, N_REQUESTS = 200 };

static uintptr_t address(const struct placement *p, unsigned int thread, uint64_t k)
{
	return (uintptr_t)placement_buffer(p, thread, k);
}

static void each_kind_has_a_name(void **state)
{
	(void)state;
	for (int kind = 0; kind < N_KINDS; kind++)
		assert_non_null(placement_names[kind]);
	assert_null(placement_names[N_KINDS]);
	assert_string_equal(placement_names[PLACEMENT_OFFSET], "offset");
	assert_string_equal(placement_names[PLACEMENT_PAGE], "page");
	assert_string_equal(placement_names[PLACEMENT_ROTATE], "rotate");
}

/* Every buffer is inside the region, and no two buffers of different threads share a page. */
static void check_threads_apart(const struct placement *p, size_t block_bytes)
{
	uintptr_t from = (uintptr_t)p->region.base, to = from + p->region.n_bytes, last_page = 0;
	for (unsigned int t = 0; t < N_THREADS; t++) {
		uintptr_t lowest = UINTPTR_MAX, highest = 0;
		for (uint64_t k = 0; k < N_REQUESTS; k++) {
			uintptr_t at = address(p, t, k);
			assert_true(at >= from && at + block_bytes <= to);
			lowest = at < lowest ? at : lowest;
			highest = at + block_bytes - 1 > highest ? at + block_bytes - 1 : highest;
		}
		assert_true(t == 0 || lowest / 4096 > last_page);
		last_page = highest / 4096;
	}
}

static void buffers_do_not_overlap(void **state)
{
	(void)state;
	static const size_t sizes[] = {1, 512, 4095, 4096, 4097, 100000, 1 << 20};
	for (int kind = 0; kind < N_KINDS; kind++)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			struct placement p;
			assert_int_equal(placement_init(&p, kind, sizes[i], i & 1, N_THREADS, NULL),
					 0);
			check_threads_apart(&p, sizes[i]);
			for (uint64_t k = 1; k <= p.row[1].slot_mask; k++)
				assert_true(address(&p, 1, k) - address(&p, 1, k - 1) >= sizes[i]);
			placement_release(&p);
		}
}

/* doc/buffer-placement.md: reads into the first bytes of a page and writes from its last bytes are
 * slow. */
static void no_kind_uses_the_slow_places(void **state)
{
	(void)state;
	for (int kind = 0; kind < N_KINDS; kind++) {
		struct placement p;
		assert_int_equal(placement_init(&p, kind, 4096, false, N_THREADS, NULL), 0);
		for (uint64_t k = 0; k < N_REQUESTS; k++) {
			uintptr_t in_page = address(&p, 2, k) % 4096;
			assert_true(in_page == 0 || (in_page >= 64 && in_page <= 4096 - 64));
		}
		placement_release(&p);
	}
}

static void places_of_buffers(void **state)
{
	(void)state;
	struct placement p;
	assert_int_equal(placement_init(&p, PLACEMENT_OFFSET, 4096, false, 2, NULL), 0);
	assert_int_equal(address(&p, 1, 7) % 4096, 2048);
	assert_int_equal(address(&p, 1, 7), address(&p, 1, 8));
	placement_release(&p);

	assert_int_equal(placement_init(&p, PLACEMENT_PAGE, 4096, false, 2, NULL), 0);
	assert_int_equal(address(&p, 1, 7) % 4096, 0);
	assert_int_equal(address(&p, 1, 7), address(&p, 1, 8));
	placement_release(&p);

	bool distance_seen[64] = {false};
	assert_int_equal(placement_init(&p, PLACEMENT_ROTATE, 4096, false, 2, NULL), 0);
	for (uint64_t k = 0; k < 64; k++) {
		distance_seen[address(&p, 1, k) % 4096 / 64] = true;
		assert_true(k == 0 || address(&p, 1, k) / 4096 > address(&p, 1, k - 1) / 4096);
	}
	for (int i = 0; i < 64; i++)
		assert_true(distance_seen[i]);
	assert_int_equal(address(&p, 1, 3), address(&p, 1, 64 + 3));
	placement_release(&p);
}

static void direct_io_gets_whole_pages(void **state)
{
	(void)state;
	for (int kind = 0; kind < N_KINDS; kind++) {
		struct placement p;
		assert_int_equal(placement_init(&p, kind, 512, true, N_THREADS, NULL), 0);
		for (unsigned int t = 0; t < N_THREADS; t++)
			for (uint64_t k = 0; k < N_REQUESTS; k++)
				assert_int_equal(address(&p, t, k) % 4096, 0);
		assert_int_equal(p.align_bytes, 4096);
		placement_release(&p);
	}
}

/* Every page of every buffer is present before a thread writes to it. */
static void no_first_touch_is_left(void **state)
{
	(void)state;
	for (int kind = 0; kind < N_KINDS; kind++) {
		struct placement p;
		assert_int_equal(placement_init(&p, kind, 65536, false, 2, NULL), 0);
		size_t n_pages = p.region.n_bytes / 4096;
		unsigned char *present = calloc(n_pages, 1);
		assert_int_equal(mincore(p.region.base, p.region.n_bytes, present), 0);
		for (size_t i = 0; i < n_pages; i++)
			assert_true(present[i] & 1);
		free(present);
		placement_release(&p);
	}
}

static void invalid_requirements_are_refused(void **state)
{
	(void)state;
	struct placement p;
	struct err e = ERR_INIT;
	assert_int_equal(placement_init(&p, PLACEMENT_PAGE, 0, false, 1, &e), -EINVAL);
	assert_int_equal(placement_init(&p, PLACEMENT_PAGE, 4096, false, 0, &e), -EINVAL);
	assert_int_equal(placement_init(&p, (enum placement_kind)N_KINDS, 4096, false, 1, &e),
			 -EINVAL);
	assert_non_null(strstr(e.msg, "placement"));
	assert_int_equal(placement_init(&p, PLACEMENT_ROTATE, SIZE_MAX, false, 1, &e), -ENOMEM);
	assert_int_equal(placement_init(&p, PLACEMENT_OFFSET, SIZE_MAX / 8, false, 1024, &e),
			 -ENOMEM);
	placement_release(&p); /* a failed placement can be released */
	struct placement empty = {0};
	placement_release(&empty);
}

/* The buffer of each thread has room for its longest request, and long requests share a buffer. */
static void each_thread_has_its_own_size(void **state)
{
	(void)state;
	static const size_t each[] = {0, 10, 5 << 20, 4096};
	for (int kind = 0; kind < N_KINDS; kind++)
		for (int direct = 0; direct < 2; direct++) {
			struct placement p;
			const struct placement_need need = {.block_bytes = each,
							    .n_threads = 4,
							    .common_bytes = 70 << 20,
							    .direct = direct};
			assert_int_equal(placement_init_each(&p, kind, &need, NULL), 0);
			for (unsigned int t = 0; t < 4; t++) {
				const uintptr_t last =
				    address(&p, t, p.row[t].slot_mask) + p.row[t].room;
				assert_int_equal(p.row[t].room, each[t] ? each[t] : 1);
				assert_true(last <= (uintptr_t)p.region.base + p.region.n_bytes);
				assert_true(t == 3 || last <= address(&p, t + 1, 0));
				assert_true((p.row[t].slot_mask + 1) * p.row[t].slot_bytes <=
						PLACEMENT_OWN_MAX ||
					    !p.row[t].slot_mask);
				assert_int_equal(address(&p, t, 1) % p.align_bytes, 0);
			}
			assert_true(p.region.n_bytes < ((size_t)70 << 20));
			assert_int_equal((uintptr_t)p.common % p.align_bytes, 0);
			assert_true(p.common + p.common_room <=
				    (unsigned char *)p.common_region.base +
					p.common_region.n_bytes);
			memset(p.common, 1, p.common_room);
			placement_release(&p);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_kind_has_a_name),
	    cmocka_unit_test(buffers_do_not_overlap),
	    cmocka_unit_test(no_kind_uses_the_slow_places),
	    cmocka_unit_test(places_of_buffers),
	    cmocka_unit_test(direct_io_gets_whole_pages),
	    cmocka_unit_test(no_first_touch_is_left),
	    cmocka_unit_test(invalid_requirements_are_refused),
	    cmocka_unit_test(each_thread_has_its_own_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
