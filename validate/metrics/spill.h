/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Large zeroed tables: in memory if small, otherwise in an unlinked temporary file that the kernel
 * can write out. */
#pragma once

#include "common/std.h"

#define SPILL_BYTES (64u << 20) /* larger tables go to a file */

/* Opens an unlinked temporary file in `dir` (NULL: $TMPDIR, otherwise /var/tmp, otherwise /tmp).
 * Returns the descriptor. Errors: from the system. */
int spill_open(const char *dir, struct err *e);

/* Maps `bytes` > 0 zeros. Errors: ENOMEM; ENOSPC and other errors of the file, whose space is
 * reserved. Ownership: spill_unmap. */
int spill_map(void **table, size_t bytes, struct err *e);
void spill_unmap(void *table, size_t bytes); /* NULL: no effect */
