/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What scripts of programs mounted below a campaign's own directories, and nobody unmounted. */
#ifndef VALIDATE_MOUNTS_H
#define VALIDATE_MOUNTS_H

#include "common/err.h"

/* Unmounts all that is mounted below `dir` (an absolute path without links), the last first; what
 * is still in use is tried again for some seconds: a program may be about to end. Errors: of the
 * system, naming the mount point; EBUSY. */
int mounts_end(const char *dir, struct err *e);

#endif
