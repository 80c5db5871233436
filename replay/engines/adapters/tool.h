/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs programs that are needed before the replay: a compiler, an analyser, or the replayer when it
 * prints its version. */
#pragma once

#include "replay/engines/adapters/adapter.h"

/* Starts argv (argv[0]: the file, or a name in PATH) in `dir` (NULL: the present directory) as
 * `user` (NULL: the user of this process), in a process group of its own, with empty input and with
 * its output to `out`. If it cannot be executed, the process ends with status 127, as in a shell;
 * with `tells` it also writes the reason to `out`. Returns its pid, or -1 with errno. The caller
 * waits for it. */
pid_t tool_start(char *const *argv, const char *dir, const char *user, int out, bool tells);

/* Like tool_start, but waits for the end of the program, at most `limit_ns`. The output goes to the
 * file `log`. Errors: of the start; ETIMEDOUT if the program and its process group were killed;
 * EPROTO with the status and the end of the output. */
int tool_run(char *const *argv, const char *dir, const char *log, const char *user,
	     int64_t limit_ns, struct err *e);

/* --- the program of an adapter ------------------------------------------- */

/* The absolute path of a program, given by name (searched in PATH) or path. Errors: ENOENT, EACCES.
 * The caller frees. */
char *binary_find(const char *name, struct err *e);

/* Appends the first line that a command prints within 5 s, as plain text. `user`: NULL: the user of
 * this process. Errors: of the start; ENODATA. */
int binary_first_line(char *const *argv, const char *user, struct strbuf *out, struct err *e);
