/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts kernel tracepoint events to requests: begin and end of a system call, with its arguments
 * as register values; creation and end of threads; faults on mapped files; pages inserted into the
 * page cache.
 *
 * Descriptors, positions, working directories and mappings are followed (app_state.h), so that a
 * read has a file and an offset. Events must be added in the order of their times. */
#pragma once

#include "capture/record_queue.h"
#include "capture/syscall_table.h"

struct app_open_file;
struct u64_map;

/* Receivers of names and heap items; as trace_writer_object and trace_writer_heap. */
struct syscalls_sink {
	void *context;
	int (*object)(void *context, enum object_kind kind, const char *name, uint32_t *id,
		      struct err *e);
	int (*heap)(void *context, const void *data, size_t len, uint32_t *ref, struct err *e);
	/* Gets device and inode number of an absolute path, in the form of the kernel's events.
	 * NULL: unavailable. */
	bool (*identify)(void *context, const char *path, uint64_t *device, uint64_t *inode);
	/* A rename of absolute paths succeeded. NULL: the receiver does not follow names. */
	void (*renamed)(void *context, const char *from, const char *to, bool exchange);
	/* syscalls_descriptor() announces all open descriptors, so other numbers are free. */
	bool lists_all;
	/* A call that does not return becomes a request without an end. Otherwise, it is
	 * dropped. */
	bool keep_unfinished;
	/* The calls are read from a text: working directories are unknown ("") until
	 * syscalls_thread(), and objects keep their numbers. */
	bool from_text;
	/* The size of a file; -1: unknown. It gives appends an offset. NULL: unavailable. */
	int64_t (*size)(void *context, const struct app_open_file *f);
	/* A finished request, with the open file of its descriptor (or NULL) and the text of its
	 * second path without the leading slash (or NULL). NULL: not needed. */
	void (*made)(void *context, const struct trace_record *r, const struct app_open_file *f,
		     const char *second);
	uint64_t page_bytes;
};

struct syscalls_counts {
	uint64_t n_without_begin, n_unfinished;
	uint64_t n_unnamed; /* calls on an unknown path */
	/* descriptors whose position moved while it was read at the attach; it is unknown until a
	 * call sets it */
	uint64_t n_positions_unknown;
	uint64_t n_unknown; /* successful calls on a descriptor whose open was not recorded */
	uint64_t n_handed_over; /* asynchronous requests that were only counted */
	uint64_t n_ring_requests; /* requests of io_uring in the trace */
	/* number of these whose operation is not decoded, or whose end is missing */
	uint64_t n_ring_unread;
	/* io_uring instances that were created; with SQPOLL, requests need no call */
	uint64_t n_rings;
	uint64_t n_alive;   /* main threads that have not ended */
	/* executed 32-bit programs, whose calls have no tracepoints */
	uint64_t n_programs_unseen;
	/* calls after which names or descriptors mean other files: enum syscall_change */
	uint64_t n_mounts, n_unshared;
	/* calls that are not requests, because they concern memory without a file */
	uint64_t n_other;
};

struct syscalls;
/* Records are put into `queue` (record_queue_take). Ownership: syscalls_close. */
struct syscalls *syscalls_open(const struct syscalls_sink *sink, struct record_queue *queue);
void syscalls_close(struct syscalls *c);
/* Announces that syscalls_ring_begin() is called for all requests of io_uring. */
void syscalls_rings_read(struct syscalls *c);
const struct syscalls_counts *syscalls_counts(const struct syscalls *c);

/* Adds the begin of a call. Errors: of the sink. */
int syscalls_enter(struct syscalls *c, uint32_t tid, int64_t ns, const struct syscall_row *row,
		   const uint64_t arg[SYSCALL_ARGS], struct err *e);
/* Adds the end of a call. `result`: as in the kernel: an error is a negative number. */
int syscalls_exit(struct syscalls *c, uint32_t tid, int64_t ns, const struct syscall_row *row,
		  int64_t result, const struct syscall_memory memory[SYSCALL_MEMORIES],
		  struct err *e);
/* Adds the begin or the end of an io_uring request, which a number identifies and which is recorded
 * as the equivalent call. `memory` is borrowed until the end. Errors: of the sink. */
void syscalls_ring_begin(struct syscalls *c, uint32_t tid, int64_t ns, uint64_t request,
			 const struct syscall_row *row, const uint64_t arg[SYSCALL_ARGS],
			 const struct syscall_memory memory[SYSCALL_MEMORIES]);
int syscalls_ring_end(struct syscalls *c, int64_t ns, uint64_t request, int64_t result,
		      struct err *e);
/* Announces that syscalls_aio_begin() is called for all requests of io_submit(). */
void syscalls_aio_read(struct syscalls *c);
/* The same for the request at `index` of an io_submit() that has not returned yet. If the call does
 * not accept the request, it is dropped. syscalls_ring_end() ends it. */
void syscalls_aio_begin(struct syscalls *c, uint32_t tid, int64_t ns, uint64_t request,
			uint64_t index, const struct syscall_row *row,
			const uint64_t arg[SYSCALL_ARGS]);

/* Replaces the arguments of the thread's unfinished call, because some were unknown at its
 * begin. */
void syscalls_arguments(struct syscalls *c, uint32_t tid, const uint64_t arg[SYSCALL_ARGS]);
/* Ends the thread's unfinished call without a request. */
void syscalls_forget(struct syscalls *c, uint32_t tid);
/* Ends the unfinished call as a call that does not return. */
void syscalls_abandon(struct syscalls *c, uint32_t tid);

/* The thread's unfinished call, and the end of the call before it. False: there is no unfinished
 * call. */
bool syscalls_pending(struct syscalls *c, uint32_t tid, int64_t *after_ns,
		      const struct syscall_row **row);

/* The process of a thread; 0: the thread has ended, is unknown, or is hidden. */
uint32_t syscalls_process(struct syscalls *c, uint32_t tid);

/* Sets the process and the working directory of a thread. `hidden`: nothing of the thread is
 * recorded until it executes another program. */
void syscalls_thread(struct syscalls *c, uint32_t tid, uint32_t pid, const char *cwd, bool hidden);
/* Sets the umask of the thread's process. */
void syscalls_umask(struct syscalls *c, uint32_t tid, uint32_t umask);
/* The umask with OP_UMASK_KNOWN; 0: unknown. */
uint32_t syscalls_umask_of(struct syscalls *c, uint32_t tid);
/* A descriptor of the thread at the instant `as_of_ns`. Calls that end before this instant do not
 * move its position. If a call that moves the position begins before `as_of_ns` and ends after it,
 * the position becomes unknown, because `position` may or may not include the move. OFFSET_NONE:
 * unknown. */
void syscalls_descriptor(struct syscalls *c, uint32_t tid, int fd, const char *path, uint32_t flags,
			 uint64_t position, int64_t as_of_ns);
/* A descriptor that another process sent: shares the open file of this name in another process.
 * False: no process has the file open. */
bool syscalls_descriptor_sent(struct syscalls *c, uint32_t tid, int fd, const char *path);
/* Sets the descriptor of the call in which the thread was before its descriptors were read, or
 * SYSCALLS_ANY_FD. By default, a thread is in no call. */
#define SYSCALLS_ANY_FD (-1)
void syscalls_under_way(struct syscalls *c, uint32_t tid, int fd);
void syscalls_mapping(struct syscalls *c, uint32_t tid, uint64_t from, uint64_t to, uint64_t offset,
		      const char *path);

/* An open file of the thread. NULL: unknown. Valid until the next event of the thread. */
struct app_open_file *syscalls_file(struct syscalls *c, uint32_t tid, int64_t fd);
/* The object of the file, or OBJECT_NONE. Errors: of the sink. */
int syscalls_file_object(struct syscalls *c, struct app_open_file *f, uint32_t *id,
			 struct err *e);
/* The working directory; "": unknown. Borrowed. */
const char *syscalls_cwd(struct syscalls *c, uint32_t tid);

/* `path` is a symbolic link with this text. */
void syscalls_link(struct syscalls *c, const char *path, const char *text, size_t len);
/* The n-th parent of `path` is that of `text`, which has n components more: if it is not the n-th
 * parent of the name, `path` is a symbolic link. */
void syscalls_parent(struct syscalls *c, const char *path, const struct strbuf *text, size_t n);
/* Number of paths before ".." that may be symbolic links; `plain` as for state_links_unclear(). */
size_t syscalls_links_unclear(const struct syscalls *c, const struct u64_map *plain);
/* Moves the known symbolic links, as they were before all calls. */
void syscalls_links_take(struct syscalls *to, struct syscalls *from);
/* The absolute path of `path` for the thread, relative to descriptor `dir` or AT_FDCWD. NULL:
 * unknown. Valid until the next call. */
const char *syscalls_path_at(struct syscalls *c, uint32_t tid, int dir, const char *path,
			     size_t len);

/* A thread created another thread (flags as for clone), executed a program (old_tid: its previous
 * number, perhaps the same), or ended. */
void syscalls_cloned(struct syscalls *c, uint32_t parent, uint32_t tid, uint64_t flags);
void syscalls_executed(struct syscalls *c, uint32_t tid, uint32_t old_tid);
void syscalls_ended(struct syscalls *c, uint32_t tid);

struct page_event {
	uint32_t tid;
	int64_t ns;
	uint64_t device, inode, first, n; /* pages */
	bool handled; /* faults: PAGE_HANDLED */
};
/* Reads device and inode number of a path, because events identify files by these. */
int syscalls_identify(struct syscalls *c, const char *path, struct err *e);
int syscalls_fault(struct syscalls *c, const struct page_event *v, struct err *e);

#define FAULT_PRESENT 1u /* the page was present, but not writable */
#define FAULT_WRITE 2u
struct fault_event {
	uint32_t tid;
	int64_t ns;
	uint64_t address;
	unsigned int how; /* FAULT_PRESENT, FAULT_WRITE: error code of the CPU */
	/* the next event of the kernel is the fault's event of a file */
	bool followed;
};
/* A page fault at an address. With `followed`, it only adds the address and the kind of access to
 * the next event, which has the file. The first write to a page that was mapped for reading has no
 * such event, and is a record of its own. Without `followed`, the file is found by the thread's
 * mappings. */
int syscalls_fault_at(struct syscalls *c, const struct fault_event *v, struct err *e);
int syscalls_page_add(struct syscalls *c, const struct page_event *v, struct err *e);

/* Ends all unfinished calls at the end of the events. */
void syscalls_finish(struct syscalls *c);
/* The thread executed a program whose calls are not recorded. */
void syscalls_program_unseen(struct syscalls *c);
