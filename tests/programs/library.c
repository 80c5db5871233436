/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program for the capture tests: library NAME calls the functions of one subject in its working
 * directory. These functions of the C library use files indirectly. Status 77: the subject is not
 * permitted. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

static char buffer[65536];

static void need(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "library: %s: %s\n", what, strerror(errno));
		exit(9);
	}
}

static int file_of(const char *path, size_t size)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	need(fd >= 0 && write(fd, buffer, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0,
	     path);
	return fd;
}

static void handles(void)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} u = {.handle.handle_bytes = MAX_HANDLE_SZ};
	int mount, fd = file_of("handled", 100), dir = open(".", O_RDONLY | O_DIRECTORY);
	need(name_to_handle_at(AT_FDCWD, "none", &u.handle, &mount, 0) < 0, "a handle of nothing");
	u.handle.handle_bytes = 0; /* how large is it? */
	if (name_to_handle_at(dir, "handled", &u.handle, &mount, 0) < 0 && errno != EOVERFLOW)
		exit(77);
	u.handle.handle_bytes = MAX_HANDLE_SZ;
	if (name_to_handle_at(dir, "handled", &u.handle, &mount, 0) < 0)
		exit(77);
	int again = open_by_handle_at(dir, &u.handle, O_RDONLY | O_CLOEXEC);
	if (again < 0 && (errno == EPERM || errno == ESTALE || errno == EOPNOTSUPP))
		exit(77);
	need(again >= 0 && pread(again, buffer, 10, 20) == 10 && read(again, buffer, 30) == 30,
	     "open_by_handle_at");
	need(close(again) == 0 && close(dir) == 0 && close(fd) == 0, "close");
}

static void lists(void)
{
	off_t at = 0;
	need(mkdir("listed", 0755) == 0, "mkdir");
	int fd = open("listed", O_RDONLY | O_DIRECTORY);
	need(fd >= 0 && getdirentries(fd, buffer, sizeof buffer, &at) > 0, "getdirentries");
	need(getdents64(fd, buffer, sizeof buffer) == 0 && close(fd) == 0, "getdents64");
}

static void names(void)
{
	char path[] = "made.XXXXXX";
	struct stat st;
	file_of("key", 1);
	need(ftok("key", 1) != -1 && ftok("none", 1) == -1, "ftok");
	need(mktemp(path) && *path && stat(path, &st) < 0, "mktemp");
	snprintf(buffer, sizeof buffer, "/validate-test-%d", (int)getpid());
	int fd = shm_open(buffer, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		exit(77);
	need(ftruncate(fd, 4096) == 0 && shm_unlink(buffer) == 0 && shm_unlink(buffer) < 0 &&
		 close(fd) == 0,
	     "shm");
}

static void mounts(void)
{
	struct mntent entry;
	FILE *f = fopen("table", "w");
	need(f && fputs("a /b c d 0 0\ne /f g h 0 0\n", f) >= 0 && fclose(f) == 0, "table");
	f = setmntent("table", "r");
	need(f && getmntent(f) && getmntent_r(f, &entry, buffer, sizeof buffer) && !getmntent(f),
	     "getmntent");
	need(endmntent(f) == 1 && !setmntent("none", "r"), "endmntent");
}

static void streams(void)
{
	static char own[100];
	FILE *f = fopen("words", "w+");
	setbuffer(f, own, sizeof own);
	need(f && putw(12345, f) == 0 && putw(-1, f) == 0, "putw");
	rewind(f);
	setlinebuf(f);
	need(getw(f) == 12345 && getw(f) == -1 && !feof(f) && getw(f) == EOF && feof(f), "getw");
	setbuf(f, NULL);
	need(fcloseall() == 0 && fclose(f) == 0, "fcloseall");
}

/* These are inlined if compiled with optimisation, so only filling and emptying the buffer are
 * calls. */
static void macros(void)
{
	FILE *f = fopen("characters", "w+");
	int n = 0;
	for (int i = 0; i < 20000; i++)
		putc_unlocked('a' + i % 26, f);
	rewind(f);
	while (getc_unlocked(f) != EOF)
		n++;
	need(n == 20000 && fclose(f) == 0, "characters");
}

static void pipes(void)
{
	FILE *f = popen("cat >piped; exit 3", "w");
	need(f && fputs("to a child\n", f) >= 0, "popen");
	need(WEXITSTATUS(pclose(f)) == 3, "pclose");
	f = popen("cat piped", "re");
	need(f && fgets(buffer, sizeof buffer, f) && pclose(f) == 0, "popen to read");
	need(!strcmp(buffer, "to a child\n") && popen("true", "?") == NULL && errno == EINVAL,
	     "what came back");
}

static void forks(void)
{
	int fd = file_of("forked", 1000);
	pid_t pid = _Fork();
	if (pid == 0) {
		need(pread(fd, buffer, 100, 300) == 100, "pread in the child");
		_exit(0);
	}
	need(pid > 0 && waitpid(pid, NULL, 0) == pid && pread(fd, buffer, 100, 400) == 100 &&
		 close(fd) == 0,
	     "_Fork");
}

static void advice(void)
{
	int fd = file_of("advised", 8192);
	char *at = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0);
	need(at != MAP_FAILED && posix_madvise(at, 8192, POSIX_MADV_WILLNEED) == 0,
	     "posix_madvise");
	need(posix_madvise(at, 4096, POSIX_MADV_DONTNEED) == 0 &&
		 posix_madvise(at + 1, 1, POSIX_MADV_RANDOM) == EINVAL,
	     "EINVAL");
	need(munmap(at, 8192) == 0 && close(fd) == 0, "munmap");
}

static void numbers(void)
{
	const struct open_how how = {.flags = O_RDWR | O_CREAT, .mode = 0600, .resolve = RESOLVE_NO_SYMLINKS};
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, "numbered", &how, sizeof how),
	    to = file_of("to", 0);
	struct iovec v[2] = {{buffer, 10}, {buffer, 20}};
	off_t from = 5, at = 7;
	need(fd >= 0 && syscall(SYS_writev, fd, v, 2) == 30, "openat2, writev");
	need(syscall(SYS_openat2, AT_FDCWD, "none", (void *)1, sizeof how) < 0 && errno == EFAULT,
	     "EFAULT");
	need(syscall(SYS_copy_file_range, fd, &from, to, &at, 10, 0) == 10, "copy_file_range");
	need(syscall(SYS_mkdirat, AT_FDCWD, "sub", 0700) == 0 &&
		 syscall(SYS_renameat2, AT_FDCWD, "to", AT_FDCWD, "sub/to", 1) == 0,
	     "renameat2");
	need(syscall(452 /* fchmodat2 */, AT_FDCWD, "sub/to", 0600, AT_SYMLINK_NOFOLLOW) == 0 ||
		 errno == ENOSYS,
	     "fchmodat2");
	need(syscall(SYS_faccessat2, AT_FDCWD, "sub/to", R_OK, 0) == 0 &&
		 syscall(SYS_close_range, to, to, 0) == 0,
	     "faccessat2, close_range");
	need(write(to, buffer, 1) < 0 && errno == EBADF && close(fd) == 0, "close");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"handles", handles}, {"lists", lists},     {"names", names},
		     {"mounts", mounts},   {"streams", streams}, {"macros", macros},
		     {"pipes", pipes},     {"forks", forks},     {"advice", advice},
		     {"numbers", numbers}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (argc > 1 && !strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return 0;
		}
	return 2;
}
