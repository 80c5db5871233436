/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Capture methods that have their own files; cmd_capture.c contains the table. argv[0] is the name
 * of the method. Functions return an exit status. */
#pragma once

#include "capture/files_noted.h"
#include "capture/trace_split.h"

int capture_causality(int argc, char **argv, struct err *e);
int capture_block(int argc, char **argv, struct err *e);
int capture_vfs(int argc, char **argv, struct err *e);

/* Prints how the captured command ended (cmd_capture.c). */
void command_status_print(int status);
/* Prints the notes about a snapshot of files (cmd_capture.c). */
void files_noted_print(const struct files_noted *n);
/* Warns of calls after which names or descriptors mean other files. */
void changes_print(uint64_t n_mounts, uint64_t n_unshared);

/* --rotate: splits a captured trace into parts. */
/* Parses the text of --rotate; `text` NULL: not given. Errors: EINVAL, ERANGE. */
int rotate_check(struct trace_parts *p, const char *text, struct err *e);
/* Replaces the trace by its parts and prints their number. `text` NULL: does nothing. Errors: as
 * trace_split. */
int rotate_apply(const struct trace_parts *p, const char *text, const char *output, bool compress,
		 struct err *e);
