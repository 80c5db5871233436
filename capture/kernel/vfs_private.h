/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of vfs.h. */
#ifndef CAPTURE_KERNEL_VFS_PRIVATE_H
#define CAPTURE_KERNEL_VFS_PRIVATE_H

#include "capture/app/app_files.h"
#include "capture/kernel/ring_entries.h"
#include "capture/kernel/snapshot.h"
#include "capture/kernel/tracing.h"
#include "capture/kernel/user_memory.h"
#include "capture/kernel/vfs.h"
#include "capture/processes.h"
#include "capture/trace.h"

/* vfs_events.c: kinds of events. The rows of syscall_rows follow these, two each: begin, end. */
enum {
	VFS_NEWTASK,
	VFS_EXEC,
	VFS_EXIT,
	VFS_WAIT,
	VFS_ADD,
	VFS_FAULT,
	VFS_MAP,
	VFS_USER_FAULT,
	VFS_RING_SUBMIT,
	VFS_RING_DONE,
	VFS_N_FIXED
};

/* Names for tracing_options.event; where `faults` leaves one out stands a tracepoint that no kernel
 * has, so that kinds keep their numbers. Ownership: vfs_events_free. */
const char **vfs_events_make(enum vfs_faults faults);
void vfs_events_free(const char **event);
struct vfs_looks { /* looks at files, and where they go; `snapshot` NULL: there are none */
	struct snapshot *snapshot;
	struct app_files *files;
};
/* All events to `c`, who starts and waits for whom to `processes`, their times less epoch_ns, and
 * finished records to `take` as they come. */
int vfs_events_convert(struct tracing *t, struct user_memory *m, const struct ring_entries *rings,
		       struct syscalls *c, struct processes *processes,
		       const struct vfs_looks *looks, int64_t epoch_ns,
		       int (*take)(void *context, struct err *e), void *context, struct err *e);

/* Where the tracepoints of io_uring have what is read of them; false: the kernel has other ones. */
bool vfs_ring_layout(const struct tracing *t, struct um_ring_layout *l);

/* vfs_state.c: threads of the watched processes. */
struct vfs_threads {
	int32_t *tid;
	size_t n, cap;
};
/* A process and its children with all their threads. Errors: ESRCH. */
int vfs_threads_of(struct vfs_threads *t, int32_t pid, struct err *e);
/* What these have open and mapped now; those not hidden are listed in `processes`. */
void vfs_state_take(struct syscalls *c, struct processes *processes, const struct vfs_threads *t,
		    bool hidden, struct err *e);
/* The program that a path leads to and its loader: faults tell them by their numbers. */
int vfs_program_identify(struct syscalls *c, const char *path, struct err *e);

#endif
