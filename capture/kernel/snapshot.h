/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How files were before a watched command used them first. A seccomp filter makes each of its calls
 * on a path, and each listing of a directory, wait until another process has looked at the file
 * (SECCOMP_RET_USER_NOTIF, seccomp_unotify(2)). The kernel asks filters before the tracepoint
 * sys_enter, so that the wait is outside of the recorded times.
 *
 * That process outlives the capture as long as a program with the filter runs: without it every
 * call on a path would fail (ENOSYS). */
#ifndef CAPTURE_KERNEL_SNAPSHOT_H
#define CAPTURE_KERNEL_SNAPSHOT_H

#include "capture/app/app_private.h"
#include "common/err.h"

struct snapshot;

/* Starts the process that looks; call it while this process has one thread. `scratch` as of
 * tracing_options. Errors: of the system; ENOTSUP on processors whose calls are not known.
 * Ownership: snapshot_close. */
int snapshot_open(struct snapshot **s, const char *scratch, struct err *e);
/* In the process that is to become the command, between fork and exec: installs the filter. Returns
 * 0 or an errno. */
int snapshot_install(void *snapshot);
/* Ends the recording of files; snapshot_next() still returns the recorded ones. */
int snapshot_stop(struct snapshot *s, struct err *e);
void snapshot_close(struct snapshot *s); /* NULL is fine */

/* The next look, in the order of time, that was taken at `until_ns` (CLOCK_MONOTONIC) or before, as
 * capture/app has it: LOG_STATE_OF, begin and end in ns. Borrowed until the next call; false: there
 * is none. */
bool snapshot_next(struct snapshot *s, int64_t until_ns, struct merge_record *m);
/* Calls whose file could not be looked at: made behind chroot. */
uint64_t snapshot_n_unseen(const struct snapshot *s);

#endif
