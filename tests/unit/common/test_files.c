/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file_beside.h"
#include "common/files.h"
#include "common/xalloc.h"

static char *dir; /* a new directory for each test, which is the working directory */

static int enter(void **state)
{
	(void)state;
	dir = xasprintf("%s/test_files.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	return !mkdtemp(dir) || chdir(dir) ? -1 : 0;
}

static int leave(void **state)
{
	(void)state;
	int ret = chdir("/");
	ret |= dir_remove_tree(dir, NULL);
	ret |= path_exists(dir);
	free(dir);
	return ret ? -1 : 0;
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void assert_content(const char *path, const char *text)
{
	struct strbuf b = STRBUF_INIT;
	assert_int_equal(file_read(path, &b, 0, NULL), 0);
	assert_string_equal(b.s, text);
	strbuf_release(&b);
}

/* The number of files in `in` with temporary names. */
static int n_half_written(const char *in)
{
	DIR *d = opendir(in);
	struct dirent *entry;
	int n = 0;
	assert_non_null(d);
	while ((entry = readdir(d)))
		n += !strncmp(entry->d_name, ".validate-", 10);
	closedir(d);
	return n;
}

static void written_completely_or_not_at_all(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	assert_int_equal(file_write_atomic("a", "first", 5, &e), 0);
	assert_content("a", "first");
	put("a.tmp", "somebody else's");
	assert_int_equal(file_write_atomic("a", "2nd", 3, &e), 0);
	assert_content("a", "2nd");
	assert_content("a.tmp", "somebody else's");
	assert_int_equal(file_write_atomic("empty", NULL, 0, &e), 0);
	assert_content("empty", "");
}

static void failures_leave_the_old_file(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	assert_int_equal(file_write_atomic("none/a", "x", 1, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "none/a"));
	assert_null(strstr(e.msg, ".validate-"));
	assert_int_equal(file_write_atomic("", "x", 1, &e), -EINVAL);
	/* a directory cannot be replaced by a file, and the temporary file is removed */
	assert_int_equal(mkdir("d", 0700), 0);
	assert_true(file_write_atomic("d", "x", 1, &e) < 0);
	assert_int_equal(n_half_written("."), 0);
}

static void half_written(const char *name, bool held, int *fd)
{
	*fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(*fd >= 0);
	assert_int_equal(held ? flock(*fd, LOCK_EX) : 0, 0);
}

static void leftovers_of_killed_writers_are_removed(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	char *name;
	int fd[3];
	half_written(".validate-killed", false, &fd[0]);
	half_written(".validate-abc", false, &fd[1]); /* not our name */
	half_written(".validate-worker", true, &fd[2]);
	put("target", "untouched");
	assert_int_equal(rename(".validate-worker", ".validate-atwork"), 0); /* 6 letters */
	assert_int_equal(symlink("target", ".validate-linked"), 0);
	int mine = file_beside("mine", 0600, &name, &e);
	assert_true(mine >= 0);
	struct stat st;
	assert_int_equal(fstat(mine, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	file_beside_sweep(".");
	assert_false(path_exists(".validate-killed"));
	assert_true(path_exists(".validate-abc") && path_exists(".validate-atwork") &&
		    path_exists(".validate-linked") && path_exists(name));
	assert_content("target", "untouched");
	close(mine);
	assert_int_equal(file_beside_keep(name, "mine", -EIO, &e), -EIO);
	assert_int_equal(n_half_written("."), 3);
	assert_false(path_exists("mine"));
	for (int i = 0; i < 3; i++)
		close(fd[i]);
	file_beside_sweep("none");
}

/* As root, a rename would replace a device by a file. */
static void devices_and_fifos_are_written_in_place(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct stat st;
	char got[8] = "";
	assert_int_equal(file_write_atomic("/dev/null", "x", 1, &e), 0);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(file_write_atomic("/dev/full", "x", 1, &e), -ENOSPC);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	int fd = open("pipe", O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(file_write_atomic("pipe", "through", 7, &e), 0);
	assert_int_equal(read(fd, got, 7), 7);
	assert_string_equal(got, "through");
	close(fd);
	assert_int_equal(lstat("pipe", &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	/* /dev/stdout is a link to a link of the process */
	assert_int_equal(symlink("/proc/self/fd/1", "stdout"), 0);
	assert_int_equal(file_is_in_place("stdout", &e), 1);
	assert_int_equal(lstat("stdout", &st), 0);
	/* the target of a link is not changed: the link is replaced */
	put("pointed-at", "untouched");
	assert_int_equal(symlink("pointed-at", "link"), 0);
	assert_int_equal(file_write_atomic("link", "new", 3, &e), 0);
	assert_content("pointed-at", "untouched");
	assert_content("link", "new");
	/* a block device is refused; only root can create one */
	if (mknod("block", S_IFBLK | 0600, makedev(7, 250)) == 0) {
		assert_int_equal(file_write_atomic("block", "x", 1, &e), -EINVAL);
		assert_int_equal(lstat("block", &st), 0);
		assert_true(S_ISBLK(st.st_mode));
	}
}

static void a_full_disk_is_an_error(void **state)
{
	(void)state;
	int fd = open("/dev/full", O_WRONLY);
	if (fd < 0)
		skip();
	assert_int_equal(write_all(fd, "x", 1), -ENOSPC);
	assert_int_equal(write_all(fd, "x", 0), 0);
	close(fd);
	assert_int_equal(write_all(-1, "x", 1), -EBADF);
}

static void reading_appends_and_is_bounded(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	char *big = malloc(100001);
	memset(big, 'z', 100000);
	big[100000] = 0;
	put("big", big);
	struct strbuf b = STRBUF_INIT;
	strbuf_addstr(&b, "before:");
	assert_int_equal(file_read("big", &b, 100000, &e), 0);
	assert_int_equal(b.len, 100007);
	assert_int_equal(strncmp(b.s, "before:zzz", 10), 0);
	strbuf_reset(&b);
	strbuf_addstr(&b, "kept");
	assert_int_equal(file_read("big", &b, 99999, &e), -EFBIG);
	assert_string_equal(b.s, "kept");
	assert_int_equal(file_read("missing", &b, 0, &e), -ENOENT);
	assert_string_equal(e.msg, "cannot open missing: No such file or directory");
	assert_int_equal(file_read(".", &b, 0, &e), -EISDIR);
	strbuf_release(&b);
	free(big);
}

static void lines_are_trimmed(void **state)
{
	(void)state;
	put("line", "  two words \r\nsecond\n");
	char *s = file_read_line("line");
	assert_string_equal(s, "two words");
	free(s);
	put("line", "");
	s = file_read_line("line");
	assert_string_equal(s, "");
	free(s);
	assert_null(file_read_line("missing"));
}

static void directories_with_parents(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	assert_int_equal(dir_create("a/b//c/", &e), 0);
	assert_int_equal(dir_create("a/b/c", &e), 0);
	assert_true(path_exists("a/b/c"));
	char *absolute = xasprintf("%s/x/y", dir);
	assert_int_equal(dir_create(absolute, &e), 0);
	assert_true(path_exists("x/y"));
	free(absolute);
	put("file", "");
	assert_int_equal(dir_create("file", &e), -ENOTDIR);
	assert_int_equal(dir_create("file/sub", &e), -ENOTDIR);
	assert_non_null(strstr(e.msg, "file"));
	assert_int_equal(dir_create("", &e), -EINVAL);
	assert_int_equal(dir_create("/", &e), 0);
}

static void a_tree_is_removed_but_not_targets_of_links(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	assert_int_equal(dir_create("outside", &e), 0);
	put("outside/precious", "keep");
	assert_int_equal(dir_create("tree/a/b", &e), 0);
	put("tree/a/file", "");
	assert_int_equal(symlink("../../outside", "tree/a/link"), 0);
	assert_int_equal(symlink("../outside/precious", "tree/link"), 0);
	assert_int_equal(symlink("nowhere", "tree/dangling"), 0);
	assert_int_equal(mkfifo("tree/fifo", 0600), 0);
	assert_int_equal(dir_remove_tree("tree", &e), 0);
	assert_false(path_exists("tree"));
	assert_content("outside/precious", "keep");
	assert_int_equal(dir_remove_tree("tree", &e), 0); /* again: it does not exist */

	/* the name itself may not be a link or a file, with or without a trailing slash */
	assert_int_equal(symlink("outside", "link"), 0);
	assert_true(dir_remove_tree("link", &e) < 0);
	assert_true(dir_remove_tree("link/", &e) < 0);
	assert_true(dir_remove_tree("link//", &e) < 0);
	assert_content("outside/precious", "keep");
	assert_int_equal(dir_remove_tree("outside/precious", &e), -ENOTDIR);
	assert_content("outside/precious", "keep");
}

static void names_that_are_paths_of_dots(void **state)
{
	(void)state;
	assert_int_equal(dir_create("tree/..a/...", NULL), 0);
	put("tree/.hidden", "");
	assert_int_equal(dir_remove_tree("tree/", NULL), 0);
	assert_false(path_exists("tree"));
}

/* Nested deeper than the longest path, and deeper than the number of descriptors. */
static void a_very_deep_tree_is_removed(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	assert_int_equal(mkdir("deep", 0700), 0);
	assert_int_equal(chdir("deep"), 0);
	for (int i = 0; i < 3000; i++) {
		assert_int_equal(mkdir("d", 0700), 0);
		if (i % 100 == 0)
			put("file", "x");
		assert_int_equal(chdir("d"), 0);
	}
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(dir_remove_tree("deep", &e), 0);
	assert_false(path_exists("deep"));
}

/* A user's results directory may hold any files. */
static void only_regular_files_are_read(void **state)
{
	(void)state;
	struct strbuf b = STRBUF_INIT;
	struct err e = ERR_INIT;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	alarm(20); /* a FIFO whose reader waits for a writer */
	assert_int_equal(file_read("pipe", &b, 0, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "pipe is not a regular file but a pipe"));
	assert_null(file_read_line("pipe"));
	assert_int_equal(symlink("/dev/zero", "zeros"), 0); /* a reader that reads for ever */
	assert_int_equal(file_read("zeros", &b, 0, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "zeros is not a regular file but a device"));
	assert_int_equal(mkdir("directory", 0700), 0);
	assert_int_equal(file_read("directory", &b, 0, &e), -EISDIR);
	assert_int_equal(file_open_regular("directory", O_RDONLY, &e), -EISDIR);
	assert_int_equal(b.len, 0);
	char *line = file_read_line("/proc/self/comm"); /* files of /proc are regular files */
	assert_non_null(line);
	free(line);
	alarm(0);
	strbuf_release(&b);
}

static void an_empty_directory_needs_no_descriptor(void **state)
{
	(void)state;
	int status;
	assert_int_equal(mkdir("empty", 0700), 0);
	pid_t pid = fork();
	if (!pid) {
		const struct rlimit none = {0, 0};
		_exit(setrlimit(RLIMIT_NOFILE, &none) || dir_remove_tree("empty", NULL));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_false(path_exists("empty"));
}

/* As an ordinary user, because permissions do not restrict root. */
static void trees_without_permission(void **state)
{
	(void)state;
	assert_int_equal(dir_create("tree/a/b", NULL), 0);
	assert_int_equal(dir_create("tree/c/d", NULL), 0);
	put("tree/a/b/file", "x");
	put("tree/c/d/file", "x");
	assert_int_equal(chmod("tree/a/b", 0500), 0);
	assert_int_equal(chmod("tree/a", 0001), 0);
	assert_int_equal(chmod("tree/c/d", 0), 0);
	pid_t pid = fork();
	if (!pid) {
		if (!geteuid() &&
		    (chown("tree/a/b", 65534, 65534) || chown("tree/a", 65534, 65534) ||
		     chown("tree/c/d", 65534, 65534) || chown("tree/c", 65534, 65534) ||
		     chown("tree", 65534, 65534) || chmod(dir, 0777) || setuid(65534)))
			_exit(2);
		_exit(dir_remove_tree("tree", NULL) || path_exists("tree"));
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void an_unreadable_path_is_not_absent(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	char name[300];
	int code;
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = 0;
	assert_int_equal(path_is_there(".", &e), 1);
	assert_int_equal(path_is_there("none/below", &e), 0);
	assert_int_equal(path_is_there("/dev/null/below", &e), 0);
	assert_int_equal(path_is_there(name, &e), -ENAMETOOLONG);
	DIR *d = opendir(".");
	assert_non_null(d);
	while (dir_next(d, &code))
		assert_int_equal(code, 0);
	assert_int_equal(code, 0);
	closedir(d);
	d = opendir(".");
	close(dirfd(d));
	assert_null(dir_next(d, &code));
	assert_int_equal(code, EBADF);
	closedir(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(written_completely_or_not_at_all, enter, leave),
	    cmocka_unit_test_setup_teardown(failures_leave_the_old_file, enter, leave),
	    cmocka_unit_test_setup_teardown(leftovers_of_killed_writers_are_removed, enter, leave),
	    cmocka_unit_test_setup_teardown(a_full_disk_is_an_error, enter, leave),
	    cmocka_unit_test_setup_teardown(devices_and_fifos_are_written_in_place, enter, leave),
	    cmocka_unit_test_setup_teardown(reading_appends_and_is_bounded, enter, leave),
	    cmocka_unit_test_setup_teardown(lines_are_trimmed, enter, leave),
	    cmocka_unit_test_setup_teardown(directories_with_parents, enter, leave),
	    cmocka_unit_test_setup_teardown(a_tree_is_removed_but_not_targets_of_links, enter,
					    leave),
	    cmocka_unit_test_setup_teardown(names_that_are_paths_of_dots, enter, leave),
	    cmocka_unit_test_setup_teardown(a_very_deep_tree_is_removed, enter, leave),
	    cmocka_unit_test_setup_teardown(only_regular_files_are_read, enter, leave),
	    cmocka_unit_test_setup_teardown(trees_without_permission, enter, leave),
	    cmocka_unit_test_setup_teardown(an_empty_directory_needs_no_descriptor, enter, leave),
	    cmocka_unit_test_setup_teardown(an_unreadable_path_is_not_absent, enter, leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
