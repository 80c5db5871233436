/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records the state of files before a watched command first uses them. A seccomp filter makes each
 * call on a path, and each listing of a directory, wait until another process has inspected the
 * file (SECCOMP_RET_USER_NOTIF, seccomp_unotify(2)). The kernel runs filters before the tracepoint
 * sys_enter, so the wait is not part of the recorded times.
 *
 * The inspecting process outlives the capture while any program with the filter runs: without it
 * every call on a path would fail with ENOSYS. */
#ifndef CAPTURE_KERNEL_SNAPSHOT_H
#define CAPTURE_KERNEL_SNAPSHOT_H

#include "capture/app/app_private.h"
#include "common/err.h"

struct snapshot;

/* Starts the inspecting process; this process must have only one thread. `scratch` as in
 * tracing_options. Errors: of the system; ENOTSUP on CPU architectures with unknown call numbers.
 * Ownership: snapshot_close. */
int snapshot_open(struct snapshot **s, const char *scratch, struct err *e);
/* Installs the filter, in the child between fork and exec. Returns 0 or an errno. */
int snapshot_install(void *snapshot);
/* Ends the recording of files; snapshot_next() still returns the recorded ones. */
int snapshot_stop(struct snapshot *s, struct err *e);
void snapshot_close(struct snapshot *s); /* NULL is fine */

/* The next state that was recorded at or before `until_ns` (CLOCK_MONOTONIC), in order of time, in
 * the form of capture/app: LOG_STATE_OF, begin and end in ns. Borrowed until the next call; false:
 * there is none. */
bool snapshot_next(struct snapshot *s, int64_t until_ns, struct merge_record *m);
/* Calls whose file could not be inspected, because they were made after chroot. */
uint64_t snapshot_n_unseen(const struct snapshot *s);

#endif
