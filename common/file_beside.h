/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are written under another name until they are whole. */
#ifndef COMMON_FILE_BESIDE_H
#define COMMON_FILE_BESIDE_H

#include "common/err.h"

/* Makes a fresh file in the directory of PATH, .validate-XXXXXX with random letters, to be renamed
 * to PATH by file_beside_keep: what is there under whatever name is left alone, and several who
 * write the same PATH do not meet. Its mode is what the umask leaves of `mode`. Returns the
 * descriptor, open for writing and locked (flock) so that it is known to be somebody's. Errors:
 * EINVAL where PATH is empty, else of the system, which name PATH. Ownership: the caller frees
 * *name, which is NULL where it failed. */
int file_beside(const char *path, unsigned int mode, char **name, struct err *e);
/* Renames NAME to PATH where `ret` is 0, and removes it where that fails or `ret` is an error,
 * which it returns then. Frees NAME; NULL is fine. */
int file_beside_keep(char *name, const char *path, int ret, struct err *e);
/* Removes the files of that name in `dir` that a killed process of this user left: no process holds
 * their lock. All other ends of a process remove them at once (leftovers.h). */
void file_beside_sweep(const char *dir);

#endif
