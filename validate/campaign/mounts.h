/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mounts that scripts of programs left behind below the campaign's directories. */
#pragma once

#include "common/std.h"

/* Unmounts everything below `dir` (absolute, without links), the last mount first. Retries busy
 * mounts for some seconds, because a program may be about to exit. Errors: from the system, with
 * the mount point; EBUSY. */
int mounts_end(const char *dir, struct err *e);
