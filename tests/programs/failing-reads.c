/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library to preload: call number FAIL_AT (1, 2, ...) that reads a file whose name ends in
 * FAIL_FILE fails. Such calls are read, pread, mmap, and madvise of mapped memory. FAIL_WITH is the
 * errno; 0 makes a read half as long and does not affect the other calls. If FAIL_NOTE names a
 * file, the file is created when this call is made. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *mapped, *mapped_end;

static int is_ours(int fd)
{
	char link[40], path[4096];
	const char *end = getenv("FAIL_FILE");
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = fd < 0 || !end ? -1 : readlink(link, path, sizeof path - 1);
	if (n < 0)
		return 0;
	path[n] = 0;
	return (size_t)n >= strlen(end) && !strcmp(path + n - strlen(end), end);
}

/* Whether this call must fail; sets errno. */
static int fails(int can_be_short)
{
	static int n;
	const char *at = getenv("FAIL_AT"), *with = getenv("FAIL_WITH"),
		   *note = getenv("FAIL_NOTE");
	const int code = with ? atoi(with) : EIO;
	if (__atomic_add_fetch(&n, 1, __ATOMIC_RELAXED) != (at ? atoi(at) : 0) ||
	    (!code && !can_be_short))
		return 0;
	if (note)
		close(open(note, O_WRONLY | O_CREAT, 0666));
	errno = code;
	return 1;
}

ssize_t read(int fd, void *to, size_t n)
{
	ssize_t (*next)(int, void *, size_t) =
	    (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	if (n && is_ours(fd) && fails(1)) {
		if (errno)
			return -1;
		n = (n + 1) / 2;
	}
	return next(fd, to, n);
}

ssize_t pread(int fd, void *to, size_t n, off_t at)
{
	ssize_t (*next)(int, void *, size_t, off_t) =
	    (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread");
	if (n && is_ours(fd) && fails(1)) {
		if (errno)
			return -1;
		n = (n + 1) / 2;
	}
	return next(fd, to, n, at);
}

void *mmap(void *wanted, size_t n, int protection, int flags, int fd, off_t at)
{
	void *(*next)(void *, size_t, int, int, int, off_t) =
	    (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
	const int ours = is_ours(fd);
	if (ours && fails(0))
		return MAP_FAILED;
	char *p = next(wanted, n, protection, flags, fd, at);
	if (ours && p != MAP_FAILED) {
		mapped = p;
		mapped_end = p + n;
	}
	return p;
}

int madvise(void *p, size_t n, int advice)
{
	int (*next)(void *, size_t, int) =
	    (int (*)(void *, size_t, int))dlsym(RTLD_NEXT, "madvise");
	/* MADV_POPULATE_READ */
	if (advice == 22 && (char *)p >= mapped && (char *)p < mapped_end && fails(0))
		return -1;
	return next(p, n, advice);
}
