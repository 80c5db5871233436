/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of killed ranks in shared memory are removed. Files that existed before, files that a
 * process maps, and other files are not removed. */
#include <fcntl.h>
#include <stdbool.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/mpi_leftovers.h"

/* The name of a rank's file, as OpenMPI composes it. */
static const char *path(const char *domain, int number)
{
	static char text[4][200];
	static int next;
	char *to = text[next++ % 4], host[65] = "";
	assert_int_equal(gethostname(host, sizeof host - 1), 0);
	host[strcspn(host, ".")] = 0;
	snprintf(to, sizeof text[0], "/dev/shm/vader_segment.%s%s.0.test-%d.%d", host, domain,
		 (int)getpid(), number);
	return to;
}
#define SEGMENT(n) path("", n)

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
	char other[100]; /* only the last four of the other files are kept */
	snprintf(other, sizeof other, "/dev/shm/test-%d.other", (int)getpid());
	make(SEGMENT(0));
	mpi_leftovers_note(&m);
	make(SEGMENT(1));
	make(SEGMENT(2));
	make(path(".domain", 4));
	make(path("-other", 5));
	make(other);
	int fd = open(SEGMENT(2), O_RDWR | O_CLOEXEC);
	void *at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(at != MAP_FAILED);
	close(fd);
	mpi_leftovers_remove(&m);
	assert_int_equal(access(SEGMENT(0), F_OK), 0);
	assert_int_equal(access(SEGMENT(1), F_OK), -1);
	assert_int_equal(access(SEGMENT(2), F_OK), 0);
	assert_int_equal(access(path(".domain", 4), F_OK), -1);
	assert_int_equal(access(path("-other", 5), F_OK), 0); /* of another host */
	assert_int_equal(access(other, F_OK), 0);
	munmap(at, 4096);
	unlink(SEGMENT(0));
	unlink(other);
	unlink(path("-other", 5));
	unlink(SEGMENT(2));
}

/* A rank of another job maps its file after it has created it; on a busy machine, long after. */
static void test_a_file_that_is_about_to_be_mapped_stays(void **unused)
{
	struct mpi_leftovers m;
	int made[2], end[2], status;
	char byte = 0;
	(void)unused;
	if (access("/dev/shm", W_OK)) {
		print_message("no /dev/shm to write in\n");
		skip();
	}
	assert_int_equal(pipe(made) | pipe(end), 0);
	mpi_leftovers_note(&m);
	const char *name = SEGMENT(3);
	const pid_t rank = fork();
	if (!rank) {
		close(end[1]);
		int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		bool ok = fd >= 0 && !ftruncate(fd, 4096) && write(made[1], "", 1) == 1;
		usleep(1000000);
		ok = ok && mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED;
		ok = ok && !close(fd) && read(end[0], &byte, 1) == 0;
		_exit(!ok);
	}
	assert_int_equal(read(made[0], &byte, 1), 1);
	mpi_leftovers_remove(&m);
	assert_int_equal(access(name, F_OK), 0);
	close(end[1]);
	assert_int_equal(waitpid(rank, &status, 0), rank);
	assert_int_equal(status, 0);
	unlink(name);
	close(made[0]);
	close(made[1]);
	close(end[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_removed),
	    cmocka_unit_test(test_a_file_that_is_about_to_be_mapped_stays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
