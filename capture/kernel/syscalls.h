/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what the kernel's tracepoints say to requests: the begin and the end of a system call, with
 * its arguments as the numbers that they are in the registers; threads that are made and end;
 * faults on mapped files, and pages that come into the page cache.
 *
 * Descriptors, positions, working directories and mappings are followed (app_state.h), so that a
 * read has a file and a place. Events come in the order of their times. Pure: events in, records
 * out. */
#ifndef CAPTURE_KERNEL_SYSCALLS_H
#define CAPTURE_KERNEL_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/formats/record_queue.h"
#include "capture/op.h"
#include "common/err.h"

/* SYSCALL_DESCRIPTOR, SYSCALL_PAIR: makes a descriptor of no file, or two; no request.
 * SYSCALL_UMASK: sets the umask of the process; no request. */
enum syscall_kind {
	SYSCALL_REQUEST,
	SYSCALL_CLOSE_RANGE,
	SYSCALL_DESCRIPTOR,
	SYSCALL_PAIR,
	SYSCALL_UMASK
};

/* One system call. `args`: a letter for each argument,
 *   f descriptor   D directory's descriptor   p path   P second path   d its directory   T text of
 * a link   N name of an attribute s length   o offset   i buffers of readv (their number follows)
 * H struct open_how   m mode   w v O A flags of some kind n number wanted of dup2   X descriptor
 * written to   @ offset pointer of f   # of X   t two times   u user   g group c command of fcntl
 * or ioctl   * its argument, which may be a pointer k address of a socket (its length follows)   E
 * results of asynchronous requests R protection   M flags of mmap   B address   V device   1 first
 * l last   _ skipped q where the two numbers of a pair are put   L value of an attribute, of which
 * an access control list is kept */
struct syscall_row {
	const char *name; /* as the tracepoint sys_enter_NAME has it */
	int number;	  /* of the system call on this machine; -1: it has none of that name */
	enum trace_op op;
	const char *args;
	enum syscall_kind kind;
	uint32_t flags; /* that the name means: AT_SYMLINK_NOFOLLOW of lstat */
};
extern const struct syscall_row syscall_rows[]; /* ends with a NULL name */
const struct syscall_row *syscall_row_of_number(int64_t number); /* NULL: none of ours */
/* also "fstat" for newfstat */
const struct syscall_row *syscall_row_of_name(const char *name, size_t len);

#define SYSCALL_ARGS 6
#define SYSCALL_MEMORIES 3 /* at most so many arguments of one call point to something */

#define SYSCALL_POINTERS "pPTNiHt@#qL*kE" /* the letters of arguments that point to something */
#define SYSCALL_ARGUMENT_BYTES 32u	  /* of struct flock and struct file_clone_range */
#define SYSCALL_EVENTS_MAX 128		  /* results of one io_getevents() that are read */

/* What arguments point to, in the order of those letters. data NULL: it is not known. */
struct syscall_memory {
	/* a string without its NUL; an array of struct iovec; ...: as it lies in memory */
	const void *data;
	size_t len;
};
/* How the `i`-th such argument is to be read. Returns false where there is none.
 * POINTER_OPTIONAL: bytes, where the argument is a pointer at all. POINTER_SIZED: as many bytes as
 * the next argument says. POINTER_RESULT, POINTER_EVENTS: when the call ends; of the latter as many
 * as it returns. */
enum syscall_pointer {
	POINTER_TEXT = 1,
	POINTER_BYTES,
	POINTER_VECTOR,
	POINTER_OPTIONAL,
	POINTER_SIZED,
	POINTER_RESULT,
	POINTER_EVENTS
};
struct syscall_pointee {
	enum syscall_pointer what;
	unsigned int arg;
	size_t size; /* POINTER_BYTES, POINTER_OPTIONAL, POINTER_RESULT: at most 127 */
};
bool syscall_pointee(const struct syscall_row *row, unsigned int i, struct syscall_pointee *to);

/* where names and heap items go; as trace_writer_object and trace_writer_heap */
struct syscalls_sink {
	void *context;
	int (*object)(void *context, enum object_kind kind, const char *name, uint32_t *id,
		      struct err *e);
	int (*heap)(void *context, const void *data, size_t len, uint32_t *ref, struct err *e);
	/* The file system's number of an absolute path, as the kernel's events have it; NULL:
	 * cannot be had. */
	bool (*identify)(void *context, const char *path, uint64_t *device, uint64_t *inode);
	/* A rename that succeeded, of absolute paths; NULL: the sink does not follow names. */
	void (*renamed)(void *context, const char *from, const char *to, bool exchange);
	/* all that processes have open is told (syscalls_descriptor): a number that is not is free
	 */
	bool lists_all;
	/* a call that does not return is a request without an end, not none */
	bool keep_unfinished;
	uint64_t page_bytes;
};

struct syscalls_counts {
	uint64_t n_without_begin, n_unfinished;
	uint64_t n_unnamed; /* calls on a path that is not known */
	/* descriptors whose position moved while it was looked up: unknown until it is set */
	uint64_t n_positions_unknown;
	uint64_t n_unknown; /* calls that succeeded on a descriptor that nobody was seen to open */
	uint64_t n_handed_over; /* asynchronous requests, of which no more is known */
	uint64_t n_ring_requests; /* of io_uring that were read */
	uint64_t n_ring_unread; /* of these: not taken apart, or their end was not seen */
	/* rings of io_uring that were set up: with SQPOLL requests need no call */
	uint64_t n_rings;
	uint64_t n_other;   /* calls that are no requests: on memory without a file */
};

struct syscalls;
/* Finished records are in `queue` (record_queue_take). Ownership: syscalls_close. */
struct syscalls *syscalls_open(const struct syscalls_sink *sink, struct record_queue *queue);
void syscalls_close(struct syscalls *c);
/* syscalls_ring_begin() is called for all that rings of io_uring hand over. */
void syscalls_rings_read(struct syscalls *c);
const struct syscalls_counts *syscalls_counts(const struct syscalls *c);

/* Errors: of the sink. `pid` of thread functions: the process it belongs to where that is known,
 * else 0. */
int syscalls_enter(struct syscalls *c, uint32_t tid, int64_t ns, const struct syscall_row *row,
		   const uint64_t arg[SYSCALL_ARGS], struct err *e);
/* `result`: as the kernel has it, a negative error. */
int syscalls_exit(struct syscalls *c, uint32_t tid, int64_t ns, const struct syscall_row *row,
		  int64_t result, const struct syscall_memory memory[SYSCALL_MEMORIES],
		  struct err *e);
/* A request of io_uring, known by a number, is handed over as the call that does the same, and is
 * done. `memory` is borrowed until it is done. Errors: of the sink. */
void syscalls_ring_begin(struct syscalls *c, uint32_t tid, int64_t ns, uint64_t request,
			 const struct syscall_row *row, const uint64_t arg[SYSCALL_ARGS],
			 const struct syscall_memory memory[SYSCALL_MEMORIES]);
int syscalls_ring_end(struct syscalls *c, int64_t ns, uint64_t request, int64_t result,
		      struct err *e);
/* syscalls_aio_begin() is called for all that io_submit() is given. */
void syscalls_aio_read(struct syscalls *c);
/* The same for the request at `index` of an io_submit() that has not returned; it is forgotten
 * where that call does not accept it. syscalls_ring_end() ends it. */
void syscalls_aio_begin(struct syscalls *c, uint32_t tid, int64_t ns, uint64_t request,
			uint64_t index, const struct syscall_row *row,
			const uint64_t arg[SYSCALL_ARGS]);

/* The call under way, and when the thread's last one ended; false where there is none. */
bool syscalls_pending(struct syscalls *c, uint32_t tid, int64_t *after_ns,
		      const struct syscall_row **row);

/* The process of a thread; 0: the thread has ended, is not known, or hidden. */
uint32_t syscalls_process(struct syscalls *c, uint32_t tid);

/* What is known from elsewhere of a thread: its process. `hidden`: nothing of it is recorded, until
 * it runs another program. */
void syscalls_thread(struct syscalls *c, uint32_t tid, uint32_t pid, const char *cwd, bool hidden);
/* The umask of the thread's process. */
void syscalls_umask(struct syscalls *c, uint32_t tid, uint32_t umask);
/* A descriptor that it has at `as_of_ns`: calls that end before that do not move its position any
 * more. The position is unknown after a call that moves it and that begins before that instant and
 * ends after it: whether `position` contains the move cannot be known. OFFSET_NONE: unknown. */
void syscalls_descriptor(struct syscalls *c, uint32_t tid, int fd, const char *path, uint32_t flags,
			 uint64_t position, int64_t as_of_ns);
/* The descriptor of the call that the thread was in before its descriptors were looked up, or
 * SYSCALLS_ANY_FD. A thread is in no call by default. */
#define SYSCALLS_ANY_FD (-1)
void syscalls_under_way(struct syscalls *c, uint32_t tid, int fd);
void syscalls_mapping(struct syscalls *c, uint32_t tid, uint64_t from, uint64_t to, uint64_t offset,
		      const char *path);

/* The absolute path that `path`, relative to the descriptor `dir` or AT_FDCWD, means to the thread;
 * NULL where that is not known. Borrowed until the next call. */
const char *syscalls_path_at(struct syscalls *c, uint32_t tid, int dir, const char *path,
			     size_t len);

/* A thread made another (flags as of clone), runs another program (old_tid: the number it had,
 * which may be the same), ended. */
void syscalls_cloned(struct syscalls *c, uint32_t parent, uint32_t tid, uint64_t flags);
void syscalls_executed(struct syscalls *c, uint32_t tid, uint32_t old_tid);
void syscalls_ended(struct syscalls *c, uint32_t tid);

struct page_event {
	uint32_t tid;
	int64_t ns;
	uint64_t device, inode, first, n; /* pages */
	bool handled; /* faults: PAGE_HANDLED */
};
/* A file that a path leads to: events tell it by its number. */
int syscalls_identify(struct syscalls *c, const char *path, struct err *e);
int syscalls_fault(struct syscalls *c, const struct page_event *v, struct err *e);

#define FAULT_PRESENT 1u /* the page was there: only writing was not allowed */
#define FAULT_WRITE 2u
struct fault_event {
	uint32_t tid;
	int64_t ns;
	uint64_t address;
	unsigned int how; /* FAULT_PRESENT, FAULT_WRITE: the processor's error code */
	/* what the kernel does for it at the file has an event of its own, which comes next */
	bool followed;
};
/* A fault at an address. With `followed` it tells the event that comes next which page was touched,
 * and whether it was written; the first write to a page that was mapped for reading has no such
 * event and is a record of its own. Else the thread's mappings tell the file. */
int syscalls_fault_at(struct syscalls *c, const struct fault_event *v, struct err *e);
int syscalls_page_add(struct syscalls *c, const struct page_event *v, struct err *e);

/* Nothing more comes. */
void syscalls_finish(struct syscalls *c);

#endif
