/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scratch files and directories that have a name until their owner renames or removes them.
 *
 * The process keeps a list of these names. An abnormal end that the program can handle (no memory,
 * SIGBUS, a terminating signal) removes all files on the list. A child of fork() inherits the list
 * but removes nothing of its parent. */
#ifndef COMMON_LEFTOVERS_H
#define COMMON_LEFTOVERS_H

/* Puts `path`, a file or a directory, on the list. A path of PATH_MAX bytes or more, or the 33rd,
 * is not kept. */
void leftover_add(const char *path);
/* Makes a directory as mkdtemp() does and puts it on the list. Returns `path`, or NULL with errno.
 * dir_remove_tree() takes it off the list. */
char *leftover_directory(char *path);
/* Takes `path`, the same text, off the list. Does nothing for other paths. */
void leftover_drop(const char *path);
/* Removes all that is on the list, directories with their content. Safe in a signal handler; errno
 * may change. */
void leftovers_remove(void);

#endif
