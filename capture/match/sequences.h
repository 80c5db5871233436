/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers keys (of threads, objects, ...) in the order of their first use, and counts the requests
 * of each. At most 32 bytes per key. */
#pragma once

#include "common/std.h"

struct sequence_slot {
	uint64_t key;
	uint32_t id, n; /* n: requests so far, modulo 2^32; id UINT32_MAX: free slot */
};

struct sequences {
	struct sequence_slot *slot; /* [1 << bits], at most half full */
	unsigned int bits;
	uint32_t n;
};

void sequences_init(struct sequences *s);
void sequences_release(struct sequences *s);
void sequences_grow(struct sequences *s);

/* The number of the key's sequence; *k: the index of its next request. */
static inline uint32_t sequences_place(struct sequences *s, uint64_t key, uint32_t *k)
{
	size_t mask = ((size_t)1 << s->bits) - 1;
	size_t i = (key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - s->bits);
	while (s->slot[i].id != UINT32_MAX && s->slot[i].key != key)
		i = (i + 1) & mask;
	if (__builtin_expect(s->slot[i].id == UINT32_MAX, 0)) {
		if (2 * (size_t)s->n >= mask) {
			sequences_grow(s);
			return sequences_place(s, key, k);
		}
		s->slot[i] = (struct sequence_slot){.key = key, .id = s->n++};
	}
	*k = s->slot[i].n++;
	return s->slot[i].id;
}
