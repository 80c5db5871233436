/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Directories that a killed process left are removed by the next process that makes one of the same
 * pattern. Directories in use, new directories, and directories of other users are not removed. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/files.h"
#include "common/leftovers.h"
#include "common/xalloc.h"

static char base[] = "leftovers-XXXXXX";

static int base_make(void **state)
{
	(void)state;
	return mkdtemp(base) ? 0 : -1;
}

static int base_remove(void **state)
{
	(void)state;
	return dir_remove_tree(base, NULL);
}

static char *in_base(const char *name)
{
	return xasprintf("%s/%s", base, name);
}

static void age(const char *path)
{
	struct timespec past[2] = {{.tv_sec = time(NULL) - 60}, {.tv_sec = time(NULL) - 60}};
	assert_int_equal(utimensat(AT_FDCWD, path, past, 0), 0);
}

static bool is_there(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

/* A directory with a file, made by a process that is then killed. */
static char *left_by_killed(const char *pattern)
{
	int pipes[2];
	char *path = in_base(pattern);
	assert_int_equal(pipe(pipes), 0);
	pid_t child = fork();
	if (!child) {
		char *file = leftover_directory(path) ? xasprintf("%s/file", path) : NULL;
		if (!file || open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) < 0)
			_exit(1);
		age(path);
		(void)!write(pipes[1], path, strlen(path));
		pause();
	}
	assert_int_equal(read(pipes[0], path, strlen(path)), strlen(path));
	/* in use: another process does not remove it */
	char *other = in_base(pattern);
	assert_non_null(leftover_directory(other));
	assert_true(is_there(path));
	dir_remove_tree(other, NULL);
	free(other);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(pipes[0]);
	close(pipes[1]);
	assert_true(is_there(path));
	return path;
}

static void test_killed(void **state)
{
	(void)state;
	char *left = left_by_killed("work-XXXXXX"), *next = in_base("work-XXXXXX");
	assert_non_null(leftover_directory(next));
	assert_false(is_there(left));
	/* and it is in use until it is removed */
	age(next);
	char *pattern = in_base("work-XXXXXX");
	assert_int_equal(leftover_sweep(pattern, NULL), 0);
	assert_true(is_there(next));
	assert_int_equal(dir_remove_tree(next, NULL), 0);
	free(pattern);
	free(left);
	free(next);
}

/* Removed from the list without being removed: another process may remove it. */
static void test_dropped(void **state)
{
	(void)state;
	char *path = in_base("drop-XXXXXX"), *pattern = in_base("drop-XXXXXX");
	assert_non_null(leftover_directory(path));
	age(path);
	leftover_drop(path);
	assert_int_equal(leftover_sweep(pattern, NULL), 1);
	assert_false(is_there(path));
	free(pattern);
	free(path);
}

static bool keep_all(const char *path)
{
	(void)path;
	return false;
}

static void test_directories_that_are_kept(void **state)
{
	(void)state;
	char *pattern = in_base("kept-XXXXXX"), *young = in_base("kept-young1"),
	     *users = in_base("kept-backup"), *longer = in_base("kept-letters"),
	     *file = in_base("kept-afile1"), *link = in_base("kept-alink1"),
	     *old = in_base("kept-oldest");
	assert_int_equal(mkdir(young, 0700), 0);
	assert_int_equal(mkdir(longer, 0700), 0);
	age(longer);
	assert_int_equal(mkdir(users, 0700), 0);
	assert_int_equal(chmod(users, 0755), 0);
	age(users);
	int fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0700);
	assert_true(fd >= 0);
	close(fd);
	age(file);
	assert_int_equal(symlink("kept-letters", link), 0);
	assert_int_equal(leftover_sweep(pattern, NULL), 0);
	assert_true(is_there(young) && is_there(users) && is_there(longer) && is_there(file) &&
		    is_there(link));
	assert_int_equal(mkdir(old, 0700), 0);
	age(old);
	assert_int_equal(leftover_sweep(pattern, keep_all), 0);
	assert_int_equal(leftover_sweep(pattern, NULL), 1);
	assert_false(is_there(old));
	free(pattern);
	free(young);
	free(users);
	free(longer);
	free(file);
	free(link);
	free(old);
}

/* Without a descriptor there is no lock, so there must be no directory. */
static void test_no_descriptor(void **state)
{
	(void)state;
	char *path = in_base("none-XXXXXX");
	struct rlimit was, none;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	none = was;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	char *made = leftover_directory(path);
	const int code = errno;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	assert_null(made);
	assert_int_equal(code, EMFILE);
	assert_false(is_there(path));
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_killed),
	    cmocka_unit_test(test_dropped),
	    cmocka_unit_test(test_directories_that_are_kept),
	    cmocka_unit_test(test_no_descriptor),
	};
	return cmocka_run_group_tests(tests, base_make, base_remove);
}
