/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes calls with invalid pointers, which the kernel refuses, and prints each result, because no
 * library may dereference the pointers. The kernel determines the order of errors: if another
 * argument is also invalid, the error is not EFAULT. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/openat2.h>
#include <poll.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { PAGE = 4096, NO_SUCH_FLAGS = 0x7f };

static char *edge; /* no memory follows the two pages of text without an end */

#define TELL(call)                                                                                                     \
	do {                                                                                                           \
		errno = 0;                                                                                             \
		const long got_ = (long)(call);                                                                        \
		printf("%s: %ld %s\n", #call, got_, strerrorname_np(errno));                                           \
	} while (0)

static void paths(char *bad, int fd)
{
	struct stat st;
	TELL(open(bad, O_RDONLY));
	TELL(open(edge - 10, O_RDONLY));
	TELL(open(edge - 5000, O_RDONLY));
	TELL(stat(bad, &st));
	TELL(statx(fd, bad, AT_STATX_SYNC_TYPE, 0, (struct statx *)bad));
	TELL(unlinkat(AT_FDCWD, bad, NO_SUCH_FLAGS));
	TELL(unlinkat(fd, bad, 0));
	TELL(faccessat(AT_FDCWD, bad, NO_SUCH_FLAGS, 0));
	TELL(fchownat(AT_FDCWD, bad, 0, 0, NO_SUCH_FLAGS));
	TELL(rename("none", bad));
	TELL(rename(bad, "none"));
	TELL(renameat2(AT_FDCWD, bad, AT_FDCWD, bad, NO_SUCH_FLAGS));
	TELL(link("none", bad));
	TELL(linkat(AT_FDCWD, bad, AT_FDCWD, bad, NO_SUCH_FLAGS));
	TELL(symlink(bad, "link"));
	TELL(symlink("target", bad));
	TELL(symlinkat(edge - 10, fd, "link"));
	TELL(truncate(bad, -1));
	TELL(mkdir(bad, 0700));
	TELL(getxattr("none", bad, bad, 10));
	TELL(setxattr("file", bad, bad, 10, NO_SUCH_FLAGS));
	TELL(fsetxattr(-1, bad, bad, 10, 0));
	TELL(removexattr("file", bad));
}

static void structures(char *bad, int fd)
{
	const struct timespec *t = (const struct timespec *)bad;
	struct iovec *v = (struct iovec *)bad;
	off_t *at = (off_t *)bad;
	TELL(utimensat(AT_FDCWD, "file", t, 0));
	TELL(utimensat(AT_FDCWD, NULL, t, 0));
	TELL(utimensat(AT_FDCWD, "file", t, NO_SUCH_FLAGS));
	TELL(futimens(-1, t));
	TELL(readv(-1, v, 3));
	TELL(readv(fd, v, 3));
	TELL(writev(-1, v, 3));
	TELL(preadv(-1, v, 3, 0));
	TELL(pwritev2(fd, v, 3, 0, NO_SUCH_FLAGS << 20));
	TELL(vmsplice(-1, v, 3, 0));
	TELL(copy_file_range(-1, at, -1, at, 10, 0));
	TELL(splice(-1, at, -1, at, 10, 0));
	TELL(splice(fd, at, fd, at, 0, 0));
	TELL(fcntl(fd, F_SETLK, bad));
	TELL(fcntl(fd, F_GETLK, bad));
	TELL(fcntl(-1, F_SETLK, bad));
	TELL(fcntl(-1, F_GETLK, bad));
	TELL(syscall(SYS_openat2, AT_FDCWD, "file", bad, sizeof(struct open_how)));
	TELL(syscall(SYS_openat2, AT_FDCWD, "file", bad, 2 * PAGE));
#ifdef SYS_utime
	TELL(syscall(SYS_utime, "file", bad));
	TELL(syscall(SYS_utimes, "file", bad));
	TELL(syscall(SYS_futimesat, AT_FDCWD, "file", bad));
#endif
}

static void processes(char *bad, char *self)
{
	char *const arguments[] = {self, NULL}, *wrong[] = {bad, NULL};
	pid_t child = fork();
	if (!child)
		_exit(0);
	TELL(waitid(P_PID, (id_t)child, (siginfo_t *)bad, WEXITED | WNOWAIT));
	TELL(waitpid(child, (int *)bad, 0));
	TELL(execve(bad, arguments, NULL));
	TELL(execve(self, (char **)bad, arguments));
	TELL(execve(self, arguments, (char **)bad));
	TELL(execve(self, arguments, wrong));
	TELL(execveat(AT_FDCWD, bad, arguments, NULL, NO_SUCH_FLAGS));
	TELL(syscall(SYS_execve, bad, arguments, NULL));
	TELL(syscall(SYS_execve, self, arguments, bad));
	TELL(posix_spawn(&child, self, NULL, NULL, arguments, wrong));
}

static void asynchronous(char *bad, int fd)
{
	aio_context_t context = 0;
	struct io_event event;
	struct iocb cb = {.aio_lio_opcode = IOCB_CMD_PREADV, .aio_fildes = (uint32_t)fd, .aio_buf = (uintptr_t)bad, .aio_nbytes = 3};
	struct iocb *list[] = {&cb, (struct iocb *)bad};
	TELL(syscall(SYS_io_submit, context, 1L, bad));
	if (syscall(SYS_io_setup, 4, &context) < 0)
		return; /* a kernel without it */
	TELL(syscall(SYS_io_submit, context, 1L, bad));
	TELL(syscall(SYS_io_submit, context, 1L, list + 1));
	TELL(syscall(SYS_io_submit, context, 1L, list));
	cb = (struct iocb){.aio_lio_opcode = IOCB_CMD_PREAD, .aio_fildes = (uint32_t)fd, .aio_buf = (uintptr_t)edge - PAGE, .aio_nbytes = 4};
	TELL(syscall(SYS_io_submit, context, 2L, list));
	TELL(syscall(SYS_io_getevents, context, 1L, 1L, bad, NULL));
	TELL(syscall(SYS_io_getevents, context, 0L, 1L, &event, bad));
	syscall(SYS_io_destroy, context);
}

int main(int argc, char **argv)
{
	char *at = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	     *const bad[] = {at + 3 * PAGE, (char *)-1, (char *)1};
	const int fd = open("file", O_RDWR | O_CREAT, 0600);
	setvbuf(stdout, NULL, _IOLBF, 0);
	edge = at + 2 * PAGE;
	if (argc != 1 || at == MAP_FAILED || fd < 0 || write(fd, "some text", 9) != 9)
		return 2;
	memset(at, 'a', 2 * PAGE);
	/* not unmapped, because another mapping would take this address */
	mprotect(edge, 2 * PAGE, PROT_NONE);
	for (int i = 0; i < 3; i++) {
		paths(bad[i], fd);
		structures(bad[i], fd);
		processes(bad[i], argv[0]);
		asynchronous(bad[i], fd);
	}
	puts("all is over");
	return 0;
}
