/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ways to capture that have files of their own; cmd_capture.c holds the table. argv[0] is the
 * way's name; the return is an exit status. */
#ifndef COMMANDS_CAPTURE_H
#define COMMANDS_CAPTURE_H

#include "capture/files_noted.h"
#include "capture/trace_split.h"
#include "common/err.h"

int capture_causality(int argc, char **argv, struct err *e);
int capture_block(int argc, char **argv, struct err *e);
int capture_vfs(int argc, char **argv, struct err *e);

/* What there is to say of a snapshot (cmd_capture.c). */
void files_noted_print(const struct files_noted *n);

/* --rotate: a capture's trace in parts. */
/* Reads the option's text; `text` NULL: it was not given. Errors: EINVAL, ERANGE. */
int rotate_check(struct trace_parts *p, const char *text, struct err *e);
/* Replaces the trace by its parts and says how many there are. `text` NULL: nothing to do. Errors:
 * as trace_split. */
int rotate_apply(const struct trace_parts *p, const char *text, const char *output, bool compress,
		 struct err *e);

#endif
