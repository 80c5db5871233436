/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of our own: written whole or not at all, read whole, removed only inside a directory that
 * is named. */
#pragma once

#include <dirent.h>

#include "common/std.h"

/* How PATH is written. 1: in place, because it is a terminal, a pipe, /dev/null, /dev/stdout or
 * another object that must not be replaced. 0: a file of another name is renamed to PATH, which
 * replaces a file or a link. Errors: EINVAL: a block device. */
int file_is_in_place(const char *path, struct err *e);
/* Writes a file of another name (file_beside.h), fsyncs, closes, renames, fsyncs the directory.
 * Success means it is on disk. Errors: of the system; EINVAL as file_is_in_place, by which PATH
 * itself is written where it says so. */
int file_write_atomic(const char *path, const void *data, size_t len, struct err *e);
/* Opens a regular file, never waiting for the writer of a pipe that lies in its place. Returns the
 * descriptor. Errors: of the system; EISDIR; EINVAL where it is a pipe, a device or a socket. */
int file_open_regular(const char *path, int flags, struct err *e);
/* Appends a regular file's bytes to `out`; EFBIG above `max_bytes` (0: no limit), the rest as
 * file_open_regular. */
int file_read(const char *path, struct strbuf *out, size_t max_bytes, struct err *e);
/* Reads a small file under /proc or /sys, trimmed; NULL when it cannot be read. The caller frees.
 */
char *file_read_line(const char *path);
int write_all(int fd, const void *data, size_t len); /* 0 or -errno */
/* with parents; an existing directory is fine */
int dir_create(const char *path, struct err *e);
bool path_exists(const char *path); /* false as well where that cannot be found out */
/* 1: there is something of that name, a link counts; 0: there is not. Errors: of the system, where
 * neither is known. */
int path_is_there(const char *path, struct err *e);
/* The next entry of a directory; NULL at its end and where it cannot be read: then *code is the
 * errno, else 0. */
struct dirent *dir_next(DIR *d, int *code);
/* Refuses to write `output` (- is standard output, NULL nothing) where that is the file `input`
 * (NULL: no file), which would be lost. Errors: EINVAL. */
int output_check_input(const char *output, const char *input, struct err *e);
/* Removes a directory tree, also where directories of this user in it forbid that. Follows no link
 * and leaves neither the tree nor its file system. Deep directories are moved to the top of the
 * tree before. What is not there is fine. Errors: of the system; EXDEV: something is mounted
 * inside; ENOTDIR or ELOOP: `path` itself is no directory. */
int dir_remove_tree(const char *path, struct err *e);
/* The same for `name` in the directory `parent`. `path` is for messages. Errors: also EXDEV:
 * something is mounted at `name` itself. */
int dir_remove_at(int parent, const char *name, const char *path, struct err *e);
/* Removes whatever has that name: a file or link, which is not followed, or a directory as
 * dir_remove_tree does. What is not there is fine. */
int path_remove(const char *path, struct err *e);

/* The file that this program was started from. NULL with the error where /proc is not mounted. The
 * caller frees. */
char *program_path(struct err *e);
