/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that create, copy, change and close descriptors. */
#include <stdlib.h>
#include <sys/file.h>
#include <sys/syscall.h>

#include "capture/op.h"
#include "capture/preload/uring.h"

/* --- open ----------------------------------------------------------------- */

static bool has_mode(int flags)
{
	return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

#define MODE_ARGUMENT(flags)									   \
	mode_t mode = 0;									   \
	if (has_mode(flags)) {									   \
		va_list ap;									   \
		va_start(ap, flags);								   \
		mode = va_arg(ap, mode_t);							   \
		va_end(ap);									   \
	}

#define NOTE_OPEN(directory, how)                                                                  \
	NOTE(.op = OP_OPEN, .fd = got, .dir = directory, .path = path, .flags = (uint32_t)(how),   \
	     .length = mode)
#define OPEN(directory, how, function, ...)							   \
	capture_look(directory, path);								   \
	TIMED(int, function, __VA_ARGS__);							   \
	NOTE_OPEN(directory, how);								   \
	return got

HOOK(int, open, (const char *path, int flags, ...),
     MODE_ARGUMENT(flags) OPEN(AT_FDCWD, flags, open, path, flags, mode))
ALIAS(open64, open);
ALIAS(__open, open);
ALIAS(__open64, open);
HOOK(int, openat, (int dir, const char *path, int flags, ...),
     MODE_ARGUMENT(flags) OPEN(dir, flags, openat, dir, path, flags, mode))
ALIAS(openat64, openat);
HOOK(int, creat, (const char *path, mode_t mode),
     OPEN(AT_FDCWD, O_CREAT | O_WRONLY | O_TRUNC, creat, path, mode))
ALIAS(creat64, creat);

HOOK(int, __open_2, (const char *path, int flags),
     const mode_t mode = 0; OPEN(AT_FDCWD, flags, __open_2, path, flags))
ALIAS(__open64_2, __open_2);
HOOK(int, __openat_2, (int dir, const char *path, int flags),
     const mode_t mode = 0; OPEN(dir, flags, __openat_2, dir, path, flags))
ALIAS(__openat64_2, __openat_2);

/* Temporary files, whose names are known only after the call. */
#define MAKE_TEMPORARY(function, how, ...)							   \
	TIMED(int, function, path, ##__VA_ARGS__);						   \
	const mode_t mode = 0600;								   \
	NOTE_OPEN(AT_FDCWD, O_RDWR | O_CREAT | O_EXCL | (how));					   \
	return got

HOOK(int, mkstemp, (char *path), MAKE_TEMPORARY(mkstemp, 0))
ALIAS(mkstemp64, mkstemp);
HOOK(int, mkostemp, (char *path, int flags), MAKE_TEMPORARY(mkostemp, flags, flags))
ALIAS(mkostemp64, mkostemp);
HOOK(int, mkstemps, (char *path, int suffix), MAKE_TEMPORARY(mkstemps, 0, suffix))
ALIAS(mkstemps64, mkstemps);
HOOK(int, mkostemps, (char *path, int suffix, int flags),
     MAKE_TEMPORARY(mkostemps, flags, suffix, flags))
ALIAS(mkostemps64, mkostemps);

/* --- close, copies -------------------------------------------------------- */

EXPORT int close(int fd)
{
	if (unlikely(uring_n_mapped))
		uring_mapped_close(fd);
	TIMED(int, close, fd);
	IO(OP_CLOSE, fd, 0, 0, 0);
	cause_closed(fd);
	return got;
}
ALIAS(__close, close);

HOOK(int, dup, (int fd), CALL_FD(int, (OP_DUP, fd, 0, 0, 0), dup, fd))

#define DUP2(how, function, ...)								   \
	TIMED(int, function, __VA_ARGS__);							   \
	const struct op_peer to = {wanted, OBJECT_NONE, OFFSET_NONE};				   \
	NOTE(.op = OP_DUP2, .fd = fd, .flags = (uint32_t)(how), .extra = &to,			   \
	     .extra_len = sizeof to);								   \
	cause_closed(wanted);									   \
	return got

HOOK(int, dup2, (int fd, int wanted), DUP2(0, dup2, fd, wanted))
ALIAS(__dup2, dup2);
HOOK(int, dup3, (int fd, int wanted, int flags), DUP2(flags, dup3, fd, wanted, flags))

/* --- control calls: one more argument, as wide as a pointer --------------- */

#define LONG_ARGUMENT(last)									   \
	va_list ap;										   \
	va_start(ap, last);									   \
	const long argument = va_arg(ap, long);							   \
	va_end(ap)

static struct op_lock lock_of(const struct flock *f)
{
	return (struct op_lock){f->l_type, f->l_whence, f->l_start, f->l_len};
}

EXPORT int fcntl(int fd, int command, ...)
{
	LONG_ARGUMENT(command);
	const bool locks = op_is_lock((unsigned int)command);
	const struct flock *f = locks ? (const struct flock *)(intptr_t)argument : NULL;
	/* with these commands, the call changes the structure */
	const bool changed = command == F_GETLK || command == F_OFD_GETLK;
	bool is_known = f && changed && capture_is_on() && capture_readable(f, sizeof *f);
	struct op_lock lock = {0, 0, 0, 0};
	if (is_known)
		lock = lock_of(f);
	CAUSE_LOCK(command == F_SETLKW || command == F_OFD_SETLKW);
	TIMED(int, fcntl, fd, command, argument);
	if (f && !changed && (is_known = capture_given(f, sizeof *f, got)))
		lock = lock_of(f);
	if (is_known) {
		NOTE(.op = OP_FCNTL, .fd = fd, .offset = (uint64_t)argument,
		     .flags = (uint32_t)command, .extra = &lock, .extra_len = sizeof lock);
		return got;
	}
	IO(OP_FCNTL, fd, (uint64_t)argument, 0, (uint32_t)command);
	return got;
}
ALIAS(fcntl64, fcntl);
ALIAS(__fcntl, fcntl);

HOOK(int, flock, (int fd, int operation),
     CAUSE_LOCK(!(operation & LOCK_NB) && operation != LOCK_UN);
     CALL_FD(int, (OP_FLOCK, fd, 0, 0, (uint32_t)operation), flock, fd, operation))
HOOK(int, lockf, (int fd, int command, off_t n),
     CAUSE_LOCK(command == F_LOCK);
     CALL_FD(int, (OP_LOCKF, fd, 0, (uint64_t)n, (uint32_t)command), lockf, fd, command, n))
ALIAS(lockf64, lockf);

#ifdef SYS_close_range
EXPORT int close_range(unsigned int first, unsigned int last, int flags)
{
	TIMED(int, close_range, first, last, flags);
	NOTE(.op = LOG_CLOSE_RANGE, .offset = first, .length = last, .flags = (uint32_t)flags);
	cause_closed_range(first, last);
	return got;
}

EXPORT void closefrom(int first)
{
	__typeof__(&closefrom) real = REAL(closefrom);
	uint64_t begin = clock_begin(&capture_clock);
	real(first);
	uint64_t end = clock_end(&capture_clock);
	const int got = 0;
	if (capture_is_on())
		NOTE(.op = LOG_CLOSE_RANGE, .offset = (uint64_t)(first > 0 ? first : 0),
		     .length = UINT32_MAX);
	cause_closed_range(first > 0 ? (unsigned int)first : 0, UINT32_MAX);
}
#endif

/* Files by handle. name_to_handle_at is recorded as the equivalent stat. open_by_handle_at is
 * recorded as an open of the name that /proc shows for the new descriptor. */

EXPORT int name_to_handle_at(int dir, const char *path, struct file_handle *handle, int *mount,
			     int flags)
{
	uint32_t stat_flags = (flags & AT_SYMLINK_FOLLOW ? 0 : AT_SYMLINK_NOFOLLOW) |
			      (uint32_t)(flags & AT_EMPTY_PATH);
	capture_look(dir, path);
	TIMED_OF(CAUSE_PATH(dir, path), int, name_to_handle_at, dir, path, handle, mount, flags);
	/* in these cases, the name exists: the buffer was too small, or the file system has no
	 * handles */
	const bool found = !got || errno == EOVERFLOW || errno == EOPNOTSUPP;
	NOTE_RESULT(found ? 0 : -1, .op = OP_STAT, .dir = dir, .path = path, .flags = stat_flags);
	return got;
}

/* The name of a descriptor's file. NULL: the path is unknown. */
static const char *name_of(int fd, char *name, size_t room)
{
	static const char in[] = "/proc/self/fd/";
	char link[sizeof in + 12], digits[12];
	size_t n = 0, at = sizeof in - 1;
	if (fd < 0 || capture_confined)
		return NULL;
	memcpy(link, in, at);
	for (unsigned int rest = (unsigned int)fd; !n || rest; rest /= 10)
		digits[n++] = (char)('0' + rest % 10);
	while (n)
		link[at++] = digits[--n];
	link[at] = 0;
	/* suffix that the kernel shows for deleted names */
	static const char deleted[] = " (deleted)";
	const long tail = sizeof deleted - 1;
	long len = RAW(SYS_readlinkat, AT_FDCWD, link, name, room - 1);
	if (len <= 0 || name[0] != '/')
		return NULL;
	if (len > tail && !memcmp(name + len - tail, deleted, sizeof deleted - 1))
		len -= tail;
	name[len] = 0;
	return name;
}

EXPORT int open_by_handle_at(int mount, struct file_handle *handle, int flags)
{
	char name[4097];
	TIMED(int, open_by_handle_at, mount, handle, flags);
	NOTE(.op = OP_OPEN, .fd = got, .dir = AT_FDCWD, .path = name_of(got, name, sizeof name),
	     .flags = (uint32_t)flags);
	return got;
}
