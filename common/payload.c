/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each word of the content is a hash of its number. */
#include "common/payload.h"

#include "common/splitmix.h"

#define SECTOR 512u
#define WORDS (SECTOR / 8)

static void block_make(const struct payload *p, uint64_t key, uint64_t block, unsigned char *to)
{
	const uint64_t draw = splitmix_mix(key + splitmix_mix(block + SPLITMIX_STEP));
	const int duplicate = (double)(draw >> 11) * 0x1p-53 < p->duplicates;
	const uint64_t content = duplicate ? splitmix_mix(draw) % PAYLOAD_DUPLICATES : draw;
	const double share = p->compressible < 0 ? 0 : p->compressible > 1 ? 1 : p->compressible;
	const unsigned int n_random = WORDS - (unsigned int)(share * WORDS + 0.5);
	for (unsigned int at = 0, i = 0; at < PAYLOAD_BLOCK; at += SECTOR) {
		for (unsigned int w = 0; w < n_random; w++) {
			const uint64_t word = splitmix_mix(content + ++i * SPLITMIX_STEP);
			memcpy(to + at + 8 * (size_t)w, &word, 8);
		}
		memset(to + at + 8 * (size_t)n_random, 0, SECTOR - 8 * (size_t)n_random);
	}
}

void payload_make(const struct payload *p, uint64_t key, uint64_t offset, void *to, size_t len)
{
	unsigned char *out = to, block[PAYLOAD_BLOCK];
	while (len) {
		const size_t within = offset % PAYLOAD_BLOCK, room = PAYLOAD_BLOCK - within,
			     n = len < room ? len : room;
		block_make(p, key, offset / PAYLOAD_BLOCK, n == PAYLOAD_BLOCK ? out : block);
		if (n < PAYLOAD_BLOCK)
			memcpy(out, block + within, n);
		out += n;
		offset += n;
		len -= n;
	}
}
