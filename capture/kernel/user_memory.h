/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the arguments of system calls point to (paths, vectors, times), read by a small BPF program
 * when the call begins, or when it ends, where the page was not there yet or the kernel writes
 * there (the numbers of a pipe). The tracepoints themselves give addresses only, and by the time a
 * process's memory could be read from outside it may be gone.
 *
 * No compiler and no library is needed: the program is put together here, instruction by
 * instruction (user_memory_program.c). Needs what the tracepoints need, and bpf(2) (CAP_BPF and
 * CAP_PERFMON, or root; a kernel in lockdown "confidentiality" refuses). */
#ifndef CAPTURE_KERNEL_USER_MEMORY_H
#define CAPTURE_KERNEL_USER_MEMORY_H

#include "capture/kernel/syscalls.h"

struct user_memory;
struct ring_entries;
struct um_ring_layout;
struct um_ring_entry;

struct user_memory_options {
	const int32_t *tid; /* threads that are watched, with what they start */
	size_t n;
	const char *scratch;	      /* as of tracing_options */
	/* of the tracepoint task:task_newtask, and where its field `pid` lies */
	int newtask_id;
	unsigned int newtask_pid_offset;
	const struct ring_entries *rings; /* NULL: rings of io_uring are not read */
	const struct um_ring_layout *ring_layout;
	int ring_submit_id, ring_done_id; /* of the tracepoints */
};

/* Reads from now on. Errors: of bpf(2) and its kin, naming the step. Ownership: user_memory_close.
 */
int user_memory_open(struct user_memory **m, const struct user_memory_options *o, struct err *e);
/* Watches these threads, too. */
int user_memory_watch(struct user_memory *m, const int32_t *tid, size_t n, struct err *e);
/* Nothing more is read; what was read can be asked for. Errors: ENOSPC and others of the scratch
 * file. */
int user_memory_stop(struct user_memory *m, struct err *e);
void user_memory_close(struct user_memory *m); /* NULL is fine */

/* What the arguments pointed to of the call `row` that thread `tid` began after `after_ns` and
 * ended at `end_ns` (CLOCK_MONOTONIC). Borrowed until user_memory_close. */
void user_memory_find(const struct user_memory *m, uint32_t tid, const struct syscall_row *row,
		      int64_t after_ns, int64_t end_ns,
		      struct syscall_memory memory[SYSCALL_MEMORIES]);
/* Whether rings are read. `why` (may be NULL): the reason, where they cannot be. */
bool user_memory_reads_aio(const struct user_memory *m); /* requests of libaio */
bool user_memory_reads_rings(const struct user_memory *m, const struct err **why);
uint64_t
user_memory_n_ring_lost(const struct user_memory *m); /* events of rings that found no room */

struct user_ring_event { /* a request of io_uring was handed over by a thread, or is done */
	int64_t ns;
	uint32_t tid;
	bool done, is_aio;
	const struct um_ring_entry *entry;
	struct syscall_memory memory[SYSCALL_MEMORIES]; /* of one that was handed over: its
							   pointers, in their order */
};
/* The next event at `until_ns` or before; false: there is none. */
bool user_memory_ring_next(struct user_memory *m, int64_t until_ns, struct user_ring_event *to);
/* there was no room for them, or their address was no memory */
uint64_t user_memory_n_lost(const struct user_memory *m);

#endif
