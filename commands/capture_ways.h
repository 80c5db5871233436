/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ways to capture that have files of their own; cmd_capture.c holds the table. argv[0] is the way's name; the return is
 * an exit status. */
#ifndef COMMANDS_CAPTURE_WAYS_H
#define COMMANDS_CAPTURE_WAYS_H

#include "capture/files_noted.h"
#include "common/err.h"

int capture_causality(int argc, char **argv, struct err *e);
int capture_block(int argc, char **argv, struct err *e);
int capture_vfs(int argc, char **argv, struct err *e);

/* What there is to say of a snapshot (cmd_capture.c). */
void files_noted_print(const struct files_noted *n);

#endif
