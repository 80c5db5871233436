/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scratch files and directories that have a name until their owner renames or removes them.
 *
 * The process keeps a list of these names. An abnormal end that the program can handle (no memory,
 * SIGBUS, a terminating signal) removes all files on the list. A child of fork() inherits the list
 * but removes nothing of its parent. */
#pragma once

#include "common/std.h"

/* Puts `path`, a file or a directory, on the list. A path of PATH_MAX bytes or more, or the 33rd,
 * is not kept. */
void leftover_add(const char *path);
/* Makes a directory as mkdtemp() does, puts it on the list and locks it: the lock shows that it is
 * in use. First removes directories of the same pattern, as leftover_sweep() does. Returns `path`,
 * or NULL with errno. dir_remove_tree() takes it off the list and unlocks it. */
char *leftover_directory(char *path);
/* Removes directories that killed processes left: their path matches `pattern`, where each X at the
 * end is any letter, they belong to this user, have the mode of mkdtemp() or the sticky bit, did
 * not change for 10 s, and no process holds their lock. Keeps those for which `may_go` returns
 * false; NULL: none. Returns the number of removed directories. */
size_t leftover_sweep(const char *pattern, bool (*may_go)(const char *path));
/* Takes `path`, the same text, off the list. Does nothing for other paths. */
void leftover_drop(const char *path);
/* Removes all that is on the list, directories with their content. Safe in a signal handler; errno
 * may change. */
void leftovers_remove(void);
