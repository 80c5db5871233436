/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attaches and detaches loop devices. Needs root. */
#pragma once

#include "common/std.h"

#define LOOP_NAME_MAX 32

/* Attaches a free loop device to `file` (with direct I/O if `direct`) and sets `device` to its
 * name. Errors: of the system: EACCES: not root; ENOENT: no loop devices; EINVAL: direct I/O is not
 * possible. */
int loop_attach(const char *file, bool direct, char device[LOOP_NAME_MAX], struct err *e);
/* Detaches the device if it is attached to `file`, and waits until it is free. Errors: of the
 * system; EBUSY: another program has it open. */
int loop_detach(const char *device, const char *file, struct err *e);
/* Sets `device` to the loop device over `file`, or to "" after an error. Errors: ENOENT, without a
 * message: there is none. If this cannot be determined: of the system, or EIO, for example without
 * /sys if the server of a device's file has ended. */
int loop_of_file(const char *file, char device[LOOP_NAME_MAX], struct err *e);
