/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loop devices. All of it needs root. */
#ifndef MICROBENCH_VOLUME_LOOP_H
#define MICROBENCH_VOLUME_LOOP_H

#include <stdbool.h>

#include "common/err.h"

#define LOOP_NAME_MAX 32

/* Attaches a free loop device to `file`, with direct I/O where `direct`; its name goes to `device`.
 * Errors: of the system: EACCES without root, ENOENT without loop devices; EINVAL where direct I/O
 * was asked for and is not to be had. */
int loop_attach(const char *file, bool direct, char device[LOOP_NAME_MAX], struct err *e);
/* Detaches it, if `file` is what it is attached to. Waits until it is free. Errors: of the system;
 * EBUSY while somebody has it open. */
int loop_detach(const char *device, const char *file, struct err *e);
/* The loop device over `file`, in `device`, which is "" after an error. Errors: ENOENT without a
 * message: there is none; where it cannot be told, those of the system, and EIO, as without /sys of
 * a device whose file's server has ended. */
int loop_of_file(const char *file, char device[LOOP_NAME_MAX], struct err *e);

#endif
