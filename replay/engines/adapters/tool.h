/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs beside the replayer's own run: a compiler or an analyser that it needs before, the replayer asked for its version. */
#ifndef REPLAY_TOOL_H
#define REPLAY_TOOL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"

/* Starts argv (argv[0]: the file, or a name in PATH) in `dir` (NULL: here) as `user` (NULL: as who asks), with nothing to read and what it prints
 * into `out`, in a process group of its own. Where it cannot be executed its process ends with 127, as a shell's does, and, if `tells`, with why
 * in `out`. Returns its number, or -1 with errno. The caller waits for it. */
pid_t tool_start(char *const *argv, const char *dir, const char *user, int out, bool tells);

/* Runs argv (argv[0]: the file, or a name in PATH) in `dir` as `user` (NULL: as who asks), waits for it, and for at most `limit_ns`. What it
 * prints goes to the file `log`.
 * Errors: of starting it; ETIMEDOUT, when it and its process group have been killed; EPROTO with its status and the end of what it printed. */
int tool_run(char *const *argv, const char *dir, const char *log, const char *user, int64_t limit_ns, struct err *e);

#endif
