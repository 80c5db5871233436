/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the preload library: how a hook times its call and notes it.
 *
 * A hook looks up the real function, reads the clock, calls it, reads the clock, and writes a
 * record into its thread's window: no lock, no allocation, no system call, errno as the call left
 * it. Only taking a new window (every 2046 records), the first call of a thread and the first call
 * of a process do more, outside the timed region. */
#ifndef CAPTURE_PRELOAD_CORE_H
#define CAPTURE_PRELOAD_CORE_H

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/uio.h>

#include "capture/preload/log.h"
#include "common/clock.h"

#define EXPORT __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))
/* A hook that is one statement: the statement times the real function and returns what it gave.
 * The rows of a file are a table of the calls that it stands in for. */
#define HOOK(type, name, parameters, ...)                                                          \
	EXPORT type name parameters                                                                \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
	}
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* `new` is another name of the function `old` of this file; not by attribute, for headers may
 * declare it otherwise. */
#define ALIAS(new, old) __asm__(".globl " #new "\n\t.type " #new ", @function\n\t.set " #new ", " #old)

enum capture_state { CAPTURE_UNKNOWN, CAPTURE_ON, CAPTURE_OFF };
extern HIDDEN uint8_t capture_state;
extern HIDDEN struct clock capture_clock; /* its source only */
extern HIDDEN uint32_t capture_flags;
/* The program has forbidden itself system calls (seccomp): from now on we make none of our own, for
 * any may be the end of it. Threads go on with windows that are there; what finds none, and who
 * comes anew, is counted as lost. */
extern HIDDEN bool capture_confined;
/* it may not read a clock any more: nothing is captured from here on, and that is counted as a loss
 */
HIDDEN void capture_blind(void);

/* One per thread, in memory that a forked child finds zeroed: so it never writes into its parent's
 * window. */
struct recorder {
	/* where the next record goes; at a multiple of LOG_WINDOW (or NULL) there is none */
	char *next;
	_Atomic uint32_t tid;	/* whose it is, 0: nobody's */
	uint32_t depth;		/* vforks under way */
	uint32_t generation;	/* of the window that `next` is in */
	uint32_t slot;		/* causes/cause.c: of the page, counted from 1; 0: none */
	uint32_t reserved[10];
};
extern HIDDEN __thread struct recorder *capture_self __attribute__((tls_model("initial-exec")));

/* A function is under way that others stand in for besides us (allocators for mmap, the program
 * itself for any), or that is a library's: what they call by number for it is noted already, and
 * calling the function for that would begin it all again. */
extern HIDDEN __thread bool capture_within __attribute__((tls_model("initial-exec")));

/* the first call of a process: finds the collector, or turns capturing off */
HIDDEN void capture_start(void);
/* A thread without room: takes a window. False: there is none, and the record is counted as lost.
 */
HIDDEN bool capture_more(void);
/* The thread's recorder, NULL: it has none. Only where threads share thread-local storage it must
 * be looked for. */
HIDDEN struct recorder *capture_mine(void);
HIDDEN void capture_lost(void);
/* Before the program forbids itself system calls: takes the memory for windows that it could not
 * take later. */
HIDDEN void capture_confine_prepare(void);
/* the function that would have been called without us, or NULL */
HIDDEN void *capture_real(const char *name);

static inline bool capture_is_on(void)
{
	if (unlikely(capture_state == CAPTURE_UNKNOWN))
		capture_start();
	return likely(capture_state == CAPTURE_ON);
}

/* The real `name`; found once. */
#define REAL(name)                                                                                                     \
	(__extension__({                                                                                               \
		static __typeof__(&name) real_##name;                                                                  \
		if (unlikely(!real_##name))                                                                            \
			real_##name = (__typeof__(&name))capture_real(#name);                                          \
		real_##name;                                                                                           \
	}))

/* What a call is for the other threads of a parallel application: before its first stamp. Nothing
 * in the ordinary library. */
#ifdef CAPTURE_CAUSES
#include "capture/preload/causes/cause.h"
#else
#define CAUSE_CALL(function, ...)
#define CAUSE_FD(descriptor)
#define CAUSE_PATH(directory, name)
#define CAUSE_WAIT(how)
#define CAUSE_LOCK(waits)
#define cause_fork_prepare() ((void)0)
#define cause_forked() ((void)0)
#define cause_thread_begin(key) ((void)0)
#define cause_exec(failed) ((void)0)
#define cause_asynchronous() ((void)0)
#define cause_closed(fd) ((void)0)
#define cause_closed_range(first, last) ((void)0)
#define cause_renamed(got) ((void)0)
#endif

/* Declares `got`, what `function` returned, and the stamps around its call; returns at once where
 * nothing is captured. */
#define TIMED(type, function, ...) TIMED_OF(CAUSE_CALL(function, ##__VA_ARGS__), type, function, ##__VA_ARGS__)
/* The same, of what the arguments do not tell by their types. */
#define TIMED_OF(cause, type, function, ...)                                                                           \
	__typeof__(&function) real_ = REAL(function);                                                                  \
	if (!capture_is_on())                                                                                          \
		return real_(__VA_ARGS__);                                                                             \
	cause;                                                                                                         \
	uint64_t begin = clock_begin(&capture_clock);                                                                  \
	type got = real_(__VA_ARGS__);                                                                                 \
	uint64_t end = clock_end(&capture_clock)

/* `n` bytes of the thread's window, or NULL. A signal's handler may come between any two
 * instructions: the step is one instruction, so that no two records get the same place. */
static inline char *capture_reserve(struct recorder *r, size_t n)
{
	for (;;) {
		char *at = *(char *volatile *)&r->next, *to = at + n;
		size_t here = (uintptr_t)at & (LOG_WINDOW - 1);
		if (unlikely(here == 0 || here + n > LOG_WINDOW))
			return NULL;
#if defined(__x86_64__)
		char *found = at;
		__asm__ volatile("cmpxchgq %2, %1"
				 : "+a"(found), "+m"(r->next)
				 : "r"(to)
				 : "cc", "memory");
		if (likely(found == at))
			return at;
#else
		if (__atomic_compare_exchange_n(&r->next, &at, to, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return at;
#endif
	}
}

static inline uint32_t capture_generation(const void *record)
{
	return log_generation(
	    (const struct log_window *)((uintptr_t)record & ~(uintptr_t)(LOG_WINDOW - 1)));
}

/* A record with text, of a call that failed, of large numbers, or of a thread that has no window:
 * out of line. */
struct note {
	uint64_t begin, end;
	uint16_t op;
	int32_t fd, dir;
	uint32_t flags;
	uint64_t offset, length;
	int64_t result;
	const char *path; /* NULL: none */
	int32_t second_dir;
	const void *extra;
	size_t extra_len;
	/* instead of extra: the lengths of so many buffers, 8 bytes each */
	const struct iovec *vector;
	size_t n_vector;
};
/* The error is errno where result is negative. errno stays as it is. */
HIDDEN void capture_note(const struct note *n) __attribute__((noinline));

#define NOTE_RESULT(value, ...)                                                                                        \
	do {                                                                                                           \
		const struct note note_ = {.begin = begin, .end = end, .result = value, __VA_ARGS__};                 \
		capture_note(&note_);                                                                                  \
	} while (0)
#define NOTE(...) NOTE_RESULT((int64_t)got, __VA_ARGS__)

/* A record without text: the common case, in line. */
static inline void capture_io(uint16_t op, uint64_t begin, uint64_t end, int fd, uint64_t offset,
			      uint64_t length, uint32_t flags, int64_t result)
{
	struct recorder *r = capture_self;
	struct log_short *to = NULL;
	if (likely(r && log_fits_short(op, begin, end, fd, offset, length, flags, result)))
		to = (struct log_short *)(void *)capture_reserve(r, sizeof *to);
	if (unlikely(!to)) {
		const struct note n = {begin,  end,  op, fd,   0, flags, offset, length,
				       result, NULL, 0,  NULL, 0, NULL,  0};
		capture_note(&n);
		return;
	}
	to->begin_op = begin | (uint64_t)op << LOG_SHORT_BEGIN_BITS;
	to->offset_fd = (offset & ((UINT64_C(1) << LOG_SHORT_OFFSET_BITS) - 1)) |
			(uint64_t)(uint16_t)fd << LOG_SHORT_OFFSET_BITS;
	to->duration = (uint32_t)(end - begin);
	to->length = (uint32_t)length;
	atomic_store_explicit(&to->commit,
			      (uint64_t)result | LOG_SHORT | (uint64_t)capture_generation(to) << 32,
			      memory_order_release);
}
#define IO(op, fd, offset, length, flags) capture_io(op, begin, end, fd, offset, length, flags, (int64_t)got)

/* --- the kernel without the C library: its functions may be the hooked ones, and change errno ---
 */

#if defined(__x86_64__)
static inline long raw_call(long number, long a, long b, long c, long d, long e, long f)
{
	long got;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
			 : "=a"(got)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return got;
}
#else
HIDDEN long raw_call(long number, long a, long b, long c, long d, long e, long f);
#endif
#define RAW_6(n, a, b, c, d, e, f, ...) raw_call(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
/* A negative errno, or the result. */
#define RAW(...) RAW_6(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

/* Text, or a number, to `to`, as much as there is room for before `end`, and a NUL. Gives where
 * that stands. */
HIDDEN char *capture_text_add(char *to, const char *end, const char *s);
HIDDEN char *capture_number_add(char *to, const char *end, uint64_t v);

/* --- readable.c: what pointers of the program's point to, which may be nothing --- */

/* Whether `n` bytes can be read. A program that may make no system calls cannot be asked: yes.
 * errno stays as it is. */
HIDDEN bool capture_readable(const void *at, size_t n);
HIDDEN ssize_t capture_text(const char *s); /* strnlen(s, 4096), or -1: that cannot be read */

/* The same of what a call was given that returned `got`: if it succeeded, the kernel has looked at
 * it, and with EFAULT it could not. */
static inline bool capture_given(const void *at, size_t n, int64_t got)
{
	return at && (got >= 0 || (errno != EFAULT && capture_readable(at, n)));
}
/* 0: it cannot be read, or there is none. */
static inline size_t capture_given_text(const char *s, int64_t got)
{
	const ssize_t len = !s || (got < 0 && errno == EFAULT) ? -1
			    : got >= 0                         ? (ssize_t)strlen(s)
							       : capture_text(s);
	return len > 0 ? (size_t)len : 0;
}

/* --- process.c: what a new process image or child says about itself ------ */

HIDDEN void process_announce(uint32_t pid);
extern HIDDEN uint32_t capture_umask;        /* with OP_UMASK_KNOWN where it is known */
HIDDEN void process_descriptor_note(int fd); /* one that came from somewhere else */
HIDDEN void process_objects_note(void); /* those that were not noted before */
extern HIDDEN char capture_directory[512], capture_library[1024];
HIDDEN uint32_t capture_pid(void);
/* In a child of vfork, and in the parent afterwards: the child's records are its own, though memory
 * is shared. */
HIDDEN void capture_vfork_child(uint32_t pid);
HIDDEN void capture_vfork_parent(void);
/* This thread is going to share its thread-local storage with another: from now on each call asks
 * who it is. */
HIDDEN void capture_share(void);

/* hook_descriptor.c: notes that `fd`, of no file, is a `kind` from the instant `at` on; with a
 * number of its own, or as one of its kind. */
HIDDEN void descriptor_made(int fd, const char *kind, bool numbered, uint64_t at);
/* A call by number returned `got`; notes what descriptor it made, if any. Returns `got`. */
HIDDEN long descriptor_by_number(long number, const long *a, long got);

/* --- state.c: with LOG_STATE, notes how what a path names looks, before the call --- */

HIDDEN void state_note(int dir, const char *path);
HIDDEN void state_note_list(int fd); /* of what lies in a directory */
enum { STATE_DEPTH = 32 };
/* of what lies below, so many levels deep */
HIDDEN void state_note_tree(const char *path, int depth);
HIDDEN struct log_control *capture_control(void);
/* content.c: notes what a call wrote, before its own record; errno stays as it is. */
HIDDEN void content_note(int fd, const void *bytes, uint64_t n, uint64_t begin);
/* from its byte `at` on */
HIDDEN void content_note_more(int fd, const void *bytes, uint64_t n, uint64_t at, uint64_t begin);
HIDDEN void content_note_vector(int fd, const struct iovec *v, int n, uint64_t n_bytes,
				uint64_t begin);
/* The same of memory that may be another thread's by now, or gone: what can no longer be read is
 * not noted, nor anything of a program that may make no system calls. `n_vector`: 0, or `bytes` are
 * struct iovec[n_vector]. */
HIDDEN void content_note_foreign(int fd, const void *bytes, uint32_t n_vector, uint64_t n_bytes,
				 uint64_t begin);
/* `n` bytes, if the call succeeded; between TIMED and the note. */
#define CONTENT(fd, bytes, n)                                                                                          \
	do {                                                                                                           \
		if (unlikely(capture_flags & LOG_CONTENT) && (int64_t)(n) > 0)                                         \
			content_note(fd, bytes, (uint64_t)(n), begin);                                                 \
	} while (0)
/* digest.c: notes the digest of a file's content, of each file once. */
struct statx;
HIDDEN void digest_note(struct log_control *c, int dir, const char *path, const char *shown,
			int shown_dir, const struct statx *x);
static inline void capture_look(int dir, const char *path)
{
	if (unlikely(capture_flags & LOG_STATE) && path) {
		CAUSE_WAIT(CAUSE_WAITING); /* it is no computing of the program's */
		state_note(dir, path);
	}
}

#endif
