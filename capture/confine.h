/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening files below a directory and nowhere else. A path comes from a trace or a protocol, that
 * is from strangers: it must be relative, must not climb by "..", and no link is followed anywhere
 * on the way, whoever put it there. openat2(2) does it in one step (RESOLVE_BENEATH,
 * RESOLVE_NO_SYMLINKS); where that is missing (before Linux 5.6, or forbidden in a container) the
 * path is walked component by component. */
#ifndef CAPTURE_CONFINE_H
#define CAPTURE_CONFINE_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/err.h"

/* Whether `path` may be asked for at all. Errors: EINVAL for an empty, absolute or climbing path,
 * quoting it. */
int confined_path_check(const char *path, struct err *e);

/* As open(2) below dir_fd, but only for regular files and directories: what is there is looked at
 * (O_PATH) before it is opened, so that no FIFO blocks and no driver of a device is called,
 * whatever is exchanged meanwhile. O_CLOEXEC, O_NOFOLLOW and O_NOCTTY are added. `mode` counts with
 * O_CREAT only. Returns a descriptor, or a negative errno; EPERM where a link, device, FIFO or
 * socket was in the way, for whatever reason the system itself gave. */
int confined_open(int dir_fd, const char *path, int flags, mode_t mode, struct err *e);

/* Whether an open with these flags gives a directory, a new file, or a descriptor that cannot be
 * read or written, whatever the name means. Every other open must look first. */
bool confined_harmless(int flags);
/* Opens what `name` (O_PATH) is, through its descriptor, and closes `name`. Returns a descriptor,
 * or -1 with errno: ELOOP for a link, EPERM for a device, FIFO or socket, whose type (S_IFMT) goes
 * to *refused, else 0. Needs /proc. */
int confined_open_found(int name, int flags, mode_t *refused);
/* What an object that is never opened is: "a block device". */
const char *confined_kind_name(mode_t mode);

/* The directory that `path`'s last component lies in (O_PATH), for the ...at() calls; *name points
 * into `path`, behind the last slash. With `create`, missing directories on the way are made (mode
 * 0777 less the umask). */
int confined_parent(int dir_fd, const char *path, bool create, const char **name, struct err *e);

#endif
