/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that a replayer needs before it can run: a compiler, an analyser. */
#ifndef REPLAY_TOOL_H
#define REPLAY_TOOL_H

#include <stdint.h>

#include "common/err.h"

/* Runs argv (argv[0]: the file, or a name in PATH) in `dir` as `user` (NULL: as who asks), waits for it, and for at most `limit_ns`. What it
 * prints goes to the file `log`.
 * Errors: of starting it; ETIMEDOUT, when it and its process group have been killed; EPROTO with its status and the end of what it printed. */
int tool_run(char *const *argv, const char *dir, const char *log, const char *user, int64_t limit_ns, struct err *e);

#endif
