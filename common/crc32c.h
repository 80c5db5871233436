/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CRC-32C (Castagnoli, RFC 3720 B.4). Uses the SSE 4.2 instruction if the CPU has it. */
#pragma once

#include "common/std.h"

/* `crc`: 0 in the first call, then the result of the previous call */
uint32_t crc32c(uint32_t crc, const void *data, size_t len);

/* The same without the SSE instruction, for a test. */
uint32_t crc32c_portable(uint32_t crc, const void *data, size_t len);
