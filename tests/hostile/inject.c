/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library to preload: makes the n-th call of a family fail (inject.h), only in the program under
 * test.
 *
 * A call fails before it is made, except close() and fclose(), which release their object as the
 * kernel does. A stream whose call fails has its error flag set, as after a real error. Messages on
 * stderr never fail, because errors could not be reported otherwise. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inject.h"

#define STREAM_ERROR 0x20 /* _IO_ERR_SEEN of glibc */

static struct inject_state *state;
static uintptr_t program_base, program_end;
static bool sanitized; /* allocations of a sanitizer itself must not fail */
static _Thread_local bool busy __attribute__((tls_model("initial-exec")));

static int on_object(struct dl_phdr_info *o, size_t size, void *context)
{
	(void)size;
	(void)context;
	program_base = o->dlpi_addr;
	for (int i = 0; i < o->dlpi_phnum; i++)
		if (o->dlpi_phdr[i].p_type == PT_LOAD)
			program_end =
			    o->dlpi_addr + o->dlpi_phdr[i].p_vaddr + o->dlpi_phdr[i].p_memsz;
	return 1; /* the program comes first */
}

__attribute__((constructor)) static void start(void)
{
	const char *path = getenv(STATE_VARIABLE);
	char self[4096];
	void *frame[1];
	int saved = errno;
	busy = true;
	long len = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", self, sizeof self - 1);
	int fd =
	    path && len > 0 ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0) : -1;
	if (fd >= 0) {
		self[len] = 0;
		void *p = (void *)syscall(SYS_mmap, NULL, sizeof *state, PROT_READ | PROT_WRITE,
					  MAP_SHARED, fd, 0L);
		syscall(SYS_close, fd);
		struct inject_state *s = p;
		if (p != MAP_FAILED && !strcmp(s->program, self)) {
			dl_iterate_phdr(on_object, NULL);
			backtrace(frame, 1); /* the first call loads a library */
			sanitized = dlsym(RTLD_DEFAULT, "__asan_init") ||
				    dlsym(RTLD_DEFAULT, "__tsan_init");
			state = s;
		}
	}
	busy = false;
	errno = saved;
}

/* Stores the return addresses inside the program's file, without frames of this library and of
 * others. */
static int frames_take(uint64_t *frame)
{
	void *all[32];
	int n_all = backtrace(all, 32), n = 0;
	for (int i = 0; i < n_all && n < MAX_FRAMES; i++)
		if ((uintptr_t)all[i] >= program_base && (uintptr_t)all[i] < program_end)
			frame[n++] = (uintptr_t)all[i] - program_base;
	return n;
}

static void site_note(enum family f, uint64_t n)
{
	uint64_t frame[MAX_FRAMES];
	uint32_t hash = 2166136261u;
	int n_frames = frames_take(frame);
	for (int i = 0; i < n_frames; i++)
		hash = (hash ^ (uint32_t)frame[i]) * 16777619u;
	state->site[f][n - 1] = hash ? hash : 1;
}

/* Counts a call of a family. Returns the fault that it must have, else 0; errno is unchanged. */
static int due(enum family f, const char *call)
{
	int fault = 0, saved = errno;
	if (!state || busy)
		return 0;
	busy = true;
	uint64_t n = atomic_fetch_add(&state->count[f], 1) + 1;
	if (state->log_sites && n <= MAX_LOGGED)
		site_note(f, n);
	if (state->family == (uint32_t)f && state->nth == n) {
		snprintf(state->call, sizeof state->call, "%s", call);
		int n_frames = frames_take(state->frame);
		if (n_frames < MAX_FRAMES)
			state->frame[n_frames] = 0;
		const bool spared = sanitized && f == MALLOC && !n_frames;
		fault = spared ? 0 : (int)state->fault;
		atomic_store(&state->hit, spared ? HIT_WITHOUT_EFFECT : HIT_FAILED);
	}
	busy = false;
	errno = saved;
	return fault;
}

/* Half of a transfer, at least 1. */
static size_t half_of(size_t n)
{
	if (n < 2 && state)
		atomic_store(&state->hit, HIT_WITHOUT_EFFECT);
	return n < 2 ? n : n / 2;
}

static void *real_find(const char *name)
{
	bool before = busy;
	busy = true;
	void *p = dlsym(RTLD_NEXT, name);
	busy = before;
	return p;
}

#define REAL(NAME)                                                                                                     \
	static __typeof__(NAME) *real;                                                                                 \
	if (!real)                                                                                                     \
		real = (__typeof__(NAME) *)real_find(#NAME)

/* A call that fails with errno set and the value FAIL. */
#define HOOK(FAMILY, RETURNS, FAIL, NAME, PARAMETERS, ARGUMENTS)                                                       \
	RETURNS NAME PARAMETERS;                                                                                       \
	RETURNS NAME PARAMETERS                                                                                        \
	{                                                                                                              \
		REAL(NAME);                                                                                            \
		int fault = due(FAMILY, #NAME);                                                                        \
		if (fault) {                                                                                           \
			errno = fault;                                                                                 \
			return FAIL;                                                                                   \
		}                                                                                                      \
		return real ARGUMENTS;                                                                                 \
	}

/* A call that transfers N bytes, and may transfer fewer. */
#define HOOK_TRANSFER(FAMILY, NAME, PARAMETERS, ARGUMENTS, N)                                                          \
	ssize_t NAME PARAMETERS;                                                                                       \
	ssize_t NAME PARAMETERS                                                                                        \
	{                                                                                                              \
		REAL(NAME);                                                                                            \
		int fault = due(FAMILY, #NAME);                                                                        \
		if (fault == FAULT_SHORT)                                                                              \
			N = half_of(N);                                                                                \
		else if (fault) {                                                                                      \
			errno = fault;                                                                                 \
			return -1;                                                                                     \
		}                                                                                                      \
		return real ARGUMENTS;                                                                                 \
	}

/* The same for a vector: a short transfer is half of its first element. */
#define HOOK_VECTOR(FAMILY, NAME, PARAMETERS, ARGUMENTS)                                                               \
	ssize_t NAME PARAMETERS;                                                                                       \
	ssize_t NAME PARAMETERS                                                                                        \
	{                                                                                                              \
		REAL(NAME);                                                                                            \
		struct iovec first;                                                                                    \
		int fault = due(FAMILY, #NAME);                                                                        \
		if (fault == FAULT_SHORT && n > 0) {                                                                   \
			first = *v;                                                                                    \
			first.iov_len = half_of(first.iov_len);                                                        \
			v = &first;                                                                                    \
			n = 1;                                                                                         \
		} else if (fault && fault != FAULT_SHORT) {                                                            \
			errno = fault;                                                                                 \
			return -1;                                                                                     \
		}                                                                                                      \
		return real ARGUMENTS;                                                                                 \
	}

#define HOOK_OPEN(NAME, PARAMETERS, ARGUMENTS)                                                                         \
	int NAME PARAMETERS;                                                                                           \
	int NAME PARAMETERS                                                                                            \
	{                                                                                                              \
		REAL(NAME);                                                                                            \
		va_list ap;                                                                                            \
		va_start(ap, flags);                                                                                   \
		mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;                                \
		va_end(ap);                                                                                            \
		int fault = due(OPEN, #NAME);                                                                          \
		if (fault) {                                                                                           \
			errno = fault;                                                                                 \
			return -1;                                                                                     \
		}                                                                                                      \
		return real ARGUMENTS;                                                                                 \
	}

/* A call of stdio on stream F. */
#define HOOK_STREAM(FAMILY, RETURNS, FAIL, NAME, PARAMETERS, ARGUMENTS, F)                                             \
	RETURNS NAME PARAMETERS;                                                                                       \
	RETURNS NAME PARAMETERS                                                                                        \
	{                                                                                                              \
		REAL(NAME);                                                                                            \
		int fault = (F) == stderr ? 0 : due(FAMILY, #NAME);                                                    \
		if (fault) {                                                                                           \
			(F)->_flags |= STREAM_ERROR;                                                                   \
			errno = fault;                                                                                 \
			return FAIL;                                                                                   \
		}                                                                                                      \
		return real ARGUMENTS;                                                                                 \
	}

/* --- transfers ----------------------------------------------------------- */
HOOK_TRANSFER(READ, read, (int fd, void *to, size_t n), (fd, to, n), n)
HOOK_TRANSFER(READ, pread, (int fd, void *to, size_t n, off_t at), (fd, to, n, at), n)
HOOK_TRANSFER(READ, pread64, (int fd, void *to, size_t n, off64_t at), (fd, to, n, at), n)
HOOK_TRANSFER(READ, getrandom, (void *to, size_t n, unsigned int flags), (to, n, flags), n)
HOOK_VECTOR(READ, readv, (int fd, const struct iovec *v, int n), (fd, v, n))
HOOK_VECTOR(READ, preadv, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at))
HOOK_TRANSFER(WRITE, pwrite, (int fd, const void *from, size_t n, off_t at), (fd, from, n, at), n)
HOOK_TRANSFER(WRITE, pwrite64, (int fd, const void *from, size_t n, off64_t at), (fd, from, n, at), n)
HOOK_VECTOR(WRITE, writev, (int fd, const struct iovec *v, int n), (fd, v, n))
HOOK_VECTOR(WRITE, pwritev, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at))
HOOK_TRANSFER(COPY, copy_file_range, (int in, off64_t *at, int out, off64_t *to, size_t n, unsigned int flags), (in, at, out, to, n, flags), n)
HOOK_TRANSFER(COPY, sendfile, (int out, int in, off_t *at, size_t n), (out, in, at, n), n)
HOOK_TRANSFER(COPY, splice, (int in, off64_t *at, int out, off64_t *to, size_t n, unsigned int flags), (in, at, out, to, n, flags), n)

ssize_t write(int fd, const void *from, size_t n)
{
	REAL(write);
	int fault = fd == STDERR_FILENO ? 0 : due(WRITE, "write");
	if (fault == FAULT_SHORT) {
		n = half_of(n);
	} else if (fault) {
		errno = fault;
		return -1;
	}
	return real(fd, from, n);
}

/* --- files by name, and descriptors -------------------------------------- */
HOOK_OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
HOOK_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
HOOK_OPEN(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode))
HOOK_OPEN(openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode))
HOOK(OPEN, int, -1, mkostemp, (char *path, int flags), (path, flags))
HOOK(OPEN, FILE *, NULL, fopen, (const char *path, const char *how), (path, how))
HOOK(OPEN, FILE *, NULL, fopen64, (const char *path, const char *how), (path, how))
HOOK(OPEN, FILE *, NULL, fdopen, (int fd, const char *how), (fd, how))
HOOK(SYNC, int, -1, fsync, (int fd), (fd))
HOOK(SYNC, int, -1, fdatasync, (int fd), (fd))
HOOK(SYNC, int, -1, syncfs, (int fd), (fd))
HOOK(SYNC, int, -1, msync, (void *p, size_t n, int flags), (p, n, flags))
HOOK(RENAME, int, -1, rename, (const char *a, const char *b), (a, b))
HOOK(RENAME, int, -1, renameat, (int at, const char *a, int to, const char *b), (at, a, to, b))
HOOK(RENAME, int, -1, renameat2, (int at, const char *a, int to, const char *b, unsigned int flags), (at, a, to, b, flags))
HOOK(RENAME, int, -1, linkat, (int at, const char *a, int to, const char *b, int flags), (at, a, to, b, flags))
HOOK(RENAME, int, -1, symlinkat, (const char *a, int at, const char *b), (a, at, b))
HOOK(RENAME, int, -1, symlink, (const char *a, const char *b), (a, b))
HOOK(UNLINK, int, -1, unlink, (const char *path), (path))
HOOK(UNLINK, int, -1, unlinkat, (int at, const char *path, int flags), (at, path, flags))
HOOK(UNLINK, int, -1, rmdir, (const char *path), (path))
HOOK(STAT, int, -1, stat, (const char *path, struct stat *st), (path, st))
HOOK(STAT, int, -1, lstat, (const char *path, struct stat *st), (path, st))
HOOK(STAT, int, -1, fstat, (int fd, struct stat *st), (fd, st))
HOOK(STAT, int, -1, fstatat, (int at, const char *path, struct stat *st, int flags), (at, path, st, flags))
HOOK(STAT, int, -1, access, (const char *path, int how), (path, how))
HOOK(STAT, char *, NULL, realpath, (const char *path, char *to), (path, to))
HOOK(STAT, ssize_t, -1, readlink, (const char *path, char *to, size_t n), (path, to, n))
HOOK(STAT, ssize_t, -1, readlinkat, (int at, const char *path, char *to, size_t n), (at, path, to, n))
HOOK(TRUNCATE, int, -1, ftruncate, (int fd, off_t n), (fd, n))
HOOK(TRUNCATE, int, -1, ftruncate64, (int fd, off64_t n), (fd, n))
HOOK(TRUNCATE, int, -1, fallocate, (int fd, int how, off_t at, off_t n), (fd, how, at, n))
HOOK(TRUNCATE, int, -1, fallocate64, (int fd, int how, off64_t at, off64_t n), (fd, how, at, n))
HOOK(TRUNCATE, int, fault, posix_fallocate, (int fd, off_t at, off_t n), (fd, at, n))
HOOK(MKDIR, int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
HOOK(MKDIR, int, -1, mkdirat, (int at, const char *path, mode_t mode), (at, path, mode))
HOOK(MKDIR, char *, NULL, mkdtemp, (char *path), (path))
HOOK(OPENDIR, DIR *, NULL, opendir, (const char *path), (path))
HOOK(OPENDIR, DIR *, NULL, fdopendir, (int fd), (fd))
HOOK(READDIR, struct dirent *, NULL, readdir, (DIR * d), (d))
HOOK(SEEK, off_t, -1, lseek, (int fd, off_t at, int whence), (fd, at, whence))
HOOK(SEEK, off64_t, -1, lseek64, (int fd, off64_t at, int whence), (fd, at, whence))
HOOK(LOCK, int, -1, flock, (int fd, int how), (fd, how))

int close(int fd)
{
	REAL(close);
	int fault = due(CLOSE, "close"), ret = real(fd);
	if (fault && !ret) {
		errno = fault;
		return -1;
	}
	return ret;
}

int ioctl(int fd, unsigned long request, ...)
{
	REAL(ioctl);
	va_list ap;
	va_start(ap, request);
	void *p = va_arg(ap, void *);
	va_end(ap);
	int fault = due(IOCTL, "ioctl");
	if (fault) {
		errno = fault;
		return -1;
	}
	return real(fd, request, p);
}

long syscall(long number, ...)
{
	static long (*real)(long, ...);
	long a[6];
	va_list ap;
	if (!real)
		real = (long (*)(long, ...))real_find("syscall");
	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	int fault = due(SYSCALL, "syscall");
	if (fault) {
		errno = fault;
		return -1;
	}
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* --- streams ------------------------------------------------------------- */
HOOK_STREAM(STREAM_READ, size_t, 0, fread, (void *to, size_t size, size_t n, FILE *f), (to, size, n, f), f)
HOOK_STREAM(STREAM_READ, char *, NULL, fgets, (char *to, int n, FILE *f), (to, n, f), f)
HOOK_STREAM(STREAM_READ, int, EOF, fgetc, (FILE * f), (f), f)
HOOK_STREAM(STREAM_READ, int, EOF, __uflow, (FILE * f), (f), f)
HOOK_STREAM(STREAM_READ, ssize_t, -1, getline, (char **to, size_t *n, FILE *f), (to, n, f), f)
HOOK_STREAM(STREAM_READ, ssize_t, -1, getdelim, (char **to, size_t *n, int c, FILE *f), (to, n, c, f), f)
HOOK_STREAM(STREAM_READ, ssize_t, -1, __getdelim, (char **to, size_t *n, int c, FILE *f), (to, n, c, f), f)
HOOK_STREAM(STREAM_WRITE, size_t, 0, fwrite, (const void *from, size_t size, size_t n, FILE *f), (from, size, n, f), f)
HOOK_STREAM(STREAM_WRITE, int, EOF, fputs, (const char *s, FILE *f), (s, f), f)
HOOK_STREAM(STREAM_WRITE, int, EOF, puts, (const char *s), (s), stdout)
HOOK_STREAM(STREAM_WRITE, int, EOF, fputc, (int c, FILE *f), (c, f), f)
HOOK_STREAM(STREAM_WRITE, int, EOF, putc, (int c, FILE *f), (c, f), f)
HOOK_STREAM(STREAM_WRITE, int, EOF, __overflow, (FILE * f, int c), (f, c), f)
HOOK_STREAM(STREAM_WRITE, int, -1, vfprintf, (FILE * f, const char *how, va_list ap), (f, how, ap), f)
HOOK(STREAM_CLOSE, int, EOF, fflush, (FILE * f), (f))

int fprintf(FILE *f, const char *how, ...)
{
	va_list ap;
	va_start(ap, how);
	int ret = vfprintf(f, how, ap);
	va_end(ap);
	return ret;
}

int printf(const char *how, ...)
{
	va_list ap;
	va_start(ap, how);
	int ret = vfprintf(stdout, how, ap);
	va_end(ap);
	return ret;
}

int fclose(FILE *f)
{
	REAL(fclose);
	int fault = due(STREAM_CLOSE, "fclose"), ret = real(f);
	if (fault && !ret) {
		errno = fault;
		return EOF;
	}
	return ret;
}

/* --- memory, processes, threads ------------------------------------------ */
HOOK(MALLOC, void *, NULL, malloc, (size_t n), (n))
HOOK(MALLOC, void *, NULL, calloc, (size_t n, size_t size), (n, size))
HOOK(MALLOC, void *, NULL, realloc, (void *p, size_t n), (p, n))
HOOK(MALLOC, void *, NULL, aligned_alloc, (size_t align, size_t n), (align, n))
HOOK(MALLOC, int, fault, posix_memalign, (void **p, size_t align, size_t n), (p, align, n))
HOOK(MMAP, void *, MAP_FAILED, mmap, (void *p, size_t n, int prot, int flags, int fd, off_t at), (p, n, prot, flags, fd, at))
HOOK(MMAP, void *, MAP_FAILED, mmap64, (void *p, size_t n, int prot, int flags, int fd, off64_t at), (p, n, prot, flags, fd, at))
HOOK(FORK, pid_t, -1, fork, (void), ())
HOOK(FORK, FILE *, NULL, popen, (const char *command, const char *how), (command, how))
HOOK(FORK, int, fault, posix_spawn, (pid_t * pid, const char *path, const posix_spawn_file_actions_t *a, const posix_spawnattr_t *b, char *const argv[], char *const env[]), (pid, path, a, b, argv, env))
HOOK(FORK, int, fault, posix_spawnp, (pid_t * pid, const char *path, const posix_spawn_file_actions_t *a, const posix_spawnattr_t *b, char *const argv[], char *const env[]), (pid, path, a, b, argv, env))
HOOK(EXEC, int, -1, execv, (const char *path, char *const argv[]), (path, argv))
HOOK(EXEC, int, -1, execvp, (const char *path, char *const argv[]), (path, argv))
HOOK(EXEC, int, -1, fexecve, (int fd, char *const argv[], char *const env[]), (fd, argv, env))
HOOK(THREAD, int, fault, pthread_create, (pthread_t * t, const pthread_attr_t *a, void *(*run)(void *), void *p), (t, a, run, p))
HOOK(PIPE, int, -1, pipe2, (int fd[2], int flags), (fd, flags))
HOOK(PIPE, int, -1, socketpair, (int domain, int type, int protocol, int fd[2]), (domain, type, protocol, fd))
HOOK(PIPE, int, -1, eventfd, (unsigned int n, int flags), (n, flags))
HOOK(PIPE, int, -1, memfd_create, (const char *name, unsigned int flags), (name, flags))
HOOK(PIPE, int, -1, dup, (int fd), (fd))
HOOK(PIPE, int, -1, dup2, (int fd, int to), (fd, to))
HOOK(PIPE, int, -1, dup3, (int fd, int to, int flags), (fd, to, flags))
HOOK(WAIT, pid_t, -1, waitpid, (pid_t pid, int *status, int how), (pid, status, how))
HOOK(WAIT, pid_t, -1, wait4, (pid_t pid, int *status, int how, struct rusage *u), (pid, status, how, u))
HOOK(POLL, int, -1, poll, (struct pollfd * v, nfds_t n, int ms), (v, n, ms))
HOOK(POLL, int, -1, ppoll, (struct pollfd * v, nfds_t n, const struct timespec *t, const sigset_t *s), (v, n, t, s))
HOOK(POLL, int, -1, nanosleep, (const struct timespec *t, struct timespec *left), (t, left))
HOOK(POLL, int, fault, clock_nanosleep, (clockid_t c, int how, const struct timespec *t, struct timespec *left), (c, how, t, left))
