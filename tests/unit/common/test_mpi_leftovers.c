/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What killed ranks left in shared memory is removed: what was there before, what somebody maps, and other files are not. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/mpi_leftovers.h"

static const char *path(const char *format, int number)
{
	static char text[4][100];
	static int next;
	char *to = text[next++ % 4];
	snprintf(to, sizeof text[0], format, (int)getpid(), number);
	return to;
}
#define SEGMENT(n) path("/dev/shm/vader_segment.test-%d.0.abc.%d", n)

static void make(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	close(fd);
}

static void test_removed(void **unused)
{
	struct mpi_leftovers m;
	(void)unused;
	if (access("/dev/shm", W_OK)) {
		print_message("no /dev/shm to write in\n");
		skip();
	}
	char other[100]; /* (of the others only the last four are kept) */
	snprintf(other, sizeof other, "/dev/shm/test-%d.other", (int)getpid());
	make(SEGMENT(0));
	mpi_leftovers_note(&m);
	make(SEGMENT(1));
	make(SEGMENT(2));
	make(other);
	int fd = open(SEGMENT(2), O_RDWR | O_CLOEXEC);
	void *at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(at != MAP_FAILED);
	close(fd);
	mpi_leftovers_remove(&m);
	assert_int_equal(access(SEGMENT(0), F_OK), 0);
	assert_int_equal(access(SEGMENT(1), F_OK), -1);
	assert_int_equal(access(SEGMENT(2), F_OK), 0);
	assert_int_equal(access(other, F_OK), 0);
	munmap(at, 4096);
	unlink(SEGMENT(0));
	unlink(other);
	unlink(SEGMENT(2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_removed)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
