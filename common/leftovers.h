/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scratch files and directories, from their creation until their owner renames or removes them.
 *
 * The process keeps a list of these names. An abnormal end that the program can handle (no memory,
 * SIGBUS, a terminating signal) removes all files on the list. A child of fork() inherits the list
 * but removes nothing of its parent. */
#pragma once

#include "common/std.h"

/* Puts `path`, a file or a directory, on the list. Ignores a path of PATH_MAX bytes or more, and
 * every path if the list has 32 entries. */
void leftover_add(const char *path);
/* Makes a directory as mkdtemp() does, puts it on the list and locks it. The lock shows that the
 * directory is in use. Before that, removes old directories of the same pattern, as
 * leftover_sweep() does. Returns `path`, or NULL with errno. dir_remove_tree() removes it from the
 * list and unlocks it. */
char *leftover_directory(char *path);
/* Removes directories that killed processes left. Such a directory matches `pattern` (each X at the
 * end is any letter), belongs to this user, has the mode of mkdtemp() or the sticky bit, did not
 * change for 10 s, and no process holds its lock. Keeps a directory for which `may_go` returns
 * false; `may_go` may be NULL. Returns the number of removed directories. */
size_t leftover_sweep(const char *pattern, bool (*may_go)(const char *path));
/* Removes `path`, exactly as it was added, from the list. Ignores other paths. */
void leftover_drop(const char *path);
/* Removes all files and directories on the list, directories with their content. Safe in a signal
 * handler. May change errno. */
void leftovers_remove(void);
