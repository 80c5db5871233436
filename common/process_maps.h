/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processes have files open or mapped. */
#pragma once

#include "common/std.h"

/* The processes, as far as this user may see them, that map a file whose path begins with `path`:
 * the first n_max in pid[] (NULL for n_max 0). Returns how many there are. */
size_t processes_mapping(const char *path, pid_t *pid, size_t n_max);
/* The number of processes, as far as this user may see them, that have the file open. */
size_t processes_opening(const char *path);
