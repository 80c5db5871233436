/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the memory that arguments of system calls point to (paths, vectors, times) with a small BPF
 * program: when the call begins, or when it ends if the page was not present or the kernel writes
 * there (the descriptors of a pipe). The tracepoints contain only addresses, and the process may be
 * gone before its memory can be read from outside.
 *
 * The program is assembled here, instruction by instruction (user_memory_program.c), so no compiler
 * or library is needed. Requires what the tracepoints require, and bpf(2): CAP_BPF and CAP_PERFMON,
 * or root; a kernel in lockdown "confidentiality" refuses. */
#ifndef CAPTURE_KERNEL_USER_MEMORY_H
#define CAPTURE_KERNEL_USER_MEMORY_H

#include "capture/kernel/syscalls.h"

struct user_memory;
struct ring_entries;
struct um_ring_layout;
struct um_ring_entry;

struct user_memory_options {
	const int32_t *tid; /* threads to watch, together with all that they create */
	size_t n;
	const char *scratch;	      /* as in tracing_options */
	/* of the tracepoint task:task_newtask: its id, and the offset of its field `pid` */
	int newtask_id;
	unsigned int newtask_pid_offset;
	const struct ring_entries *rings; /* NULL: rings of io_uring are not read */
	const struct um_ring_layout *ring_layout;
	int ring_submit_id, ring_done_id; /* of the tracepoints */
};

/* Starts reading. Errors: of bpf(2) and perf_event_open(2), naming the step. Ownership:
 * user_memory_close. */
int user_memory_open(struct user_memory **m, const struct user_memory_options *o, struct err *e);
/* Watches further threads. */
int user_memory_watch(struct user_memory *m, const int32_t *tid, size_t n, struct err *e);
/* Stops reading; the data can be queried afterwards. Errors: ENOSPC and others of the scratch file.
 */
int user_memory_stop(struct user_memory *m, struct err *e);
void user_memory_close(struct user_memory *m); /* NULL is fine */

/* The memory that the arguments of call `row` point to. Thread `tid` began the call after
 * `after_ns` and ended it at `end_ns` (CLOCK_MONOTONIC). Borrowed until user_memory_close. */
void user_memory_find(const struct user_memory *m, uint32_t tid, const struct syscall_row *row,
		      int64_t after_ns, int64_t end_ns,
		      struct syscall_memory memory[SYSCALL_MEMORIES]);
bool user_memory_reads_aio(const struct user_memory *m); /* requests of io_submit() */
/* Whether requests of io_uring are read. *why, if not NULL: the reason if they cannot be. */
bool user_memory_reads_rings(const struct user_memory *m, const struct err **why);
/* events of io_uring that were lost because a buffer was full */
uint64_t user_memory_n_ring_lost(const struct user_memory *m);

struct user_ring_event { /* a thread submitted a request of io_uring, or it is done */
	int64_t ns;
	uint32_t tid;
	bool done, is_aio;
	const struct um_ring_entry *entry;
	/* of a submission: the memory that its pointers refer to, in their order */
	struct syscall_memory memory[SYSCALL_MEMORIES];
};
/* The next event at or before `until_ns`; false: there is none. */
bool user_memory_ring_next(struct user_memory *m, int64_t until_ns, struct user_ring_event *to);
/* arguments that were lost because a buffer was full or the address was invalid */
uint64_t user_memory_n_lost(const struct user_memory *m);

#endif
