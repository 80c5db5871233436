/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/crc32c.h"

/* Remainders of the 4-bit values modulo the reflected polynomial 0x82f63b78 (RFC 3720 B.4). */
static const uint32_t remainder_of[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t crc32c_portable(uint32_t crc, const void *data, size_t len)
{
	crc = ~crc;
	for (const unsigned char *p = data; len--; p++) {
		crc = crc >> 4 ^ remainder_of[(crc ^ *p) & 15];
		crc = crc >> 4 ^ remainder_of[(crc ^ *p >> 4) & 15];
	}
	return ~crc;
}

uint32_t crc32c(uint32_t crc, const void *data, size_t len)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("sse4.2")) {
		const unsigned char *p = data;
		uint64_t wide = ~crc, word;
		for (; len >= 8; len -= 8, p += 8) {
			memcpy(&word, p, 8);
			__asm__("crc32q %1, %0" : "+r"(wide) : "rm"(word));
		}
		for (; len; len--, p++)
			__asm__("crc32b %1, %0" : "+r"(wide) : "rm"(*p));
		return ~(uint32_t)wide;
	}
#endif
	return crc32c_portable(crc, data, len);
}
