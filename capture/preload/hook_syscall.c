/* SPDX-License-Identifier: GPL-3.0-or-later */
/* syscall(3): system calls by number through the C library. File operations are recorded like the
 * functions of the same name. System calls by an instruction in the program itself are not visible
 * here. */
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <utime.h>

#include "capture/op.h"
#include "capture/preload/uring.h"

enum shape {
	SHAPE_NONE,
	FD_LENGTH,	  /* fd, buffer, length */
	FD_LENGTH_OFFSET, /* fd, buffer, length, offset */
	FD_ONLY,
	FD_OFFSET_FLAGS,  /* fd, offset, flags: lseek */
	FD_SIZE,	  /* fd, length */
	FD_RANGE_FLAGS,	  /* fd, offset, length, flags */
	PATH_FLAGS_MODE,  /* path, flags, mode: open */
	PATH_MODE,	  /* path, mode: creat */
	PATH_LINK,	  /* path, of a link itself */
	AT_FLAGS_MODE,	  /* dir, path, flags, mode: openat */
	AT_FLAGS,	  /* dir, path, flags: unlinkat */
	AT_FLAGS_MASK,	  /* dir, path, flags, mask: statx */
	AT_MODE_FLAGS,	  /* dir, path, mode, flags: fchmodat2 */
	AT_HOW,		  /* dir, path, struct open_how: openat2 */
	PATH_ONLY,
	RING, /* io_uring_enter: note_enter() */
};

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

static const struct hook_row {
	long number;
	uint16_t op;
	uint8_t shape;
} rows[] = {
	{SYS_read, OP_READ, FD_LENGTH},
	{SYS_write, OP_WRITE, FD_LENGTH},
	{SYS_pread64, OP_PREAD, FD_LENGTH_OFFSET},
	{SYS_pwrite64, OP_PWRITE, FD_LENGTH_OFFSET},
	{SYS_close, OP_CLOSE, FD_ONLY},
	{SYS_fsync, OP_FSYNC, FD_ONLY},
	{SYS_fdatasync, OP_FDATASYNC, FD_ONLY},
	{SYS_syncfs, OP_SYNCFS, FD_ONLY},
	{SYS_dup, OP_DUP, FD_ONLY},
	{SYS_fstat, OP_FSTAT, FD_ONLY},
	{SYS_fchdir, OP_FCHDIR, FD_ONLY},
	{SYS_lseek, OP_LSEEK, FD_OFFSET_FLAGS},
	{SYS_ftruncate, OP_FTRUNCATE, FD_SIZE},
	{SYS_getdents64, OP_GETDENTS, FD_LENGTH},
	{SYS_openat, OP_OPEN, AT_FLAGS_MODE},
	{SYS_openat2, OP_OPEN, AT_HOW},
	{SYS_unlinkat, OP_UNLINK, AT_FLAGS},
	{SYS_newfstatat, OP_STAT, AT_FLAGS},
	{SYS_statx, OP_STATX, AT_FLAGS_MASK},
	{SYS_chdir, OP_CHDIR, PATH_ONLY},
	{SYS_fadvise64, OP_FADVISE, FD_RANGE_FLAGS}, /* the function returns the error */
	{SYS_fchmodat2, OP_CHMOD, AT_MODE_FLAGS},
#ifdef SYS_open
	{SYS_open, OP_OPEN, PATH_FLAGS_MODE},
	{SYS_creat, OP_OPEN, PATH_MODE},
	{SYS_stat, OP_STAT, PATH_ONLY},
	{SYS_lstat, OP_STAT, PATH_LINK},
	{SYS_unlink, OP_UNLINK, PATH_ONLY},
	{SYS_rmdir, OP_RMDIR, PATH_ONLY},
	{SYS_getdents, OP_GETDENTS, FD_LENGTH},
#endif
	{SYS_io_uring_enter, OP_IO_URING_ENTER, RING},
};

static const struct hook_row *row_of(long number)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].number == number)
			return &rows[i];
	return NULL;
}

/* Returns whether the call is on a path, not on a descriptor, and sets the path and its directory.
 */
static bool is_on_path(const struct hook_row *w, const long *a, int *dir, const char **path)
{
	switch (w->shape) {
	case PATH_FLAGS_MODE:
	case PATH_MODE:
	case PATH_LINK:
	case PATH_ONLY:
		*dir = AT_FDCWD;
		*path = (const char *)a[0];
		return true;
	case AT_FLAGS:
	case AT_FLAGS_MASK:
	case AT_FLAGS_MODE:
	case AT_MODE_FLAGS:
	case AT_HOW:
		*dir = (int)a[0];
		*path = (const char *)a[1];
		return true;
	default:
		return false;
	}
}

static void note_call(const struct hook_row *w, const long *a, uint64_t begin, uint64_t end,
		      long got)
{
	struct note n = {
	    .begin = begin, .end = end, .op = w->op, .result = got, .fd = (int32_t)a[0]};
	is_on_path(w, a, &n.dir, &n.path);
	switch (w->shape) {
	case FD_LENGTH:
		n.length = (uint64_t)a[2];
		n.offset = OFFSET_NONE;
		break;
	case FD_LENGTH_OFFSET:
		n.length = (uint64_t)a[2];
		n.offset = (uint64_t)a[3];
		break;
	case FD_OFFSET_FLAGS:
		n.offset = (uint64_t)a[1];
		n.flags = (uint32_t)a[2];
		break;
	case FD_SIZE:
		n.length = (uint64_t)a[1];
		break;
	case FD_RANGE_FLAGS:
		n.offset = (uint64_t)a[1];
		n.length = (uint64_t)a[2];
		n.flags = (uint32_t)a[3];
		break;
	case PATH_FLAGS_MODE:
		n.flags = (uint32_t)a[1];
		n.length = n.flags & O_CREAT ? (uint64_t)a[2] : 0;
		break;
	case PATH_MODE:
		n.flags = O_WRONLY | O_CREAT | O_TRUNC;
		n.length = (uint64_t)a[1];
		break;
	case PATH_LINK:
		n.flags = AT_SYMLINK_NOFOLLOW;
		break;
	case AT_FLAGS:
	case AT_FLAGS_MASK:
	case AT_FLAGS_MODE:
		n.flags = (uint32_t)a[w->number == SYS_newfstatat ? 3 : 2];
		n.length = w->shape == AT_FLAGS                             ? 0
			   : w->shape == AT_FLAGS_MASK || n.flags & O_CREAT ? (uint64_t)a[3]
									    : 0;
		break;
	case AT_MODE_FLAGS:
		n.length = (uint64_t)a[2];
		n.flags = (uint32_t)a[3];
		break;
	case AT_HOW:
		if ((size_t)a[3] >= sizeof(struct open_how) &&
		    capture_given((const void *)a[2], sizeof(struct open_how), got)) {
			n.flags = (uint32_t)((const struct open_how *)a[2])->flags;
			n.length = ((const struct open_how *)a[2])->mode;
		}
		break;
	default:
		break;
	}
	/* as note_stat() in hook_attribute.c */
	if (n.op == OP_STAT && !got && n.flags & AT_EMPTY_PATH && n.dir >= 0 &&
	    (!n.path || !*n.path))
		n = (struct note){.begin = begin, .end = end, .op = OP_FSTAT, .fd = n.dir};
	capture_note(&n);
	if (w->op == OP_CLOSE)
		cause_closed(n.fd);
}

/* The C library has functions for these calls with the same arguments, results and errors. The
 * functions are hooked, so the calls are made through them. a[] holds the arguments in every
 * by_...() function. */
#define P(i) ((void *)a[i])
#define I(i) ((int)a[i])
#define U(i) ((unsigned int)a[i])
#define Z(i) ((size_t)a[i])
#define CALL(name, ...)                                                                            \
	case SYS_##name:                                                                           \
		*got = (long)name(__VA_ARGS__);                                                    \
		return true
/* The function reads memory before the kernel can reject it. A call is not `sound` if the memory is
 * not readable. */
#define CALL_IF(sound, name, ...)                                                                  \
	case SYS_##name:                                                                           \
		if (!(sound))                                                                      \
			return false;                                                              \
		*got = (long)name(__VA_ARGS__);                                                    \
		return true

/* Data and files of descriptors. */
static bool by_data(long number, const long *a, long *got)
{
	switch (number) {
		CALL(readv, I(0), P(1), I(2));
		CALL(writev, I(0), P(1), I(2));
		CALL(preadv, I(0), P(1), I(2), a[3]);
		CALL(pwritev, I(0), P(1), I(2), a[3]);
		/* a[4] is the upper half of an offset that needs two longs */
		CALL(preadv2, I(0), P(1), I(2), a[3], I(5));
		CALL(pwritev2, I(0), P(1), I(2), a[3], I(5));
		CALL(sendfile, I(0), I(1), P(2), Z(3));
		CALL(copy_file_range, I(0), P(1), I(2), P(3), Z(4), U(5));
		CALL(splice, I(0), P(1), I(2), P(3), Z(4), U(5));
		CALL(tee, I(0), I(1), Z(2), U(3));
		CALL(vmsplice, I(0), P(1), Z(2), U(3));
		CALL(readahead, I(0), a[1], Z(2));
		CALL(truncate, P(0), a[1]);
		CALL(fallocate, I(0), I(1), a[2], a[3]);
		CALL(sync_file_range, I(0), a[1], a[2], U(3));
		CALL(recvmsg, I(0), P(1), I(2));
		CALL(recvmmsg, I(0), P(1), U(2), I(3), P(4));
	case SYS_sync:
		sync();
		*got = 0;
		return true;
	default:
		return false;
	}
}

/* Descriptors, memory and processes. */
static bool by_descriptor(long number, const long *a, long *got)
{
	switch (number) {
		CALL(dup3, I(0), I(1), I(2));
		CALL(fcntl, I(0), I(1), a[2]);
		CALL(ioctl, I(0), U(1), a[2]);
		CALL(umask, (mode_t)a[0]);
		CALL(bind, I(0), P(1), (socklen_t)a[2]);
		CALL(flock, I(0), I(1));
		CALL(close_range, U(0), U(1), I(2));
		CALL(mmap, P(0), Z(1), I(2), I(3), I(4), a[5]);
		CALL(munmap, P(0), Z(1));
		CALL(msync, P(0), Z(1), I(2));
		CALL(madvise, P(0), Z(1), I(2));
		CALL(mremap, P(0), Z(1), Z(2), I(3), P(4));
		CALL(chroot, P(0));
		CALL(execve, P(0), P(1), P(2));
		CALL(execveat, I(0), P(1), P(2), P(3), I(4));
		CALL(wait4, (pid_t)a[0], P(1), I(2), P(3));
		CALL(prctl, I(0), a[1], a[2], a[3], a[4]);
	case SYS_waitid:
		if (a[4]) /* the function has no fifth argument */
			return false;
		*got = waitid((idtype_t)a[0], (id_t)a[1], P(2), I(3));
		return true;
	default:
		return false;
	}
}

/* Attributes of files. */
static bool by_attribute(long number, const long *a, long *got)
{
	switch (number) {
		CALL(statfs, P(0), P(1));
		CALL(fstatfs, I(0), P(1));
		CALL(fchmod, I(0), (mode_t)a[1]);
		CALL(fchown, I(0), (uid_t)a[1], (gid_t)a[2]);
		CALL(fchownat, I(0), P(1), (uid_t)a[2], (gid_t)a[3], I(4));
		CALL(getxattr, P(0), P(1), P(2), Z(3));
		CALL(lgetxattr, P(0), P(1), P(2), Z(3));
		CALL(fgetxattr, I(0), P(1), P(2), Z(3));
		CALL(setxattr, P(0), P(1), P(2), Z(3), I(4));
		CALL(lsetxattr, P(0), P(1), P(2), Z(3), I(4));
		CALL(fsetxattr, I(0), P(1), P(2), Z(3), I(4));
		CALL(listxattr, P(0), P(1), Z(2));
		CALL(llistxattr, P(0), P(1), Z(2));
		CALL(flistxattr, I(0), P(1), Z(2));
		CALL(removexattr, P(0), P(1));
		CALL(lremovexattr, P(0), P(1));
		CALL(fremovexattr, I(0), P(1));
	case SYS_fchmodat:
		*got = fchmodat(I(0), P(1), (mode_t)a[2], 0);
		return true;
	case SYS_utimensat: /* without a path: the descriptor's file */
		if (!a[1] && (I(0) < 0 || a[3]))
			return false;
		*got = a[1] ? utimensat(I(0), P(1), P(2), I(3)) : futimens(I(0), P(2));
		return true;
	default:
		return false;
	}
}

/* Names relative to a directory. */
static bool by_name(long number, const long *a, long *got)
{
	switch (number) {
		CALL(renameat, I(0), P(1), I(2), P(3));
		CALL(renameat2, I(0), P(1), I(2), P(3), U(4));
		CALL(linkat, I(0), P(1), I(2), P(3), I(4));
		CALL(symlinkat, P(0), I(1), P(2));
		CALL(readlinkat, I(0), P(1), P(2), Z(3));
		CALL(mkdirat, I(0), P(1), (mode_t)a[2]);
		CALL(mknodat, I(0), P(1), (mode_t)a[2], (dev_t)U(3));
		CALL(name_to_handle_at, I(0), P(1), P(2), P(3), I(4));
		CALL(open_by_handle_at, I(0), P(1), I(2));
	case SYS_faccessat:
		*got = faccessat(I(0), P(1), I(2), 0);
		return true;
	case SYS_faccessat2:
		*got = faccessat(I(0), P(1), I(2), I(3));
		return true;
	default:
		return false;
	}
}

#ifdef SYS_open /* newer architectures lack calls of these names */
static bool by_old_name(long number, const long *a, long *got)
{
	switch (number) {
		CALL(dup2, I(0), I(1));
		CALL(access, P(0), I(1));
		CALL(chmod, P(0), (mode_t)a[1]);
		CALL(chown, P(0), (uid_t)a[1], (gid_t)a[2]);
		CALL(lchown, P(0), (uid_t)a[1], (gid_t)a[2]);
		CALL_IF(!a[1] || capture_readable(P(1), sizeof(struct utimbuf)), utime, P(0), P(1));
		CALL_IF(!a[1] || capture_readable(P(1), 2 * sizeof(struct timeval)), utimes, P(0),
			P(1));
		CALL_IF(!a[2] || capture_readable(P(2), 2 * sizeof(struct timeval)), futimesat,
			I(0), P(1), P(2));
		CALL(rename, P(0), P(1));
		CALL(link, P(0), P(1));
		CALL(symlink, P(0), P(1));
		CALL(readlink, P(0), P(1), Z(2));
		CALL(mkdir, P(0), (mode_t)a[1]);
		CALL(mknod, P(0), (mode_t)a[1], (dev_t)U(2));
	default:
		return false;
	}
}
#else
#define by_old_name(number, a, got) false
#endif
#undef CALL
#undef CALL_IF
#undef I
#undef P
#undef U
#undef Z

static bool by_function(long number, const long *a, long *got)
{
	return by_data(number, a, got) || by_descriptor(number, a, got) ||
	       by_attribute(number, a, got) || by_name(number, a, got) ||
	       by_old_name(number, a, got) || async_by_number(number, a, got);
}

/* A library that replaces a function may make its system call by number. Then the call is passed on
 * unchanged. capture_within marks this, except for an exec: it does not return, and in a vfork
 * child it would leave the mark set for the parent. An exec is passed on if the same process calls
 * it with the same path. */
static bool function_call(long number, const long *a, long *got)
{
	static __thread long exec_path __attribute__((tls_model("initial-exec")));
	static __thread uint32_t exec_pid __attribute__((tls_model("initial-exec")));
	const bool is_exec = number == SYS_execve || number == SYS_execveat,
		   within = capture_within;
	const long path = a[number == SYS_execveat];
	const uint32_t pid = is_exec && !capture_confined ? capture_pid() : 0;
	if (is_exec ? path == exec_path && pid == exec_pid : within)
		return false;
	exec_path = is_exec ? path : 0;
	exec_pid = pid;
	capture_within = !is_exec;
	const bool done = by_function(number, a, got);
	exec_path = 0;
	capture_within = within;
	return done;
}

static long confine(__typeof__(&syscall) real, const long *a)
{
	const uint8_t state = capture_state;
	const bool was = capture_confined,
		   asks = a[0] == SECCOMP_GET_ACTION_AVAIL || a[0] == SECCOMP_GET_NOTIF_SIZES;
	if (a[0] == SECCOMP_SET_MODE_STRICT)
		capture_blind();
	if (!asks)
		capture_confine_prepare();
	capture_confined |= !asks;
	long got = real(SYS_seccomp, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (got < 0) {
		capture_confined = was;
		capture_state = state;
	}
	return got;
}

#ifdef CAPTURE_CAUSES
#include <linux/futex.h>

/* Calls by number that wait for other threads. Programs with own locks or conditions use futex. */
static struct cause_call call_begin(long number, const long *a)
{
	int futex = (int)a[1] & FUTEX_CMD_MASK;
	bool waits =
	    number == SYS_futex && (futex == FUTEX_WAIT || futex == FUTEX_WAIT_BITSET ||
				    futex == FUTEX_LOCK_PI || futex == FUTEX_WAIT_REQUEUE_PI);
	return waits ? cause_wait_begin(CAUSE_WAITING) : (struct cause_call){CAUSE_NOTHING, 0};
}

static struct cause_call row_begin(const struct hook_row *w, const long *a)
{
	struct subject s = {SUBJECT_FD, (int)a[0], NULL};
	if (is_on_path(w, a, &s.fd, &s.path))
		s.kind = SUBJECT_PATH;
	return cause_enter(&s, false);
}
#define CAUSE_NUMBER(number, a) CAUSE_SCOPE = call_begin(number, a)
#define CAUSE_ROW(w, a) CAUSE_SCOPE = row_begin(w, a)
#else
#define CAUSE_NUMBER(number, a)
#define CAUSE_ROW(w, a)
#endif

/* The record of a call on an unknown ring says that its requests are missing in the trace. */
static void note_enter(const long *a, uint64_t begin, uint64_t end, long got)
{
	/* the first argument is an index, not a descriptor */
	enum { ENTER_REGISTERED_RING = 1 << 4 };
	const int saved = errno;
	const bool known =
	    !(a[3] & ENTER_REGISTERED_RING) && uring_mapped_entered((int)a[0], begin, end);
	errno = saved;
	capture_io(OP_IO_URING_ENTER, begin, end, (int)a[0], 0, (uint64_t)a[1],
		   known ? LOG_BY_LIBURING : 0, got);
}

/* Calls that set up a ring or register its files. Returns `got`. */
static long ring_by_number(long number, const long *a, long got)
{
	if (number == SYS_io_uring_setup && got >= 0)
		uring_mapped_setup((int)got, (const struct io_uring_params *)a[1]);
	else if (number == SYS_io_uring_register && got >= 0 && uring_n_mapped)
		uring_mapped_register((int)a[0], (unsigned int)a[1], (const void *)a[2],
				      (unsigned int)a[3]);
	return got;
}

EXPORT long syscall(long number, ...)
{
	long a[6];
	va_list ap;
	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	const struct hook_row *w = row_of(number);
	__typeof__(&syscall) real = REAL(syscall);
	if (number == SYS_seccomp)
		return confine(real, a);
	long got;
	if (!w && capture_is_on() && function_call(number, a, &got))
		return got;
	if (!w || !capture_is_on()) {
		CAUSE_NUMBER(number, a);
		if (capture_is_on() &&
		    (number == SYS_io_uring_setup || number == SYS_io_uring_register))
			return ring_by_number(
			    number, a,
			    descriptor_by_number(number, a,
						 real(number, a[0], a[1], a[2], a[3], a[4], a[5])));
		return descriptor_by_number(number, a,
					    real(number, a[0], a[1], a[2], a[3], a[4], a[5]));
	}
	int dir;
	const char *path;
	if (is_on_path(w, a, &dir, &path))
		capture_look(dir, path);
	CAUSE_ROW(w, a);
	if (number == SYS_close && unlikely(uring_n_mapped))
		uring_mapped_close((int)a[0]);
	uint64_t begin = clock_begin(&capture_clock);
	got = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	uint64_t end = clock_end(&capture_clock);
	if (number == SYS_write || number == SYS_pwrite64)
		CONTENT((int)a[0], (const void *)a[1], got);
	if (number == SYS_io_uring_enter)
		note_enter(a, begin, end, got);
	else
		note_call(w, a, begin, end, got);
	return got;
}
