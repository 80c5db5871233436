/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files without a name. The kernel deletes them when they are closed, however the program ends. */
#pragma once

#include "common/std.h"

/* Opens an unnamed file in `dir` for reading and writing. Returns the descriptor. Errors: of the
 * system, with the directory. */
int unnamed_file_open(const char *dir, struct err *e);
/* The same in the directory of `path`, which needs the same amount of space anyway. */
int unnamed_file_beside(const char *path, struct err *e);

/* Reads or writes all `n_bytes` at `offset` of any file. Errors: of the system; EIO: the file is
 * too short. */
int file_read_at(int fd, void *to, size_t n_bytes, uint64_t offset, struct err *e);
int file_write_at(int fd, const void *from, size_t n_bytes, uint64_t offset, struct err *e);

/* Reserves space for the first `n_bytes` of a new file, which read as zeros. Without reserved
 * space, an access to a mapped page raises SIGBUS on a full disk. Does not use fallocate() or
 * fstat() on a removed file where a file system refuses that. Errors: of the system, without a
 * message. */
int file_reserve(int fd, uint64_t n_bytes);

/* Whether the file system keeps the file in memory (tmpfs, ramfs). */
bool file_in_memory(int fd);
