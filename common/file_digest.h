/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 (FIPS 180-4; by libgcrypt) of the content of a file. */
#pragma once

#include "common/std.h"

#define FILE_DIGEST_HEX 65 /* bytes, including the NUL */

/* After an error, all three functions leave "" in `hex`. An error says nothing about the content.
 * Errors: ENOMEM, and those of digest_ready(). */

/* Digest of the whole file open at `fd`, which must allow pread(). The position of `fd` does not
 * change. `path` is for messages. Errors: also of pread(). */
int file_digest_fd(int fd, const char *path, char hex[FILE_DIGEST_HEX], struct err *e);
/* Of n bytes in memory. */
int bytes_digest(const void *bytes, size_t n, char hex[FILE_DIGEST_HEX], struct err *e);
/* Digest of a regular file. Errors: also of file_open_regular() and pread(). */
int file_digest(const char *path, char hex[FILE_DIGEST_HEX], struct err *e);
