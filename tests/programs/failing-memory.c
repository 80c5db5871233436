/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library to preload: allocation number FAIL_AT of the process fails with ENOMEM; with FAIL_ON=1
 * all later ones fail, too. FAIL_FORKED=N instead: all allocations fail in the Nth process that
 * this one forks and in later ones, until they start a program. It counts malloc, calloc, realloc
 * and mmap of anonymous memory. FAIL_COUNT names a file to which the process adds a byte when an
 * allocation fails. Programs that the process starts are not affected. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic long n_calls;
static long forks_left; /* 1: allocations fail in the next fork */
static int in_fork;

static void before_fork(void)
{
	forks_left -= forks_left > 1;
}

static void on_fork(void)
{
	in_fork = forks_left == 1;
}

__attribute__((constructor)) static void start(void)
{
	const char *text = getenv("FAIL_FORKED");
	if (text) {
		forks_left = atol(text) + 1;
		pthread_atfork(before_fork, NULL, on_fork);
	}
	unsetenv("FAIL_FORKED");
}

static int fails(void)
{
	static long at, on;
	if (!at) {
		const char *text = getenv("FAIL_AT");
		on = getenv("FAIL_ON") != NULL;
		at = text ? atol(text) : -1;
		unsetenv("FAIL_AT"); /* allocations of programs that this one starts do not fail */
	}
	if (in_fork) {
		errno = ENOMEM;
		return 1;
	}
	const long call = ++n_calls;
	if (at < 0 || (on ? call < at : call != at))
		return 0;
	if (call == at && getenv("FAIL_COUNT")) {
		int fd =
		    open(getenv("FAIL_COUNT"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		(void)!write(fd, "x", 1);
		close(fd);
	}
	errno = ENOMEM;
	return 1;
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

void *malloc(size_t n)
{
	return fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return fails() ? NULL : __libc_realloc(p, n);
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	static void *(*real)(void *, size_t, int, int, int, off_t);
	if (!real)
		real = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
	return (flags & MAP_ANONYMOUS) && fails() ? MAP_FAILED
						  : real(at, n, protection, flags, fd, offset);
}
