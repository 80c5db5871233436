/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interfaces between the parts of vfs.h. */
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

/* vfs_events.c: kinds of events. Two for each row of syscall_rows follow: begin and end. */
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

/* Names for tracing_options.event. Events that `faults` excludes are replaced by a tracepoint that
 * no kernel has, so kinds keep their numbers. Ownership: vfs_events_free. */
const char **vfs_events_make(enum vfs_faults faults);
void vfs_events_free(const char **event);
struct vfs_looks { /* recorded file states and their receiver; `snapshot` NULL: none */
	struct snapshot *snapshot;
	struct app_files *files;
};
/* Converts all events: calls to `c`, process starts and waits to `processes` with times less
 * epoch_ns. Calls `take` whenever finished records may be available. */
int vfs_events_convert(struct tracing *t, struct user_memory *m, const struct ring_entries *rings,
		       struct syscalls *c, struct processes *processes,
		       const struct vfs_looks *looks, int64_t epoch_ns,
		       int (*take)(void *context, struct err *e), void *context, struct err *e);

/* Fills the offsets in the io_uring tracepoints; false: the kernel has different ones. */
bool vfs_ring_layout(const struct tracing *t, struct um_ring_layout *l);

/* vfs_state.c: initial state of the watched processes. */
struct vfs_threads {
	int32_t *tid;
	size_t n, cap;
};
/* Finds a process and its children with all their threads. Errors: ESRCH. */
int vfs_threads_of(struct vfs_threads *t, int32_t pid, struct err *e);
/* Records their open descriptors and mappings; visible processes are added to `processes`. */
void vfs_state_take(struct syscalls *c, struct processes *processes, const struct vfs_threads *t,
		    bool hidden, struct err *e);
/* Learns the inode numbers of a program and its loader, for faults. */
int vfs_program_identify(struct syscalls *c, const char *path, struct err *e);

#endif
