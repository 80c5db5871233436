/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files without a name, which are gone when they are closed, however the program ends. */
#pragma once

#include "common/std.h"

/* Opens one in `dir`, for reading and writing. Returns the descriptor. Errors: of the system, with
 * the directory. */
int unnamed_file_open(const char *dir, struct err *e);

/* Reads or writes all of `n_bytes` at `offset` of any file. Errors: of the system; EIO: the file
 * ends before. */
int file_read_at(int fd, void *to, size_t n_bytes, uint64_t offset, struct err *e);
int file_write_at(int fd, const void *from, size_t n_bytes, uint64_t offset, struct err *e);

/* Reserves the first `n_bytes` of a new file; they read as zeros. Without reserved room, an access
 * to a mapped page raises SIGBUS on a full disk. Needs neither fallocate() nor fstat() of a removed
 * file, which some file systems refuse. Errors: of the system, without a message. */
int file_reserve(int fd, uint64_t n_bytes);

/* Whether the file system keeps the file in memory (tmpfs, ramfs). */
bool file_in_memory(int fd);
