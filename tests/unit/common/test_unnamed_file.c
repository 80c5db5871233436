/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/unnamed_file.h"

static int fault, n_faults, n_calls;

/* Replaces the function of the C library: fails `n_faults` times. */
int fallocate(int fd, int mode, off_t at, off_t n)
{
	(void)mode;
	n_calls++;
	if (n_faults) {
		n_faults--;
		errno = fault;
		return -1;
	}
	return ftruncate(fd, at + n);
}

static int reserve(int error, int n, uint64_t n_bytes, uint64_t *size)
{
	char zeros[100000] = {0}, content[100000];
	struct stat st;
	int fd = unnamed_file_open("/tmp", NULL);
	assert_true(fd >= 0);
	fault = error;
	n_faults = n;
	n_calls = 0;
	int ret = file_reserve(fd, n_bytes);
	assert_int_equal(fstat(fd, &st), 0);
	*size = (uint64_t)st.st_size;
	assert_int_equal(file_read_at(fd, content, *size, 0, NULL), 0);
	assert_memory_equal(content, zeros, *size);
	close(fd);
	return ret;
}

static void a_file_system_without_fallocate_gets_zeros(void **state)
{
	(void)state;
	static const int errors[] = {EOPNOTSUPP, ENOSYS};
	static const uint64_t sizes[] = {1, 4096, 65536, 65537, 100000};
	uint64_t size;
	for (size_t e = 0; e < 2; e++)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			assert_int_equal(reserve(errors[e], 1, sizes[i], &size), 0);
			assert_int_equal(size, sizes[i]);
		}
}

static void a_signal_is_no_error(void **state)
{
	(void)state;
	uint64_t size;
	assert_int_equal(reserve(EINTR, 2, 5000, &size), 0);
	assert_int_equal(size, 5000);
	assert_int_equal(n_calls, 3);
}

static void other_errors_are_returned(void **state)
{
	(void)state;
	uint64_t size;
	assert_int_equal(reserve(ENOSPC, 1, 5000, &size), -ENOSPC);
	assert_int_equal(reserve(EIO, 1, 5000, &size), -EIO);
	assert_int_equal(size, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_file_system_without_fallocate_gets_zeros),
	    cmocka_unit_test(a_signal_is_no_error),
	    cmocka_unit_test(other_errors_are_returned),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
