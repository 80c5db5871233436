/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/vm.h"

static void every_page_is_present_zero_and_writable(void **state)
{
	(void)state;
	static const size_t sizes[] = {1,       4096,          4097, 1 << 20, (2 << 20) - 1,
				       2 << 20, (5 << 20) + 17};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct vm_region r;
		struct err e = ERR_INIT;
		assert_int_equal(vm_alloc(&r, sizes[i], "a test", &e), 0);
		assert_int_equal((uintptr_t)r.base % page, 0);
		assert_int_equal(r.n_bytes, (sizes[i] + page - 1) / page * page);
		static unsigned char present[2048];
		assert_int_equal(mincore(r.base, r.n_bytes, present), 0);
		for (size_t p = 0; p < r.n_bytes / page; p++)
			assert_int_equal(present[p] & 1, 1);
		for (size_t b = 0; b < r.n_bytes; b++)
			assert_int_equal(((unsigned char *)r.base)[b], 0);
		memset(r.base, 0x5a, r.n_bytes);
		vm_free(&r);
		assert_null(r.base);
		assert_int_equal(r.n_bytes, 0);
		vm_free(&r);
	}
}

static void zero_bytes_are_an_empty_region(void **state)
{
	(void)state;
	struct vm_region r;
	assert_int_equal(vm_alloc(&r, 0, "nothing", NULL), 0);
	assert_null(r.base);
	vm_free(&r);
}

static void too_much_is_an_error_that_names_the_amount(void **state)
{
	(void)state;
	struct vm_region r;
	struct err e = ERR_INIT;
	assert_int_equal(vm_alloc(&r, (size_t)1 << 50, "the records", &e), -ENOMEM);
	assert_int_equal(e.code, ENOMEM);
	assert_non_null(strstr(e.msg, "the records"));
	assert_non_null(strstr(e.msg, "1 PiB"));
	assert_null(r.base);
	assert_int_equal(vm_alloc(&r, SIZE_MAX, "everything", &e), -ENOMEM);
	assert_int_equal(vm_alloc(&r, SIZE_MAX / 2, "half of it", &e), -ENOMEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_page_is_present_zero_and_writable),
		cmocka_unit_test(zero_bytes_are_an_empty_region),
		cmocka_unit_test(too_much_is_an_error_that_names_the_amount),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
