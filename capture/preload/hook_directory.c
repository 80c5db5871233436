/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that list directories. The record contains the descriptor of the directory. */
#include <dirent.h>

#include "capture/op.h"
#include "capture/preload/core.h"

/* Reads the first member of DIR, which is the descriptor in all versions of glibc, because dirfd(3)
 * may change errno. */
static int descriptor_of(DIR *d)
{
	return d ? *(int *)d : -1;
}

EXPORT DIR *opendir(const char *path)
{
	capture_look(AT_FDCWD, path);
	TIMED(DIR *, opendir, path);
	NOTE_RESULT(descriptor_of(got), .op = OP_OPENDIR, .dir = AT_FDCWD, .path = path,
	     .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (unlikely(capture_flags & LOG_STATE) && got)
		state_note_list(descriptor_of(got));
	return got;
}

EXPORT DIR *fdopendir(int fd)
{
	TIMED(DIR *, fdopendir, fd);
	capture_io(OP_FDOPENDIR, begin, end, fd, 0, 0, 0, got ? 0 : -1);
	if (unlikely(capture_flags & LOG_STATE) && got)
		state_note_list(fd);
	return got;
}

/* At the end of the directory the result is NULL, and errno is unchanged. */
EXPORT struct dirent *readdir(DIR *d)
{
	int before = errno;
	errno = 0;
	__typeof__(&readdir) real = REAL(readdir);
	CAUSE_FD(descriptor_of(d));
	uint64_t begin = clock_begin(&capture_clock);
	struct dirent *got = real(d);
	uint64_t end = clock_end(&capture_clock);
	if (capture_is_on())
		capture_io(OP_READDIR, begin, end, descriptor_of(d), 0, 0, 0,
			   got     ? 1
			   : errno ? -1
				   : 0);
	if (!errno)
		errno = before;
	return got;
}
ALIAS(readdir64, readdir);

/* deprecated, but still in use */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
EXPORT int readdir_r(DIR *restrict d, struct dirent *restrict entry,
		     struct dirent **restrict result)
{
	TIMED(int, readdir_r, d, entry, result);
	int saved = errno;
	errno = got;
	capture_io(OP_READDIR, begin, end, descriptor_of(d), 0, 0, 0, got ? -1 : *result != NULL);
	errno = saved;
	return got;
}
ALIAS(readdir64_r, readdir_r);

EXPORT int closedir(DIR *d)
{
	int fd = descriptor_of(d);
	TIMED(int, closedir, d);
	IO(OP_CLOSEDIR, fd, 0, 0, 0);
	cause_closed(fd);
	return got;
}

/* A call of a function without a result. */
#define VOID_CALL(operation, offset, function, ...)						   \
	__typeof__(&function) real = REAL(function);						   \
	CAUSE_FD(descriptor_of(d));								   \
	uint64_t begin = clock_begin(&capture_clock);						   \
	real(__VA_ARGS__);									   \
	uint64_t end = clock_end(&capture_clock);						   \
	if (capture_is_on())									   \
		capture_io(operation, begin, end, descriptor_of(d), (uint64_t)(offset), 0, 0, 0)

HOOK(void, rewinddir, (DIR *d), VOID_CALL(OP_REWINDDIR, 0, rewinddir, d))
HOOK(void, seekdir, (DIR *d, long at), VOID_CALL(OP_SEEKDIR, at, seekdir, d, at))

HOOK(long, telldir, (DIR *d), CALL_FD(long, (OP_TELLDIR, descriptor_of(d), 0, 0, 0), telldir, d))
HOOK(ssize_t, getdents64, (int fd, void *buffer, size_t n),
     CALL_FD(ssize_t, (OP_GETDENTS, fd, 0, n, 0), getdents64, fd, buffer, n))
HOOK(ssize_t, getdirentries, (int fd, char *restrict buffer, size_t n, off_t *restrict position),
     CALL_FD(ssize_t, (OP_GETDENTS, fd, 0, n, 0), getdirentries, fd, buffer, n, position))
ALIAS(getdirentries64, getdirentries);

/* --- whole directories: one record, although the C library makes several calls --- */

#define FILTERS											   \
	struct dirent ***restrict list, int (*choose)(const struct dirent *),			   \
	    int (*compare)(const struct dirent **, const struct dirent **)
#define SCANDIR(directory, function, ...)							   \
	CALL_PATH(int, directory, path, (.op = OP_SCANDIR), function, __VA_ARGS__, list, choose,   \
		  compare)

HOOK(int, scandir, (const char *restrict path, FILTERS), SCANDIR(AT_FDCWD, scandir, path))
ALIAS(scandir64, scandir);
HOOK(int, scandirat, (int dir, const char *restrict path, FILTERS),
     SCANDIR(dir, scandirat, dir, path))
ALIAS(scandirat64, scandirat);
