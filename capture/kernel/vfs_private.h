/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interfaces between the parts of vfs.h. */
#pragma once

#include "capture/app/app_files.h"
#include "capture/kernel/ring_entries.h"
#include "capture/kernel/tracing.h"
#include "capture/kernel/vfs.h"
#include "capture/processes.h"

/* Reads the memory to which arguments of system calls point (paths, vectors, times) with a small
 * BPF program. It reads when the call begins. If the page was not present, or if the kernel writes
 * there (the descriptors of a pipe), it reads when the call ends. The tracepoints contain only
 * addresses, and the process may have ended before its memory can be read from outside.
 *
 * The program is assembled here, instruction by instruction (user_memory_program.c), so no compiler
 * or library is needed. The requirements are those of the tracepoints and of bpf(2): CAP_BPF and
 * CAP_PERFMON, or root. A kernel in lockdown mode "confidentiality" refuses it. */
struct user_memory;
struct ring_entries;
struct um_ring_entry;

struct user_memory_options {
	const int32_t *tid; /* threads to watch, together with all threads that they create */
	size_t n;
	const char *scratch;	      /* as in tracing_options */
	/* tracepoint task:task_newtask: its id, and the offset of its field `pid`; used without
	 * `rings` */
	int newtask_id;
	unsigned int newtask_pid_offset;
	const struct ring_entries *rings; /* NULL: rings of io_uring are not read */
};

/* Starts reading. Errors: of bpf(2) and perf_event_open(2); the message names the step. Ownership:
 * user_memory_close. */
int user_memory_open(struct user_memory **m, const struct user_memory_options *o, struct err *e);
/* Watches additional threads. */
int user_memory_watch(struct user_memory *m, const int32_t *tid, size_t n, struct err *e);
/* Stops reading. The data can be queried afterwards. Errors: ENOSPC and others of the scratch
 * file. */
int user_memory_stop(struct user_memory *m, struct err *e);
void user_memory_close(struct user_memory *m); /* `m` may be NULL */

/* The memory to which the arguments of call `row` point. Thread `tid` began the call after
 * `after_ns` and ended it at `end_ns` (CLOCK_MONOTONIC). Valid until user_memory_close. */
void user_memory_find(const struct user_memory *m, uint32_t tid, const struct syscall_row *row,
		      int64_t after_ns, int64_t end_ns,
		      struct syscall_memory memory[SYSCALL_MEMORIES]);

struct user_memory_facts {
	bool reads_aio;	     /* requests of io_submit() are read */
	bool reads_rings;    /* requests of io_uring are read */
	struct err no_rings; /* if not: why */
	/* the kernel shows 32-bit system calls, which have no tracepoints */
	bool counts_32_bits;
	/* The numbers are 0 before user_memory_stop(). */
	uint64_t n_calls32; /* 32-bit system calls */
	/* arguments that were lost because a buffer was full or the address was invalid; events of
	 * io_uring that were lost because a buffer was full */
	uint64_t n_lost, n_ring_lost;
};
const struct user_memory_facts *user_memory_facts(const struct user_memory *m);

struct user_ring_event { /* a thread submitted a request of io_uring, or the request has ended */
	int64_t ns;
	uint32_t tid;
	bool done, is_aio;
	const struct um_ring_entry *entry;
	/* for a submission: the memory of its pointers, in their order */
	struct syscall_memory memory[SYSCALL_MEMORIES];
};
/* The next event at or before `until_ns`. False: there is none. */
bool user_memory_ring_next(struct user_memory *m, int64_t until_ns, struct user_ring_event *to);

/* Records the state of files before a watched command first uses them. A seccomp filter makes each
 * call on a path, and each listing of a directory, wait until another process has inspected the
 * file (SECCOMP_RET_USER_NOTIF, seccomp_unotify(2)). The kernel runs filters before the tracepoint
 * sys_enter, so the wait is not part of the recorded times.
 *
 * The inspecting process continues after the capture as long as any program with the filter runs.
 * Without it, every call on a path would fail with ENOSYS. */
struct snapshot;

/* Starts the inspecting process. The calling process must have only one thread. `scratch` as in
 * tracing_options. Errors: of the system; ENOTSUP: a CPU architecture with unknown call numbers.
 * Ownership: snapshot_close. */
int snapshot_open(struct snapshot **s, const char *scratch, struct err *e);
/* Installs the filter, in the child between fork and exec. Returns 0 or an errno. */
int snapshot_install(void *snapshot);
/* Ends the recording of files. snapshot_next() still returns the recorded states. */
int snapshot_stop(struct snapshot *s, struct err *e);
void snapshot_close(struct snapshot *s); /* `s` may be NULL */

/* The next state that was recorded at or before `until_ns` (CLOCK_MONOTONIC), in order of time, in
 * the form of capture/app: LOG_STATE_OF, start and end in ns. Valid until the next call. False:
 * there is none. */
bool snapshot_next(struct snapshot *s, int64_t until_ns, struct merge_record *m);
/* Number of calls after chroot, whose files could not be inspected. */
uint64_t snapshot_n_unseen(const struct snapshot *s);

/* vfs_events.c: kinds of events. Two for each row of syscall_rows follow: start and end. */
enum {
	VFS_NEWTASK,
	VFS_EXEC,
	VFS_EXIT,
	VFS_WAIT,
	VFS_ADD,
	VFS_FAULT,
	VFS_MAP,
	VFS_USER_FAULT,
	VFS_N_FIXED
};

/* Names for tracing_options.event. A tracepoint that no kernel has replaces each event that
 * `faults` excludes, so that kinds keep their numbers. Ownership: vfs_events_free. */
const char **vfs_events_make(enum vfs_faults faults);
void vfs_events_free(const char **event);
struct vfs_looks { /* recorded file states and their receiver; `snapshot` NULL: none */
	struct snapshot *snapshot;
	struct app_files *files;
};
/* Converts all events: calls to `c`; starts of and waits for processes to `processes`, starts of
 * threads to `threads`, with times minus epoch_ns. Calls `take` whenever finished records may be
 * available. */
int vfs_events_convert(struct tracing *t, struct user_memory *m, const struct ring_entries *rings,
		       struct syscalls *c, struct processes *processes,
		       struct processes *threads, const struct vfs_looks *looks, int64_t epoch_ns,
		       int (*take)(void *context, struct err *e), void *context, struct err *e);

/* vfs_state.c: initial state of the watched processes. */
struct vfs_threads {
	int32_t *tid;
	size_t n, cap;
};
/* Finds a process and its children with all their threads. Errors: ESRCH. */
int vfs_threads_of(struct vfs_threads *t, int32_t pid, struct err *e);
/* Records their open descriptors and mappings. Visible processes are added to `processes`. */
void vfs_state_take(struct syscalls *c, struct processes *processes, const struct vfs_threads *t,
		    bool hidden);
/* Reads the inode numbers of a program and its loader, for page faults. */
int vfs_program_identify(struct syscalls *c, const char *path, struct err *e);
