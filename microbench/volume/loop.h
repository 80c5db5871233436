/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loop devices. Needs root. */
#pragma once

#include "common/std.h"

#define LOOP_NAME_MAX 32

/* Attaches a free loop device to `file`, with direct I/O if `direct`; sets `device` to its name.
 * Errors: of the system: EACCES without root, ENOENT without loop devices; EINVAL if direct I/O is
 * not possible. */
int loop_attach(const char *file, bool direct, char device[LOOP_NAME_MAX], struct err *e);
/* Detaches it if it is attached to `file`, and waits until it is free. Errors: of the system; EBUSY
 * while another program has it open. */
int loop_detach(const char *device, const char *file, struct err *e);
/* Sets `device` to the loop device over `file`, "" after an error. Errors: ENOENT without a
 * message: there is none; if it cannot be determined those of the system, and EIO, for example
 * without /sys for a device whose file's server has ended. */
int loop_of_file(const char *file, char device[LOOP_NAME_MAX], struct err *e);
