/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are written under a temporary name until they are complete. */
#pragma once

#include "common/std.h"

/* Creates a file in the directory of PATH, named .validate-XXXXXX with random letters.
 * file_beside_keep renames it to PATH. The function replaces no existing file, and processes that
 * write the same PATH use different files. The umask applies to `mode`. Returns the descriptor,
 * open for writing and locked (flock). The lock shows that the file is in use. Errors: EINVAL if
 * PATH is empty; otherwise of the system; they name PATH. Ownership: the caller frees *name, which
 * is NULL after an error. */
int file_beside(const char *path, unsigned int mode, char **name, struct err *e);
/* If `ret` is 0, renames NAME to PATH. If `ret` is an error or the rename fails, removes NAME and
 * returns the error. Frees NAME, which may be NULL. */
int file_beside_keep(char *name, const char *path, int ret, struct err *e);
/* Removes files of such names in `dir` that a killed process of this user left: no process holds
 * their lock. In every other case, the process itself removes them when it ends (leftovers.h). */
void file_beside_sweep(const char *dir);
