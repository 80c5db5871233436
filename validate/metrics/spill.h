/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Large tables of zeros: in memory while small, in an unlinked temporary file beyond, so that the
 * kernel can move them out. */
#ifndef VALIDATE_METRICS_SPILL_H
#define VALIDATE_METRICS_SPILL_H

#include <stddef.h>

#include "common/err.h"

#define SPILL_BYTES (64u << 20) /* larger tables go to a file */

/* A descriptor of an unlinked temporary file in `dir` (NULL: $TMPDIR, else /var/tmp, else /tmp).
 * Errors: of the system. */
int spill_open(const char *dir, struct err *e);

/* `bytes` > 0 of zeros. Errors: ENOMEM; ENOSPC and others of the file, which has room for all of
 * them afterwards. Ownership: spill_unmap. */
int spill_map(void **table, size_t bytes, struct err *e);
void spill_unmap(void *table, size_t bytes); /* NULL is fine */

#endif
