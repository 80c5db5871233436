/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/digest.h"
#include "common/file_digest.h"

/* Runs in a separate process, because libgcrypt is initialised only once. */
static int in_child(int (*run)(void))
{
	int status;
	pid_t pid = fork();
	if (!pid)
		_exit(run());
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static int limit(rlim_t n)
{
	struct rlimit r;
	if (getrlimit(RLIMIT_NOFILE, &r))
		return -1;
	r.rlim_cur = n;
	return setrlimit(RLIMIT_NOFILE, &r);
}

static int without_descriptors(void)
{
	struct err e = ERR_INIT;
	if (limit(0))
		return 1;
	if (digest_ready(&e) != -EMFILE || !strstr(e.msg, "digest"))
		return 2;
	if (limit(64) || digest_ready(&e))
		return 3;
	return limit(0) || digest_ready(&e) ? 4 : 0; /* made ready, it takes none */
}

static void test_without_descriptors(void **state)
{
	(void)state;
	assert_int_equal(in_child(without_descriptors), 0);
}

static bool unreadable;

/* libgcrypt calls this function instead of the C library's. */
FILE *fopen(const char *path, const char *mode)
{
	if (unreadable && strstr(path, "fips_enabled")) {
		errno = EIO;
		return NULL;
	}
	const int fd = open(path, *mode == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC, 0666);
	return fd < 0 ? NULL : fdopen(fd, mode);
}

static int with_an_io_error(void)
{
	struct err e = ERR_INIT;
	char hex[FILE_DIGEST_HEX];
	unreadable = true;
	if (digest_ready(&e) != -EIO || !strstr(e.msg, "libgcrypt"))
		return 1;
	unreadable = false;
	/* and stays so */
	return digest_ready(NULL) == -EIO && file_digest("/proc/self/exe", hex, NULL) == -EIO ? 0
											      : 2;
}

static void test_with_an_io_error(void **state)
{
	(void)state;
	assert_int_equal(in_child(with_an_io_error), 0);
}

static int of_abc(void)
{
	char hex[FILE_DIGEST_HEX];
	int fd = memfd_create("abc", MFD_CLOEXEC);
	if (fd < 0 || write(fd, "abc", 3) != 3)
		return 1;
	/* FIPS 180-4's example */
	return !file_digest_fd(fd, "abc", hex, NULL) &&
		       !strcmp(hex,
			       "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
		   ? 0
		   : 2;
}

static void test_ready(void **state)
{
	(void)state;
	assert_int_equal(in_child(of_abc), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_descriptors), cmocka_unit_test(test_with_an_io_error),
		cmocka_unit_test(test_ready),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
