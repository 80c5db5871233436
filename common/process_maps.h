/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds processes that have files open or mapped. */
#pragma once

#include "common/std.h"

/* Finds the processes that map a file whose path begins with `path`, as far as this user may see
 * them. Writes the first n_max to pid[] (NULL for n_max 0). Returns the number of all of them. */
size_t processes_mapping(const char *path, pid_t *pid, size_t n_max);
/* Number of processes that have the file open, as far as this user may see them. */
size_t processes_opening(const char *path);
