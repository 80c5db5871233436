/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/crc32c.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#include <wmmintrin.h>
#endif

/* Remainders of the 4-bit values by the reflected polynomial 0x82f63b78 (RFC 3720 B.4). */
static const uint32_t remainder_of[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

static uint32_t update_portable(uint32_t crc, const unsigned char *p, size_t len)
{
	for (; len--; p++) {
		crc = crc >> 4 ^ remainder_of[(crc ^ *p) & 15];
		crc = crc >> 4 ^ remainder_of[(crc ^ *p >> 4) & 15];
	}
	return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t update_sse42(uint32_t crc, const unsigned char *p,
							       size_t len)
{
	uint64_t wide = crc, word;
	for (; len >= 8; len -= 8, p += 8) {
		memcpy(&word, p, 8);
		wide = _mm_crc32_u64(wide, word);
	}
	crc = (uint32_t)wide;
	while (len--)
		crc = _mm_crc32_u8(crc, *p++);
	return crc;
}

#define LANE 1024u

/* The factors x^(8 LANE) and x^(16 LANE): a carry-less product with one of them, reduced by the
 * crc32 instruction, is the remainder after that many more zero bytes. The instruction itself
 * multiplies by x^32, and a product of bit-reflected factors by x: these are the remainders of
 * x^(8 n - 33). */
#define OVER_ONE_LANE 0x170076fau
#define OVER_TWO_LANES 0xa51b6135u

/* The instruction can start every cycle but takes three. Three parts of the data at once keep it
 * busy. Leaves less than three lanes. */
__attribute__((target("sse4.2,pclmul"))) static uint32_t
update_three_lanes(uint32_t crc, const unsigned char **p, size_t *len)
{
	for (; *len >= 3 * LANE; *len -= 3 * LANE, *p += 3 * LANE) {
		uint64_t a = crc, b = 0, c = 0, word;
		const unsigned char *s = *p;
		for (size_t line = 0; line < LANE; line += 64, s += 64) {
			/* for the next round: the processor does not prefetch three streams */
			for (size_t i = 0; i < 3; i++)
				_mm_prefetch((const char *)s + (3 + i) * LANE, _MM_HINT_T0);
			for (size_t i = 0; i < 64; i += 8) {
				memcpy(&word, s + i, 8);
				a = _mm_crc32_u64(a, word);
				memcpy(&word, s + LANE + i, 8);
				b = _mm_crc32_u64(b, word);
				memcpy(&word, s + 2 * LANE + i, 8);
				c = _mm_crc32_u64(c, word);
			}
		}
		__m128i factors = _mm_set_epi64x(OVER_ONE_LANE, OVER_TWO_LANES);
		__m128i lanes = _mm_set_epi64x((int64_t)b, (int64_t)a);
		__m128i sum = _mm_xor_si128(_mm_clmulepi64_si128(lanes, factors, 0x00),
					    _mm_clmulepi64_si128(lanes, factors, 0x11));
		crc = (uint32_t)(_mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(sum)) ^ c);
	}
	return crc;
}
#endif

uint32_t crc32c(uint32_t crc, const void *data, size_t len)
{
	crc = ~crc;
#if defined(__x86_64__)
	const unsigned char *p = data;
	if (len >= 3 * LANE && __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul"))
		crc = update_three_lanes(crc, &p, &len);
	data = p;
	if (__builtin_cpu_supports("sse4.2"))
		return ~update_sse42(crc, data, len);
#endif
	return ~update_portable(crc, data, len);
}

uint32_t crc32c_portable(uint32_t crc, const void *data, size_t len)
{
	return ~update_portable(~crc, data, len);
}
