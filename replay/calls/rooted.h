/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening the paths of a trace without ever leaving the target directory. Absolute paths, "..", and links are all taken as if
 * the target directory were the root (openat2 with RESOLVE_IN_ROOT), as they would be in a container; it costs some 0.2 us
 * more than open(2). Where openat2 is missing or forbidden, capture/confine.h does it, which refuses links instead. */
#ifndef REPLAY_ROOTED_H
#define REPLAY_ROOTED_H

#include <stdint.h>

#include "common/err.h"

/* The flags of an open that are replayed; a trace may hold any bits, and openat2 refuses those it does not know. */
uint32_t rooted_flags(uint32_t traced);

/* Returns the descriptor or -1 with errno, as open does. `flags` as rooted_flags gives them; `mode` counts where a file may be made. */
int rooted_open(int dir_fd, const char *path, uint32_t flags, uint32_t mode);

/* What a path inside the directory is: 1 a file or directory, 0 nothing (yet), or a negative errno; EPERM for a device, pipe or
 * socket, which a replay never opens. */
int rooted_kind(int dir_fd, const char *path, struct err *e);

#endif
