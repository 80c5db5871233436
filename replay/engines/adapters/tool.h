/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs beside the replayer's own run: a compiler or an analyser that it needs before, the
 * replayer asked for its version. */
#ifndef REPLAY_TOOL_H
#define REPLAY_TOOL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"
#include "common/strbuf.h"
#include "replay/engines/adapters/adapter.h"

/* Starts argv (argv[0]: the file, or a name in PATH) in `dir` (NULL: here) as `user` (NULL: as who
 * asks), with nothing to read and what it prints into `out`, in a process group of its own. Where
 * it cannot be executed its process ends with 127, as a shell's does, and, if `tells`, with why in
 * `out`. Returns its number, or -1 with errno. The caller waits for it. */
pid_t tool_start(char *const *argv, const char *dir, const char *user, int out, bool tells);

/* Runs argv (argv[0]: the file, or a name in PATH) in `dir` as `user` (NULL: as who asks), waits
 * for it, and for at most `limit_ns`. What it prints goes to the file `log`. Errors: of starting
 * it; ETIMEDOUT, when it and its process group have been killed; EPROTO with its status and the end
 * of what it printed. */
int tool_run(char *const *argv, const char *dir, const char *log, const char *user,
	     int64_t limit_ns, struct err *e);

/* The program of an adapter: where it is, and which version. */

/* A program by name (looked for in PATH) or path, as an absolute path. Errors: ENOENT, EACCES. The
 * caller frees. */
char *binary_find(const char *name, struct err *e);

/* The first line that a command prints, made plain text, in at most 5 s. `user`: user of the
 * command, NULL: the user of this process. Errors: of starting it; ENODATA. */
int binary_first_line(char *const *argv, const char *user, struct strbuf *out, struct err *e);

#endif
