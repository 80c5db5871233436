/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Capture methods with their own files; cmd_capture.c holds the table. argv[0] is the method's
 * name. Functions return an exit status. */
#pragma once

#include "capture/files_noted.h"
#include "capture/trace_split.h"

int capture_causality(int argc, char **argv, struct err *e);
int capture_block(int argc, char **argv, struct err *e);
int capture_vfs(int argc, char **argv, struct err *e);

/* Prints the notes about a snapshot of files (cmd_capture.c). */
void files_noted_print(const struct files_noted *n);

/* --rotate: splits a captured trace into parts. */
/* Parses the option's text; `text` NULL: not given. Errors: EINVAL, ERANGE. */
int rotate_check(struct trace_parts *p, const char *text, struct err *e);
/* Replaces the trace by its parts and prints their number. `text` NULL: no effect. Errors: as
 * trace_split. */
int rotate_apply(const struct trace_parts *p, const char *text, const char *output, bool compress,
		 struct err *e);
