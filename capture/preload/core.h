/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a hook of the preload library times and records a call.
 *
 * A hook looks up the real function, reads the clock, calls the function, reads the clock and
 * writes a record into the window of its thread. It takes no lock, allocates no memory, makes no
 * system call and does not change errno. Three events need more work, which is outside the timed
 * region: the next window (every 2046 records), the first call of a thread, and the first call of a
 * process. */
#pragma once

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

#include "capture/preload/log.h"
#include "capture/syscall_table.h"
#include "common/clock.h"

/* The file of windows of a process (log.h defines the layout). The functions run with all signals
 * blocked, outside any timed region. They make system calls without the C library. */
#define WINDOW_HIDDEN __attribute__((visibility("hidden")))

/* Address space is reserved in parts of 1 MiB as windows are needed. The program may have a limit
 * (RLIMIT_AS) or set one later. */
enum { FILE_WINDOWS = 4096, PART_WINDOWS = 16, WINDOW_PARTS = FILE_WINDOWS / PART_WINDOWS };

struct window_file { /* all zero: no file yet */
	/* address of each group of PART_WINDOWS windows; NULL: not mapped yet */
	char *_Atomic part[WINDOW_PARTS];
	uint32_t n_max;
	_Atomic bool gave_up; /* a wait for the collector failed; the process does not wait again */
	_Atomic uint64_t sequence; /* number of windows that were taken */
};

/* Creates and maps the file of process `pid` in the collector's directory. False: it failed. */
WINDOW_HIDDEN bool window_file_open(struct window_file *f, uint32_t pid);
/* Maps the rest of the file, as far as limits allow. A program with restricted system calls cannot
 * map memory later. */
WINDOW_HIDDEN void window_file_map_all(struct window_file *f);
/* Takes a window for a thread. If no window is free, waits for the collector. NULL: it failed. */
WINDOW_HIDDEN struct log_window *window_acquire(struct window_file *f, uint32_t pid, uint32_t tid);
/* Releases the window of generation `generation` that contains `next` or ends there. NULL: does
 * nothing. */
WINDOW_HIDDEN void window_give(char *next, uint32_t generation, enum log_window_state how);

#define EXPORT __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))
/* A hook with one statement, which times the real function and returns its result. Each hook file
 * is a table of such rows. The declaration is for functions that no header declares. */
#define HOOK(type, name, parameters, ...)							   \
	type name parameters;									   \
	EXPORT type name parameters								   \
	{											   \
		__VA_ARGS__;									   \
	}
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Defines `new` as another name of `old` in this file. It uses assembly, because headers may
 * declare `new` with another type. */
#define ALIAS(new, old)										   \
	__asm__(".globl " #new "\n\t.type " #new ", @function\n\t.set " #new ", " #old)

enum capture_state { CAPTURE_UNKNOWN, CAPTURE_ON, CAPTURE_OFF };
extern HIDDEN uint8_t capture_state;
extern HIDDEN struct clock capture_clock; /* only the member `source` is used */
extern HIDDEN uint32_t capture_flags;
/* The program has restricted its system calls (seccomp). From then on, the library makes no system
 * call of its own, because any call may kill the process. Threads use windows that are already
 * mapped. Records without a window and records of new threads are counted as lost. */
extern HIDDEN bool capture_confined;
/* The program can no longer read a clock: ends the capture and counts a loss. */
HIDDEN void capture_blind(void);

/* State of a thread. In a forked child, this memory is zeroed, so the child never writes into its
 * parent's window. */
struct recorder {
	/* address of the next record; NULL or a multiple of LOG_WINDOW: the window is missing or
	 * full */
	char *next;
	_Atomic uint32_t tid;	/* the thread; 0: free */
	uint32_t depth;		/* number of nested vforks */
	uint32_t generation;	/* generation of the window of `next` */
	uint32_t slot;		/* causes/cause.c: index of the slot + 1; 0: none */
	uint32_t begins; /* the thread is new and not the first of its process: note.c records it */
	uint32_t reserved[9];
};
extern HIDDEN __thread struct recorder *capture_self __attribute__((tls_model("initial-exec")));

/* True during a function that other libraries or the program also replace (allocators replace
 * mmap), or that a library implements. System calls by number inside it are already recorded, and a
 * call of the hooked function would recurse. */
extern HIDDEN __thread bool capture_within __attribute__((tls_model("initial-exec")));

/* First call of a process: finds the collector, or disables the capture. */
HIDDEN void capture_start(void);
/* Takes the next window for this thread. False: there is none, and the record counts as lost. */
HIDDEN bool capture_more(void);
/* The recorder of this thread, or NULL. A lookup is necessary only if threads share thread-local
 * storage. */
HIDDEN struct recorder *capture_mine(void);
HIDDEN void capture_lost(void);
/* Maps memory for windows before the program restricts its system calls. */
HIDDEN void capture_confine_prepare(void);
/* Maps memory to read and write, by a raw system call. Returns NULL on failure. */
HIDDEN void *capture_map(long fd, size_t size, int flags);
/* the next definition of the function `name`, or NULL */
HIDDEN void *capture_real(const char *name);
/* False in a child that shares or inherits the records of its parent. With restricted system calls,
 * the process ID is unknown, and the result is true. */
HIDDEN bool capture_owns_process(void);

static inline bool capture_is_on(void)
{
	if (unlikely(capture_state == CAPTURE_UNKNOWN))
		capture_start();
	return likely(capture_state == CAPTURE_ON);
}

/* The real function `name`; the lookup runs once. */
#define REAL(name)										   \
	(__extension__({									   \
		static __typeof__(&name) real_##name;						   \
		if (unlikely(!real_##name))							   \
			real_##name = (__typeof__(&name))capture_real(#name);			   \
		real_##name;									   \
	}))

/* Classifies the call for the capture of a parallel application, before the first time stamp. In
 * the ordinary library, this is empty. */
#ifdef CAPTURE_CAUSES
#include "capture/preload/cause_hooks.h"
#else
#define CAUSE_CALL(function, ...)
#define CAUSE_FD(descriptor)
#define CAUSE_PATH(directory, name)
#define CAUSE_WAIT(how)
#define CAUSE_LOCK(waits)
#define cause_message_to(fd) ((void)0)
#define cause_fork_prepare() ((void)0)
#define cause_forked() ((void)0)
#define cause_thread_begin(key) ((void)0)
#define cause_thread_create(real, t, a, function, argument) real(t, a, function, argument)
#define cause_exec(failed) ((void)0)
#define cause_asynchronous() ((void)0)
#define cause_looked_up(name, found) (found)
#define cause_recorded(op, error) ((void)0)
#define cause_closed(fd) ((void)0)
#define cause_closed_range(first, last) ((void)0)
#define cause_renamed(got) ((void)0)
#endif

/* Declares `got` (the result of `function`) and the time stamps of its call. If the capture is off,
 * returns from the hook at once. */
#define TIMED(type, function, ...)								   \
	TIMED_OF(CAUSE_CALL(function, ##__VA_ARGS__), type, function, ##__VA_ARGS__)
/* As TIMED, for a call whose subject does not follow from the argument types. */
#define TIMED_OF(cause, type, function, ...)							   \
	__typeof__(&function) real_ = REAL(function);						   \
	if (!capture_is_on())									   \
		return real_(__VA_ARGS__);							   \
	cause;											   \
	uint64_t begin = clock_begin(&capture_clock);						   \
	type got = real_(__VA_ARGS__);								   \
	uint64_t end = clock_end(&capture_clock)

/* Reserves `n` bytes in the window of the thread, or returns NULL. A signal handler may interrupt
 * it between any two instructions: one instruction advances the pointer, so two records never get
 * the same place. */
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

/* Writes a record with text, of a failed call, with large numbers, or of a thread without a window.
 * Not inline. */
struct note {
	uint64_t begin, end;
	uint16_t op;
	int32_t fd, dir;
	uint32_t flags;
	uint64_t offset, length;
	int64_t result;
	const char *path; /* NULL: no path */
	int32_t second_dir;
	const void *extra;
	size_t extra_len;
	/* used instead of extra: the lengths of the buffers, 8 bytes each */
	const struct iovec *vector;
	size_t n_vector;
};
/* A negative result means failure with errno. Does not change errno. */
HIDDEN void capture_note(const struct note *n) __attribute__((noinline));

#define NOTE_RESULT(value, ...)									   \
	do {											   \
		const struct note note_ = {.begin = begin, .end = end,				   \
		     .result = value, __VA_ARGS__};						   \
		capture_note(&note_);								   \
	} while (0)
#define NOTE(...) NOTE_RESULT((int64_t)got, __VA_ARGS__)

/* Writes a record without text: the common case, inline. */
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
#define IO(op, fd, offset, length, flags)							   \
	capture_io(op, begin, end, fd, offset, length, flags, (int64_t)got)

/* Rows of hook tables. `record`: the arguments of IO or NOTE, in parentheses. */
#define CALL_FD(type, record, function, ...)							   \
	TIMED(type, function, ##__VA_ARGS__);							   \
	IO record;										   \
	return got
#define CALL_NOTED(type, record, function, ...)							   \
	TIMED(type, function, ##__VA_ARGS__);							   \
	NOTE record;										   \
	return got
/* A call on a path. The record has the directory, the name, and the members `record`. */
#define CALL_PATH(type, directory, name, record, function, ...)					   \
	capture_look(directory, name);								   \
	CALL_NOTED(type, (.dir = directory, .path = name, FIELDS_OF record), function,		   \
		   ##__VA_ARGS__)
#define FIELDS_OF(...) __VA_ARGS__

/* --- system calls without the C library, whose functions may be hooked and change errno --- */

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
#define RAW_6(n, a, b, c, d, e, f, ...)								   \
	raw_call(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
/* Returns the result or a negative errno. */
#define RAW(...) RAW_6(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

/* Append text or a number at `to`, as far as it fits before `end`, and a NUL. They return the
 * address of the NUL. */
HIDDEN char *capture_text_add(char *to, const char *end, const char *s);
HIDDEN char *capture_number_add(char *to, const char *end, uint64_t v);

/* --- text.c: tests of pointers of the program, which may be invalid ----- */

/* Returns whether `n` bytes are readable. In a program with restricted system calls, this cannot be
 * tested, and the result is true. Does not change errno. */
HIDDEN bool capture_readable(const void *at, size_t n);
HIDDEN ssize_t capture_text(const char *s); /* strnlen(s, 4096), or -1: not readable */

/* The same for arguments of a call that returned `got`. After success, the kernel has read the
 * memory; after EFAULT, it could not read it. */
static inline bool capture_given(const void *at, size_t n, int64_t got)
{
	return at && (got >= 0 || (errno != EFAULT && capture_readable(at, n)));
}
/* Returns 0 if there is no text, or if it is not readable. */
static inline size_t capture_given_text(const char *s, int64_t got)
{
	const ssize_t len = !s || (got < 0 && errno == EFAULT) ? -1
			    : got >= 0                         ? (ssize_t)strlen(s)
							       : capture_text(s);
	return len > 0 ? (size_t)len : 0;
}

/* --- process.c: records of a new process image or child ------------------- */

/* Records that process `pid` begins: its program, directory and descriptors. */
HIDDEN void process_announce(uint32_t pid);
extern HIDDEN uint32_t capture_umask;        /* includes OP_UMASK_KNOWN if the umask is known */
HIDDEN void process_descriptor_note(int fd); /* records a descriptor that another process passed */
HIDDEN void process_objects_note(void); /* records loaded objects that are not yet recorded */
extern HIDDEN char capture_directory[512], capture_library[1024];
/* The ID of this process, also in a vfork child. */
HIDDEN uint32_t capture_pid(void);
/* popen(3) without a record. */
HIDDEN FILE *capture_popen(const char *command, const char *mode);
/* A vfork child calls capture_vfork_child; afterwards, its parent calls capture_vfork_parent. The
 * child gets its own records, although it shares the memory. */
HIDDEN void capture_vfork_child(uint32_t pid);
HIDDEN void capture_vfork_parent(void);
/* For a child that the C library started: until capture_as_child_end(), this thread records as the
 * child, with all signals blocked. False: this is not possible, and nothing was changed. */
HIDDEN bool capture_as_child_begin(uint32_t pid, uint64_t *signals);
HIDDEN void capture_as_child_end(const uint64_t *signals);
/* Call it before this thread shares its thread-local storage with another thread. From then on,
 * each call looks up its recorder by thread ID. */
HIDDEN void capture_share(void);

/* hook_descriptor.c: records that the descriptor `fd`, which is not of a file, is a `kind` from
 * time `at` on. `numbered`: the object gets a number of its own; otherwise, all objects of this
 * kind have one name. */
HIDDEN void descriptor_made(int fd, const char *kind, bool numbered, uint64_t at);
HIDDEN void terminal_made(int fd); /* ioctl(TIOCGPTPEER) opened a terminal */
/* Records the descriptor that a system call by number created, if it created one. Returns `got`. */
HIDDEN long descriptor_by_number(long number, const long *a, long got);
/* hook_change.c: notes a call after which names or descriptors mean other files. Returns `got`. */
HIDDEN void change_write(enum syscall_change change);
HIDDEN void change_note(long number, uint64_t flags, const char *path, long got);
HIDDEN long change_by_number(long number, const long *a, long got);

/* --- text.c: with LOG_STATE, records the state of a file before its path is used --- */

/* records the state of `path`, which is relative to descriptor `dir`, and of its directories */
HIDDEN void state_note(int dir, const char *path);
HIDDEN void state_note_list(int fd); /* records the entries of a directory */
enum { STATE_DEPTH = 32 };
/* records the tree below `path`, at most `depth` levels */
HIDDEN void state_note_tree(const char *path, int depth);
HIDDEN struct log_control *capture_control(void);
/* content.c: records the data of a call before its record. Does not change errno. */
HIDDEN void content_note(int fd, const void *bytes, uint64_t n, uint64_t begin);
/* for data that start at byte `at` of the call's data */
HIDDEN void content_note_more(int fd, const void *bytes, uint64_t n, uint64_t at, uint64_t begin);
HIDDEN void content_note_vector(int fd, const struct iovec *v, int n, uint64_t n_bytes,
				uint64_t begin);
/* The same for memory that another thread may have changed or unmapped. Unreadable data are left
 * out; so are all data of a program with restricted system calls. `n_vector`: 0, or `bytes` points
 * to struct iovec[n_vector]. */
HIDDEN void content_note_foreign(int fd, const void *bytes, uint32_t n_vector, uint64_t n_bytes,
				 uint64_t begin);
/* Records `n` bytes if the call succeeded. Use it between TIMED and the record. */
#define CONTENT(fd, bytes, n)									   \
	do {											   \
		if (unlikely(capture_flags & LOG_CONTENT) && (int64_t)(n) > 0)			   \
			content_note(fd, bytes, (uint64_t)(n), begin);				   \
	} while (0)
/* digest.c: records the digest of a file's content, once per file */
struct statx;
HIDDEN void digest_note(struct log_control *c, int dir, const char *path, const char *shown,
			int shown_dir, const struct statx *x);
static inline void capture_look(int dir, const char *path)
{
	if (unlikely(capture_flags & LOG_STATE) && path) {
		CAUSE_WAIT(CAUSE_WAITING); /* time of the library, not computation of the program */
		state_note(dir, path);
	}
}
