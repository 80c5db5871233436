/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening files below a directory and nowhere else. A path comes from a trace or a protocol, that is from strangers: it
 * must be relative, must not climb by "..", and no link is followed anywhere on the way, whoever put it there. openat2(2)
 * does it in one step (RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS); where that is missing (before Linux 5.6, or forbidden in a
 * container) the path is walked component by component. */
#ifndef CAPTURE_CONFINE_H
#define CAPTURE_CONFINE_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/err.h"

/* Whether `path` may be asked for at all. Errors: EINVAL for an empty, absolute or climbing path, quoting it. */
int confined_path_check(const char *path, struct err *e);

/* open(2) below dir_fd; O_CLOEXEC, O_NOFOLLOW and O_NOCTTY are added. `mode` counts with O_CREAT only. Returns a
 * descriptor, or a negative errno; EPERM where a link was in the way, for whatever reason the system itself gave. */
int confined_open(int dir_fd, const char *path, int flags, mode_t mode, struct err *e);

/* The directory that `path`'s last component lies in (O_PATH), for the ...at() calls; *name points into `path`, behind the
 * last slash. With `create`, missing directories on the way are made (mode 0777 less the umask). */
int confined_parent(int dir_fd, const char *path, bool create, const char **name, struct err *e);

#endif
