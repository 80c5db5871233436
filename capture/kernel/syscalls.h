/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes requests of kernel tracepoint events: begin and end of a system call, with its arguments as
 * register values; creation and end of threads; faults on mapped files; pages inserted into the
 * page cache.
 *
 * Descriptors, positions, working directories and mappings are followed (app_state.h), so that a
 * read has a file and an offset. Events arrive in the order of their times. The module only
 * converts events to records. */
#pragma once

#include "capture/formats/record_queue.h"
#include "capture/syscall_table.h"

struct app_open_file;

/* Receivers of names and heap items; as trace_writer_object and trace_writer_heap. */
struct syscalls_sink {
	void *context;
	int (*object)(void *context, enum object_kind kind, const char *name, uint32_t *id,
		      struct err *e);
	int (*heap)(void *context, const void *data, size_t len, uint32_t *ref, struct err *e);
	/* Device and inode number of an absolute path as in the kernel's events. NULL: unavailable.
	 */
	bool (*identify)(void *context, const char *path, uint64_t *device, uint64_t *inode);
	/* A rename that succeeded, of absolute paths; NULL: the sink does not follow names. */
	void (*renamed)(void *context, const char *from, const char *to, bool exchange);
	/* All open descriptors are announced by syscalls_descriptor(): other numbers are free. */
	bool lists_all;
	/* A call that does not return becomes a request without an end; otherwise it is dropped. */
	bool keep_unfinished;
	/* The calls are read from a text: working directories are unknown ("") until
	 * syscalls_thread(), and objects keep their numbers. */
	bool from_text;
	/* The size of a file, -1: unknown. Appends then have an offset. NULL: unavailable. */
	int64_t (*size)(void *context, uint32_t object);
	/* A finished request, with the open file of its descriptor (or NULL) and the text of its
	 * second path, without the leading slash (or NULL). NULL: not wanted. */
	void (*made)(void *context, const struct trace_record *r, const struct app_open_file *f,
		     const char *second);
	uint64_t page_bytes;
};

struct syscalls_counts {
	uint64_t n_without_begin, n_unfinished;
	uint64_t n_unnamed; /* calls on an unknown path */
	/* descriptors whose position moved during the look at the attach: unknown until it is
	 * set */
	uint64_t n_positions_unknown;
	uint64_t n_unknown; /* successful calls on a descriptor whose open was not seen */
	uint64_t n_handed_over; /* asynchronous requests that were only counted */
	uint64_t n_ring_requests; /* requests of io_uring in the trace */
	uint64_t n_ring_unread; /* of these: operation not decoded, or end not seen */
	/* io_uring instances created: with SQPOLL, requests need no call */
	uint64_t n_rings;
	uint64_t n_alive;   /* main threads without an end */
	/* executed programs whose calls have no tracepoints (32 bits) */
	uint64_t n_programs_unseen;
	uint64_t n_other;   /* calls that are not requests, on memory without a file */
};

struct syscalls;
/* Puts records into `queue` (record_queue_take). Ownership: syscalls_close. */
struct syscalls *syscalls_open(const struct syscalls_sink *sink, struct record_queue *queue);
void syscalls_close(struct syscalls *c);
/* Announces that syscalls_ring_begin() is called for all requests of io_uring. */
void syscalls_rings_read(struct syscalls *c);
const struct syscalls_counts *syscalls_counts(const struct syscalls *c);

/* The begin of a call. Errors: of the sink. */
int syscalls_enter(struct syscalls *c, uint32_t tid, int64_t ns, const struct syscall_row *row,
		   const uint64_t arg[SYSCALL_ARGS], struct err *e);
/* The end of a call. `result`: the kernel's, a negative error number. */
int syscalls_exit(struct syscalls *c, uint32_t tid, int64_t ns, const struct syscall_row *row,
		  int64_t result, const struct syscall_memory memory[SYSCALL_MEMORIES],
		  struct err *e);
/* A request of io_uring, identified by a number, begins as the equivalent call, and ends. `memory`
 * is borrowed until the end. Errors: of the sink. */
void syscalls_ring_begin(struct syscalls *c, uint32_t tid, int64_t ns, uint64_t request,
			 const struct syscall_row *row, const uint64_t arg[SYSCALL_ARGS],
			 const struct syscall_memory memory[SYSCALL_MEMORIES]);
int syscalls_ring_end(struct syscalls *c, int64_t ns, uint64_t request, int64_t result,
		      struct err *e);
/* Announces that syscalls_aio_begin() is called for all requests of io_submit(). */
void syscalls_aio_read(struct syscalls *c);
/* The same for the request at `index` of an io_submit() that has not returned yet. It is dropped if
 * the call does not accept it. syscalls_ring_end() ends it. */
void syscalls_aio_begin(struct syscalls *c, uint32_t tid, int64_t ns, uint64_t request,
			uint64_t index, const struct syscall_row *row,
			const uint64_t arg[SYSCALL_ARGS]);

/* Replaces the arguments of the thread's unfinished call, which were not all known at its begin. */
void syscalls_arguments(struct syscalls *c, uint32_t tid, const uint64_t arg[SYSCALL_ARGS]);
/* Ends the thread's unfinished call without a request. */
void syscalls_forget(struct syscalls *c, uint32_t tid);
/* Ends it as one that does not return. */
void syscalls_abandon(struct syscalls *c, uint32_t tid);

/* The thread's unfinished call, and the end of its previous call; false: there is none. */
bool syscalls_pending(struct syscalls *c, uint32_t tid, int64_t *after_ns,
		      const struct syscall_row **row);

/* The process of a thread; 0: the thread has ended, is unknown, or is hidden. */
uint32_t syscalls_process(struct syscalls *c, uint32_t tid);

/* Initial facts of a thread: its process and directory. `hidden`: nothing of it is recorded until
 * it executes another program. */
void syscalls_thread(struct syscalls *c, uint32_t tid, uint32_t pid, const char *cwd, bool hidden);
/* The umask of the thread's process. */
void syscalls_umask(struct syscalls *c, uint32_t tid, uint32_t umask);
/* With OP_UMASK_KNOWN; 0: unknown. */
uint32_t syscalls_umask_of(struct syscalls *c, uint32_t tid);
/* A descriptor that the thread has at `as_of_ns`: calls that end before do not move its position.
 * The position is unknown after a call that moves it, begins before `as_of_ns` and ends after it:
 * `position` may or may not include the move. OFFSET_NONE: unknown. */
void syscalls_descriptor(struct syscalls *c, uint32_t tid, int fd, const char *path, uint32_t flags,
			 uint64_t position, int64_t as_of_ns);
/* The descriptor of the call that the thread was in before the look at its descriptors, or
 * SYSCALLS_ANY_FD. A thread is in no call by default. */
#define SYSCALLS_ANY_FD (-1)
void syscalls_under_way(struct syscalls *c, uint32_t tid, int fd);
void syscalls_mapping(struct syscalls *c, uint32_t tid, uint64_t from, uint64_t to, uint64_t offset,
		      const char *path);

/* An open file of the thread; NULL: unknown. Borrowed until the next event of the thread. */
struct app_open_file *syscalls_file(struct syscalls *c, uint32_t tid, int64_t fd);
/* Its object, or OBJECT_NONE. Errors: of the sink. */
int syscalls_file_object(struct syscalls *c, struct app_open_file *f, uint32_t *id,
			 struct err *e);
/* The working directory; "": unknown. Borrowed. */
const char *syscalls_cwd(struct syscalls *c, uint32_t tid);

/* The absolute path of `path` for the thread, relative to descriptor `dir` or AT_FDCWD; NULL:
 * unknown. Borrowed until the next call. */
const char *syscalls_path_at(struct syscalls *c, uint32_t tid, int dir, const char *path,
			     size_t len);

/* A thread created another (flags as of clone), executed a program (old_tid: its previous number,
 * perhaps the same), or ended. */
void syscalls_cloned(struct syscalls *c, uint32_t parent, uint32_t tid, uint64_t flags);
void syscalls_executed(struct syscalls *c, uint32_t tid, uint32_t old_tid);
void syscalls_ended(struct syscalls *c, uint32_t tid);

struct page_event {
	uint32_t tid;
	int64_t ns;
	uint64_t device, inode, first, n; /* pages */
	bool handled; /* faults: PAGE_HANDLED */
};
/* Learns the device and inode number of a path, by which events name files. */
int syscalls_identify(struct syscalls *c, const char *path, struct err *e);
int syscalls_fault(struct syscalls *c, const struct page_event *v, struct err *e);

#define FAULT_PRESENT 1u /* the page was present, but not writable */
#define FAULT_WRITE 2u
struct fault_event {
	uint32_t tid;
	int64_t ns;
	uint64_t address;
	unsigned int how; /* FAULT_PRESENT, FAULT_WRITE: the CPU's error code */
	/* the kernel reports the resulting event of the file next */
	bool followed;
};
/* A fault at an address. With `followed` it only adds the address and the kind of access to the
 * file's event that comes next. The first write to a page that was mapped for reading has no such
 * event and is a record by itself. Without `followed`, the thread's mappings give the file. */
int syscalls_fault_at(struct syscalls *c, const struct fault_event *v, struct err *e);
int syscalls_page_add(struct syscalls *c, const struct page_event *v, struct err *e);

/* Ends all unfinished calls at the end of the events. */
void syscalls_finish(struct syscalls *c);
/* A program was executed whose calls are not recorded. */
void syscalls_program_unseen(struct syscalls *c);
