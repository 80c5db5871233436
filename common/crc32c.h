/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-32C (Castagnoli, RFC 3720 B.4), by the SSE 4.2 instruction where there is one. */
#ifndef COMMON_CRC32C_H
#define COMMON_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32c(uint32_t crc, const void *data, size_t len); /* start with 0; may be continued */

/* The same without the instruction; a test compares the two. */
uint32_t crc32c_portable(uint32_t crc, const void *data, size_t len);

#endif
