/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are written under another name until they are whole. */
#pragma once

#include "common/std.h"

/* Makes a fresh file in the directory of PATH, .validate-XXXXXX with random letters, which
 * file_beside_keep renames to PATH. It replaces no existing file, and processes that write the same
 * PATH use different files. The umask applies to `mode`. Returns the descriptor, open for writing
 * and locked (flock); the lock shows that the file is in use. Errors: EINVAL if PATH is empty, else
 * of the system; they name PATH. Ownership: the caller frees *name, which is NULL after an error.
 */
int file_beside(const char *path, unsigned int mode, char **name, struct err *e);
/* Renames NAME to PATH where `ret` is 0, and removes it where that fails or `ret` is an error,
 * which it returns then. Frees NAME; NULL is fine. */
int file_beside_keep(char *name, const char *path, int ret, struct err *e);
/* Removes the files of that name in `dir` that a killed process of this user left: no process holds
 * their lock. All other ends of a process remove them at once (leftovers.h). */
void file_beside_sweep(const char *dir);
