/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words are hashes of their numbers, by splitmix64's finish (Steele, Lea, Flood, OOPSLA 2014). */
#include "common/payload.h"

#include <string.h>

#define SECTOR 512u
#define WORDS (SECTOR / 8)
#define ODD 0x9e3779b97f4a7c15u

static inline uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static void block_make(const struct payload *p, uint64_t key, uint64_t block, unsigned char *to)
{
	const uint64_t draw = mix(key + mix(block + ODD));
	const int duplicate = (double)(draw >> 11) * 0x1p-53 < p->duplicates;
	const uint64_t content = duplicate ? mix(draw) % PAYLOAD_DUPLICATES : draw;
	const double share = p->compressible < 0 ? 0 : p->compressible > 1 ? 1 : p->compressible;
	const unsigned int n_random = WORDS - (unsigned int)(share * WORDS + 0.5);
	for (unsigned int at = 0, i = 0; at < PAYLOAD_BLOCK; at += SECTOR) {
		for (unsigned int w = 0; w < n_random; w++) {
			const uint64_t word = mix(content + ++i * ODD);
			memcpy(to + at + 8 * (size_t)w, &word, 8);
		}
		memset(to + at + 8 * (size_t)n_random, 0, SECTOR - 8 * (size_t)n_random);
	}
}

void payload_make(const struct payload *p, uint64_t key, uint64_t offset, void *to, size_t len)
{
	unsigned char *out = to, block[PAYLOAD_BLOCK];
	while (len) {
		const size_t within = offset % PAYLOAD_BLOCK, room = PAYLOAD_BLOCK - within, n = len < room ? len : room;
		block_make(p, key, offset / PAYLOAD_BLOCK, n == PAYLOAD_BLOCK ? out : block);
		if (n < PAYLOAD_BLOCK)
			memcpy(out, block + within, n);
		out += n;
		offset += n;
		len -= n;
	}
}
