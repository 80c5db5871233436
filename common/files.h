/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program's own files: written completely or not at all, read completely, removed only inside a
 * named directory. */
#pragma once


#include "common/std.h"

/* How PATH is written. 1: in place, because PATH is a terminal, a pipe, /dev/null, /dev/stdout or
 * another object that must not be replaced. 0: a file of another name is renamed to PATH and
 * replaces a file or a link. Errors: EINVAL: a block device. */
int file_is_in_place(const char *path, struct err *e);
/* Writes a file of another name (file_beside.h), syncs and closes it, renames it to PATH and syncs
 * the directory. After success, the data are on disk. If file_is_in_place(PATH) is 1, writes to
 * PATH itself. Errors: of the system; EINVAL as file_is_in_place. */
int file_write_atomic(const char *path, const void *data, size_t len, struct err *e);
/* Opens a regular file. Does not block if PATH is a pipe. Returns the descriptor. Errors: of the
 * system; EISDIR; EINVAL: a pipe, a device or a socket. */
int file_open_regular(const char *path, int flags, struct err *e);
/* Appends the bytes of a regular file to `out`. Errors: EFBIG: more than `max_bytes` (0: no limit);
 * otherwise as file_open_regular. */
int file_read(const char *path, struct strbuf *out, size_t max_bytes, struct err *e);
/* Reads a small file under /proc or /sys and trims the text. NULL: the file cannot be read. The
 * caller frees. */
char *file_read_line(const char *path);
/* Writes the text to an existing file, such as a setting of the kernel, in one call. Returns 0 or a
 * positive errno. */
int file_put_text(const char *path, const char *text);
int write_all(int fd, const void *data, size_t len); /* 0 or -errno */
/* The same at an offset. */
int write_all_at(int fd, const void *data, size_t len, uint64_t offset);
/* Reads `len` bytes, or all bytes up to the end of the file. Returns their number or -errno. */
ssize_t read_all_at(int fd, void *to, size_t len, uint64_t offset);
/* Takes the flock() that excludes other processes, and waits a little if necessary: the child that
 * a killed program was starting holds a lock until it exits. Returns 0, or -1 with errno. */
int file_lock(int fd);
/* creates missing parents, too; an existing directory is no error */
int dir_create(const char *path, struct err *e);
bool path_exists(const char *path); /* also false if the answer is unknown */
/* 1: a file, directory or link of that name exists; 0: none exists. Errors: of the system, if the
 * answer is unknown. */
int path_is_there(const char *path, struct err *e);
/* The next entry of a directory. NULL at the end and after an error: *code is 0 at the end,
 * otherwise the errno. */
struct dirent *dir_next(DIR *d, int *code);
/* Returns EINVAL if writing `output` would overwrite the file `input`. `output`: "-" is standard
 * output, NULL is no output. `input`: NULL is no file. */
int output_check_input(const char *output, const char *input, struct err *e);
/* Removes a directory tree, also if permissions of this user's directories forbid it. Follows no
 * link and stays within the tree and its file system. First moves very deep directories to the top
 * of the tree. A missing tree is no error. Errors: of the system; EXDEV: something is mounted
 * inside; ENOTDIR or ELOOP: `path` itself is not a directory. */
int dir_remove_tree(const char *path, struct err *e);
/* Does the same for `name` in the directory open at `parent`. `path` is for messages. Errors: also
 * EXDEV: something is mounted at `name` itself. */
int dir_remove_at(int parent, const char *name, const char *path, struct err *e);
/* Removes the object at `path`: a file; a link, which is not followed; or a directory, as
 * dir_remove_tree does. A missing object is no error. */
int path_remove(const char *path, struct err *e);

/* Returns the path of a program: `name` if it has a slash, otherwise its file in a directory of
 * $PATH. The caller frees. Errors: NULL with errno. */
char *command_path(const char *name);
/* Path of the file from which this program was started. The caller frees. Errors: NULL if /proc is
 * not mounted. */
char *program_path(struct err *e);
