/* SPDX-License-Identifier: GPL-3.0-or-later */
/* syscall(3): system calls by number through the C library. File operations are recorded like the
 * functions of the same name. System calls that the program makes by its own instructions are not
 * recorded here. */
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <utime.h>

#include "capture/preload/uring.h"
#include "capture/syscall_table.h"

/* The row of a call that is recorded by the letters of its row (syscall_table.h). NULL: another
 * call. */
static const struct syscall_row *row_of(long number)
{
	const struct syscall_row *w = syscall_row_of_number(number);
	return w && w->kind == SYSCALL_REQUEST && strpbrk(w->args, "cBRMEk") == NULL &&
		       w->op != OP_SYNC && w->op != OP_FLOCK && w->op != OP_VMSPLICE &&
		       w->op != OP_IO_SUBMIT &&
		       (w->op != OP_UTIMENS || number == SYS_utimensat)
		   ? w
		   : NULL;
}

static long argument_of(const struct syscall_row *w, const long *a, char letter)
{
	const char *at = strchr(w->args, letter);
	return at ? a[at - w->args] : 0;
}

/* Returns whether the call is on a path and not on a descriptor. If so, sets the path and its
 * directory. */
static bool is_on_path(const struct syscall_row *w, const long *a, int *dir, const char **path)
{
	*path = (const char *)argument_of(w, a, 'p');
	*dir = strchr(w->args, 'D') ? (int)argument_of(w, a, 'D') : AT_FDCWD;
	return strchr(w->args, 'p') != NULL;
}

static uint64_t offset_at(const struct syscall_row *w, const long *a, char letter, long got)
{
	const uint64_t *at = (const uint64_t *)argument_of(w, a, letter);
	/* for zero bytes, the kernel does not read the offset; otherwise it advances the offset by
	 * the result */
	return (got ? capture_given(at, sizeof *at, got) : capture_readable(at, sizeof *at))
		   ? *at - (uint64_t)(got > 0 ? got : 0)
		   : OFFSET_NONE;
}

/* Heap item of the record. */
struct number_extra {
	struct op_peer peer;
	int64_t times[4];
};

static void take_pointer(struct note *n, struct number_extra *x, const struct syscall_row *w,
			 const long *a, unsigned int i)
{
	const void *at = (const void *)a[i];
	const struct timespec *t = at;
	const uint64_t *how = at;
	size_t count = 0;
	switch (w->args[i]) {
	case 'P':
	case 'T':
	case 'N':
		n->second_dir = strchr(w->args, 'd') ? (int)argument_of(w, a, 'd') : AT_FDCWD;
		n->extra = at;
		n->extra_len = capture_given_text(at, n->result);
		return;
	case 'L':
		if (n->result == 0 && !strcmp(n->extra, OP_ACL_NAME))
			n->flags |= op_acl_flags(at, (size_t)a[i + 1]);
		return;
	case 'H':
		if ((size_t)a[i + 1] >= sizeof(struct open_how) &&
		    capture_given(at, sizeof(struct open_how), n->result)) {
			n->flags = (uint32_t)how[0];
			n->length = how[1];
			while (how[2] & SYSCALL_RESOLVE_IN_ROOT && *n->path == '/')
				n->path++;
		}
		return;
	case 'i':
		count = a[i + 1] > 0 && a[i + 1] <= 1024 /* IOV_MAX */ ? (size_t)a[i + 1] : 0;
		if (!count || !capture_given(at, count * sizeof *n->vector, n->result))
			return;
		n->vector = at;
		n->n_vector = count;
		for (size_t k = 0; k < count; k++)
			n->length += n->vector[k].iov_len;
		return;
	case 't':
		if (!capture_given(t, 2 * sizeof *t, n->result))
			return;
		memcpy(x->times, t, sizeof x->times); /* seconds and ns, each 8 bytes */
		n->extra = x->times;
		n->extra_len = sizeof x->times;
		return;
	case '@':
		n->offset = offset_at(w, a, '@', n->result);
		return;
	case '#':
		x->peer.offset = offset_at(w, a, '#', n->result);
		return;
	default:
		return;
	}
}

static void take_number(struct note *n, struct number_extra *x, char letter, long v)
{
	switch (letter) {
	case 'f':
		n->fd = (int32_t)v;
		return;
	case 's':
	case 'm':
		n->length = letter == 's' ? (uint64_t)v : (uint32_t)v;
		return;
	case 'o':
	case 'V':
		n->offset = (uint64_t)v;
		return;
	case 'O':
	case 'w':
	case 'v':
	case 'A':
		n->flags |= (uint32_t)v;
		return;
	case 'u':
	case 'g':
		n->offset |= letter == 'u' ? (uint32_t)v : (uint64_t)(uint32_t)v << 32;
		return;
	case 'n':
	case 'X':
		x->peer = (struct op_peer){(int32_t)v, OBJECT_NONE, OFFSET_NONE};
		n->extra = &x->peer;
		n->extra_len = sizeof x->peer;
		return;
	default:
		return;
	}
}

static void note_call(const struct syscall_row *w, const long *a, uint64_t begin, uint64_t end,
		      long got)
{
	struct number_extra x = {.peer = {.fd = -1}};
	struct note n = {.begin = begin, .end = end, .op = (uint16_t)w->op, .result = got,
			 .flags = w->flags, .fd = w->op == OP_OPEN ? (int32_t)got : -1};
	is_on_path(w, a, &n.dir, &n.path);
	for (unsigned int i = 0; w->args[i]; i++)
		if (strchr(SYSCALL_POINTERS, w->args[i]))
			take_pointer(&n, &x, w, a, i);
		else
			take_number(&n, &x, w->args[i], a[i]);
	if (n.op == OP_READ || n.op == OP_WRITE || n.op == OP_READV || n.op == OP_WRITEV)
		n.offset = OFFSET_NONE;
	else if (n.op == OP_OPEN && !(n.flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))))
		n.length = 0; /* the mode is an argument only if a file may be created */
	else if (n.op == OP_READLINK && got > 0) {
		n.extra = (const char *)a[strchr(w->args, 'p') - w->args + 1];
		n.extra_len = (size_t)got;
	}
	/* as note_stat() in hook_attribute.c */
	if ((n.op == OP_STAT || n.op == OP_STATX) && !got && n.flags & AT_EMPTY_PATH &&
	    n.dir >= 0 && (!n.path || !*n.path))
		n = (struct note){.begin = begin, .end = end, .op = OP_FSTAT, .fd = n.dir};
	if (n.op == OP_UTIMENS && !n.path) {
		n.op = OP_FUTIMENS;
		n.fd = n.dir;
		n.flags = 0;
	}
	if (unlikely(capture_flags & LOG_CONTENT) && n.vector && got > 0 &&
	    (n.op == OP_WRITEV || n.op == OP_PWRITEV || n.op == OP_PWRITEV2))
		content_note_vector(n.fd, n.vector, (int)n.n_vector, (uint64_t)got, begin);
	capture_note(&n);
	if (w->op == OP_CLOSE)
		cause_closed(n.fd);
	else if (w->op == OP_DUP2)
		cause_closed(x.peer.fd);
	else if (w->op == OP_RENAME)
		cause_renamed((int)got);
}

/* The C library has functions for these calls with the same arguments, results and errors. The
 * functions have hooks, so the calls are made through them. a[] contains the arguments in every
 * by_...() function. */
#define P(i) ((void *)a[i])
#define I(i) ((int)a[i])
#define U(i) ((unsigned int)a[i])
#define Z(i) ((size_t)a[i])
#define CALL(name, ...)                                                                            \
	case SYS_##name:                                                                           \
		*got = (long)name(__VA_ARGS__);                                                    \
		return true
/* The function reads memory before the kernel can reject the memory. So it is called only if
 * `sound`: the memory is readable. */
#define CALL_IF(sound, name, ...)                                                                  \
	case SYS_##name:                                                                           \
		if (!(sound))                                                                      \
			return false;                                                              \
		*got = (long)name(__VA_ARGS__);                                                    \
		return true

/* Calls on the data and files of descriptors. */
static bool by_data(long number, const long *a, long *got)
{
	switch (number) {
		CALL(vmsplice, I(0), P(1), Z(2), U(3));
		CALL(recvmsg, I(0), P(1), I(2));
		CALL(recvmmsg, I(0), P(1), U(2), I(3), P(4));
		CALL(name_to_handle_at, I(0), P(1), P(2), P(3), I(4));
		CALL(open_by_handle_at, I(0), P(1), I(2));
	case SYS_sync:
		sync();
		*got = 0;
		return true;
	default:
		return false;
	}
}

/* Calls on descriptors, memory and processes. */
static bool by_descriptor(long number, const long *a, long *got)
{
	switch (number) {
		CALL(fcntl, I(0), I(1), a[2]);
		CALL(ioctl, I(0), U(1), a[2]);
		CALL(umask, (mode_t)a[0]);
		CALL(bind, I(0), P(1), (socklen_t)a[2]);
		CALL(flock, I(0), I(1));
		CALL(close_range, U(0), U(1), I(2));
		CALL(mmap, P(0), Z(1), I(2), I(3), I(4), a[5]);
		CALL(mprotect, P(0), Z(1), I(2));
		CALL(munmap, P(0), Z(1));
		CALL(msync, P(0), Z(1), I(2));
		CALL(madvise, P(0), Z(1), I(2));
		CALL(mremap, P(0), Z(1), Z(2), I(3), P(4));
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

#ifdef SYS_open /* newer architectures lack calls with these names */
static bool by_old_name(long number, const long *a, long *got)
{
	switch (number) {
		CALL_IF(!a[1] || capture_readable(P(1), sizeof(struct utimbuf)), utime, P(0), P(1));
		CALL_IF(!a[1] || capture_readable(P(1), 2 * sizeof(struct timeval)), utimes, P(0),
			P(1));
		CALL_IF(!a[2] || capture_readable(P(2), 2 * sizeof(struct timeval)), futimesat,
			I(0), P(1), P(2));
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
	       by_old_name(number, a, got) || async_by_number(number, a, got);
}

/* A library that replaces a function may make the system call of this function by number. Then the
 * call is passed on unchanged. capture_within marks this case, except for an exec, which does not
 * return: in a vfork child, the mark would remain set for the parent. An exec is passed on if the
 * same process calls it with the same path. */
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

static long seccomp_confine(__typeof__(&syscall) real, const long *a)
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

/* Classifies calls by number that wait for other threads. Programs with their own locks or
 * conditions use futex. */
static struct cause_call call_begin(long number, const long *a)
{
	int futex = (int)a[1] & FUTEX_CMD_MASK;
	bool waits =
	    number == SYS_futex && (futex == FUTEX_WAIT || futex == FUTEX_WAIT_BITSET ||
				    futex == FUTEX_LOCK_PI || futex == FUTEX_WAIT_REQUEUE_PI);
	return waits ? cause_wait_begin(CAUSE_WAITING) : (struct cause_call){CAUSE_NOTHING, 0};
}

static struct cause_call row_begin(const struct syscall_row *w, const long *a)
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

/* the first argument of io_uring_enter is an index, not a descriptor */
enum { ENTER_REGISTERED_RING = 1 << 4 };

/* Records a call on a ring. For an unknown ring, the record states that its requests are missing in
 * the trace. */
static void note_enter(const long *a, uint64_t begin, uint64_t end, long got)
{
	const int saved = errno;
	const bool known =
	    !(a[3] & ENTER_REGISTERED_RING) && uring_mapped_entered((int)a[0], begin, end);
	errno = saved;
	capture_io(OP_IO_URING_ENTER, begin, end, (int)a[0], 0, (uint64_t)a[1],
		   known ? LOG_BY_LIBURING : 0, got);
}

/* Handles calls that set up a ring or register its files. Returns `got`. */
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
	const struct syscall_row *w = row_of(number);
	__typeof__(&syscall) real = REAL(syscall);
	if (number == SYS_seccomp)
		return seccomp_confine(real, a);
	long got;
	if (!w && capture_is_on() && function_call(number, a, &got))
		return got;
	if (number == SYS_exit_group)
		rings_end();
	if (!w || !capture_is_on()) {
		CAUSE_NUMBER(number, a);
		if (capture_is_on() &&
		    (number == SYS_io_uring_setup || number == SYS_io_uring_register))
			return ring_by_number(
			    number, a,
			    descriptor_by_number(number, a,
						 real(number, a[0], a[1], a[2], a[3], a[4], a[5])));
		return change_by_number(
		    number, a,
		    descriptor_by_number(number, a,
					 real(number, a[0], a[1], a[2], a[3], a[4], a[5])));
	}
	int dir;
	const char *path;
	if (is_on_path(w, a, &dir, &path))
		capture_look(dir, path);
	if (strchr(w->args, 'P'))
		capture_look(strchr(w->args, 'd') ? (int)argument_of(w, a, 'd') : AT_FDCWD,
			     (const char *)argument_of(w, a, 'P'));
	CAUSE_ROW(w, a);
	if (number == SYS_close && unlikely(uring_n_mapped))
		uring_mapped_close((int)a[0]);
	if (number == SYS_io_uring_enter && !(a[3] & ENTER_REGISTERED_RING))
		uring_mapped_entering((int)a[0], (uint32_t)a[1]);
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
