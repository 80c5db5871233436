/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 (FIPS 180-4; by libgcrypt) of what a file holds. */
#ifndef COMMON_FILE_DIGEST_H
#define COMMON_FILE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#define FILE_DIGEST_HEX 65 /* with the NUL */

/* Of the whole file behind `fd`, which must be one that can be read at offsets; its position stays. False when it cannot be read. */
bool file_digest_fd(int fd, char hex[FILE_DIGEST_HEX]);
/* Of n bytes in memory. False without memory or libgcrypt. */
bool bytes_digest(const void *bytes, size_t n, char hex[FILE_DIGEST_HEX]);
/* Of a regular file. False when it is none or cannot be read. */
bool file_digest(const char *path, char hex[FILE_DIGEST_HEX]);

#endif
