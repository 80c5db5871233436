/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program for the capture tests: calls on files by number, through syscall(3), including old
 * calls that libraries no longer use. With STAND_IN it is a library that replaces the C library's
 * mmap and munmap, as allocators do, and calls them in this way. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#ifdef STAND_IN
void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	return (void *)syscall(SYS_mmap, at, n, protection, flags, fd, offset);
}

int munmap(void *at, size_t n)
{
	return (int)syscall(SYS_munmap, at, n);
}
#else
static char buffer[4096];

/* A function of the program that replaces the function of the C library. */
int truncate(const char *path, off_t n)
{
	return (int)syscall(SYS_truncate, path, n);
}

static void need(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}
#define NEED(call) need((call) >= 0, #call)

static void vectors(int fd)
{
	struct iovec v[2] = {{buffer, 10}, {buffer + 10, 20}};
	need(syscall(SYS_pwritev, fd, v, 2, 100L, 0L) == 30 &&
		 syscall(SYS_preadv, fd, v, 2, 100L, 0L) == 30,
	     "preadv");
	need(syscall(SYS_pwritev2, fd, v, 2, 200L, 0L, 0) == 30 &&
		 syscall(SYS_preadv2, fd, v, 2, 200L, 0L, 0) == 30,
	     "preadv2");
}

static void copies(int fd)
{
	int p[2], q[2];
	struct iovec v = {buffer, 8};
	NEED(pipe(p));
	NEED(pipe(q));
	need(syscall(SYS_vmsplice, p[1], &v, 1L, 0) == 8 &&
		 syscall(SYS_tee, p[0], q[1], 8L, 0) == 8,
	     "tee");
	need(read(p[0], buffer, 8) == 8 && read(q[0], buffer, 8) == 8, "read");
	close(p[0]), close(p[1]), close(q[0]), close(q[1]);
	NEED(syscall(SYS_readahead, fd, 0L, 4096L));
	NEED(syscall(SYS_fadvise64, fd, 0L, 4096L, POSIX_FADV_RANDOM));
	need(syscall(SYS_fadvise64, fd, 0L, 4096L, 77) < 0 && errno == EINVAL, "fadvise64");
}

static void descriptors(int fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10};
	int d = (int)syscall(SYS_fcntl, fd, F_DUPFD, 20);
	need(d >= 20, "F_DUPFD");
	NEED(syscall(SYS_fcntl, d, F_SETLK, &lock));
	NEED(syscall(SYS_flock, d, LOCK_SH));
	NEED(close(d));
	NEED(syscall(SYS_sync_file_range, fd, 0L, 100L, SYNC_FILE_RANGE_WRITE));
	NEED(syscall(SYS_fallocate, fd, FALLOC_FL_KEEP_SIZE, 0L, 8192L));
	struct statfs f;
	NEED(syscall(SYS_statfs, ".", &f));
	NEED(syscall(SYS_fstatfs, fd, &f));
}

static void mapped(int fd)
{
	char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	need(at != MAP_FAILED && munmap(at, 4096) == 0, "mmap");
	at = (char *)syscall(SYS_mmap, NULL, 4096L, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
	need(at != MAP_FAILED, "mmap");
	at[5] = 1;
	NEED(syscall(SYS_madvise, at, 4096L, MADV_RANDOM));
	NEED(syscall(SYS_msync, at, 4096L, MS_SYNC));
	NEED(syscall(SYS_munmap, at, 4096L));
	/* no file */
	at = (char *)syscall(SYS_mmap, NULL, 4096L, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
	need(at != MAP_FAILED, "mmap of no file");
	NEED(syscall(SYS_munmap, at, 4096L));
}

static void names(int fd)
{
	struct stat st;
	const struct timespec t[2] = {{1, 2}, {3, 4}};
	NEED(syscall(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH));
	NEED(syscall(SYS_utimensat, AT_FDCWD, "numbered", t, 0));
	NEED(syscall(SYS_utimensat, fd, NULL, t, 0));
	NEED(syscall(SYS_mknodat, AT_FDCWD, "node", S_IFREG | 0600, 0));
	NEED(syscall(SYS_linkat, AT_FDCWD, "node", AT_FDCWD, "node2", 0));
	NEED(syscall(SYS_renameat, AT_FDCWD, "node2", AT_FDCWD, "node3"));
	NEED(syscall(SYS_symlinkat, "node3", AT_FDCWD, "link"));
	NEED(syscall(SYS_readlinkat, AT_FDCWD, "link", buffer, sizeof buffer));
	NEED(syscall(SYS_faccessat, AT_FDCWD, "node3", R_OK));
	NEED(syscall(SYS_fchmodat, AT_FDCWD, "node3", 0600));
	NEED(syscall(SYS_fchmod, fd, 0600));
	NEED(syscall(SYS_fchownat, AT_FDCWD, "node3", getuid(), getgid(), 0));
	NEED(syscall(SYS_truncate, "node3", 77L));
	NEED(truncate("node3", 78));
	need(syscall(SYS_chroot, "none") < 0, "chroot");
	/* not every file system supports them; their results are compared */
	syscall(SYS_setxattr, "node3", "user.a", "value", 5L, 0);
	syscall(SYS_getxattr, "node3", "user.a", buffer, sizeof buffer);
	syscall(SYS_listxattr, "node3", buffer, sizeof buffer);
	syscall(SYS_removexattr, "node3", "user.a");
	syscall(SYS_fsetxattr, fd, "user.a", "value", 5L, 0);
	syscall(SYS_fgetxattr, fd, "user.a", buffer, sizeof buffer);
	syscall(SYS_flistxattr, fd, buffer, sizeof buffer);
	syscall(SYS_fremovexattr, fd, "user.a");
	syscall(SYS_lgetxattr, "link", "user.a", buffer, sizeof buffer);
	NEED(syscall(SYS_unlinkat, AT_FDCWD, "node", 0));
}

static void old(void)
{
#ifdef SYS_open
	struct stat st;
	const struct utimbuf b = {1, 2};
	const struct timeval t[2] = {{1, 2}, {3, 4}};
	int fd = (int)syscall(SYS_creat, "old", 0600), d = (int)syscall(SYS_dup2, fd, 30);
	need(fd >= 0 && d == 30 && write(d, "0123456789", 10) == 10, "creat, dup2");
	NEED(close(d));
	NEED(close(fd));
	fd = (int)syscall(SYS_open, "old", O_RDONLY);
	need(fd >= 0 && read(fd, buffer, 20) == 10, "open");
	NEED(close(fd));
	NEED(syscall(SYS_stat, "old", &st));
	NEED(syscall(SYS_lstat, "old", &st));
	NEED(syscall(SYS_access, "old", R_OK));
	need(syscall(SYS_access, "none", R_OK) < 0 && errno == ENOENT, "access");
	NEED(syscall(SYS_chmod, "old", 0640));
	NEED(syscall(SYS_chown, "old", getuid(), getgid()));
	NEED(syscall(SYS_lchown, "old", getuid(), getgid()));
	NEED(syscall(SYS_utime, "old", &b));
	NEED(syscall(SYS_utimes, "old", t));
	NEED(syscall(SYS_futimesat, AT_FDCWD, "old", t));
	NEED(syscall(SYS_link, "old", "older"));
	NEED(syscall(SYS_symlink, "older", "oldlink"));
	NEED(syscall(SYS_readlink, "oldlink", buffer, sizeof buffer));
	NEED(syscall(SYS_rename, "older", "oldest"));
	NEED(syscall(SYS_mkdir, "olddir", 0700));
	NEED(syscall(SYS_mknod, "oldnode", S_IFREG | 0600, 0));
	fd = open(".", O_RDONLY | O_DIRECTORY);
	NEED(syscall(SYS_getdents, fd, buffer, sizeof buffer));
	NEED(close(fd));
	NEED(syscall(SYS_rmdir, "olddir"));
	NEED(syscall(SYS_unlink, "oldest"));
#endif
}

static void asynchronous(int fd)
{
	aio_context_t context = 0;
	struct io_event events[2];
	struct iocb cb = {.aio_lio_opcode = IOCB_CMD_PREAD, .aio_fildes = (uint32_t)fd, .aio_buf = (uintptr_t)buffer, .aio_nbytes = 16, .aio_offset = 8},
		    *list[1] = {&cb};
	if (syscall(SYS_io_setup, 4, &context) < 0)
		return; /* a kernel without it */
	need(syscall(SYS_io_submit, context, 1L, list) == 1 &&
		 syscall(SYS_io_getevents, context, 1L, 2L, events, NULL) == 1,
	     "io_submit");
	need(syscall(SYS_io_submit, context, -1L, list) < 0 && errno == EINVAL, "io_submit");
	need(syscall(SYS_io_submit, context, 1L, NULL) < 0 && errno == EFAULT, "io_submit");
	list[0] = NULL;
	need(syscall(SYS_io_submit, context, 1L, list) < 0 && errno == EFAULT, "io_submit");
	syscall(SYS_io_destroy, context);
}

/* With an empty environment: if capture detects it, the program's opens are recorded. The child
 * runs in this program's memory. */
static void another(const char *self, int waits_by_number)
{
	char *const arguments[] = {(char *)self, "again", NULL}, *const none[] = {NULL};
	pid_t pid = vfork();
	if (pid == 0) {
		syscall(SYS_execve, self, arguments, none);
		_exit(1);
	}
	int status;
	const long ended =
	    waits_by_number ? syscall(SYS_wait4, pid, &status, 0, NULL) : waitpid(pid, &status, 0);
	need(ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0, "execve");
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "again")) {
		NEED(close(open("again", O_RDWR | O_CREAT, 0600)));
		return 0;
	}
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "numbered", O_RDWR | O_CREAT, 0600);
	need(fd >= 0 && syscall(SYS_ftruncate, fd, 4096L) == 0, "openat");
	vectors(fd);
	copies(fd);
	descriptors(fd);
	mapped(fd);
	names(fd);
	old();
	asynchronous(fd);
	another(argv[0], 0);
	another(argv[0], 1);
	syscall(SYS_sync_file_range, fd, 0L, 0L, 0);
	NEED(syscall(SYS_syncfs, fd));
	NEED(close(fd));
	return 0;
}
#endif
